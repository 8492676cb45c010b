// Tabs: those of a session, those that its pages open, and the list of all others by title and address.
// A tab joins a session only when the session opened it or one of its pages did; a tab the user opened in the Agent Window is
// not touched. Never raises a window: a session's active tab changes without the user's attention (invariant 2 stays with the
// guard: callers have passed it).

/** @import { CallArgs, LossCause, Session, Surroundings, TabClaim, TabScope, Trip } from './types.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { Events } from './events.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { PageCalls } from './page_calls.js' */
/** @import { Settings } from './settings.js' */
/** @import { Sites } from './sites.js' */
/** @import { TabGroups } from './tab_groups.js' */

import { tabClosed } from './cdp_errors.js';
import { Refusal } from './codes.js';
import { OpenedTabs } from './opened_tabs.js';
import { emptyPage } from './orphans.js';
import { allowedUrl } from './policy/url_rule.js';

/**
 * @typedef {object} TabRecord
 * @property {number} tab_id
 * @property {number} window_id
 * @property {string} url
 * @property {string} title
 * @property {boolean} active
 * @property {'agent' | 'user'} owner
 */

export class Tabs {
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
  /** @type {OpenedTabs} */
  #opened;
  /** @type {Settings} */
  #settings;
  /** @type {Sites} */
  #sites;
  /** New tabs that are being looked at. @type {Set<Promise<unknown>>} */
  #openings = new Set();

  /**
   * @param {Surroundings} around
   * @param {{ ownership: Ownership, debuggees: Debuggees, events: Events, groups: TabGroups, pageCalls: PageCalls, settings: Settings, sites: Sites }} parts
   */
  constructor(around, { ownership, debuggees, events, groups, pageCalls, settings, sites }) {
    this.#around = around;
    this.#ownership = ownership;
    this.#debuggees = debuggees;
    this.#events = events;
    this.#groups = groups;
    this.#pageCalls = pageCalls;
    this.#opened = new OpenedTabs(around);
    this.#settings = settings;
    this.#sites = sites;
  }

  /**
   * @param {Session} session
   * @param {TabScope} scope
   * @returns {Promise<{ tabs: TabRecord[] }>} in window and tab order
   */
  async list(session, scope) {
    const open = await this.#around.chrome.tabs.query({});
    open.sort((a, b) => a.windowId - b.windowId || a.index - b.index);
    const records = open.flatMap((tab) => (this.#isListed(session, tab) ? this.#record(session, tab) ?? [] : []));
    return { tabs: records.filter(({ owner }) => scope === 'all' || scope === owner) };
  }

  /**
   * What a person knows this profile by.
   * @returns {Promise<{ window_count: number, tab_count: number, front_title?: string }>}
   */
  async profile() {
    const { tabs, windows } = this.#around.chrome;
    const [open, all] = await Promise.all([tabs.query({}), windows.getAll({ windowTypes: ['normal'] })]);
    const ofUser = open.filter((tab) => tab.active && tab.id !== undefined && this.#ownership.claim(tab.id) === undefined
      && all.some((window) => window.id === tab.windowId) && this.#isListed(null, tab));
    const front = ofUser.sort((a, b) => (b.lastAccessed ?? 0) - (a.lastAccessed ?? 0))[0];
    return { window_count: all.length, tab_count: open.length, ...(front?.title === undefined ? {} : { front_title: front.title }) };
  }

  /**
   * A tab of the user is not told of where the user wants that, nor on a site that is blocked.
   * @param {Session | null} session null for whoever only wants to know the browser
   * @param {chrome.tabs.Tab} tab
   */
  #isListed(session, tab) {
    const isOwn = session !== null && tab.id !== undefined && this.#ownership.claim(tab.id)?.sessionId === session.sessionId;
    return isOwn || (this.#settings.values.list_user_tabs && this.#sites.rulingOnTab(tab).access !== 'block');
  }

  /**
   * @param {Session} session
   * @param {chrome.tabs.Tab} tab
   * @returns {TabRecord}
   */
  recordOf(session, tab) {
    const record = this.#record(session, tab);
    if (record === null) throw tabClosed(tab.id ?? -1);
    return record;
  }

  /**
   * @param {Session} session
   * @param {chrome.tabs.Tab} tab
   * @returns {TabRecord | null}
   */
  #record(session, tab) {
    if (tab.id === undefined) return null;
    const isOwn = this.#ownership.claim(tab.id)?.sessionId === session.sessionId;
    // A title is text of the page.
    const isTold = this.#sites.rulingOnTab(tab).access !== 'block';
    return {
      tab_id: tab.id, window_id: tab.windowId, url: tab.pendingUrl || tab.url || '', title: isTold ? tab.title ?? '' : '',
      active: isOwn ? session.activeTabId === tab.id : tab.active, owner: isOwn ? 'agent' : 'user',
    };
  }

  /**
   * @param {Session} session
   * @param {CallArgs['tab_create']} args
   * @param {string | null} [allowedSite] where it goes, when the user was asked for that just now
   * @returns {Promise<TabRecord>}
   */
  async create(session, args, allowedSite = null) {
    const url = args.url === undefined ? emptyPage(session.sessionId) : allowedUrl(args.url);
    const tab = await this.#ownership.opening(session.sessionId, async () => {
      const opened = await this.#around.chrome.tabs.create({
        windowId: session.windowId, url, active: args.active, ...(args.index === undefined ? {} : { index: args.index }),
      });
      if (opened.id === undefined) throw new Refusal('cdp_failed', null, 'the browser opened no tab', 'look at the browser, then try again');
      const claim = this.#join(session, opened);
      if (allowedSite !== null) claim.siteAnswers = { [allowedSite]: true };
      if (args.active || session.activeTabId === undefined) session.activeTabId = opened.id;
      return opened;
    });
    await Promise.all([this.#ownership.save(), this.#groups.add(session, tab.id ?? -1)]);
    this.#events.sessionChanged(session);
    const record = this.recordOf(session, tab);
    return { ...record, url: record.url || url };
  }

  /**
   * @param {Session} session
   * @param {chrome.tabs.Tab} tab
   */
  #join(session, { id = -1, url, pendingUrl }) {
    const known = this.#ownership.claim(id);
    if (known !== undefined) return known;
    // Where it goes counts before it is there.
    this.#sites.shows(id, pendingUrl || url || '', undefined);
    return this.#ownership.addClaim(id, session.sessionId);
  }

  /**
   * Closes a tab of the session. The Agent Window stays: a tab that is its last one is replaced by an empty one.
   * @param {Session} session
   * @param {TabClaim} claim
   */
  async close(session, claim) {
    const { tabs } = this.#around.chrome;
    if (claim.home !== undefined) {
      throw new Refusal('permission_denied', 'tab_not_owned', `tab ${claim.tabId} is borrowed: it is the user's to close`,
        `give it back with \`bsk tab return ${claim.tabId} --session ${session.sessionId}\``);
    }
    const inWindow = await tabs.query({ windowId: session.windowId });
    if (inWindow.length === 1 && inWindow[0]?.id === claim.tabId) {
      await this.create(session, { session_id: session.sessionId, active: true });
    }
    this.#debuggees.prepareClose(claim.tabId);
    await tabs.remove(claim.tabId).catch(() => {
      throw tabClosed(claim.tabId);
    });
    await this.removed(claim.tabId, false);
    return {};
  }

  /**
   * @param {Session} session
   * @param {TabClaim} claim
   */
  async select(session, claim) {
    await this.#around.chrome.tabs.update(claim.tabId, { active: true }).catch(() => {
      throw tabClosed(claim.tabId);
    });
    session.activeTabId = claim.tabId;
    await this.#ownership.save();
    this.#events.sessionChanged(session);
    return {};
  }

  /**
   * @param {Session} session
   * @param {CallArgs['window_resize']} args
   * @returns {Promise<{ width: number, height: number }>} the size that was reached
   */
  async resizeWindow(session, { width, height }) {
    const { windows } = this.#around.chrome;
    const before = await windows.get(session.windowId);
    // A maximised window takes no size.
    if (before.state !== 'normal') await windows.update(session.windowId, { state: 'normal' });
    const after = await windows.update(session.windowId, { width, height });
    return { width: after.width ?? width, height: after.height ?? height };
  }

  /**
   * `chrome.tabs.onCreated`: a tab that a page of a session opened joins the session.
   * @param {chrome.tabs.Tab} tab
   */
  async created(tab) {
    const opening = this.#adopt(tab);
    this.#openings.add(opening);
    const session = await opening.finally(() => this.#openings.delete(opening));
    if (tab.id !== undefined && tab.windowId === session?.windowId) await this.#groups.add(session, tab.id);
  }

  /**
   * The tabs that a tab's pages opened, and where they are going; the host has been told that they are there.
   * @param {number} tabId
   * @param {number} patienceMs how long they may take to get there
   * @returns {Promise<{ tab_id: number, url: string }[]>} those not given before
   */
  async openedBy(tabId, patienceMs) {
    await Promise.allSettled(this.#openings);
    return this.#opened.openedBy(tabId, patienceMs);
  }

  /**
   * @param {chrome.tabs.Tab} tab
   * @returns {Promise<Session | undefined>} the session that it joined and whose host knows of it
   */
  async #adopt(tab) {
    const opener = tab.openerTabId === undefined ? undefined : this.#ownership.claim(tab.openerTabId);
    const session = opener === undefined ? undefined : this.#ownership.session(opener.sessionId);
    if (tab.id === undefined || opener === undefined || session === undefined) return undefined;
    if (isOfUser(tab.pendingUrl || tab.url || '') || this.#ownership.claim(tab.id) !== undefined) return undefined;
    this.#join(session, tab);
    this.#opened.follow(tab.id, tab, opener.tabId);
    if (tab.active) session.activeTabId = tab.id;
    await this.#ownership.save();
    this.#events.tabOpened(session.sessionId, tab.id, opener.tabId);
    this.#events.sessionChanged(session);
    return session;
  }

  /**
   * `chrome.tabs.onActivated`: the session's tab last in front is the one that commands mean.
   * @param {number} tabId
   */
  async activated(tabId) {
    const claim = this.#ownership.claim(tabId);
    const session = claim === undefined ? undefined : this.#ownership.session(claim.sessionId);
    if (session === undefined || session.activeTabId === tabId) return;
    session.activeTabId = tabId;
    await this.#ownership.save();
    this.#events.sessionChanged(session);
  }

  /**
   * `chrome.tabs.onRemoved`: the tab is gone.
   * @param {number} tabId
   * @param {boolean} isWindowClosing
   * @returns {Promise<Trip | null>} to its home, for a borrowed tab that went with the Agent Window
   */
  async removed(tabId, isWindowClosing) {
    this.#opened.gone(tabId);
    this.#debuggees.tabRemoved(tabId);
    this.#groups.forget(tabId);
    this.#pageCalls.forgetTab(tabId);
    this.#events.forgetTab(tabId);
    this.#sites.forgetTab(tabId);
    const claim = this.#ownership.claim(tabId);
    const session = claim === undefined ? undefined : this.#ownership.session(claim.sessionId);
    if (claim === undefined || session === undefined) return null;
    this.#ownership.dropClaim(tabId);
    const trip = claim.home === undefined || !isWindowClosing ? null : this.#ownership.beginTrip(session, tabId, claim.home);
    const saved = this.#ownership.save();
    this.#events.tabLost(session.sessionId, tabId, 'closed');
    this.#events.sessionChanged(session);
    await saved;
    return trip;
  }

  /**
   * A tab shows another address.
   * @param {number} tabId
   * @param {string} url
   */
  wentTo(tabId, url) {
    const claim = this.#ownership.claim(tabId);
    if (claim !== undefined) this.#ownership.showsUrl(claim, url);
  }

  /**
   * `chrome.tabs.onReplaced`: the browser swapped a prepared tab in for one that is ours.
   * @param {number} addedTabId
   * @param {number} removedTabId
   */
  async replaced(addedTabId, removedTabId) {
    const session = this.#ownership.session(this.#ownership.claim(removedTabId)?.sessionId ?? '');
    if (session === undefined) return;
    const wasActive = session.activeTabId === removedTabId;
    const added = await this.#around.chrome.tabs.get(addedTabId).catch(() => null);
    if (added !== null) this.#join(session, added);
    if (wasActive) session.activeTabId = addedTabId;
    await this.removed(removedTabId, false);
  }

  /**
   * The tab's page crashed, or the browser took the tab from the debugger.
   * @param {number} tabId
   * @param {LossCause} cause
   * @param {boolean} isByUser the user cancelled debugging: the tab is not touched again
   */
  lost(tabId, cause, isByUser) {
    this.#pageCalls.forgetTab(tabId);
    const claim = this.#ownership.claim(tabId);
    if (claim === undefined) return;
    if (isByUser) claim.isWithdrawn = true;
    void this.#ownership.save();
    this.#events.tabLost(claim.sessionId, tabId, cause);
  }
}

/**
 * Whether a new tab's first address shows that the user opened it: pages open web addresses, the user the browser's own.
 * @param {string} url
 * @returns {boolean}
 */
function isOfUser(url) {
  return !/^(https?:|about:blank|data:|blob:|javascript:|$)/.test(url);
}
