// Who owns what: the sessions, the tabs each may touch, the numbers its frames and refs have. The only state of the kernel.
// Lives in memory for the guard and in `chrome.storage.session` for the next worker; a save is complete before the reply
// that depends on it goes out, so a worker that dies loses nothing that was promised (invariant 8). What moves or closes the
// user's things in several steps is written down before the first one, so that another worker can finish it. `storage.local`
// holds what lost_windows.js needs once all sessions are gone. Refuses to number anything twice: frame numbers and ref numbers
// only grow, and a worker that starts again goes on at the reserved number.

/** @import { AgentWindow, EndCause, EndedSession, Ending, Session, SessionRecord, Surroundings, TabClaim, Trip } from './types.js' */

import { homeShape, WindowsCopy } from './lost_windows.js';
import { arrayOf, bool, integer, object, oneOf, recordOf, text } from './shape.js';
import { agentShape } from './wire.js';

/** How many ended sessions are remembered. */
const MOST_ENDED = 32;

/** Ref numbers are reserved in blocks, so that most answers need no write. */
const REF_BLOCK = 500;

/** How many addresses of a tab are kept: what a crashed browser restores can be some seconds old. */
const MOST_URLS = 4;

const count = integer(0, Number.MAX_SAFE_INTEGER);
/** @type {import('./types.js').Shape<'accept' | 'dismiss'>} */
const dialogPolicy = oneOf(['accept', 'dismiss']);
/** @type {import('./types.js').Shape<EndCause>} */
const endCause = oneOf(['stopped', 'user', 'window_closed', 'idle']);
const storedShape = object({
  ended: arrayOf(object({ sessionId: text(), cause: endCause })),
  sessions: arrayOf(object(
    { sessionId: text(), windowId: count, createdAtMs: count, idleMs: count, lastUsedMs: count },
    { name: text(), groupId: count, activeTabId: count, dialogs: dialogPolicy, agent: agentShape, isUntold: bool },
  )),
  claims: arrayOf(object({
    tabId: count, sessionId: text(), mainReserved: count, nextFrameNumber: count, isWithdrawn: bool, urls: arrayOf(text()),
    frames: recordOf(object({ number: count, reserved: count })),
  }, { home: homeShape, siteAnswers: recordOf(bool) })),
  trips: arrayOf(object({ tabId: count, agentWindowId: count, title: text(), home: homeShape })),
  endings: arrayOf(object({ windowId: count, title: text(), opened: arrayOf(object({ tabId: count, urls: arrayOf(text()) })) })),
});
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
  /** Tabs of the user between their window and an Agent Window, in either direction; no session may touch them. @type {Map<number, Trip>} */
  #trips = new Map();
  /** What ended sessions still have to close. @type {Set<Ending>} */
  #endings = new Set();
  /** Sessions with a window or tab that is being opened and not claimed yet. @type {string[]} */
  #opening = [];
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
  /** @type {WindowsCopy} */
  #copy;

  /** @param {Surroundings} around */
  constructor(around) {
    this.#around = around;
    this.#copy = new WindowsCopy(around);
  }

  /**
   * Reads what an earlier worker stored, once.
   * @returns {Promise<AgentWindow[]>} Agent Windows whose sessions were lost just now
   */
  load() {
    this.#loading ??= this.#read();
    return this.#loading;
  }

  async #read() {
    const [{ ownership }, windows] = await Promise.all([this.#around.chrome.storage.session.get('ownership'), this.#copy.read()]);
    if (!storedShape.accepts(ownership)) return windows;
    for (const session of ownership.sessions) this.#sessions.set(session.sessionId, session);
    for (const claim of ownership.claims) this.#claims.set(claim.tabId, claim);
    for (const trip of ownership.trips) this.#trips.set(trip.tabId, trip);
    this.#endings = new Set(ownership.endings);
    this.#ended = ownership.ended;
    return [];
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
    const ownership = {
      sessions: [...this.#sessions.values()], claims: [...this.#claims.values()], ended: this.#ended,
      trips: [...this.#trips.values()], endings: [...this.#endings],
    };
    await Promise.all([this.#copy.write(this.#agentWindows()), this.#around.chrome.storage.session.set({ ownership })]);
  }

  /** @returns {AgentWindow[]} */
  #agentWindows() {
    /** @type {Map<number, AgentWindow>} */
    const windows = new Map();
    const of = (/** @type {number} */ windowId, /** @type {string} */ title) => {
      const known = windows.get(windowId) ?? { windowId, title, opened: [], borrowed: [] };
      windows.set(windowId, known);
      return known;
    };
    for (const session of this.#sessions.values()) of(session.windowId, titleOf(session));
    for (const { tabId, sessionId, urls, home } of this.#claims.values()) {
      const window = windows.get(this.#sessions.get(sessionId)?.windowId ?? -1);
      if (home === undefined) window?.opened.push({ tabId, urls });
      else window?.borrowed.push({ tabId, home });
    }
    for (const { windowId, title, opened } of this.#endings) of(windowId, title).opened.push(...opened);
    for (const { tabId, agentWindowId, title, home } of this.#trips.values()) of(agentWindowId, title).borrowed.push({ tabId, home });
    return [...windows.values()];
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
   * Forgets a session and all its claims, but neither that it was there nor what is left to do: what is to be closed, and the
   * trips of its borrowed tabs, in the order of their places.
   * @param {Session} session
   * @param {EndCause} cause
   * @returns {{ ending: Ending, trips: Trip[] }}
   */
  endSession(session, cause) {
    const { sessionId, windowId } = session;
    const ending = { windowId, title: titleOf(session), opened: /** @type {Ending['opened']} */ ([]) };
    /** @type {Trip[]} */
    const trips = [];
    for (const { tabId, urls, home } of this.claimsOf(sessionId)) {
      this.#claims.delete(tabId);
      if (home === undefined) ending.opened.push({ tabId, urls });
      else trips.push(this.beginTrip(session, tabId, home));
    }
    this.#sessions.delete(sessionId);
    this.#endings.add(ending);
    this.#ended.push({ sessionId, cause });
    if (this.#ended.length > MOST_ENDED) this.#ended.shift();
    return { ending, trips: trips.sort(byPlace) };
  }

  /** @returns {Ending[]} */
  endings() {
    return [...this.#endings];
  }

  /** @param {Ending} ending all that it names is closed */
  dropEnding(ending) {
    this.#endings.delete(ending);
  }

  /**
   * @param {Session} session to which the tab goes or from which it comes
   * @param {number} tabId
   * @param {import('./types.js').TabHome} home
   * @returns {Trip} to be saved before anything moves
   */
  beginTrip(session, tabId, home) {
    const trip = { tabId, agentWindowId: session.windowId, title: titleOf(session), home };
    this.#trips.set(tabId, trip);
    return trip;
  }

  /** @param {number} tabId */
  trip(tabId) {
    return this.#trips.get(tabId);
  }

  /** @returns {Trip[]} in the order of their places */
  trips() {
    return [...this.#trips.values()].sort(byPlace);
  }

  /** @param {number} tabId */
  endTrip(tabId) {
    this.#trips.delete(tabId);
  }

  /**
   * Opens a window or tab for a session and claims it, as one thing for those who look for what nobody claims.
   * @template T
   * @param {string} sessionId
   * @param {() => Promise<T>} open
   * @returns {Promise<T>}
   */
  async opening(sessionId, open) {
    this.#opening.push(sessionId);
    try {
      return await open();
    } finally {
      this.#opening.splice(this.#opening.indexOf(sessionId), 1);
    }
  }

  /** @param {string} sessionId */
  isOpening(sessionId) {
    return this.#opening.includes(sessionId);
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
      tabId, sessionId, mainReserved: REF_BLOCK, frames: {}, nextFrameNumber: 1, isWithdrawn: false, urls: [],
    };
    this.#claims.set(tabId, claim);
    // Nothing was given out yet in a new tab: the first block is reserved but not used.
    this.#refs.set(claim, new Map([[0, new RefNumbers(1, REF_BLOCK)]]));
    return claim;
  }

  /**
   * A tab of a session shows another address.
   * @param {TabClaim} claim
   * @param {string} url
   */
  showsUrl(claim, url) {
    const { home, urls } = claim;
    if (home !== undefined && home.url !== url) home.url = url;
    else if (home === undefined && urls.at(-1) !== url) claim.urls = [...urls.filter((other) => other !== url), url].slice(-MOST_URLS);
    else return;
    void this.save();
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
 * Each tab finds those before it already there.
 * @param {Trip} a
 * @param {Trip} b
 */
function byPlace(a, b) {
  return a.home.index - b.home.index;
}

/**
 * What the tab group of a session is called.
 * @param {Session} session
 * @returns {string}
 */
export function titleOf(session) {
  return session.name ?? session.sessionId;
}
