// The user's focus stays where it is: the browser brings a window to the front when input is sent to a page in it (measured in
// Chromium 156 on Linux), so what came to the front by an action of ours goes back behind what the user had in front.
// Only that: a window that comes to the front at any other time was put there by the user, or was meant to (a session that starts
// with its window in front, a request for help). Where another program was in front, the window behind ours comes forward.

/** @import { Surroundings } from './types.js' */
/** @import { Ownership } from './ownership.js' */

/** How long after an action its window may come to the front. */
const ACTED_MS = 400;
/** `chrome.windows.WINDOW_ID_NONE`: the user is in another program, or on the way from one window to another. */
const NO_WINDOW = -1;

/** @typedef {{ atMs: number, front: Promise<number | null> }} Act when a session acted, and the window that was in front then */

export class FocusGuard {
  /** @type {Surroundings} */
  #around;
  /** @type {Ownership} */
  #ownership;
  /** The last action that may raise a window, by session. @type {Map<string, Act>} */
  #acts = new Map();

  /**
   * @param {Surroundings} around
   * @param {Ownership} ownership
   */
  constructor(around, ownership) {
    this.#around = around;
    this.#ownership = ownership;
  }

  /**
   * A session does something that may raise its window. Within a gesture the window that was in front at its start counts.
   * @param {string} sessionId
   */
  acts(sessionId) {
    const now = this.#around.now();
    const last = this.#acts.get(sessionId);
    const isSameGesture = last !== undefined && now - last.atMs <= ACTED_MS;
    this.#acts.set(sessionId, { atMs: now, front: isSameGesture ? last.front : this.#front() });
  }

  /**
   * The session's window is meant to come to the front, or the session is over.
   * @param {string} sessionId
   */
  forget(sessionId) {
    this.#acts.delete(sessionId);
  }

  /**
   * Opens a window that is not meant to come to the front, although some window managers give it the focus.
   * @template T
   * @param {() => Promise<T>} open
   * @returns {Promise<T>}
   */
  async openBehind(open) {
    const asked = this.#front();
    const opened = await open();
    const front = await asked;
    if (front !== null) this.#around.setTimer(() => void this.#keep(front), ACTED_MS);
    return opened;
  }

  /**
   * `chrome.windows.onFocusChanged`.
   * @param {number} windowId
   */
  async focusChanged(windowId) {
    if (windowId === NO_WINDOW) return;
    const act = await this.#actBehind(windowId);
    if (act === null) return;
    const front = await act.front;
    if (front === windowId) return;
    const isBack = front !== null && await this.#raise(front).then(() => true, () => false);
    if (!isBack) await this.#around.chrome.windows.update(windowId, { focused: false }).catch(() => {});
  }

  /** @returns {Promise<number | null>} the window of this browser that has the focus */
  async #front() {
    const window = await this.#around.chrome.windows.getLastFocused().catch(() => null);
    return window?.focused === true && window.id !== undefined ? window.id : null;
  }

  /** @param {number} windowId */
  async #raise(windowId) {
    const { windows } = this.#around.chrome;
    await windows.update(windowId, { focused: true });
    if ((await windows.getLastFocused()).id === windowId) return;
    // Without a window manager (headless) the browser takes it for one that has the focus already, and does nothing.
    await windows.update(windowId, { focused: false });
    await windows.update(windowId, { focused: true });
  }

  /** @param {number} windowId that had the focus, and has it no more unless somebody gave it another one */
  async #keep(windowId) {
    const { windows } = this.#around.chrome;
    const window = await windows.get(windowId).catch(() => null);
    if (window?.focused === false) await windows.update(windowId, { focused: true }).catch(() => {});
  }

  /**
   * The action by which a window came to the front: one of just now, of a session that has a tab in it.
   * @param {number} windowId
   * @returns {Promise<Act | null>}
   */
  async #actBehind(windowId) {
    const now = this.#around.now();
    const acts = new Map([...this.#acts].filter(([, { atMs }]) => now - atMs <= ACTED_MS));
    if (acts.size === 0) return null;
    for (const { id = -1 } of await this.#around.chrome.tabs.query({ windowId })) {
      const act = acts.get(this.#ownership.claim(id)?.sessionId ?? '');
      if (act !== undefined) return act;
    }
    return null;
  }
}
