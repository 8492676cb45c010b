// Whether the browser reports the requests of a tab: only as long as somebody asked for it, since a page pays for every report.
// Who asks holds; the first hold switches the reports on, the last release off. The host's requests hold as long as they last
// (requests.js): to the reply, the cancellation, the end of the session or the loss of the host. Input holds until what it set off has
// come to rest (debuggee.js), since whoever waits for rest asks only afterwards. Holds outlive an attachment: a tab that is attached
// again is switched on again. Nothing is stored: a worker that starts anew has no requests and no holds.

export class NetworkWatch {
  /** How many hold, by tab. @type {Map<number, number>} */
  #holds = new Map();
  /** @type {(tabId: number, isOn: boolean) => void} */
  #switch;

  /** @param {(tabId: number, isOn: boolean) => void} switchReports */
  constructor(switchReports) {
    this.#switch = switchReports;
  }

  /**
   * From now on the tab's requests are reported.
   * @param {number} tabId
   * @param {AbortSignal} ended when they need not be any more
   */
  hold(tabId, ended) {
    if (ended.aborted) return;
    const count = this.#holds.get(tabId) ?? 0;
    this.#holds.set(tabId, count + 1);
    ended.addEventListener('abort', () => this.#release(tabId), { once: true });
    if (count === 0) this.#switch(tabId, true);
  }

  /** @param {number} tabId */
  #release(tabId) {
    const left = (this.#holds.get(tabId) ?? 1) - 1;
    if (left > 0) {
      this.#holds.set(tabId, left);
      return;
    }
    this.#holds.delete(tabId);
    this.#switch(tabId, false);
  }

  /**
   * @param {number} tabId
   * @returns {boolean}
   */
  isHeld(tabId) {
    return this.#holds.has(tabId);
  }
}
