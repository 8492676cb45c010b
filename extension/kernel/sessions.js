// Sessions: opening an Agent Window, ending a session, and putting things right after a worker went away.
// A session that was opened and of which nobody was told is ended, as nobody could use or stop it. Closes only tabs that the session owns and that are still where the session put them: a tab the user opened there, or took to
// a window of his own, stays. Keeps invariant 8: ending is always somebody's decision, never the loss of a host or worker.

/** @import { CallArgs, EndCause, Ending, Session, SessionRecord, Surroundings, Trip } from './types.js' */
/** @import { Borrow } from './borrow.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { Events } from './events.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { TabGroups } from './tab_groups.js' */

import { emptyPage } from './orphans.js';
import { Refusal } from './codes.js';

/** @typedef {{ session_id: string, returned_tab_ids: number[], return_failures: { tab_id: number, message: string }[] }} SessionStopped */

const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz';

export class Sessions {
  /** @type {Surroundings} */
  #around;
  /** @type {Ownership} */
  #ownership;
  /** @type {Debuggees} */
  #debuggees;
  /** @type {Events} */
  #events;
  /** @type {TabGroups} */
  #groups;
  /** @type {Borrow} */
  #borrow;
  /** @type {(session: Session, cause: EndCause) => void} */
  #ended;

  /**
   * @param {Surroundings} around
   * @param {object} parts
   * @param {Ownership} parts.ownership
   * @param {Debuggees} parts.debuggees
   * @param {Events} parts.events
   * @param {TabGroups} parts.groups
   * @param {Borrow} parts.borrow
   * @param {(session: Session, cause: EndCause) => void} parts.ended what else stops with a session
   */
  constructor(around, { ownership, debuggees, events, groups, borrow, ended }) {
    this.#around = around;
    this.#ownership = ownership;
    this.#debuggees = debuggees;
    this.#events = events;
    this.#groups = groups;
    this.#borrow = borrow;
    this.#ended = ended;
  }

  /**
   * Opens an Agent Window.
   * @param {CallArgs['session_start']} args
   * @param {AbortSignal} signal nobody waits for its id any more
   * @returns {Promise<SessionRecord>}
   */
  async start(args, signal) {
    const sessionId = this.#freshId();
    const session = await this.#ownership.opening(sessionId, () => this.#open(sessionId, args));
    // The group is for people's eyes: the session can be used before it is drawn (it costs a third of the start).
    void this.#groups.add(session, session.activeTabId ?? -1);
    await this.#ownership.save();
    if (signal.aborted) {
      await this.end(session, 'stopped');
    } else {
      this.#events.sessionChanged(session);
      delete session.isUntold;
      void this.#ownership.save();
    }
    return this.#ownership.record(session);
  }

  /**
   * @param {string} sessionId
   * @param {CallArgs['session_start']} args
   * @returns {Promise<Session>}
   */
  async #open(sessionId, args) {
    const opened = await this.#around.chrome.windows.create({
      url: emptyPage(sessionId), type: 'normal', focused: args.focus,
      ...(args.width === undefined ? {} : { width: args.width }),
      ...(args.height === undefined ? {} : { height: args.height }),
    });
    const tabId = opened?.tabs?.[0]?.id;
    if (opened?.id === undefined || tabId === undefined) {
      throw new Refusal('cdp_failed', null, 'the browser opened no window', 'look at the browser, then try again');
    }
    const now = this.#around.now();
    /** @type {Session} */
    const session = {
      sessionId, windowId: opened.id, createdAtMs: now, activeTabId: tabId, idleMs: args.idle_ms,
      lastUsedMs: now, isUntold: true, ...(args.name === undefined ? {} : { name: args.name }),
      ...(args.dialogs === undefined || args.dialogs === 'ask' ? {} : { dialogs: args.dialogs }),
      ...(args.agent === undefined ? {} : { agent: args.agent }),
    };
    this.#ownership.addSession(session);
    this.#ownership.addClaim(tabId, sessionId);
    return session;
  }

  #freshId() {
    for (;;) {
      let id = '';
      while (id.length < 4) id += ID_LETTERS[this.#around.randomInt(ID_LETTERS.length)];
      if (this.#ownership.session(id) === undefined) return id;
    }
  }

  /**
   * Ends a session: at once for every further request, then borrowed tabs go back and the others are closed.
   * @param {Session} session
   * @param {EndCause} cause
   * @returns {Promise<SessionStopped>}
   */
  async end(session, cause) {
    /** @type {SessionStopped} */
    const result = { session_id: session.sessionId, returned_tab_ids: [], return_failures: [] };
    if (this.#ownership.session(session.sessionId) !== session) return result;
    const { ending, trips } = this.#ownership.endSession(session, cause);
    this.#ended(session, cause);
    this.#events.sessionEnded(session.sessionId, cause);
    // Before anything moves: a worker that dies from here on leaves the rest to the next one.
    await this.#ownership.save();
    for (const trip of trips) {
      const returned = await this.#borrow.goHome(trip);
      if (returned === null || returned.message !== undefined) {
        result.return_failures.push({ tab_id: trip.tabId, message: returned?.message ?? 'it was closed' });
      } else {
        result.returned_tab_ids.push(trip.tabId);
      }
    }
    await this.#close(ending);
    return result;
  }

  /** @param {Ending} ending */
  async #close(ending) {
    await this.#closeTabs(ending.windowId, ending.opened.map(({ tabId }) => tabId));
    this.#ownership.dropEnding(ending);
    await this.#ownership.save();
  }

  /**
   * @param {number} agentWindowId
   * @param {number[]} tabIds
   */
  async #closeTabs(agentWindowId, tabIds) {
    const { tabs, windows } = this.#around.chrome;
    const places = await Promise.all(tabIds.map((tabId) => tabs.get(tabId).catch(() => null)));
    await Promise.all(tabIds.map(async (tabId, index) => {
      const windowId = places[index]?.windowId;
      if (windowId === undefined) return;
      const isOurs = windowId === agentWindowId
        || await windows.get(windowId).then(({ type }) => type === 'popup', () => false);
      if (!isOurs) {
        this.#debuggees.release(tabId);
        return;
      }
      this.#debuggees.prepareClose(tabId);
      await tabs.remove(tabId).catch(() => {});
    }));
  }

  /**
   * The user took a tab out of the session: it stays open and is not touched again, and the session ends.
   * @param {Session} session
   * @param {number} tabId
   */
  async takeOut(session, tabId) {
    this.#ownership.dropClaim(tabId);
    this.#groups.forget(tabId);
    this.#debuggees.release(tabId);
    await this.end(session, 'user');
  }

  /** @param {number} windowId */
  async windowRemoved(windowId) {
    const session = this.#ownership.sessionOfWindow(windowId);
    if (session !== undefined) await this.end(session, 'window_closed');
  }

  /** Finishes what an earlier worker had begun, and compares what is stored with what there is now. */
  async resume() {
    for (const trip of this.#ownership.trips()) await this.#borrow.goHome(trip, { isResumed: true });
    for (const ending of this.#ownership.endings()) await this.#close(ending);
    await this.#reconcile();
    // Its host lost the reply together with the worker.
    for (const session of this.#ownership.sessions()) if (session.isUntold === true) await this.end(session, 'stopped');
  }

  /** Windows and tabs may have gone while no worker ran. */
  async #reconcile() {
    const { tabs, windows } = this.#around.chrome;
    const [openTabs, openWindows] = await Promise.all([tabs.query({}), windows.getAll()]);
    const tabIds = new Set(openTabs.map((tab) => tab.id));
    const windowIds = new Set(openWindows.map((window) => window.id));
    for (const session of this.#ownership.sessions()) {
      const isOpen = windowIds.has(session.windowId);
      const gone = this.#ownership.claimsOf(session.sessionId).filter((claim) => !tabIds.has(claim.tabId));
      /** @type {Trip[]} */
      const trips = [];
      for (const claim of gone) {
        // Closed with the window, a borrowed tab is opened again; closed by itself, it was the user's wish.
        const { tabId, home } = claim;
        this.#ownership.dropClaim(tabId);
        if (home !== undefined && !isOpen) trips.push(this.#ownership.beginTrip(session, tabId, home));
      }
      if (gone.length > 0) await this.#ownership.save();
      for (const trip of trips) await this.#borrow.reopen(trip);
      if (!isOpen) await this.end(session, 'window_closed');
    }
  }
}
