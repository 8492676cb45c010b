// Borrowing: a tab of the user joins a session after the user's yes, and goes back to its window and place.
// Nothing of the tab is read before the yes but what the browser shows of it: title and address. Refuses tabs that no extension
// may touch, tabs of other sessions, and tabs that went to another site while the user was asked. A borrowed tab is never closed
// by us; one that is closed together with the Agent Window is opened again from its address. Every move is a trip that is written
// down first and belongs to no session on its way: a worker that dies meanwhile leaves a tab that the next one brings home.

/** @import { Agent, CallArgs, Session, Surroundings, TabClaim, TabHome, Trip } from './types.js' */
/** @import { Consent } from './consent.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { Events } from './events.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { PageCalls } from './page_calls.js' */
/** @import { Sites } from './sites.js' */
/** @import { TabGroups } from './tab_groups.js' */

import { sessionOver } from './admission.js';
import { tabForbidden } from './cdp_errors.js';
import { Refusal } from './codes.js';
import { notAllowed } from './consent.js';
import { emptyPage } from './orphans.js';
import { titleOf } from './ownership.js';
import { isTouchable } from './policy/url_rule.js';

/** Where a tab went, and why not to its place, for the user. @typedef {{ window_id: number, message?: string }} Returned */

export class Borrow {
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
  /** @type {PageCalls} */
  #pageCalls;
  /** @type {Consent} */
  #consent;
  /** @type {Sites} */
  #sites;
  /** @type {(session: Session, tab: chrome.tabs.Tab | null) => void} */
  #changed;

  /**
   * @param {Surroundings} around
   * @param {object} parts
   * @param {Ownership} parts.ownership
   * @param {Debuggees} parts.debuggees
   * @param {Events} parts.events
   * @param {TabGroups} parts.groups
   * @param {PageCalls} parts.pageCalls
   * @param {Consent} parts.consent
   * @param {Sites} parts.sites
   * @param {(session: Session, tab: chrome.tabs.Tab | null) => void} parts.changed a tab was borrowed, or one was given back
   */
  constructor(around, { ownership, debuggees, events, groups, pageCalls, consent, sites, changed }) {
    this.#around = around;
    this.#ownership = ownership;
    this.#debuggees = debuggees;
    this.#events = events;
    this.#groups = groups;
    this.#pageCalls = pageCalls;
    this.#consent = consent;
    this.#changed = changed;
    this.#sites = sites;
  }

  /**
   * Asks the user for a tab and takes it into the session.
   * @param {Session} session
   * @param {CallArgs['tab_borrow']} args
   * @param {AbortSignal} signal
   * @returns {Promise<chrome.tabs.Tab>}
   */
  async borrow(session, { tab_id: tabId, agent }, signal) {
    const asked = await this.#borrowable(session, tabId);
    if (this.#ownership.claim(tabId) !== undefined) return asked;
    const site = siteOf(asked);
    const verdict = await this.#consent.ask({
      kind: 'borrow', sessionId: session.sessionId, session: titleOf(session), agent, site, subject: asked.title ?? '',
      choices: ['once', 'session', 'site'],
    }, signal);
    if (!verdict.isAllowed) throw notAllowed(`tab ${tabId} was not borrowed`, verdict, 'consent_denied');
    // Much can have happened in a minute.
    if (this.#ownership.session(session.sessionId) !== session) throw sessionOver(session);
    const tab = await this.#borrowable(session, tabId);
    if (siteOf(tab) !== site) {
      throw new Refusal('not_found', 'borrow_conflict', `tab ${tabId} went to another site while the user was asked`,
        'look at `bsk tab list`, then ask again');
    }
    if (this.#ownership.claim(tabId) === undefined) await this.#take(session, tab, verdict.by === 'user' ? site : null);
    return this.#around.chrome.tabs.get(tabId);
  }

  /**
   * @param {Session} session
   * @param {number} tabId
   * @returns {Promise<chrome.tabs.Tab>}
   */
  async #borrowable(session, tabId) {
    const { tabs, windows } = this.#around.chrome;
    const tab = await tabs.get(tabId).catch(() => {
      throw new Refusal('not_found', 'tab_not_found', `there is no tab ${tabId}`, 'run `bsk tab list` to see the tabs there are');
    });
    const owner = this.#ownership.claim(tabId)?.sessionId;
    if (owner !== undefined && owner !== session.sessionId) {
      throw new Refusal('permission_denied', 'borrow_conflict', `tab ${tabId} is in another session`,
        'wait until that session has ended; `bsk session list` shows the open ones');
    }
    if (this.#ownership.trip(tabId) !== undefined) {
      throw new Refusal('permission_denied', 'borrow_conflict', `tab ${tabId} is being moved`, 'try again in a moment');
    }
    if (!isTouchable(tab.pendingUrl || tab.url || '')) throw tabForbidden(tabId);
    if (owner === undefined && this.#sites.rulingOnTab(tab).access === 'block') {
      // Such a tab is not listed either, so not even the rule is named: it would tell where the user is.
      throw new Refusal('permission_denied', 'site_blocked', `tab ${tabId} shows a site that is blocked for agents`, 'do without the tab, or ask the user');
    }
    const home = await windows.get(tab.windowId);
    const agentWindow = await windows.get(session.windowId);
    if (home.incognito !== agentWindow.incognito) {
      throw new Refusal('permission_denied', 'tab_forbidden', `tab ${tabId} is in a private window`,
        'ask the user to open the page in an ordinary window');
    }
    return tab;
  }

  /**
   * @param {Session} session
   * @param {chrome.tabs.Tab} tab
   * @param {string | null} allowedSite the user was shown this site and said yes just now: a rule that asks has its answer
   */
  async #take(session, tab, allowedSite) {
    const { tabs, windows } = this.#around.chrome;
    const tabId = /** @type {number} */ (tab.id);
    const window = await windows.get(tab.windowId);
    const { left, top, width, height } = window;
    /** @type {TabHome} */
    const home = {
      windowId: tab.windowId, index: tab.index, isPinned: tab.pinned === true, url: tab.url ?? '',
      ...(tab.groupId === undefined || tab.groupId < 0 ? {} : { groupId: tab.groupId }),
      ...(left === undefined || top === undefined || width === undefined || height === undefined ? {} : { bounds: { left, top, width, height } }),
    };
    const trip = this.#ownership.beginTrip(session, tabId, home);
    await this.#ownership.save();
    try {
      if (tab.windowId !== session.windowId) await tabs.move(tabId, { windowId: session.windowId, index: -1 });
      await this.#groups.add(session, tabId);
      await tabs.update(tabId, { active: true });
      // Memory saving would take the page away under the agent's hands; one that it took already is loaded again.
      await tabs.update(tabId, { autoDiscardable: false });
      if (tab.discarded === true) await tabs.reload(tabId);
    } catch (error) {
      await this.#undo(trip);
      throw new Refusal('cdp_failed', null, `tab ${tabId} could not be moved to the Agent Window: ${error instanceof Error ? error.message : String(error)}`,
        'look at the browser, then try again');
    }
    if (this.#ownership.session(session.sessionId) !== session) {
      await this.#undo(trip);
      throw sessionOver(session);
    }
    const claim = this.#ownership.addClaim(tabId, session.sessionId);
    claim.home = home;
    if (allowedSite !== null) claim.siteAnswers = { [allowedSite]: true };
    const moved = await tabs.get(tabId).catch(() => tab);
    this.#sites.shows(tabId, moved.pendingUrl || moved.url || '', claim);
    this.#ownership.endTrip(tabId);
    session.activeTabId = tabId;
    await this.#ownership.save();
    this.#events.sessionChanged(session);
    this.#changed(session, tab);
  }

  /** @param {Trip} trip of a tab that no session got */
  async #undo(trip) {
    this.#groups.forget(trip.tabId);
    await this.goHome(trip);
  }

  /**
   * `bsk tab return`: the session goes on without the tab.
   * @param {Session} session
   * @param {TabClaim} claim
   * @returns {Promise<Returned>}
   */
  async returnTab(session, claim) {
    if (claim.home === undefined) {
      throw new Refusal('invalid_params', 'tab_not_borrowed', `tab ${claim.tabId} was opened in the session, not borrowed`,
        'close it with `bsk tab close`');
    }
    const { tabs } = this.#around.chrome;
    const inWindow = await tabs.query({ windowId: session.windowId });
    if (inWindow.length === 1 && inWindow[0]?.id === claim.tabId) {
      // The Agent Window stays, so its last tab is replaced by an empty one.
      await this.#ownership.opening(session.sessionId, async () => {
        const empty = await tabs.create({ windowId: session.windowId, url: emptyPage(session.sessionId), active: true });
        if (empty.id === undefined) return;
        this.#ownership.addClaim(empty.id, session.sessionId);
        void this.#groups.add(session, empty.id);
      });
    }
    const returned = await this.#giveBack(session, claim, claim.home);
    this.#events.sessionChanged(session);
    this.#changed(session, null);
    if (returned === null) {
      throw new Refusal('not_found', 'tab_closed', `tab ${claim.tabId} was closed`, 'run `bsk tab list` to see the tabs there are');
    }
    return returned;
  }

  /**
   * Takes a borrowed tab out of its session and puts it back.
   * @param {Session} session
   * @param {TabClaim} claim
   * @param {TabHome} home
   * @returns {Promise<Returned | null>} null when the tab is gone
   */
  async #giveBack(session, { tabId }, home) {
    this.#ownership.dropClaim(tabId);
    const trip = this.#ownership.beginTrip(session, tabId, home);
    // Before anything moves, as on the way here.
    await this.#ownership.save();
    return this.goHome(trip);
  }

  /**
   * Brings a tab that belongs to no session (any more) to its place.
   * @param {Trip} trip that is written down
   * @param {{ isResumed?: boolean }} [how] isResumed: an earlier worker may have done a part of it
   * @returns {Promise<Returned | null>} null when the tab is gone
   */
  async goHome(trip, { isResumed = false } = {}) {
    const { tabId, agentWindowId, home } = trip;
    this.#groups.forget(tabId);
    this.#debuggees.release(tabId);
    this.#pageCalls.forgetTab(tabId);
    this.#events.forgetTab(tabId);
    this.#sites.forgetTab(tabId);
    const returned = await this.#moveHome(tabId, home, agentWindowId, isResumed);
    if (returned === null && isResumed) await this.#openAgain(home, isResumed);
    this.#ownership.endTrip(tabId);
    await this.#ownership.save();
    return returned;
  }

  /**
   * @param {number} tabId
   * @param {TabHome} home
   * @param {number} agentWindowId
   * @param {boolean} isResumed
   * @returns {Promise<Returned | null>}
   */
  async #moveHome(tabId, home, agentWindowId, isResumed) {
    const { tabs, windows } = this.#around.chrome;
    const tab = await tabs.get(tabId).catch(() => null);
    if (tab === null) return null;
    await tabs.update(tabId, { autoDiscardable: true }).catch(() => {});
    // A tab that is half home is put at its place; elsewhere it is where the user wants it.
    const isHalfHome = isResumed && tab.windowId === home.windowId;
    if (tab.windowId !== agentWindowId && !isHalfHome) {
      return { window_id: tab.windowId, ...(tab.windowId === home.windowId ? {} : { message: `it stays in window ${tab.windowId}, where the user put it` }) };
    }
    const isThere = await windows.get(home.windowId).then(({ type }) => type === 'normal', () => false);
    if (!isThere) return this.#newHome(tabId, home);
    try {
      await tabs.ungroup([tabId]);
      await tabs.move(tabId, { windowId: home.windowId, index: -1 });
      if (home.isPinned) await tabs.update(tabId, { pinned: true });
      await tabs.move(tabId, { index: home.index });
      if (home.groupId !== undefined) await tabs.group({ groupId: home.groupId, tabIds: [tabId] }).catch(() => {});
      return { window_id: home.windowId };
    } catch (error) {
      const now = await tabs.get(tabId).catch(() => null);
      const why = error instanceof Error ? error.message : String(error);
      return now === null ? null : { window_id: now.windowId, message: `the browser did not move it back: ${why}` };
    }
  }

  /**
   * @param {number} tabId
   * @param {TabHome} home
   * @returns {Promise<Returned>}
   */
  async #newHome(tabId, home) {
    const window = await this.#newWindow({ tabId }, home);
    return { window_id: window?.id ?? -1, message: 'its window is closed, so it got a window of its own' };
  }

  /**
   * @param {chrome.windows.CreateData} what
   * @param {TabHome} home
   */
  #newWindow(what, home) {
    const { windows } = this.#around.chrome;
    // The screen may be another one by now; then the browser chooses the place.
    return windows.create({ ...what, focused: false, ...home.bounds }).catch(() => windows.create({ ...what, focused: false }));
  }

  /**
   * Puts back a tab that a lost session had borrowed.
   * @param {number} tabId
   * @param {TabHome} home
   * @param {number} agentWindowId
   */
  async bringHome(tabId, home, agentWindowId) {
    await this.#moveHome(tabId, home, agentWindowId, false);
  }

  /**
   * A borrowed tab was closed with the Agent Window: it is opened again, where it came from.
   * @param {Trip} trip that is written down
   */
  async reopen({ tabId, home }) {
    await this.#openAgain(home, false);
    this.#ownership.endTrip(tabId);
    await this.#ownership.save();
  }

  /**
   * @param {TabHome} home
   * @param {boolean} isResumed it may be open again already
   */
  async #openAgain(home, isResumed) {
    const { tabs, windows } = this.#around.chrome;
    const others = await windows.getAll({ windowTypes: ['normal'] });
    // With the last window the browser ends, and nothing may keep it from that.
    if (!isTouchable(home.url) || others.length === 0) return;
    const isOpen = (/** @type {chrome.tabs.Tab} */ { id, url, pendingUrl }) =>
      (pendingUrl || url) === home.url && this.#ownership.claim(id ?? -1) === undefined;
    if (isResumed && (await tabs.query({})).some(isOpen)) return;
    if (others.some(({ id }) => id === home.windowId)) {
      await tabs.create({ windowId: home.windowId, index: home.index, url: home.url, active: false, pinned: home.isPinned });
    } else {
      await this.#newWindow({ url: home.url }, home);
    }
  }
}

/**
 * @param {chrome.tabs.Tab} tab
 * @returns {string} the origin that it shows or goes to
 */
function siteOf(tab) {
  const { origin, protocol } = new URL(tab.pendingUrl || tab.url || 'about:blank');
  return origin === 'null' ? protocol : origin;
}
