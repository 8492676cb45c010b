// The frames of a tab: their numbers, where each hangs in its parent's document and where its content is on the screen.
// Lists the frames that live in the tab's own process tree; others are left out rather than guessed. A number stands for one
// frame for as long as the tab is owned and is durable before it is told (invariant 8). Writes nothing into a page
// (invariant 14): the frame's element gets its ref in the library's own map.

/** @import { TabClaim } from './types.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { PageCalls } from './page_calls.js' */

import { Refusal } from './codes.js';
import { frameNotFound, valueOf } from './page_calls.js';
import { isObject, u32 } from './shape.js';

/** Gives the element its ref after the document was told its first number. */
const REF_OF_OWNER = `async function(context) {
  const entered = await bskPage.call('document_state', {}, context);
  const ref = bskPage.refOf(this);
  return { ref, next_ref: Math.max(entered.next_ref, ref + 1) };
}`;

/**
 * @typedef {object} FrameRecord
 * @property {number} frame
 * @property {number} [parent]
 * @property {number} [owner_ref]
 * @property {string} url
 */

export class Frames {
  /** @type {Debuggees} */
  #debuggees;
  /** @type {Ownership} */
  #ownership;
  /** @type {PageCalls} */
  #pageCalls;

  /**
   * @param {Debuggees} debuggees
   * @param {Ownership} ownership
   * @param {PageCalls} pageCalls
   */
  constructor(debuggees, ownership, pageCalls) {
    this.#debuggees = debuggees;
    this.#ownership = ownership;
    this.#pageCalls = pageCalls;
  }

  /**
   * All frames, parents before children.
   * @param {TabClaim} claim
   * @returns {Promise<{ frames: FrameRecord[] }>}
   */
  async list(claim) {
    const { frameTree } = await this.#debuggees.send(claim.tabId, 'Page.getFrameTree');
    /** @type {{ record: FrameRecord, frameId: string }[]} */
    const found = [];
    const hasNew = this.#walk(claim, frameTree, null, found);
    const saved = hasNew ? this.#ownership.save() : null;
    await Promise.all(found.map(async ({ record, frameId }) => {
      if (record.parent === undefined) return;
      const owner_ref = await this.#ownerRef(claim, record.parent, frameId).catch(() => undefined);
      if (owner_ref !== undefined) record.owner_ref = owner_ref;
    }));
    if (saved !== null) await saved;
    return { frames: found.map(({ record }) => record) };
  }

  /**
   * @param {TabClaim} claim
   * @param {unknown} tree
   * @param {number | null} parent
   * @param {{ record: FrameRecord, frameId: string }[]} found
   * @returns {boolean} whether a frame got its number just now
   */
  #walk(claim, tree, parent, found) {
    const frame = isObject(tree) ? tree['frame'] : undefined;
    if (!isObject(tree) || !isObject(frame) || typeof frame['id'] !== 'string') return false;
    const { number, isNew } = parent === null ? { number: 0, isNew: false } : this.#ownership.numberFrame(claim, frame['id']);
    const url = `${frame['url'] ?? ''}${frame['urlFragment'] ?? ''}`;
    found.push({ record: { frame: number, ...(parent === null ? {} : { parent }), url }, frameId: frame['id'] });
    let hasNew = isNew;
    const children = Array.isArray(tree['childFrames']) ? tree['childFrames'] : [];
    for (const child of children) hasNew = this.#walk(claim, child, number, found) || hasNew;
    return hasNew;
  }

  /**
   * The ref number of a frame's element in its parent's document.
   * @param {TabClaim} claim
   * @param {number} parent
   * @param {string} frameId
   * @returns {Promise<number | undefined>}
   */
  async #ownerRef(claim, parent, frameId) {
    const [backendNodeId, executionContextId] = await Promise.all([
      this.#ownerNode(claim, frameId), this.#pageCalls.contextWithLibrary(claim, parent),
    ]);
    const { object } = await this.#debuggees.send(claim.tabId, 'DOM.resolveNode', { backendNodeId, executionContextId });
    const objectId = isObject(object) ? object['objectId'] : undefined;
    const context = { first_ref: this.#ownership.firstRef(claim, parent), frame: parent };
    const answer = valueOf(await this.#debuggees.send(claim.tabId, 'Runtime.callFunctionOn', {
      functionDeclaration: REF_OF_OWNER, objectId, arguments: [{ value: context }], returnByValue: true, awaitPromise: true,
    }));
    this.#debuggees.send(claim.tabId, 'Runtime.releaseObject', { objectId }).catch(() => {});
    if (!isObject(answer) || !u32.accepts(answer['ref']) || !u32.accepts(answer['next_ref'])) return undefined;
    const write = this.#ownership.useRefs(claim, parent, answer['next_ref']);
    if (write !== null) await write;
    return answer['ref'];
  }

  /**
   * @param {TabClaim} claim
   * @param {string} frameId
   * @returns {Promise<number>}
   */
  async #ownerNode(claim, frameId) {
    const { backendNodeId } = await this.#debuggees.send(claim.tabId, 'DOM.getFrameOwner', { frameId });
    if (typeof backendNodeId !== 'number') throw new Refusal('cdp_failed', null, 'the frame has no element');
    return backendNodeId;
  }

  /**
   * Where a frame's content is in the tab's viewport, and its own size.
   * @param {TabClaim} claim
   * @param {number} frame not the main frame
   * @returns {Promise<{ quad: number[], width: number, height: number }>}
   */
  async quad(claim, frame) {
    const frameId = this.#ownership.frameId(claim, frame);
    if (frameId === undefined) throw frameNotFound(claim, frame);
    const [quad, size] = await Promise.all([
      this.#contentQuad(claim, frameId),
      // The frame's own idea of its viewport: the content box before any transform, in its own pixels.
      this.#pageCalls.runOwn(claim, frame, '() => ({ width: innerWidth, height: innerHeight })'),
    ]);
    const { width, height } = isObject(size) ? size : {};
    if (typeof width !== 'number' || typeof height !== 'number') throw frameNotFound(claim, frame);
    return { quad, width, height };
  }

  /**
   * @param {TabClaim} claim
   * @param {string} frameId
   * @returns {Promise<number[]>}
   */
  async #contentQuad(claim, frameId) {
    const backendNodeId = await this.#ownerNode(claim, frameId);
    const { model } = await this.#debuggees.send(claim.tabId, 'DOM.getBoxModel', { backendNodeId });
    const content = isObject(model) ? model['content'] : undefined;
    /** @type {number[]} */
    const quad = [];
    if (Array.isArray(content)) for (const corner of content) if (typeof corner === 'number') quad.push(corner);
    if (quad.length === 8) return quad;
    throw new Refusal('cdp_failed', 'element_not_visible', 'the frame has no place on the page',
      'run `bsk observe` to see what is visible');
  }
}
