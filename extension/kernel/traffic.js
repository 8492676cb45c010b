// The requests of one tab's pages: how many are under way, and since when that has not changed.
// Counts and nothing else: no address, header or body is kept or told. Connections that stay open by design (event sources and
// the like) count like any other, so whoever waits for quiet has to bound the wait.

/** @import { JsonObject, Surroundings } from './types.js' */

import { isObject } from './shape.js';

/** Events that end a request. */
const ENDS = new Set(['Network.loadingFinished', 'Network.loadingFailed']);

export class Traffic {
  /** The document's loader by request. @type {Map<string, unknown>} */
  #underWay = new Map();
  #changedAt = 0;
  /** Who waits for the next change. @type {Set<() => void>} */
  #waiting = new Set();

  /**
   * A `Network.*` event of the tab.
   * @param {string} method
   * @param {JsonObject} params
   * @param {number} now
   */
  note(method, { requestId, loaderId }, now) {
    if (typeof requestId !== 'string') return;
    if (method === 'Network.requestWillBeSent') this.#underWay.set(requestId, loaderId);
    else if (!ENDS.has(method) || !this.#underWay.delete(requestId)) return;
    this.#changedAt = now;
    for (const wake of this.#waiting) wake();
  }

  /**
   * Another document is there: the requests of those before it have ended, whether that was told or not.
   * @param {JsonObject} params of `Page.frameNavigated`
   */
  keepOnly({ frame }) {
    const loader = isObject(frame) ? frame['loaderId'] : undefined;
    for (const [id, loaderId] of this.#underWay) if (loaderId !== loader) this.#underWay.delete(id);
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
      const isEmpty = this.#underWay.size === 0;
      const rest = this.#changedAt + quietMs - now;
      if (isEmpty && rest <= 0) return { is_quiet: true, under_way: 0 };
      if (now >= until) return { is_quiet: false, under_way: this.#underWay.size };
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
