// What the extension's own pages may ask the kernel: its state, to stop sessions, to connect again.
// Refuses every other sender (own_pages.js; invariant 4: decisions of the user are taken in extension pages only). Windows that ask the user something have
// messages of their own, which count only from the window that was opened for them (consent.js).

/** @import { ConnectionState, Surroundings } from './types.js' */
/** @import { HostPort } from './port.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { OwnWindows } from './own_windows.js' */
/** @import { Sessions } from './sessions.js' */

import { isOwnPage } from './own_pages.js';
import { object, oneOf, text } from './shape.js';

const plain = object({ type: oneOf(['state', 'stop_all', 'reconnect']) });
const stop = object({ type: oneOf(['stop']), session_id: text() });

/**
 * @typedef {object} KernelState
 * @property {ConnectionState} connection
 * @property {{ session_id: string, name?: string, tab_count: number, created_at_ms: number }[]} sessions
 * @property {string} version
 */

export class PopupMessages {
  /** @type {Surroundings} */
  #around;
  /** @type {Ownership} */
  #ownership;
  /** @type {Sessions} */
  #sessions;
  /** @type {HostPort} */
  #port;
  /** @type {OwnWindows} */
  #windows;

  /**
   * @param {Surroundings} around
   * @param {{ ownership: Ownership, sessions: Sessions, port: HostPort, windows: OwnWindows }} parts
   */
  constructor(around, { ownership, sessions, port, windows }) {
    this.#around = around;
    this.#ownership = ownership;
    this.#sessions = sessions;
    this.#port = port;
    this.#windows = windows;
  }

  /**
   * `chrome.runtime.onMessage`.
   * @param {unknown} message
   * @param {chrome.runtime.MessageSender} sender
   * @param {(answer: unknown) => void} answer
   * @returns {boolean} whether an answer will come
   */
  received(message, sender, answer) {
    if (!isOwnPage(this.#around.chrome.runtime, this.#windows, sender)) return false;
    void this.#carryOut(message).then(answer, () => answer(null));
    return true;
  }

  /** @param {unknown} message */
  async #carryOut(message) {
    await this.#ownership.load();
    if (stop.accepts(message)) {
      const session = this.#ownership.session(message.session_id);
      if (session !== undefined) await this.#sessions.end(session, 'user');
    } else if (plain.accepts(message)) {
      if (message.type === 'stop_all') {
        await Promise.all(this.#ownership.sessions().map((session) => this.#sessions.end(session, 'user')));
      }
      if (message.type === 'reconnect') this.#port.reconnect();
      if (message.type === 'state') this.#port.nudge();
    } else {
      return null;
    }
    return this.#state();
  }

  /** @returns {KernelState} */
  #state() {
    return {
      connection: this.#port.state,
      sessions: this.#ownership.sessions().map((session) => ({
        session_id: session.sessionId,
        ...(session.name === undefined ? {} : { name: session.name }),
        tab_count: this.#ownership.claimsOf(session.sessionId).length,
        created_at_ms: session.createdAtMs,
      })),
      version: this.#around.chrome.runtime.getManifest().version,
    };
  }

  /** Tells an open popup that something it shows is different now. */
  changed() {
    // Without an open popup there is nobody to tell, which is an error to Chrome.
    this.#around.chrome.runtime.sendMessage({ type: 'state_changed' }).catch(() => {});
  }
}
