// The end of sessions that nobody uses: after its idle time without a command a session ends.
// Its clock is kept in memory and stored coarsely, so that a command costs no write; a timer ends it on time while the worker
// runs, an alarm wakes a worker that does not. A session with a command under way is not idle.

/** @import { Session, Surroundings } from './types.js' */
/** @import { Ownership } from './ownership.js' */

/** How old the stored time of last use may be. */
const SAVE_EVERY_MS = 20_000;
/** The longest delay that a timer takes (2^31 - 1 ms). */
const LONGEST_TIMER_MS = 2_147_483_647;

export class Idle {
  /** @type {Surroundings} */
  #around;
  /** @type {Ownership} */
  #ownership;
  /** @type {(sessionId: string) => boolean} */
  #isBusy;
  /** @type {(session: Session) => void} */
  #end;
  /** @type {number | null} */
  #timer = null;
  #savedAtMs = 0;

  /**
   * @param {Surroundings} around
   * @param {Ownership} ownership
   * @param {(sessionId: string) => boolean} isBusy
   * @param {(session: Session) => void} end
   */
  constructor(around, ownership, isBusy, end) {
    this.#around = around;
    this.#ownership = ownership;
    this.#isBusy = isBusy;
    this.#end = end;
  }

  /**
   * The session was used just now.
   * @param {Session} session
   */
  touch(session) {
    const now = this.#around.now();
    session.lastUsedMs = now;
    if (now - this.#savedAtMs >= SAVE_EVERY_MS) {
      this.#savedAtMs = now;
      void this.#ownership.save();
    }
    if (this.#timer === null) this.check();
  }

  /** Ends what is idle and sets the timer for what will be next. */
  check() {
    if (this.#timer !== null) this.#around.clearTimer(this.#timer);
    this.#timer = null;
    const now = this.#around.now();
    let next = Infinity;
    for (const session of this.#ownership.sessions()) {
      if (this.#isBusy(session.sessionId)) session.lastUsedMs = now;
      const left = session.lastUsedMs + session.idleMs - now;
      if (left <= 0) this.#end(session);
      else next = Math.min(next, left);
    }
    if (next === Infinity) return;
    this.#timer = this.#around.setTimer(() => {
      this.#timer = null;
      this.check();
    }, Math.min(next, LONGEST_TIMER_MS));
  }
}
