// Where tabs are going that pages opened: followed from the moment they open until they show an address, or it is plain that they
// stay empty. Many pages open an empty tab first and send it somewhere a moment later.
// Settled is a tab that shows an address other than `about:blank`, one that is gone (a download closes its tab), and one that is
// empty and loads nothing once it has been open for `EMPTY_MS`; whatever happens, every tab after `LONGEST_MS`. Chrome tells of
// addresses and of the end by events, but not that a load began or came to nothing, so an empty tab is looked at now and then.
// Remembers until told and for a minute at most; nothing is stored. Decides nothing about whose a tab is.

/** @import { Surroundings } from './types.js' */

import { within } from './deadline.js';

/** How long an empty tab is given to be sent somewhere. */
const EMPTY_MS = 400;
/** When a new tab is first looked at, and then at twice the age: a download closes its tab soon after Chrome says what it loads. */
const FIRST_LOOK_MS = 5;
/** How often a tab that is loading is looked at from then on. */
const LOOK_MS = 100;
/** How long a tab may take to show the address that it is loading. */
const LONGEST_MS = 5000;
const FORGOTTEN_MS = 60_000;

/**
 * @typedef {object} Opened
 * @property {number} openerTabId
 * @property {number} at when it opened
 * @property {string} url what it shows, is loading, or was loading when it closed
 * @property {Promise<void>} settled
 * @property {() => void} settle
 */

export class OpenedTabs {
  /** @type {Surroundings} */
  #around;
  /** Tabs that nobody was told of yet. @type {Map<number, Opened>} */
  #opened = new Map();

  /** @param {Surroundings} around */
  constructor(around) {
    this.#around = around;
  }

  /**
   * A page opened a tab.
   * @param {number} tabId
   * @param {chrome.tabs.Tab} tab the same, as it opened
   * @param {number} openerTabId
   */
  follow(tabId, tab, openerTabId) {
    const at = this.#around.now();
    for (const [id, opened] of this.#opened) if (at - opened.at > FORGOTTEN_MS) this.#opened.delete(id);
    /** @type {() => void} */
    let settle = () => {};
    /** @type {Promise<void>} */
    const settled = new Promise((resolve) => { settle = resolve; });
    const opened = { openerTabId, at, url: tab.pendingUrl ?? '', settled, settle };
    this.#opened.set(tabId, opened);
    const { onUpdated } = this.#around.chrome.tabs;
    /** @param {number} id @param {{ url?: string }} change */
    const updated = (id, { url }) => {
      if (id === tabId && url !== undefined) this.#see(opened, url);
    };
    onUpdated.addListener(updated);
    this.#lookAt(tabId, opened, FIRST_LOOK_MS);
    this.#see(opened, tab.url ?? '');
    void settled.then(() => onUpdated.removeListener(updated));
  }

  /**
   * @param {number} tabId
   * @param {Opened} opened
   * @param {number} delayMs
   */
  #lookAt(tabId, opened, delayMs) {
    const timer = this.#around.setTimer(() => void this.#look(tabId, opened), delayMs);
    void opened.settled.then(() => this.#around.clearTimer(timer));
  }

  /**
   * @param {number} tabId
   * @param {Opened} opened
   */
  async #look(tabId, opened) {
    const tab = await this.#around.chrome.tabs.get(tabId).catch(() => null);
    if (tab === null) return opened.settle();
    this.#see(opened, tab.url ?? '');
    if (tab.pendingUrl) opened.url = tab.pendingUrl;
    const age = this.#around.now() - opened.at;
    if (age >= LONGEST_MS || (age >= EMPTY_MS && tab.status !== 'loading')) opened.settle();
    else this.#lookAt(tabId, opened, age < EMPTY_MS ? Math.min(Math.max(age, FIRST_LOOK_MS), EMPTY_MS - age) : LOOK_MS);
  }

  /**
   * @param {Opened} opened
   * @param {string} url what the tab shows
   */
  #see(opened, url) {
    if (url === '') return;
    opened.url = url;
    if (url !== 'about:blank') opened.settle();
  }

  /**
   * The tab is closed.
   * @param {number} tabId
   */
  gone(tabId) {
    this.#opened.get(tabId)?.settle();
  }

  /**
   * The tabs that a tab's pages have opened and that were not given before, once they are settled or the time is over.
   * @param {number} openerTabId
   * @param {number} patienceMs
   * @returns {Promise<{ tab_id: number, url: string }[]>}
   */
  async openedBy(openerTabId, patienceMs) {
    const own = [...this.#opened].filter(([, opened]) => opened.openerTabId === openerTabId);
    if (own.length === 0) return [];
    if (patienceMs > 0) await within(this.#around, Promise.all(own.map(([, { settled }]) => settled)), patienceMs);
    for (const [tabId] of own) this.#opened.delete(tabId);
    return own.map(([tab_id, { url }]) => ({ tab_id, url }));
  }
}
