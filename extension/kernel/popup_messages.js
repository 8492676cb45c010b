// What the extension's own pages may ask the kernel: its state, to stop sessions, to connect again.
// Refuses every other sender (own_pages.js; invariant 4: decisions of the user are taken in extension pages only). Windows that ask the user something have
// messages of their own, which count only from the window that was opened for them (consent.js).

/** @import { Agent, ConnectionState, Session, Surroundings, TabClaim } from './types.js' */
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
 * @property {SessionLine[]} sessions
 * @property {string} version the extension's
 * @property {string} [host_version]
 */
/**
 * @typedef {object} SessionLine
 * @property {string} session_id
 * @property {string} [name]
 * @property {number} tab_count
 * @property {number} created_at_ms
 * @property {Agent} [agent] the program that started it
 * @property {TabLine[]} tabs
 * @property {{ name: string, at_ms: number }} [last_command]
 */
/** @typedef {{ tab_id: number, title: string, site: string, is_borrowed: boolean }} TabLine text of pages, never to be trusted */

/** How long news of commands is gathered for an open popup. */
const GATHER_MS = 250;

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
  /** The command that began last, by session; in memory only. @type {Map<string, { name: string, at_ms: number }>} */
  #lastCommands = new Map();
  /** Whether somebody looked and may still do. */
  #isWatched = false;
  /** @type {number | null} */
  #gathering = null;

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
      if (message.type === 'state') {
        this.#isWatched = true;
        this.#port.nudge();
      }
    } else {
      return null;
    }
    return this.#state();
  }

  /** @returns {Promise<KernelState>} */
  async #state() {
    const sessions = await Promise.all(this.#ownership.sessions().map((session) => this.#line(session)));
    const { hostVersion } = this.#port;
    return {
      connection: this.#port.state,
      // One that ended while its tabs were read is gone.
      sessions: sessions.filter(({ session_id }) => this.#ownership.session(session_id) !== undefined),
      version: this.#around.chrome.runtime.getManifest().version,
      ...(hostVersion === null ? {} : { host_version: hostVersion }),
    };
  }

  /**
   * @param {Session} session
   * @returns {Promise<SessionLine>}
   */
  async #line(session) {
    const claims = this.#ownership.claimsOf(session.sessionId);
    const tabs = await Promise.all(claims.map((claim) => this.#tabLine(claim)));
    const last = this.#lastCommands.get(session.sessionId);
    return {
      session_id: session.sessionId,
      ...(session.name === undefined ? {} : { name: session.name }),
      tab_count: claims.length,
      created_at_ms: session.createdAtMs,
      ...(session.agent === undefined ? {} : { agent: session.agent }),
      tabs: tabs.filter((tab) => tab !== null),
      ...(last === undefined ? {} : { last_command: last }),
    };
  }

  /**
   * @param {TabClaim} claim
   * @returns {Promise<TabLine | null>} null when it is gone
   */
  async #tabLine({ tabId, home }) {
    const tab = await this.#around.chrome.tabs.get(tabId).catch(() => null);
    return tab === null ? null : { tab_id: tabId, title: tab.title ?? '', site: siteOf(tab.url ?? ''), is_borrowed: home !== undefined };
  }

  /**
   * A command begins in a session.
   * @param {string} sessionId
   * @param {string} name
   */
  noted(sessionId, name) {
    if (this.#ownership.session(sessionId) === undefined) return;
    this.#lastCommands.set(sessionId, { name, at_ms: this.#around.now() });
    if (!this.#isWatched || this.#gathering !== null) return;
    this.#gathering = this.#around.setTimer(() => {
      this.#gathering = null;
      this.changed();
    }, GATHER_MS);
  }

  /** @param {string} sessionId */
  forgetSession(sessionId) {
    this.#lastCommands.delete(sessionId);
  }

  /** Tells an open popup that something it shows is different now. */
  changed() {
    // Without an open popup there is nobody to tell, which is an error to Chrome.
    this.#around.chrome.runtime.sendMessage({ type: 'state_changed' }).catch(() => {
      this.#isWatched = false;
    });
  }
}

/**
 * What people call the site of an address: its host, or its scheme where there is none.
 * @param {string} url
 */
function siteOf(url) {
  if (!URL.canParse(url)) return '';
  const { host, protocol, pathname } = new URL(url);
  return host !== '' ? host : `${protocol}${protocol === 'about:' ? pathname : ''}`;
}
