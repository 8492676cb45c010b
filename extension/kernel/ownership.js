// Who owns what: the sessions, the tabs each may touch, the numbers its frames and refs have. The only state of the kernel.
// Lives in memory for the guard and in `chrome.storage.session` for the next worker; a save is complete before the reply
// that depends on it goes out, so a worker that dies loses nothing that was promised (invariant 8). `storage.local` holds
// just enough to close Agent Windows that outlived their sessions. Refuses to number anything twice: frame numbers and ref
// numbers only grow, and a worker that starts again goes on at the reserved number.

/** @import { AgentWindow, EndCause, EndedSession, Session, SessionRecord, Surroundings, TabClaim } from './types.js' */

import { arrayOf, bool, finite, integer, object, oneOf, recordOf, text } from './shape.js';
import { agentShape } from './wire.js';

/** How many ended sessions are remembered. */
const MOST_ENDED = 32;

/** Ref numbers are reserved in blocks, so that most answers need no write. */
const REF_BLOCK = 500;

const count = integer(0, Number.MAX_SAFE_INTEGER);
/** @type {import('./types.js').Shape<'accept' | 'dismiss'>} */
const dialogPolicy = oneOf(['accept', 'dismiss']);
/** @type {import('./types.js').Shape<import('./types.js').TabHome>} */
const homeShape = object(
  { windowId: count, index: count, isPinned: bool, url: text() },
  { groupId: count, bounds: object({ left: finite, top: finite, width: finite, height: finite }) },
);
/** @type {import('./types.js').Shape<EndCause>} */
const endCause = oneOf(['stopped', 'user', 'window_closed', 'idle']);
const storedShape = object({
  ended: arrayOf(object({ sessionId: text(), cause: endCause })),
  sessions: arrayOf(object(
    { sessionId: text(), windowId: count, createdAtMs: count, idleMs: count, lastUsedMs: count },
    { name: text(), groupId: count, activeTabId: count, dialogs: dialogPolicy, agent: agentShape },
  )),
  claims: arrayOf(object({
    tabId: count, sessionId: text(), mainReserved: count, nextFrameNumber: count, isWithdrawn: bool,
    frames: recordOf(object({ number: count, reserved: count })),
  }, { home: homeShape, siteAnswers: recordOf(bool) })),
});
const windowsShape = arrayOf(object({
  windowId: count, title: text(), tabIds: arrayOf(count), borrowed: arrayOf(object({ tabId: count, home: homeShape })),
}));

/** How far the ref numbers of one frame are. */
class RefNumbers {
  /**
   * @param {number} nextRef the least number that was surely never given out
   * @param {number} saved numbers below it are reserved in storage
   */
  constructor(nextRef, saved) {
    this.nextRef = nextRef;
    this.saved = saved;
  }
}

export class Ownership {
  /** @type {Map<string, Session>} */
  #sessions = new Map();
  /** @type {EndedSession[]} */
  #ended = [];
  /** @type {Map<number, TabClaim>} */
  #claims = new Map();
  /** Next ref numbers by claim and frame number, more exact than what is reserved. @type {WeakMap<TabClaim, Map<number, RefNumbers>>} */
  #refs = new WeakMap();
  /** @type {Surroundings} */
  #around;
  /** @type {Promise<AgentWindow[]> | null} */
  #loading = null;
  /** The write that has not begun yet and will carry all that is in memory then. @type {Promise<void> | null} */
  #waiting = null;
  /** @type {Promise<void>} */
  #writing = Promise.resolve();
  #localCopy = '[]';

  /** @param {Surroundings} around */
  constructor(around) {
    this.#around = around;
  }

  /**
   * Reads what an earlier worker stored, once.
   * @returns {Promise<AgentWindow[]>} Agent Windows whose sessions are gone, to be closed
   */
  load() {
    this.#loading ??= this.#read();
    return this.#loading;
  }

  async #read() {
    const { storage } = this.#around.chrome;
    const [{ ownership }, { agent_windows }] = await Promise.all([
      storage.session.get('ownership'), storage.local.get('agent_windows'),
    ]);
    if (storedShape.accepts(ownership)) {
      for (const session of ownership.sessions) this.#sessions.set(session.sessionId, session);
      for (const claim of ownership.claims) this.#claims.set(claim.tabId, claim);
      this.#ended = ownership.ended;
      this.#localCopy = JSON.stringify(this.#agentWindows());
      return [];
    }
    await this.save();
    return windowsShape.accepts(agent_windows) ? agent_windows : [];
  }

  /**
   * Makes what is in memory durable.
   * @returns {Promise<void>} settles when it is
   */
  save() {
    this.#waiting ??= this.#writing.then(async () => {
      this.#waiting = null;
      await this.#write();
    });
    // The next write waits for this one, also when this one failed.
    this.#writing = this.#waiting.catch(() => {});
    return this.#waiting;
  }

  async #write() {
    const { storage } = this.#around.chrome;
    const ownership = { sessions: [...this.#sessions.values()], claims: [...this.#claims.values()], ended: this.#ended };
    const windows = this.#agentWindows();
    const copy = JSON.stringify(windows);
    if (copy !== this.#localCopy) {
      this.#localCopy = copy;
      // Not waited for: no reply promises it, and it only matters once all sessions are lost.
      void storage.local.set({ agent_windows: windows });
    }
    await storage.session.set({ ownership });
  }

  /** @returns {AgentWindow[]} */
  #agentWindows() {
    return this.sessions().map((session) => {
      const claims = this.claimsOf(session.sessionId);
      return {
        windowId: session.windowId,
        title: titleOf(session),
        tabIds: claims.filter(({ home }) => home === undefined).map(({ tabId }) => tabId),
        borrowed: claims.flatMap(({ tabId, home }) => (home === undefined ? [] : [{ tabId, home }])),
      };
    });
  }

  /** @returns {Session[]} in the order they were opened */
  sessions() {
    return [...this.#sessions.values()];
  }

  /** @param {string} sessionId */
  session(sessionId) {
    return this.#sessions.get(sessionId);
  }

  /** @param {number} windowId */
  sessionOfWindow(windowId) {
    return this.sessions().find((session) => session.windowId === windowId);
  }

  /** @param {number} tabId */
  claim(tabId) {
    return this.#claims.get(tabId);
  }

  /** @param {string} sessionId */
  claimsOf(sessionId) {
    return [...this.#claims.values()].filter((claim) => claim.sessionId === sessionId);
  }

  /** @param {Session} session */
  addSession(session) {
    this.#sessions.set(session.sessionId, session);
  }

  /**
   * Forgets a session and all its claims, but not that it was there.
   * @param {string} sessionId
   * @param {EndCause} cause
   */
  dropSession(sessionId, cause) {
    for (const claim of this.claimsOf(sessionId)) this.#claims.delete(claim.tabId);
    this.#sessions.delete(sessionId);
    this.#ended.push({ sessionId, cause });
    if (this.#ended.length > MOST_ENDED) this.#ended.shift();
  }

  /** @returns {readonly EndedSession[]} the latest last */
  ended() {
    return this.#ended;
  }

  /**
   * Gives a tab to a session.
   * @param {number} tabId
   * @param {string} sessionId
   * @returns {TabClaim}
   */
  addClaim(tabId, sessionId) {
    const claim = {
      tabId, sessionId, mainReserved: REF_BLOCK, frames: {}, nextFrameNumber: 1, isWithdrawn: false,
    };
    this.#claims.set(tabId, claim);
    // Nothing was given out yet in a new tab: the first block is reserved but not used.
    this.#refs.set(claim, new Map([[0, new RefNumbers(1, REF_BLOCK)]]));
    return claim;
  }

  /**
   * Takes a tab from its session; another one of the session becomes the active tab.
   * @param {number} tabId
   */
  dropClaim(tabId) {
    const claim = this.#claims.get(tabId);
    if (claim === undefined) return;
    this.#claims.delete(tabId);
    const session = this.#sessions.get(claim.sessionId);
    if (session?.activeTabId !== tabId) return;
    const next = this.claimsOf(session.sessionId).at(-1);
    if (next === undefined) delete session.activeTabId;
    else session.activeTabId = next.tabId;
  }

  /**
   * The session as the host sees it.
   * @param {Session} session
   * @returns {SessionRecord}
   */
  record(session) {
    return {
      session_id: session.sessionId,
      ...(session.name === undefined ? {} : { name: session.name }),
      agent_window_id: session.windowId,
      created_at_ms: session.createdAtMs,
      ...(session.activeTabId === undefined ? {} : { active_tab_id: session.activeTabId }),
      tab_ids: this.claimsOf(session.sessionId).map((claim) => claim.tabId),
      ...(session.dialogs === undefined ? {} : { dialogs: session.dialogs }),
    };
  }

  /**
   * The number of a child frame, a new one when the frame was not seen before.
   * @param {TabClaim} claim
   * @param {string} frameId the browser's id
   * @returns {{ number: number, isNew: boolean }} a new number has to be saved before it is told
   */
  numberFrame(claim, frameId) {
    const known = claim.frames[frameId];
    if (known !== undefined) return { number: known.number, isNew: false };
    const number = claim.nextFrameNumber++;
    claim.frames[frameId] = { number, reserved: 1 };
    return { number, isNew: true };
  }

  /**
   * The browser's id of a numbered child frame.
   * @param {TabClaim} claim
   * @param {number} number
   * @returns {string | undefined}
   */
  frameId(claim, number) {
    return Object.keys(claim.frames).find((frameId) => claim.frames[frameId]?.number === number);
  }

  /**
   * Forgets a frame that is gone for good; its number stays used.
   * @param {TabClaim} claim
   * @param {string} frameId
   */
  dropFrame(claim, frameId) {
    delete claim.frames[frameId];
  }

  /**
   * The first ref number that a document of the frame may give out.
   * @param {TabClaim} claim
   * @param {number} frame
   * @returns {number}
   */
  firstRef(claim, frame) {
    return this.#numbers(claim, frame).nextRef;
  }

  /**
   * Takes note of the ref numbers given out.
   * @param {TabClaim} claim
   * @param {number} frame
   * @param {number} nextRef the least number that was not given out
   * @returns {Promise<void> | null} a write to wait for before the numbers are told, if one is due
   */
  useRefs(claim, frame, nextRef) {
    const numbers = this.#numbers(claim, frame);
    if (nextRef > numbers.nextRef) numbers.nextRef = nextRef;
    if (numbers.nextRef <= numbers.saved) return null;
    if (numbers.nextRef > this.#reserved(claim, frame)) this.#reserve(claim, frame, numbers.nextRef + REF_BLOCK);
    const reserved = this.#reserved(claim, frame);
    return this.save().then(() => {
      numbers.saved = Math.max(numbers.saved, reserved);
    });
  }

  /**
   * @param {TabClaim} claim
   * @param {number} frame
   * @param {number} reserved
   */
  #reserve(claim, frame, reserved) {
    if (frame === 0) claim.mainReserved = reserved;
    const held = this.#frameClaim(claim, frame);
    if (held !== undefined) held.reserved = reserved;
  }

  /**
   * @param {TabClaim} claim
   * @param {number} frame
   */
  #frameClaim(claim, frame) {
    return Object.values(claim.frames).find((held) => held.number === frame);
  }

  /**
   * @param {TabClaim} claim
   * @param {number} frame
   * @returns {number}
   */
  #reserved(claim, frame) {
    return frame === 0 ? claim.mainReserved : this.#frameClaim(claim, frame)?.reserved ?? 1;
  }

  /**
   * @param {TabClaim} claim
   * @param {number} frame
   * @returns {RefNumbers}
   */
  #numbers(claim, frame) {
    const frames = this.#refs.get(claim) ?? new Map();
    this.#refs.set(claim, frames);
    const reserved = this.#reserved(claim, frame);
    const numbers = frames.get(frame) ?? new RefNumbers(reserved, reserved);
    frames.set(frame, numbers);
    return numbers;
  }
}

/**
 * What the tab group of a session is called.
 * @param {Session} session
 * @returns {string}
 */
export function titleOf(session) {
  return session.name ?? session.sessionId;
}
