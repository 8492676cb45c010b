// The extension's own windows: small popup windows in which the user decides something, each showing one page of ui/.
// Knows which windows it opened, so that a message counts only when it comes from the very page that was opened for it.
// Refuses to answer for any other window, and leaves none behind: a new worker closes what an earlier one opened, since
// nobody waits for those answers any more (invariant 4: consent is asked in extension pages only).

/** @import { Surroundings } from './types.js' */

/**
 * @typedef {object} OwnWindow
 * @property {number} windowId
 * @property {number} tabId
 * @property {string} page the file in ui/
 * @property {() => void} closed the user closed it
 */

export class OwnWindows {
  /** @type {Surroundings} */
  #around;
  /** @type {Map<number, OwnWindow>} */
  #open = new Map();

  /** @param {Surroundings} around */
  constructor(around) {
    this.#around = around;
  }

  /** Closes what an earlier worker left open: popup windows that show a page of ui/, which nobody else opens. */
  async load() {
    const { runtime, tabs, windows } = this.#around.chrome;
    const [open, all] = await Promise.all([tabs.query({}), windows.getAll({ windowTypes: ['popup'] })]);
    const popups = new Set(all.map(({ id }) => id));
    const left = open.filter(({ windowId, url, pendingUrl }) => popups.has(windowId) && (pendingUrl || url || '').startsWith(runtime.getURL('ui/')));
    await Promise.all(left.map(({ windowId }) => windows.remove(windowId).catch(() => {})));
  }

  /**
   * Opens a page of ui/ in a window of its own, in front.
   * @param {string} page
   * @param {{ width: number, height: number, left?: number, top?: number }} place in pixels of the screen
   * @param {() => void} closed
   * @returns {Promise<OwnWindow>}
   */
  async open(page, place, closed) {
    const { runtime, windows } = this.#around.chrome;
    const window = await windows.create({ url: runtime.getURL(`ui/${page}`), type: 'popup', focused: true, ...place });
    const tabId = window?.tabs?.[0]?.id;
    if (window?.id === undefined || tabId === undefined) throw new Error('the browser opened no window');
    const own = { windowId: window.id, tabId, page, closed };
    this.#open.set(own.windowId, own);
    return own;
  }

  /**
   * The window that a message came from, when it is one of ours and still shows its page.
   * @param {chrome.runtime.MessageSender} sender
   * @returns {OwnWindow | null}
   */
  of(sender) {
    const { runtime } = this.#around.chrome;
    const own = sender.tab === undefined ? undefined : this.#open.get(sender.tab.windowId);
    const isItself = own !== undefined && sender.id === runtime.id && sender.frameId === 0 && sender.tab?.id === own.tabId
      && (sender.url ?? '').split(/[?#]/)[0] === runtime.getURL(`ui/${own.page}`);
    return isItself ? own : null;
  }

  /** @param {OwnWindow} own */
  async close(own) {
    if (!this.#open.delete(own.windowId)) return;
    await this.#around.chrome.windows.remove(own.windowId).catch(() => {});
  }

  /** @param {OwnWindow} own */
  async raise(own) {
    await this.#around.chrome.windows.update(own.windowId, { focused: true }).catch(() => {});
  }

  /**
   * `chrome.windows.onRemoved`.
   * @param {number} windowId
   */
  removed(windowId) {
    const own = this.#open.get(windowId);
    if (own === undefined) return;
    this.#open.delete(windowId);
    own.closed();
  }
}
