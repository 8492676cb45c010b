// The requests of one tab's pages: how many are under way, and since when that has not changed.
// Counts and nothing else: no address, header or body is kept or told. Connections that stay open by design (event sources and
// the like) count like any other, so whoever waits for quiet has to bound the wait. Requests are reported only while somebody wants
// to know (network_watch.js). Of those that began before, the ones of the document's own loading are known to be over by the browser's
// word that its network came to rest; others are known from their first answer on. One that says nothing for as long as is waited
// for cannot be seen.

/** @import { JsonObject, Surroundings } from './types.js' */

import { isObject } from './shape.js';

/** Events that end a request. */
const ENDS = new Set(['Network.loadingFinished', 'Network.loadingFailed']);
const BEGINS = 'Network.requestWillBeSent';
/** Events of a request that goes on, also of one whose beginning was not reported. */
const SIGNS = new Set(['Network.responseReceived', 'Network.dataReceived']);

export class Traffic {
  /** The document's loader by request. @type {Map<string, unknown>} */
  #underWay = new Map();
  #changedAt = 0;
  /** The document in the main frame whose loading has not come to rest yet. @type {unknown} */
  #loading = undefined;
  /** Who waits for the next change. @type {Set<() => void>} */
  #waiting = new Set();

  /**
   * A `Network.*` event of the tab.
   * @param {string} method
   * @param {JsonObject} params
   * @param {number} now
   * @param {boolean} isReporting whether its process has answered that it reports. What comes sooner was still on its way from the
   *   reports before: such a request may have ended unreported in between, so a mere sign of it does not count.
   */
  note(method, { requestId, loaderId }, now, isReporting) {
    if (typeof requestId !== 'string') return;
    if (ENDS.has(method)) this.#underWay.delete(requestId);
    else if (method !== BEGINS && !(isReporting && SIGNS.has(method))) return;
    else if (!this.#underWay.has(requestId)) this.#underWay.set(requestId, loaderId);
    this.#changed(now);
  }

  /**
   * Requests are reported from now on: what was under way before and has ended meanwhile is not known.
   * @param {number} now
   */
  begin(now) {
    this.#underWay.clear();
    this.#changed(now);
  }

  /**
   * Something was done that may set off requests.
   * @param {number} now
   */
  touch(now) {
    this.#changedAt = now;
  }

  /** @param {number} now */
  #changed(now) {
    this.#changedAt = now;
    for (const wake of this.#waiting) wake();
  }

  /**
   * Another document is in the main frame: the requests of those before it have ended, whether that was told or not.
   * @param {JsonObject} params of `Page.frameNavigated`
   */
  documentChanged({ frame, type }) {
    const loader = isObject(frame) ? frame['loaderId'] : undefined;
    for (const [id, loaderId] of this.#underWay) if (loaderId !== loader) this.#underWay.delete(id);
    // A page from the browser's memory has loaded before.
    this.#loading = type === 'BackForwardCacheRestore' ? undefined : loader;
  }

  /**
   * Takes note of the browser's word that no request of a loading document has been under way for half a second.
   * @param {JsonObject} params of `Page.lifecycleEvent`
   */
  noteStage({ name, loaderId }) {
    if (name !== 'networkIdle' || loaderId !== this.#loading) return;
    this.#loading = undefined;
    for (const wake of this.#waiting) wake();
  }

  /**
   * Waits until nothing has been under way for `quietMs`, at most `timeoutMs`.
   * @param {Surroundings} around
   * @param {number} quietMs
   * @param {number} timeoutMs
   * @returns {Promise<{ is_quiet: boolean, under_way: number }>}
   */
  async quiet(around, quietMs, timeoutMs) {
    const until = around.now() + timeoutMs;
    for (;;) {
      const now = around.now();
      const isEmpty = this.#underWay.size === 0 && this.#loading === undefined;
      const rest = this.#changedAt + quietMs - now;
      if (isEmpty && rest <= 0) return { is_quiet: true, under_way: 0 };
      if (now >= until) {
        const leastUnseen = this.#loading === undefined ? 0 : 1;
        return { is_quiet: false, under_way: Math.max(this.#underWay.size, leastUnseen) };
      }
      await this.#change(around, Math.min(until - now, isEmpty ? rest : Infinity));
    }
  }

  /**
   * Resolves with the next change, at the latest after `atMostMs`.
   * @param {Surroundings} around
   * @param {number} atMostMs
   * @returns {Promise<void>}
   */
  #change(around, atMostMs) {
    return new Promise((resolve) => {
      const wake = () => {
        around.clearTimer(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = around.setTimer(wake, atMostMs);
      this.#waiting.add(wake);
    });
  }
}
