// Requests under way: each passes the guard, is carried out and gets exactly one reply, or none once it was cancelled.
// Requests run side by side; those for the same tab reach the browser in the order they came, since nothing waits between
// the guard and the first call (invariant 11 is kept by the host; nothing here makes sessions wait for each other).
// Refuses an id that is still in use. A lost host loses its replies and nothing else (invariant 8).

/** @import { Call, CallArgs, CallName, CallOf, EndCause, Failure, Session } from './types.js' */
/** @import { Admission } from './admission.js' */
/** @import { Known } from './guard.js' */

import { Refusal, toFailure } from './codes.js';
import { Grant, guard, guardAnswer } from './guard.js';
import { WireError } from './wire.js';

/** A request under way. */
class Request {
  /**
   * @param {string | null} sessionId
   * @param {CallName} name
   * @param {number} sinceMs
   */
  constructor(sessionId, name, sinceMs) {
    this.sessionId = sessionId;
    this.name = name;
    this.sinceMs = sinceMs;
    /** Aborted when nobody waits for the reply any more. */
    this.controller = new AbortController();
  }
}

/** @typedef {{ ok: unknown } | { failed: Failure }} Outcome */
/** @typedef {{ [K in CallName]: (args: CallArgs[K], grant: Grant, signal: AbortSignal) => unknown }} Handlers */

export class Requests {
  /** @type {Map<number, Request>} */
  #pending = new Map();
  /** @type {Known} */
  #known;
  /** @type {Admission} */
  #admission;
  /** @type {Handlers} */
  #handlers;
  /** @type {(id: number, outcome: Outcome) => void} */
  #reply;
  /** @type {(session: Session) => void} */
  #touch;
  /** @type {(tabId: number) => Promise<boolean>} */
  #isOpenTab;
  /** @type {() => number} */
  #now;
  /** @type {() => void} */
  #changed;

  /**
   * @param {object} parts
   * @param {Known} parts.known
   * @param {Admission} parts.admission
   * @param {Handlers} parts.handlers
   * @param {(id: number, outcome: Outcome) => void} parts.reply
   * @param {(session: Session) => void} parts.touch notes that the session is in use
   * @param {(tabId: number) => Promise<boolean>} parts.isOpenTab
   * @param {() => number} parts.now
   * @param {() => void} parts.changed a request began or ended
   */
  constructor({ known, admission, handlers, reply, touch, isOpenTab, now, changed }) {
    this.#known = known;
    this.#admission = admission;
    this.#handlers = handlers;
    this.#reply = reply;
    this.#touch = touch;
    this.#isOpenTab = isOpenTab;
    this.#now = now;
    this.#changed = changed;
  }

  /**
   * Carries a request out.
   * @param {number} id
   * @param {Call} call
   * @throws {WireError} when the id is in use
   */
  begin(id, call) {
    if (this.#pending.has(id)) throw new WireError(`request id ${id} is in use`);
    const request = new Request('session_id' in call.args ? call.args.session_id : null, call.name, this.#now());
    this.#pending.set(id, request);
    this.#changed();
    void this.#carryOut(id, call, request);
  }

  /**
   * @param {number} id
   * @param {Call} call
   * @param {Request} request
   */
  async #carryOut(id, call, request) {
    /** @type {Outcome} */
    let outcome;
    try {
      const { signal } = request.controller;
      let grant = guard(call, this.#known);
      if (grant.heldSession !== null) this.#touch(grant.heldSession);
      if (grant.need !== null) grant = await this.#admit(call, grant, signal);
      const result = await this.#run(call, grant, signal) ?? {};
      guardAnswer(call, this.#known, grant);
      outcome = { ok: result };
    } catch (thrown) {
      outcome = { failed: toFailure(await this.#explain(call, thrown).catch(() => thrown)) };
    }
    this.#settle(id, request, outcome);
  }

  /**
   * Asks what has to be asked, until the guard lets the call pass.
   * @param {Call} call
   * @param {Grant} first
   * @param {AbortSignal} signal
   * @returns {Promise<Grant>}
   */
  async #admit(call, first, signal) {
    /** @type {Set<string>} */
    const allowed = new Set();
    let grant = first;
    while (grant.need !== null) {
      await this.#admission.meet(call, grant, grant.need, allowed, signal);
      if (signal.aborted) throw new Refusal('cancelled', null, 'nobody waits for the answer any more');
      // Much can have happened meanwhile.
      grant = guard(call, this.#known, allowed);
    }
    return grant;
  }

  /**
   * @template {CallName} K
   * @param {CallOf<K>} call
   * @param {Grant} grant
   * @param {AbortSignal} signal
   * @returns {unknown}
   */
  #run(call, grant, signal) {
    return this.#handlers[call.name](call.args, grant, signal);
  }

  /**
   * The guard knows only which tabs are owned; whether another one exists takes a question to the browser.
   * @param {Call} call
   * @param {unknown} thrown
   * @returns {Promise<unknown>}
   */
  async #explain(call, thrown) {
    if (!(thrown instanceof Refusal) || thrown.reason !== 'tab_not_owned' || !('tab_id' in call.args)) return thrown;
    const { tab_id } = call.args;
    if (await this.#isOpenTab(tab_id)) return thrown;
    return new Refusal('not_found', 'tab_not_found', `there is no tab ${tab_id}`, 'run `bsk tab list` to see the tabs there are');
  }

  /**
   * @param {number} id
   * @param {Request} request
   * @param {Outcome} outcome
   */
  #settle(id, request, outcome) {
    if (this.#pending.get(id) !== request) return;
    this.#forget(id, request);
    this.#reply(id, outcome);
  }

  /**
   * @param {number} id
   * @param {Request} request
   */
  #forget(id, request) {
    this.#pending.delete(id);
    request.controller.abort();
    this.#changed();
  }

  /**
   * Nobody waits for the reply any more. What was begun in the browser goes on, as nothing there can be called back; a question
   * to the user is withdrawn.
   * @param {number} id
   */
  cancel(id) {
    const request = this.#pending.get(id);
    if (request !== undefined) this.#forget(id, request);
  }

  /** The host is gone: no reply is due to the next one. */
  forgetAll() {
    for (const [id, request] of this.#pending) this.#forget(id, request);
  }

  /**
   * Fails what is under way in a session that ended, except the request that ended it.
   * @param {string} sessionId
   * @param {EndCause} cause
   */
  sessionEnded(sessionId, cause) {
    const isByUser = cause === 'user' || cause === 'window_closed';
    const refusal = new Refusal(isByUser ? 'user_aborted' : 'cancelled', 'session_ended',
      `session \`${sessionId}\` ended while the command ran`, 'run `bsk session start` for a new one');
    for (const [id, request] of this.#pending) {
      if (request.sessionId === sessionId && request.name !== 'session_stop') {
        this.#settle(id, request, { failed: refusal.toFailure() });
      }
    }
  }

  /** When the oldest request under way began, or null. @returns {number | null} */
  get oldestSinceMs() {
    for (const { sinceMs } of this.#pending.values()) return sinceMs;
    return null;
  }

  /**
   * Whether a request of the session is under way.
   * @param {string} sessionId
   * @returns {boolean}
   */
  isBusy(sessionId) {
    for (const request of this.#pending.values()) if (request.sessionId === sessionId) return true;
    return false;
  }
}
