// What the kernel tells the host unasked, in the order it happened.
// A session's record is told only when it differs from the one told last, and always before the reply of the call that caused
// the change. CDP events leave only where the host subscribed to them, and a new host has subscribed to nothing.

/** @import { DocumentRequest, EndCause, JsonObject, KernelEvent, LossCause, Session } from './types.js' */
/** @import { Ownership } from './ownership.js' */

export class Events {
  /** @type {(event: KernelEvent) => void} */
  #post;
  /** @type {() => void} */
  #changed;
  /** @type {Ownership} */
  #ownership;
  /** The record told last, by session, as JSON. @type {Map<string, string>} */
  #told = new Map();
  /** Wanted CDP events by tab. @type {Map<number, ReadonlySet<string>>} */
  #subscriptions = new Map();

  /**
   * @param {Ownership} ownership
   * @param {(event: KernelEvent) => void} post
   * @param {() => void} changed for the popup: something it shows is different now
   */
  constructor(ownership, post, changed) {
    this.#ownership = ownership;
    this.#post = post;
    this.#changed = changed;
  }

  /** @param {Session} session */
  sessionChanged(session) {
    const record = this.#ownership.record(session);
    const text = JSON.stringify(record);
    if (this.#told.get(session.sessionId) === text) return;
    this.#told.set(session.sessionId, text);
    this.#post({ session_changed: record });
    this.#changed();
  }

  /**
   * @param {string} session_id
   * @param {EndCause} cause
   */
  sessionEnded(session_id, cause) {
    this.#told.delete(session_id);
    this.#post({ session_ended: { session_id, cause } });
    this.#changed();
  }

  /**
   * @param {string} session_id
   * @param {number} tab_id
   * @param {LossCause} cause
   */
  tabLost(session_id, tab_id, cause) {
    this.#post({ tab_lost: { session_id, tab_id, cause } });
  }

  /**
   * @param {string} session_id
   * @param {number} tab_id
   * @param {number} opener_tab_id
   */
  tabOpened(session_id, tab_id, opener_tab_id) {
    this.#post({ tab_opened: { session_id, tab_id, opener_tab_id } });
  }

  /**
   * The user is asked about a site for the session, or no longer.
   * @param {string} session_id
   * @param {boolean} is_open
   */
  asking(session_id, is_open) {
    this.#post({ asking: { session_id, is_open } });
  }

  /**
   * @param {string} session_id
   * @param {number} tab_id
   */
  userActed(session_id, tab_id) {
    this.#post({ user_acted: { session_id, tab_id } });
  }

  /**
   * Only while somebody has the tab's requests reported (network_watch.js).
   * @param {number} tab_id
   * @param {DocumentRequest} request
   */
  documentRequest(tab_id, request) {
    this.#post({ document_request: { tab_id, ...request } });
  }

  /**
   * From now on exactly these CDP events of the tab are told.
   * @param {number} tabId
   * @param {string[]} names
   */
  subscribe(tabId, names) {
    if (names.length === 0) this.#subscriptions.delete(tabId);
    else this.#subscriptions.set(tabId, new Set(names));
  }

  /** @param {number} tabId */
  forgetTab(tabId) {
    this.#subscriptions.delete(tabId);
  }

  /** A new host has subscribed to nothing and gets the records with the hello. */
  hostChanged() {
    this.#subscriptions.clear();
  }

  /**
   * @param {number} tab_id
   * @param {string} method
   * @param {JsonObject} params
   */
  cdp(tab_id, method, params) {
    if (this.#subscriptions.get(tab_id)?.has(method)) this.#post({ cdp: { tab_id, method, params } });
  }
}
