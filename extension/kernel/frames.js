// The frames of a tab: their numbers, where each hangs in its parent's document and where its content is on the screen.
// Frames in processes of their own are listed by those and hang below the frame that holds them. A number stands for one
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

/** @typedef {{ quad: number[], width: number, height: number }} Place where a frame's content is, and its own size */
/** @typedef {{ record: FrameRecord, frameId: string }} Found */

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
    const found = await this.#find(claim);
    await Promise.all(found.map(async ({ record, frameId }) => {
      if (record.parent === undefined) return;
      const owner_ref = await this.#ownerRef(claim, record.parent, frameId).catch(() => undefined);
      if (owner_ref !== undefined) record.owner_ref = owner_ref;
    }));
    return { frames: found.map(({ record }) => record) };
  }

  /**
   * The frames that the tab's processes tell of; their numbers are durable.
   * @param {TabClaim} claim
   * @returns {Promise<Found[]>}
   */
  async #find(claim) {
    const { frameTree } = await this.#debuggees.send(claim.tabId, 'Page.getFrameTree');
    /** @type {Found[]} */
    const found = [];
    let hasNew = this.#walk(claim, frameTree, null, found, undefined);
    // A process may end while it is asked: its frames are gone then.
    let waiting = await Promise.all(this.#debuggees.processes(claim.tabId).sessions().map(async (sessionId) => {
      const answer = await this.#debuggees.send(claim.tabId, 'Page.getFrameTree', undefined, sessionId).catch(() => null);
      return { tree: answer?.['frameTree'], sessionId };
    }));
    // A process's frames have their place once the frame that holds them is there.
    for (let before = -1; waiting.length !== before && waiting.length > 0;) {
      before = waiting.length;
      waiting = waiting.filter(({ tree, sessionId }) => {
        const parent = parentIn(found, tree);
        if (parent === undefined) return true;
        hasNew = this.#walk(claim, tree, parent, found, sessionId) || hasNew;
        return false;
      });
    }
    if (hasNew) await this.#ownership.save();
    return found;
  }

  /**
   * @param {TabClaim} claim
   * @param {unknown} tree
   * @param {number | null} parent
   * @param {Found[]} found
   * @param {string | undefined} sessionId of the process that told
   * @returns {boolean} whether a frame got its number just now
   */
  #walk(claim, tree, parent, found, sessionId) {
    const frame = isObject(tree) ? tree['frame'] : undefined;
    if (!isObject(tree) || !isObject(frame) || typeof frame['id'] !== 'string') return false;
    const { number, isNew } = parent === null ? { number: 0, isNew: false } : this.#ownership.numberFrame(claim, frame['id']);
    const url = `${frame['url'] ?? ''}${frame['urlFragment'] ?? ''}`;
    found.push({ record: { frame: number, ...(parent === null ? {} : { parent }), url }, frameId: frame['id'] });
    this.#debuggees.processes(claim.tabId).learn(frame['id'], sessionId);
    let hasNew = isNew;
    const children = Array.isArray(tree['childFrames']) ? tree['childFrames'] : [];
    for (const child of children) hasNew = this.#walk(claim, child, number, found, sessionId) || hasNew;
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
    const { contextId: executionContextId, sessionId } = await this.#pageCalls.worldWithLibrary(claim, parent);
    const backendNodeId = await this.#ownerNode(claim, frameId, sessionId);
    const { object } = await this.#debuggees.send(claim.tabId, 'DOM.resolveNode', { backendNodeId, executionContextId }, sessionId);
    const objectId = isObject(object) ? object['objectId'] : undefined;
    const context = { first_ref: this.#ownership.firstRef(claim, parent), frame: parent };
    const answer = valueOf(await this.#debuggees.send(claim.tabId, 'Runtime.callFunctionOn', {
      functionDeclaration: REF_OF_OWNER, objectId, arguments: [{ value: context }], returnByValue: true, awaitPromise: true,
    }, sessionId));
    this.#debuggees.send(claim.tabId, 'Runtime.releaseObject', { objectId }, sessionId).catch(() => {});
    if (!isObject(answer) || !u32.accepts(answer['ref']) || !u32.accepts(answer['next_ref'])) return undefined;
    const write = this.#ownership.useRefs(claim, parent, answer['next_ref']);
    if (write !== null) await write;
    return answer['ref'];
  }

  /**
   * The session of the process that a frame is in.
   * @param {TabClaim} claim
   * @param {number} frame
   * @returns {string | undefined} undefined for the tab's own process
   */
  #sessionOf(claim, frame) {
    return frame === 0 ? undefined : this.#debuggees.processes(claim.tabId).sessionOf(this.#ownership.frameId(claim, frame));
  }

  /**
   * A frame's element, in the process of the frame that holds it.
   * @param {TabClaim} claim
   * @param {string} frameId
   * @param {string | undefined} sessionId
   * @returns {Promise<number>}
   */
  async #ownerNode(claim, frameId, sessionId) {
    const { backendNodeId } = await this.#debuggees.send(claim.tabId, 'DOM.getFrameOwner', { frameId }, sessionId);
    if (typeof backendNodeId !== 'number') throw new Refusal('cdp_failed', null, 'the frame has no element');
    return backendNodeId;
  }

  /**
   * Where a frame's content is in the tab's viewport, and its own size.
   * @param {TabClaim} claim
   * @param {number} frame not the main frame
   * @returns {Promise<Place>}
   */
  async quad(claim, frame) {
    const frameId = this.#ownership.frameId(claim, frame);
    if (frameId === undefined) throw frameNotFound(claim, frame);
    const processes = this.#debuggees.processes(claim.tabId);
    const own = processes.sessionOf(frameId);
    // A process's topmost frame has its element in the process of the frame that holds it.
    const holder = own !== undefined && processes.rootOf(own) === frameId ? await this.#holderOf(claim, frame) : own;
    const [quad, size] = await Promise.all([
      this.#contentQuad(claim, frameId, holder),
      // The frame's own idea of its viewport: the content box before any transform, in its own pixels.
      this.#pageCalls.runOwn(claim, frame, '() => ({ width: innerWidth, height: innerHeight })'),
    ]);
    const { width, height } = isObject(size) ? size : {};
    if (typeof width !== 'number' || typeof height !== 'number') throw frameNotFound(claim, frame);
    const topmost = holder === undefined ? undefined : processes.rootOf(holder);
    if (topmost === undefined) return { quad, width, height };
    // Places that a process tells are within its own topmost frame.
    const around = await this.quad(claim, this.#ownership.numberFrame(claim, topmost).number);
    return { quad: quadWithin(quad, around), width, height };
  }

  /**
   * The session of the process that holds the element of another process's topmost frame.
   * @param {TabClaim} claim
   * @param {number} frame
   * @returns {Promise<string | undefined>}
   */
  async #holderOf(claim, frame) {
    const parent = (await this.#find(claim)).find(({ record }) => record.frame === frame)?.record.parent;
    if (parent === undefined) throw frameNotFound(claim, frame);
    return this.#sessionOf(claim, parent);
  }

  /**
   * @param {TabClaim} claim
   * @param {string} frameId
   * @param {string | undefined} sessionId
   * @returns {Promise<number[]>}
   */
  async #contentQuad(claim, frameId, sessionId) {
    const backendNodeId = await this.#ownerNode(claim, frameId, sessionId);
    const { model } = await this.#debuggees.send(claim.tabId, 'DOM.getBoxModel', { backendNodeId }, sessionId);
    const content = isObject(model) ? model['content'] : undefined;
    /** @type {number[]} */
    const quad = [];
    if (Array.isArray(content)) for (const corner of content) if (typeof corner === 'number') quad.push(corner);
    if (quad.length === 8) return quad;
    throw new Refusal('cdp_failed', 'element_not_visible', 'the frame has no place on the page',
      'run `bsk observe` to see what is visible');
  }
}

/**
 * The number of the frame that holds a process's topmost frame; undefined when it is not among those found.
 * @param {Found[]} found
 * @param {unknown} tree
 * @returns {number | undefined}
 */
function parentIn(found, tree) {
  const frame = isObject(tree) ? tree['frame'] : undefined;
  const parentId = isObject(frame) ? frame['parentId'] : undefined;
  return found.find(({ frameId }) => frameId === parentId)?.record.frame;
}

/**
 * A quad of one frame's viewport in the viewport around that frame; exact for every affine transform.
 * @param {number[]} quad x1, y1 … x4, y4
 * @param {Place} around where the frame is
 * @returns {number[]}
 */
export function quadWithin(quad, { quad: outer, width, height }) {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, , , x4 = 0, y4 = 0] = outer;
  /** @type {number[]} */
  const mapped = [];
  for (let corner = 0; corner < quad.length; corner += 2) {
    const [u, v] = [(quad[corner] ?? 0) / width, (quad[corner + 1] ?? 0) / height];
    mapped.push(x1 + u * (x2 - x1) + v * (x4 - x1), y1 + u * (y2 - y1) + v * (y4 - y1));
  }
  return mapped;
}
