// What the user answered before, for as long as the user chose: for this session, or for this site and this program.
// An answer is about one kind of question and one site; nothing is inferred from it for another. Once means not kept.
// Refuses to keep a lasting answer for a program that the system could not name: it would count for every program.

/** @import { Agent, Surroundings } from './types.js' */

import { arrayOf, bool, finite, object, oneOf, text } from './shape.js';

/** @typedef {'once' | 'session' | 'site'} Lasting for how long an answer counts */
/** @typedef {'borrow' | 'session' | 'site' | 'upload' | 'download'} QuestionKind */

/** Where lasting answers are kept; the options page shows and removes them. */
export const ANSWERS_KEY = 'answers';
const SESSION_KEY = 'session_answers';

/** @type {import('./types.js').Shape<QuestionKind>} */
const kindShape = oneOf(['borrow', 'session', 'site', 'upload', 'download']);
const lastingShape = arrayOf(object({ kind: kindShape, program: text(), site: text(), is_allowed: bool, at_ms: finite }));
const sessionShape = arrayOf(object({ kind: kindShape, session_id: text(), site: text(), is_allowed: bool }));

/**
 * @typedef {object} Asked what an answer is about
 * @property {QuestionKind} kind
 * @property {string} sessionId
 * @property {Agent | undefined} agent
 * @property {string} site an origin, such as `https://a.test`; '' for what is about no site
 */

export class Answers {
  /** @type {Surroundings} */
  #around;

  /** @param {Surroundings} around */
  constructor(around) {
    this.#around = around;
  }

  /**
   * The answer that still counts, or null.
   * @param {Asked} asked
   * @returns {Promise<boolean | null>}
   */
  async find({ kind, sessionId, agent, site }) {
    const inSession = (await this.#ofSessions()).findLast((one) => one.kind === kind && one.session_id === sessionId && one.site === site);
    if (inSession !== undefined) return inSession.is_allowed;
    const program = programOf(agent);
    const lasting = (await this.#lasting()).findLast((one) => one.kind === kind && one.program === program && one.site === site);
    return program === null || lasting === undefined ? null : lasting.is_allowed;
  }

  /**
   * @param {Asked} asked
   * @param {boolean} isAllowed
   * @param {Lasting} lasting
   */
  async keep({ kind, sessionId, agent, site }, isAllowed, lasting) {
    const { storage } = this.#around.chrome;
    const program = programOf(agent);
    if (lasting === 'session') {
      const others = (await this.#ofSessions()).filter((one) => one.kind !== kind || one.session_id !== sessionId || one.site !== site);
      await storage.session.set({ [SESSION_KEY]: [...others, { kind, session_id: sessionId, site, is_allowed: isAllowed }] });
    }
    if (lasting === 'site' && program !== null) {
      const others = (await this.#lasting()).filter((one) => one.kind !== kind || one.program !== program || one.site !== site);
      const answer = { kind, program, site, is_allowed: isAllowed, at_ms: this.#around.now() };
      await storage.local.set({ [ANSWERS_KEY]: [...others, answer] });
    }
  }

  /** All lasting answers, for the options page. */
  lasting() {
    return this.#lasting();
  }

  /**
   * Takes a lasting answer back.
   * @param {number} index in `lasting()`
   */
  async forget(index) {
    const all = await this.#lasting();
    const others = all.filter((_one, place) => place !== index);
    if (others.length < all.length) await this.#around.chrome.storage.local.set({ [ANSWERS_KEY]: others });
  }

  /** @param {string} sessionId */
  async forgetSession(sessionId) {
    const all = await this.#ofSessions();
    const others = all.filter((one) => one.session_id !== sessionId);
    if (others.length < all.length) await this.#around.chrome.storage.session.set({ [SESSION_KEY]: others });
  }

  async #lasting() {
    const stored = (await this.#around.chrome.storage.local.get(ANSWERS_KEY))[ANSWERS_KEY];
    return lastingShape.accepts(stored) ? stored : [];
  }

  async #ofSessions() {
    const stored = (await this.#around.chrome.storage.session.get(SESSION_KEY))[SESSION_KEY];
    return sessionShape.accepts(stored) ? stored : [];
  }
}

/**
 * What a program is known by in lasting answers: its file, else its name; null when the system told neither.
 * @param {Agent | undefined} agent
 * @returns {string | null}
 */
export function programOf(agent) {
  return agent === undefined ? null : agent.path ?? agent.program;
}
