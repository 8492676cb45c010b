// What `storage.local` remembers of Agent Windows, for the time when all sessions are lost: an update of the extension, a crash
// of the browser. Which windows there are, which tabs were opened (with their latest addresses) or borrowed (with their homes),
// and which of it was lost and not found again yet. Nothing is kept of a session that ended; what was lost is kept for an hour.
// Decides nothing about what is done with it (orphans.js).

/** @import { AgentWindow, Surroundings } from './types.js' */

import { arrayOf, bool, finite, integer, object, text } from './shape.js';

const OPEN = 'agent_windows';
const LOST = 'lost_windows';
/** How long after the loss a restored window is still looked for. */
const KEPT_MS = 60 * 60_000;
const MOST_LOST = 50;

const count = integer(0, Number.MAX_SAFE_INTEGER);
/** @type {import('./types.js').Shape<import('./types.js').TabHome>} */
export const homeShape = object(
  { windowId: count, index: count, isPinned: bool, url: text() },
  { groupId: count, bounds: object({ left: finite, top: finite, width: finite, height: finite }) },
);
const windowFields = {
  windowId: count, title: text(), opened: arrayOf(object({ tabId: count, urls: arrayOf(text()) })),
  borrowed: arrayOf(object({ tabId: count, home: homeShape })),
};
const openShape = arrayOf(object(windowFields));
const lostShape = arrayOf(object({ ...windowFields, lostAtMs: finite }));

/** The Agent Windows of open sessions. */
export class WindowsCopy {
  /** @type {Surroundings} */
  #around;
  #written = '';

  /** @param {Surroundings} around */
  constructor(around) {
    this.#around = around;
  }

  /** @returns {Promise<AgentWindow[]>} */
  async read() {
    const stored = (await this.#around.chrome.storage.local.get(OPEN))[OPEN];
    this.#written = JSON.stringify(stored ?? []);
    return openShape.accepts(stored) ? stored : [];
  }

  /** @param {AgentWindow[]} windows */
  async write(windows) {
    const text = JSON.stringify(windows);
    if (text === this.#written) return;
    this.#written = text;
    await this.#around.chrome.storage.local.set({ [OPEN]: windows });
  }
}

/** Those whose sessions were lost. */
export class LostWindows {
  /** @type {Surroundings} */
  #around;
  /** @type {(AgentWindow & { lostAtMs: number })[]} */
  #windows = [];

  /** @param {Surroundings} around */
  constructor(around) {
    this.#around = around;
  }

  /**
   * @param {AgentWindow[]} lostNow
   */
  async load(lostNow) {
    const { storage } = this.#around.chrome;
    const stored = (await storage.local.get(LOST))[LOST];
    const earlier = lostShape.accepts(stored) ? stored : [];
    const lostAtMs = this.#around.now();
    this.#windows = [...earlier, ...lostNow.map((window) => ({ ...window, lostAtMs }))].slice(-MOST_LOST);
    // In one write, so that no window is in neither list.
    if (lostNow.length > 0) await storage.local.set({ [OPEN]: [], [LOST]: this.#windows });
  }

  /** @returns {AgentWindow[]} */
  get windows() {
    const oldest = this.#around.now() - KEPT_MS;
    this.#windows = this.#windows.filter(({ lostAtMs }) => lostAtMs >= oldest);
    return this.#windows;
  }

  /** Keeps what is still to be found. */
  async save() {
    this.#windows = this.#windows.filter(({ opened, borrowed }) => opened.length + borrowed.length > 0);
    await this.#around.chrome.storage.local.set({ [LOST]: this.#windows });
  }
}
