// Sessions: opening an Agent Window, ending a session, and putting things right after a worker or an extension went away.
// Closes only tabs that the session owns and that are still where the session put them: a tab the user opened there, or took to
// a window of his own, stays. Keeps invariant 8: ending is always somebody's decision, never the loss of a host or worker.

/** @import { AgentWindow, CallArgs, EndCause, Session, SessionRecord, Surroundings } from './types.js' */
/** @import { Borrow } from './borrow.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { Events } from './events.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { TabGroups } from './tab_groups.js' */

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
   * @returns {Promise<SessionRecord>}
   */
  async start(args) {
    const opened = await this.#around.chrome.windows.create({
      url: 'about:blank', type: 'normal', focused: args.focus,
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
      sessionId: this.#freshId(), windowId: opened.id, createdAtMs: now, activeTabId: tabId, idleMs: args.idle_ms,
      lastUsedMs: now, ...(args.name === undefined ? {} : { name: args.name }),
      ...(args.dialogs === undefined || args.dialogs === 'ask' ? {} : { dialogs: args.dialogs }),
      ...(args.agent === undefined ? {} : { agent: args.agent }),
    };
    this.#ownership.addSession(session);
    this.#ownership.addClaim(tabId, session.sessionId);
    // The group is for people's eyes: the session can be used before it is drawn (it costs a third of the start).
    void this.#groups.add(session, tabId);
    await this.#ownership.save();
    this.#events.sessionChanged(session);
    return this.#ownership.record(session);
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
    const claims = this.#ownership.claimsOf(session.sessionId);
    this.#ownership.dropSession(session.sessionId, cause);
    this.#ended(session, cause);
    this.#events.sessionEnded(session.sessionId, cause);
    // In the order of their places, so that each finds those before it already there.
    const borrowed = claims.filter(({ home }) => home !== undefined).sort((a, b) => (a.home?.index ?? 0) - (b.home?.index ?? 0));
    for (const claim of borrowed) {
      const returned = await this.#borrow.giveBack(claim, session.windowId);
      if (returned === null || returned.message !== undefined) {
        result.return_failures.push({ tab_id: claim.tabId, message: returned?.message ?? 'it was closed' });
      } else {
        result.returned_tab_ids.push(claim.tabId);
      }
    }
    await this.#close(session.windowId, claims.filter(({ home }) => home === undefined).map(({ tabId }) => tabId));
    // Not before: a worker that dies in between finds the session again and its tabs are still accounted for.
    await this.#ownership.save();
    return result;
  }

  /**
   * @param {number} agentWindowId
   * @param {number[]} tabIds
   */
  async #close(agentWindowId, tabIds) {
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

  /**
   * Compares what is stored with what there is: windows and tabs may have gone while no worker ran.
   */
  async reconcile() {
    const { tabs, windows } = this.#around.chrome;
    const [openTabs, openWindows] = await Promise.all([tabs.query({}), windows.getAll()]);
    const tabIds = new Set(openTabs.map((tab) => tab.id));
    const windowIds = new Set(openWindows.map((window) => window.id));
    for (const session of this.#ownership.sessions()) {
      const gone = this.#ownership.claimsOf(session.sessionId).filter((claim) => !tabIds.has(claim.tabId));
      for (const claim of gone) this.#ownership.dropClaim(claim.tabId);
      if (!windowIds.has(session.windowId)) await this.end(session, 'window_closed');
      else if (gone.length > 0) await this.#ownership.save();
    }
  }

  /**
   * Closes what sessions opened that were lost with an update of the extension or a crash of the browser. Ids may mean
   * something else by now: a tab is closed only when window, id and the group's name all fit.
   * @param {AgentWindow[]} orphans
   */
  async closeOrphans(orphans) {
    const { tabs, tabGroups } = this.#around.chrome;
    for (const { windowId, title, tabIds, borrowed } of orphans) {
      const groups = await tabGroups.query({ windowId, title }).catch(() => []);
      const groupIds = new Set(groups.map((group) => group.id));
      const open = groups.length === 0 ? [] : await tabs.query({ windowId });
      const isOfGroup = (/** @type {number} */ tabId) => open.some(({ id, groupId }) => id === tabId && groupIds.has(groupId));
      for (const { tabId, home } of borrowed) if (isOfGroup(tabId)) await this.#borrow.bringHome(tabId, home, windowId);
      for (const { id, groupId } of open) {
        if (id !== undefined && tabIds.includes(id) && groupIds.has(groupId)) await tabs.remove(id).catch(() => {});
      }
    }
    if (orphans.length > 0) await this.#around.chrome.storage.local.set({ agent_windows: [] });
  }
}
