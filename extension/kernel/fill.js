// Filling a field in one go: the page library makes it ready, the browser types, the page library reads it back. The host could ask
// for the steps one by one, but then the page draws itself between them, which takes the longer the larger it is
// (docs/benchmarks.md). Leaves to the host what only keys can do: an editor that draws itself, and emptying an editor.
// Invariant: between the field's focus and the typing nothing else is waited for, and what was forbidden meanwhile is not typed.

/** @import { CallArgs, Filled, Flushed, Surroundings, TabClaim } from './types.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { PageCalls } from './page_calls.js' */

import { isObject } from './shape.js';

export class Fill {
  /** @type {Surroundings} */
  #around;
  /** @type {Debuggees} */
  #debuggees;
  /** @type {PageCalls} */
  #pageCalls;

  /**
   * @param {Surroundings} around
   * @param {{ debuggees: Debuggees, pageCalls: PageCalls }} parts
   */
  constructor(around, { debuggees, pageCalls }) {
    this.#around = around;
    this.#debuggees = debuggees;
    this.#pageCalls = pageCalls;
  }

  /**
   * @param {TabClaim} claim
   * @param {CallArgs['fill']} args
   * @param {object} around what goes on around the typing
   * @param {() => void} around.allow called right ahead of it; throws when it may not be any more
   * @param {() => Promise<Flushed>} around.flush gives word when the browser is through with it
   * @returns {Promise<Filled>}
   * @throws {import('./codes.js').Refusal}
   */
  async run(claim, { frame, target, value, append, timeout_ms, edit_ms }, { allow, flush }) {
    const until = this.#around.now() + timeout_ms;
    const begun = await this.#pageCalls.call(claim, frame, 'fill_begin', { target, value, append, timeout_ms });
    const { done, by_keys } = isObject(begun) ? begun : {};
    if (by_keys === true || (done !== true && value === '')) return { begun };
    if (done !== true) allow();
    const left_ms = Math.max(0, until - this.#around.now());
    const ended = this.#pageCalls.call(claim, frame, 'fill_end', { value, append, timeout_ms: Math.min(edit_ms, left_ms) });
    // Behind it, since whoever asks the page after input waits for its next frame; whether the page got it shows when it is read back.
    if (done !== true) this.#debuggees.send(claim.tabId, 'Input.insertText', { text: value }).catch(() => {});
    const [read, flushed] = await Promise.all([ended, flush()]);
    return { begun, ended: read, flushed };
  }
}
