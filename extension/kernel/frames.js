// The frames of a tab: their numbers, where each hangs in its parent's document and where its content is on the screen.
// Frames in processes of their own are listed by those and hang below the frame that holds them. A process that does not answer,
// a document that has not come and a page that may not be touched keep nothing back: such a frame is told with its obstacle, one
// that a site rule closes without its path.
// A number stands for one frame for as long as the tab is owned and is durable before it is told (invariant 8). Writes nothing
// into a page (invariant 14): the frame's element gets its ref in the library's own map.

/** @import { JsonObject, Surroundings, TabClaim } from './types.js' */
/** @import { Answers } from './answers.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { PageCalls } from './page_calls.js' */
/** @import { Sites } from './sites.js' */

import { Refusal } from './codes.js';
import { within } from './deadline.js';
import { frameNotFound, valueOf } from './page_calls.js';
import { siteOf } from './policy/site_rules.js';
import { isObject, u32 } from './shape.js';

/** How long a frame's process may take to tell its frames, and a document to tell a ref. */
const ANSWER_MS = 500;
/** How long one that owes an answer since then is waited for. */
const AGAIN_MS = 30;
/** As much of an address as is told: that of a `data:` frame is its whole document. */
const LONGEST_URL = 2048;

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
 * @property {'loading' | 'busy' | 'foreign' | 'blocked' | 'unasked'} [obstacle]
 */

export class Frames {
  /** @type {Surroundings} */
  #around;
  /** @type {Debuggees} */
  #debuggees;
  /** @type {Ownership} */
  #ownership;
  /** @type {PageCalls} */
  #pageCalls;
  /** @type {Sites} */
  #sites;
  /** @type {Answers} */
  #answers;
  /** Processes that have not told their frames yet, by session, and since when. @type {Map<string, { answer: Promise<JsonObject | null>, since: number }>} */
  #owed = new Map();

  /**
   * @param {Surroundings} around
   * @param {Debuggees} debuggees
   * @param {Ownership} ownership
   * @param {PageCalls} pageCalls
   * @param {{ sites: Sites, answers: Answers }} rules
   */
  constructor(around, debuggees, ownership, pageCalls, { sites, answers }) {
    this.#around = around;
    this.#debuggees = debuggees;
    this.#ownership = ownership;
    this.#pageCalls = pageCalls;
    this.#sites = sites;
    this.#answers = answers;
  }

  /**
   * All frames, parents before children.
   * @param {TabClaim} claim
   * @returns {Promise<{ frames: FrameRecord[] }>}
   */
  async list(claim) {
    let found = await this.#find(claim);
    if (await this.#hasEarlierYes(claim, found)) found = await this.#find(claim);
    const closed = new Set(found.filter(({ record }) => record.obstacle !== undefined).map(({ record }) => record.frame));
    await Promise.all(found.map(async ({ record, frameId }) => {
      if (record.parent === undefined || closed.has(record.parent)) return;
      const asked = this.#ownerRef(claim, record.parent, frameId).catch(() => undefined);
      const owner_ref = await within(this.#around, asked, ANSWER_MS);
      if (owner_ref !== undefined) record.owner_ref = owner_ref;
    }));
    return { frames: found.map(({ record }) => record) };
  }

  /**
   * Looks for earlier answers that open frames whose sites the user has to be asked for, and takes note of them.
   * @param {TabClaim} claim
   * @param {Found[]} found
   */
  async #hasEarlierYes(claim, found) {
    const agent = this.#ownership.session(claim.sessionId)?.agent;
    const opened = await Promise.all(found.filter(({ record }) => record.obstacle === 'unasked').map(async ({ frameId }) => {
      const site = this.#sites.rulingOnFrame(claim.tabId, frameId)?.origin ?? '';
      const isYes = await this.#answers.find({ kind: 'site', sessionId: claim.sessionId, agent, site }) === true;
      if (isYes) claim.siteAnswers = { ...claim.siteAnswers, [site]: true };
      return isYes;
    }));
    return opened.includes(true);
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
    const sessions = this.#debuggees.processes(claim.tabId).sessions();
    let waiting = await Promise.all(sessions.map((sessionId) => this.#treeOf(claim, sessionId)));
    // A process's frames have their place once the frame that holds them is there.
    for (let before = -1; waiting.length !== before && waiting.length > 0;) {
      before = waiting.length;
      waiting = waiting.filter(({ tree, sessionId, obstacle }) => {
        const parent = parentIn(found, tree);
        if (parent === undefined) return true;
        // What is below a page that may not be touched is as little ours as that page.
        if (!isClosed(parent)) hasNew = this.#walk(claim, tree, parent.frame, found, sessionId, obstacle) || hasNew;
        return false;
      });
    }
    if (hasNew) await this.#ownership.save();
    return found;
  }

  /**
   * The frames of one process; only the topmost one, as the browser knows it, when the process does not tell or may not be asked.
   * @param {TabClaim} claim
   * @param {string} sessionId
   * @returns {Promise<{ sessionId: string, tree: unknown, obstacle?: 'busy' | 'foreign' }>} no tree when the process is gone
   */
  async #treeOf(claim, sessionId) {
    const processes = this.#debuggees.processes(claim.tabId);
    const isForeign = processes.isForeign(sessionId);
    const answer = isForeign ? undefined : await this.#tell(claim, sessionId);
    if (answer !== undefined) return { sessionId, tree: answer?.['frameTree'] };
    const root = processes.rootOf(sessionId);
    const tree = root === undefined ? undefined : { frame: { id: root.frameId, parentId: root.parentId, url: root.url } };
    return { sessionId, tree, obstacle: isForeign ? 'foreign' : 'busy' };
  }

  /**
   * What a process answers, null when it ended, undefined when it takes too long. It is not asked twice at a time, so that one
   * that hangs costs the next look nothing.
   * @param {TabClaim} claim
   * @param {string} sessionId
   * @returns {Promise<JsonObject | null | undefined>}
   */
  #tell(claim, sessionId) {
    const now = this.#around.now();
    let owed = this.#owed.get(sessionId);
    if (owed === undefined) {
      const answer = this.#debuggees.send(claim.tabId, 'Page.getFrameTree', undefined, sessionId).catch(() => null)
        .finally(() => this.#owed.delete(sessionId));
      owed = { answer, since: now };
      this.#owed.set(sessionId, owed);
    }
    return within(this.#around, owed.answer, Math.max(AGAIN_MS, owed.since + ANSWER_MS - now));
  }

  /**
   * @param {TabClaim} claim
   * @param {unknown} tree
   * @param {number | null} parent
   * @param {Found[]} found
   * @param {string | undefined} sessionId of the process that told
   * @param {'busy' | 'foreign'} [obstacle]
   * @returns {boolean} whether a frame got its number just now
   */
  #walk(claim, tree, parent, found, sessionId, obstacle) {
    const frame = isObject(tree) ? tree['frame'] : undefined;
    if (!isObject(tree) || !isObject(frame) || typeof frame['id'] !== 'string') return false;
    const { number, isNew } = parent === null ? { number: 0, isNew: false } : this.#ownership.numberFrame(claim, frame['id']);
    const url = `${frame['url'] ?? ''}${frame['urlFragment'] ?? ''}`.slice(0, LONGEST_URL);
    const closed = parent === null ? undefined : this.#closedFor(claim, frame, url);
    const state = closed ?? obstacle ?? (url === '' && parent !== null ? 'loading' : undefined);
    /** @type {FrameRecord} */
    const record = { frame: number, ...(parent === null ? {} : { parent }), url: closed === undefined ? url : siteOf(url)?.origin ?? '', ...(state === undefined ? {} : { obstacle: state }) };
    found.push({ record, frameId: frame['id'] });
    this.#debuggees.processes(claim.tabId).learn(frame['id'], sessionId);
    let hasNew = isNew;
    // What is below a frame that is closed is as little the agent's as that frame.
    if (isClosed(record)) return hasNew;
    const children = Array.isArray(tree['childFrames']) ? tree['childFrames'] : [];
    for (const child of children) hasNew = this.#walk(claim, child, number, found, sessionId) || hasNew;
    return hasNew;
  }

  /**
   * Takes note of a child frame's site, and says why the frame is closed by a rule for that site, if it is.
   * @param {TabClaim} claim
   * @param {JsonObject} frame as the browser tells of it
   * @param {string} url
   * @returns {'blocked' | 'unasked' | undefined}
   */
  #closedFor(claim, { id, parentId, securityOrigin }, url) {
    if (typeof id !== 'string') return undefined;
    this.#sites.frameShows(claim.tabId, id, {
      url, ...(typeof parentId === 'string' ? { parentId } : {}), ...(typeof securityOrigin === 'string' ? { creator: securityOrigin } : {}),
    });
    const ruling = this.#sites.rulingOnFrame(claim.tabId, id);
    if (ruling?.access === 'block') return 'blocked';
    return ruling?.access === 'ask' && claim.siteAnswers?.[ruling.origin] !== true ? 'unasked' : undefined;
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
    const holder = own !== undefined && processes.rootOf(own)?.frameId === frameId ? await this.#holderOf(claim, frame, own) : own;
    const [quad, size] = await Promise.all([
      this.#contentQuad(claim, frameId, holder),
      // The frame's own idea of its viewport: the content box before any transform, in its own pixels.
      this.#pageCalls.runOwn(claim, frame, '() => ({ width: innerWidth, height: innerHeight })'),
    ]);
    const { width, height } = isObject(size) ? size : {};
    if (typeof width !== 'number' || typeof height !== 'number') throw frameNotFound(claim, frame);
    const topmost = holder === undefined ? undefined : processes.rootOf(holder)?.frameId;
    if (topmost === undefined) return { quad, width, height };
    // Places that a process tells are within its own topmost frame.
    const around = await this.quad(claim, this.#ownership.numberFrame(claim, topmost).number);
    return { quad: quadWithin(quad, around), width, height };
  }

  /**
   * The session of the process that holds the element of another process's topmost frame.
   * @param {TabClaim} claim
   * @param {number} frame
   * @param {string} own the process's session
   * @returns {Promise<string | undefined>}
   */
  async #holderOf(claim, frame, own) {
    const processes = this.#debuggees.processes(claim.tabId);
    const parentId = processes.rootOf(own)?.parentId;
    if (parentId !== undefined) return processes.sessionOf(parentId);
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
 * Whether nothing in a frame may be looked at, not even other frames.
 * @param {FrameRecord} record
 */
function isClosed({ obstacle }) {
  return obstacle === 'foreign' || obstacle === 'blocked' || obstacle === 'unasked';
}

/**
 * The frame that holds a process's topmost frame; undefined when it is not among those found.
 * @param {Found[]} found
 * @param {unknown} tree
 * @returns {FrameRecord | undefined}
 */
function parentIn(found, tree) {
  const frame = isObject(tree) ? tree['frame'] : undefined;
  const parentId = isObject(frame) ? frame['parentId'] : undefined;
  return found.find(({ frameId }) => frameId === parentId)?.record;
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
