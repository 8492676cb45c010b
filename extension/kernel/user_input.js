// The user in the Agent Window: a press in a page that no request of ours was under way for is the user's, and the host is told so.
// Learns only when something was pressed, from a function that exists in the page library's own world and no page can see or
// call. A press in the moment of our own input counts as ours: better to miss one than to take our own for the user's.

/** @import { TabClaim } from './types.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { Events } from './events.js' */

/** The function in the page library's world. */
export const USER_INPUT_BINDING = 'bskUserInput';

/** How far the page's clock and ours may be apart. */
const CLOCKS_APART_MS = 50;
/** The same user is not told of more often. */
const QUIET_MS = 1000;

export class UserInput {
  /** @type {Debuggees} */
  #debuggees;
  /** @type {Events} */
  #events;
  /** When each tab's user was told of last. @type {WeakMap<TabClaim, number>} */
  #told = new WeakMap();

  /**
   * @param {Debuggees} debuggees
   * @param {Events} events
   */
  constructor(debuggees, events) {
    this.#debuggees = debuggees;
    this.#events = events;
  }

  /**
   * Something was pressed in a page.
   * @param {TabClaim} claim
   * @param {unknown} payload milliseconds since 1970, as text
   */
  pressed(claim, payload) {
    const atMs = Number(payload);
    if (!Number.isFinite(atMs) || this.#debuggees.isOwnInput(claim.tabId, atMs, CLOCKS_APART_MS)) return;
    if (atMs - (this.#told.get(claim) ?? -Infinity) < QUIET_MS) return;
    this.#told.set(claim, atMs);
    this.#events.userActed(claim.sessionId, claim.tabId);
  }
}
