// Frames of other extensions, such as a password manager's menu. While one is in a tab, Chrome lets no extension debug that tab: it
// refuses to attach and takes an attached tab away (docs/decisions/0004-frames-of-other-extensions.md). Nothing here gets
// around that; it finds out whose frame it is, so that the error can name the extension. Reads addresses, touches nothing.

/** @import { Surroundings } from './types.js' */

/** The browser's own PDF viewer: its frames keep nobody from debugging. */
const PDF_VIEWER = 'mhjfbmdgcfjbbpaeojofohoefgiehjai';

export class ForeignFrames {
  /** @type {Surroundings} */
  #around;
  /** The other extension to whose page a frame of the tab's document was last sent. @type {Map<number, string>} */
  #last = new Map();

  /** @param {Surroundings} around */
  constructor(around) {
    this.#around = around;
  }

  /**
   * Takes note of where a frame goes: when to another extension's page, the browser is about to take the tab away for it.
   * @param {number} tabId
   * @param {unknown} url
   */
  note(tabId, url) {
    const id = this.#otherExtension(url);
    if (id !== null) this.#last.set(tabId, id);
  }

  /**
   * The tab shows another document, or is gone.
   * @param {number} tabId
   */
  forget(tabId) {
    this.#last.delete(tabId);
  }

  /**
   * Whether a frame was seen going to another extension's page.
   * @param {number} tabId
   * @returns {boolean}
   */
  isKnown(tabId) {
    return this.#last.has(tabId);
  }

  /**
   * The extension whose frame was seen coming, else those that have a frame in some tab: Chrome does not say in which.
   * @param {number} tabId
   * @returns {Promise<string[]>} ids
   */
  async ownersIn(tabId) {
    const known = this.#last.get(tabId);
    if (known !== undefined) return [known];
    const targets = await this.#around.chrome.debugger.getTargets().catch(() => []);
    const ids = targets.map(({ type, url }) => (type === 'other' ? this.#otherExtension(url) : null));
    return [...new Set(ids.filter((id) => id !== null))].sort();
  }

  /**
   * The other extension whose page an address is; null for every other address.
   * @param {unknown} url
   * @returns {string | null}
   */
  #otherExtension(url) {
    if (typeof url !== 'string' || !url.startsWith('chrome-extension:') || !URL.canParse(url)) return null;
    const id = new URL(url).host;
    return id === this.#around.chrome.runtime.id || id === PDF_VIEWER ? null : id;
  }
}
