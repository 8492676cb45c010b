// Admission: what a call may only do after the user's yes, because a site rule or a setting says `ask`. The guard names the
// question, this asks it (consent.js) and keeps what an answer for once means: in a tab until it leaves the site. Calls that need
// the same answer wait for one question. A question about a site outlives the command that led to it, which may give up sooner than the
// user has time; the session's end withdraws it. Refuses whatever the user did not allow. Also looks frames up that the guard does not know.

/** @import { Call, Session, TabClaim } from './types.js' */
/** @import { Consent, Question, Verdict } from './consent.js' */
/** @import { Frames } from './frames.js' */
/** @import { Grant, Need } from './guard.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { SiteQuestion, Sites } from './sites.js' */

import { Refusal } from './codes.js';
import { notAllowed } from './consent.js';
import { titleOf } from './ownership.js';

/** The name under which a yes to a session is known to the guard: no origin is empty. */
export const A_SESSION = '';

export class Admission {
  /** @type {Consent} */
  #consent;
  /** @type {Ownership} */
  #ownership;
  /** @type {Sites} */
  #sites;
  /** @type {Frames} */
  #frames;
  /** Questions that are open, by what they are about. @type {Map<string, Promise<Verdict>>} */
  #open = new Map();

  /** Ends the questions of a session. @type {Map<string, AbortController>} */
  #ends = new Map();
  /** @type {(sessionId: string, isOpen: boolean) => void} */
  #asking;

  /**
   * @param {object} parts
   * @param {Consent} parts.consent
   * @param {Ownership} parts.ownership
   * @param {Sites} parts.sites
   * @param {Frames} parts.frames
   * @param {(sessionId: string, isOpen: boolean) => void} parts.asking the user is asked about a site for a session, or no longer
   */
  constructor({ consent, ownership, sites, frames, asking }) {
    this.#consent = consent;
    this.#ownership = ownership;
    this.#sites = sites;
    this.#frames = frames;
    this.#asking = asking;
  }

  /** @param {string} sessionId */
  sessionEnded(sessionId) {
    this.#ends.get(sessionId)?.abort();
    this.#ends.delete(sessionId);
  }

  /**
   * @param {string} sessionId
   * @returns {AbortSignal} aborted at the end of the session
   */
  #endOf(sessionId) {
    const end = this.#ends.get(sessionId) ?? new AbortController();
    this.#ends.set(sessionId, end);
    return end.signal;
  }

  /**
   * Does what the guard needs before it can let a call pass.
   * @param {Call} call
   * @param {Grant} grant
   * @param {Need} need
   * @param {Set<string>} allowed what the user allowed for this call; grows
   * @param {AbortSignal} signal
   * @throws {Refusal} the user did not say yes
   */
  async meet(call, grant, need, allowed, signal) {
    if (need === 'session') {
      await this.#askSession(call, signal);
      allowed.add(A_SESSION);
    } else if (need === 'unknown_frame') {
      // The list takes note of every frame's site; one that it does not find is gone, which the next look of the guard says.
      await this.#frames.list(grant.claim);
      allowed.add('unknown_frame');
    } else {
      await this.askSite(grant.session, grant.heldClaim, need);
      allowed.add(need.origin);
    }
  }

  /**
   * Lets a tab go to an address, asking when need be.
   * @param {Session} session
   * @param {TabClaim} claim
   * @param {string} url
   */
  async visit(session, claim, url) {
    const question = this.#sites.checkVisit(url, claim);
    if (question !== null) await this.askSite(session, claim, question);
  }

  /**
   * Asks whether a session may use a site.
   * @param {Session} session
   * @param {TabClaim | null} claim of the tab that it is for
   * @param {SiteQuestion} question
   */
  async askSite(session, claim, { origin, pattern }) {
    this.#asking(session.sessionId, true);
    const verdict = await this.#once(`${session.sessionId} ${origin}`, {
      kind: 'site', sessionId: session.sessionId, session: titleOf(session), agent: session.agent, site: origin, subject: `${pattern}: ask`,
      choices: ['once', 'session', 'site'],
    }, this.#endOf(session.sessionId)).finally(() => this.#asking(session.sessionId, false));
    const isAnswer = verdict.isAllowed || verdict.by === 'user' || verdict.by === 'earlier_answer';
    if (claim !== null && isAnswer) {
      claim.siteAnswers = { ...claim.siteAnswers, [origin]: verdict.isAllowed };
      void this.#ownership.save();
    }
    if (!verdict.isAllowed) throw notAllowed(`\`${origin}\` was not opened to session \`${session.sessionId}\``, verdict, 'site_not_allowed');
    if (this.#ownership.session(session.sessionId) !== session) throw sessionOver(session);
  }

  /**
   * @param {Call} call
   * @param {AbortSignal} signal
   */
  async #askSession(call, signal) {
    if (call.name !== 'session_start') return;
    const { agent, name = '' } = call.args;
    const verdict = await this.#once(` ${agent?.path ?? agent?.program ?? ''} ${name}`, {
      kind: 'session', sessionId: '', session: name, agent, site: '', subject: '', choices: ['once', 'site'],
    }, signal);
    if (!verdict.isAllowed) throw notAllowed('no session was started', verdict, 'consent_denied');
  }

  /**
   * Asks, or waits for the answer that another call asked for.
   * @param {string} about
   * @param {Question} question
   * @param {AbortSignal} signal
   * @returns {Promise<Verdict>}
   */
  async #once(about, question, signal) {
    for (;;) {
      const open = this.#open.get(about);
      if (open === undefined) break;
      const verdict = await open;
      // The one that asked may have left, which answers nothing.
      if (verdict.by !== 'cancelled') return verdict;
      if (signal.aborted) return verdict;
    }
    const asked = this.#consent.ask(question, signal);
    this.#open.set(about, asked);
    return asked.finally(() => this.#open.delete(about));
  }
}

/** @param {Session} session */
export function sessionOver(session) {
  return new Refusal('cancelled', 'session_ended', `session \`${session.sessionId}\` ended while the user was asked`,
    'run `bsk session start` for a new one');
}
