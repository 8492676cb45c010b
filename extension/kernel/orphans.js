// Windows and tabs of ours that outlived their sessions: after an update of the extension, or restored after a crash of the
// browser, which may be a minute later and gives every window, tab and group another id (decision 6).
// A tab is ours only by what nobody else has: our empty page, or a lost session's tab group (name and colour) in its window and
// an address that the session's tab had there. Ids count only together with the group. Opened tabs are closed, borrowed ones go
// to a window of the user. In doubt a tab stays open.

/** @import { AgentWindow, Surroundings } from './types.js' */
/** @import { Borrow } from './borrow.js' */
/** @import { LostWindows } from './lost_windows.js' */
/** @import { Ownership } from './ownership.js' */

import { colorOf } from './tab_groups.js';

/** Restored windows come tab by tab, and their groups after them. */
const AFTER_MS = 200;
const EMPTY_PAGE = /^about:blank#bsk-([a-z]{4})$/;

/**
 * The empty page that a session's tabs begin with: its address tells whose it is, also when nothing else is known of it.
 * @param {string} sessionId
 */
export function emptyPage(sessionId) {
  return `about:blank#bsk-${sessionId}`;
}

/** @typedef {{ open: chrome.tabs.Tab[], groups: chrome.tabGroups.TabGroup[], windows: chrome.windows.Window[] }} Seen */

export class Orphans {
  /** @type {Surroundings} */
  #around;
  /** @type {Ownership} */
  #ownership;
  /** @type {Borrow} */
  #borrow;
  /** @type {LostWindows} */
  #lost;
  /** @type {number | null} */
  #timer = null;
  /** @type {Promise<void>} */
  #looking = Promise.resolve();

  /**
   * @param {Surroundings} around
   * @param {{ ownership: Ownership, borrow: Borrow, lost: LostWindows }} parts
   */
  constructor(around, { ownership, borrow, lost }) {
    this.#around = around;
    this.#ownership = ownership;
    this.#borrow = borrow;
    this.#lost = lost;
  }

  /** `chrome.tabGroups.onCreated` and `onUpdated`: it may be one that was restored. */
  groupChanged() {
    if (this.#lost.windows.length > 0) this.#lookSoon();
  }

  /**
   * `chrome.tabs.onCreated`.
   * @param {chrome.tabs.Tab} tab
   */
  tabCreated(tab) {
    if (this.#lost.windows.length > 0 || this.#isStray(tab)) this.#lookSoon();
  }

  #lookSoon() {
    this.#timer ??= this.#around.setTimer(() => {
      this.#timer = null;
      void this.look();
    }, AFTER_MS);
  }

  /**
   * Finds what is ours and puts it away.
   * @returns {Promise<void>}
   */
  look() {
    this.#looking = this.#looking.then(() => this.#look()).catch(() => {
      // A tab that the user is just dragging can not be moved; the next event looks again.
    });
    return this.#looking;
  }

  async #look() {
    const { tabs, tabGroups, windows } = this.#around.chrome;
    const [open, groups, all] = await Promise.all([tabs.query({}), tabGroups.query({}), windows.getAll({ windowTypes: ['normal'] })]);
    const seen = { open, groups, windows: all };
    const found = this.#lost.windows.map((lost) => this.#found(lost, seen)).filter(({ taken }) => taken.length > 0);
    const strays = open.filter((tab) => this.#isStray(tab));
    if (found.length === 0 && strays.length === 0) return;
    const ours = new Set(found.flatMap(({ windowIds }) => windowIds));
    const others = all.filter(({ id, incognito }) => id !== undefined && !ours.has(id) && !incognito);
    for (const { taken } of found) {
      for (const { tab, home } of taken) if (home !== undefined) await this.#bringHome(tab, home, others);
    }
    const closing = [...strays, ...found.flatMap(({ taken }) => taken.filter(({ home }) => home === undefined).map(({ tab }) => tab))];
    await this.#keepOneWindow(new Set(closing.map(({ id }) => id)));
    for (const { id } of closing) if (id !== undefined) await tabs.remove(id).catch(() => {});
    if (found.length === 0) return;
    for (const { lost, taken } of found) {
      lost.opened = lost.opened.filter((entry) => !taken.some((one) => one.entry === entry));
      lost.borrowed = lost.borrowed.filter((entry) => !taken.some((one) => one.entry === entry));
    }
    await this.#lost.save();
  }

  /** @param {chrome.tabs.Tab} tab */
  #isStray({ id, url, pendingUrl }) {
    const sessionId = EMPTY_PAGE.exec(pendingUrl || url || '')?.[1];
    return sessionId !== undefined && id !== undefined && this.#ownership.claim(id) === undefined && !this.#ownership.isOpening(sessionId);
  }

  /**
   * What is there of a lost window.
   * @param {AgentWindow} lost
   * @param {Seen} seen
   */
  #found(lost, { open, groups }) {
    const named = groups.filter(({ title, color, windowId }) => title === lost.title && color === colorOf(lost.title) && this.#ownership.sessionOfWindow(windowId) === undefined);
    /** @type {{ tab: chrome.tabs.Tab, entry: object, home?: AgentWindow['borrowed'][number] }[]} */
    const taken = [];
    const take = (/** @type {number} */ tabId, /** @type {string[]} */ urls, /** @type {(tab: chrome.tabs.Tab) => boolean} */ isCandidate) => {
      const free = open.filter((tab) => isCandidate(tab) && !taken.some((one) => one.tab === tab) && this.#ownership.claim(tab.id ?? -1) === undefined);
      return free.find(({ id, windowId }) => id === tabId && windowId === lost.windowId)
        ?? free.find(({ url, pendingUrl }) => urls.includes(pendingUrl || url || ''));
    };
    for (const entry of lost.borrowed) {
      const tab = take(entry.tabId, [entry.home.url], ({ windowId }) => named.some((group) => group.windowId === windowId));
      if (tab !== undefined) taken.push({ tab, entry, home: entry });
    }
    for (const entry of lost.opened) {
      const tab = take(entry.tabId, entry.urls, ({ groupId }) => named.some(({ id }) => id === groupId));
      if (tab !== undefined) taken.push({ tab, entry });
    }
    return { lost, taken, windowIds: named.map(({ windowId }) => windowId) };
  }

  /**
   * @param {chrome.tabs.Tab} tab
   * @param {AgentWindow['borrowed'][number]} borrowed
   * @param {chrome.windows.Window[]} others windows of the user
   */
  async #bringHome(tab, { tabId, home }, others) {
    if (tab.id === undefined) return;
    // With another id the tab was restored, and its home has another id too: any window of the user, at the end.
    const place = tab.id === tabId ? home : { ...home, windowId: others[0]?.id ?? -1, index: -1 };
    if (tab.id !== tabId) delete place.groupId;
    await this.#borrow.bringHome(tab.id, place, tab.windowId);
  }

  /**
   * With its last window the browser ends, which is not for us to do.
   * @param {Set<number | undefined>} closing
   */
  async #keepOneWindow(closing) {
    const { tabs, windows } = this.#around.chrome;
    const [open, all] = await Promise.all([tabs.query({}), windows.getAll({ windowTypes: ['normal'] })]);
    const stays = open.some(({ id, windowId }) => !closing.has(id) && all.some((window) => window.id === windowId));
    if (closing.size > 0 && !stays) await windows.create({});
  }
}
