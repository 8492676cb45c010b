// Consent: a question that only the user can answer, in a window of the extension and a notification with the same two
// buttons. One question at a time, sixty seconds each; no answer, a closed window and a browser that shows none are a no.
// Never asked in a page: no page can see, cover, fake or press it, and a message counts only from the window that was opened for
// the question (invariant 4). Refuses a yes in the first moment, which would be a press meant for what was there before.

/** @import { Agent, Surroundings } from './types.js' */
/** @import { Reason } from './codes.js' */
/** @import { Answers, Asked, Lasting, QuestionKind } from './answers.js' */
/** @import { OwnWindow, OwnWindows } from './own_windows.js' */

import { programOf } from './answers.js';
import { Refusal } from './codes.js';
import { bool, integer, object, oneOf } from './shape.js';

/** How long the user has. */
export const CONSENT_MS = 60_000;
/** A yes within this time after the window came up is a press meant for something else. */
const ARMED_AFTER_MS = 500;
/** Pixels. */
const WIDTH = 460;
const HEIGHT = 560;
const NOTIFICATION = 'consent-';

/**
 * A question, with what the user has to know.
 * @typedef {object} Question
 * @property {QuestionKind} kind
 * @property {string} sessionId
 * @property {string} session its name for people
 * @property {Agent | undefined} agent
 * @property {string} site an origin; '' for a question about no site
 * @property {string} subject what it is about, such as a tab's title; text of others, never to be trusted
 * @property {Lasting[]} choices for how long an answer may count
 */

/** @typedef {'user' | 'earlier_answer' | 'timed_out' | 'closed' | 'cancelled' | 'not_shown'} By what an answer came from */
/** @typedef {{ isAllowed: boolean, by: By, why?: string }} Verdict `why`: the browser's words where it did not show the question */

/**
 * @typedef {object} Open
 * @property {number} id
 * @property {Question} question
 * @property {OwnWindow | null} window
 * @property {number} shownAtMs
 * @property {number} deadlineMs
 * @property {(verdict: Verdict, lasting: Lasting) => void} settle
 */

/** @type {import('./types.js').Shape<Lasting>} */
const lastingShape = oneOf(['once', 'session', 'site']);
const stateMessage = object({ type: oneOf(['consent_state']) });
const answerMessage = object({
  type: oneOf(['consent_answer']), id: integer(0, Number.MAX_SAFE_INTEGER), is_allowed: bool, lasting: lastingShape,
});

export class Consent {
  /** @type {Surroundings} */
  #around;
  /** @type {OwnWindows} */
  #windows;
  /** @type {Answers} */
  #answers;
  /** @type {() => void} */
  #changed;
  /** @type {Open | null} */
  #open = null;
  /** Settles when the questions asked so far are answered. @type {Promise<unknown>} */
  #turn = Promise.resolve();
  #asked = 0;
  #lastId = 0;

  /**
   * @param {Surroundings} around
   * @param {object} parts
   * @param {OwnWindows} parts.windows
   * @param {Answers} parts.answers
   * @param {() => void} parts.changed a question came or went
   */
  constructor(around, { windows, answers, changed }) {
    this.#around = around;
    this.#windows = windows;
    this.#answers = answers;
    this.#changed = changed;
  }

  /** Whether the user is needed. */
  get isAsking() {
    return this.#asked > 0;
  }

  /**
   * Asks the user, unless an earlier answer still counts.
   * @param {Question} question
   * @param {AbortSignal} signal nobody waits for the answer any more
   * @returns {Promise<Verdict>}
   */
  async ask(question, signal) {
    const earlier = await this.#answers.find(question);
    if (earlier !== null) return { isAllowed: earlier, by: 'earlier_answer' };
    this.#asked += 1;
    const answered = this.#turn.then(() => (signal.aborted ? no('cancelled') : this.#askNow(question, signal)));
    this.#turn = answered.catch(() => {});
    try {
      return await answered;
    } finally {
      this.#asked -= 1;
      this.#changed();
    }
  }

  /**
   * @param {Question} question
   * @param {AbortSignal} signal
   * @returns {Promise<Verdict>}
   */
  async #askNow(question, signal) {
    // The answer to the question before may have settled this one.
    const earlier = await this.#answers.find(question);
    if (earlier !== null) return { isAllowed: earlier, by: 'earlier_answer' };
    const id = ++this.#lastId;
    const now = this.#around.now();
    /** @type {Promise<{ verdict: Verdict, lasting: Lasting }>} */
    const settled = new Promise((resolve) => {
      this.#open = {
        id, question, window: null, shownAtMs: Infinity, deadlineMs: now + CONSENT_MS,
        settle: (verdict, lasting) => resolve({ verdict, lasting }),
      };
    });
    const settle = (/** @type {By} */ by) => this.#settle(id, no(by), 'once');
    const timer = this.#around.setTimer(() => settle('timed_out'), CONSENT_MS);
    const gone = () => settle('cancelled');
    signal.addEventListener('abort', gone);
    // It may have come while an earlier answer was looked for.
    if (signal.aborted) gone();
    this.#changed();
    await this.#show(id, question, () => settle('closed')).catch((error) => {
      this.#settle(id, { ...no('not_shown'), why: error instanceof Error ? error.message : String(error) }, 'once');
    });
    const { verdict, lasting } = await settled;
    signal.removeEventListener('abort', gone);
    this.#around.clearTimer(timer);
    const { window } = this.#current(id) ?? {};
    this.#open = null;
    this.#around.chrome.notifications.clear(`${NOTIFICATION}${id}`).catch(() => {});
    if (window) await this.#windows.close(window);
    if (verdict.by === 'user') await this.#answers.keep(question, verdict.isAllowed, lasting);
    return verdict;
  }

  /**
   * @param {number} id
   * @param {Question} question
   * @param {() => void} closed
   */
  async #show(id, question, closed) {
    const { i18n, notifications, runtime, windows } = this.#around.chrome;
    const around = await windows.getLastFocused().catch(() => null);
    const left = around?.left === undefined || around.width === undefined ? {} : { left: Math.round(around.left + (around.width - WIDTH) / 2) };
    const top = around?.top === undefined || around.height === undefined ? {} : { top: Math.round(around.top + Math.max(0, around.height - HEIGHT) / 3) };
    const size = { width: WIDTH, height: HEIGHT };
    // The browser refuses places that are not on a screen; then it chooses one.
    const window = await this.#windows.open('consent.html', { ...size, ...left, ...top }, closed)
      .catch(() => this.#windows.open('consent.html', size, closed));
    const open = this.#current(id);
    if (open === null) {
      await this.#windows.close(window);
      return;
    }
    open.window = window;
    open.shownAtMs = this.#around.now();
    const program = question.agent?.program ?? i18n.getMessage('unknown_program');
    await notifications.create(`${NOTIFICATION}${id}`, {
      type: 'basic', iconUrl: runtime.getURL('icons/128.png'), requireInteraction: true, priority: 2,
      title: i18n.getMessage(`ask_${question.kind}`, [program]),
      message: [question.subject, question.site].filter((line) => line !== '').join('\n'),
      buttons: [{ title: i18n.getMessage('allow') }, { title: i18n.getMessage('deny') }],
    }).catch(() => {
      // The window asks, with or without a notification.
    });
  }

  /**
   * @param {number} id
   * @returns {Open | null}
   */
  #current(id) {
    return this.#open?.id === id ? this.#open : null;
  }

  /**
   * @param {number} id
   * @param {Verdict} verdict
   * @param {Lasting} lasting
   */
  #settle(id, verdict, lasting) {
    this.#current(id)?.settle(verdict, lasting);
  }

  /**
   * `chrome.runtime.onMessage`, of any page of ours.
   * @param {unknown} message
   * @param {chrome.runtime.MessageSender} sender
   * @returns {unknown} the answer, or undefined when the message is not for us
   */
  received(message, sender) {
    if (!stateMessage.accepts(message) && !answerMessage.accepts(message)) return undefined;
    const open = this.#open;
    if (open === null || open.window === null || this.#windows.of(sender) !== open.window) return { question: null };
    if (answerMessage.accepts(message) && message.id === open.id) {
      if (!message.is_allowed || this.#isArmed(open)) {
        const lasting = open.question.choices.includes(message.lasting) ? message.lasting : 'once';
        open.settle({ isAllowed: message.is_allowed, by: 'user' }, lasting);
      }
    }
    return { question: this.#told(open) };
  }

  /** @param {Open} open */
  #told({ id, question, deadlineMs, shownAtMs }) {
    const { kind, session, agent, site, subject, choices } = question;
    // What cannot be named cannot be remembered.
    const offered = choices.filter((choice) => choice !== 'site' || programOf(agent) !== null);
    return { id, kind, session, agent, site, subject, choices: offered, deadline_ms: deadlineMs, armed_ms: shownAtMs + ARMED_AFTER_MS };
  }

  /** @param {Open} open */
  #isArmed(open) {
    return this.#around.now() - open.shownAtMs >= ARMED_AFTER_MS;
  }

  /**
   * `chrome.notifications.onButtonClicked`: 0 is Allow, 1 is Deny.
   * @param {string} notificationId
   * @param {number} button
   */
  buttonClicked(notificationId, button) {
    const open = this.#ofNotification(notificationId);
    if (open === null || (button === 0 && !this.#isArmed(open))) return;
    open.settle({ isAllowed: button === 0, by: 'user' }, 'once');
  }

  /**
   * `chrome.notifications.onClicked`: brings the window to the front.
   * @param {string} notificationId
   */
  notificationClicked(notificationId) {
    const open = this.#ofNotification(notificationId);
    if (open?.window) void this.#windows.raise(open.window);
  }

  /** @param {string} notificationId */
  #ofNotification(notificationId) {
    return this.#open !== null && notificationId === `${NOTIFICATION}${this.#open.id}` ? this.#open : null;
  }
}

/**
 * A verdict that is no yes, for the one who asked.
 * @param {string} what was not done
 * @param {Verdict} verdict
 * @param {Reason} reason when it was the user who said no
 * @returns {Refusal}
 */
export function notAllowed(what, { by, why: words }, reason) {
  const refusal = (/** @type {Reason} */ named, /** @type {string} */ why, /** @type {string} */ hint) =>
    new Refusal('permission_denied', named, `${what}: ${why}`, hint);
  const elsewhere = reason === 'consent_denied' ? 'do without it, or open the page with `bsk tab create`' : 'do without that site';
  switch (by) {
    case 'timed_out': return refusal('consent_timed_out', 'the user did not answer within 60 s', 'tell the user why you need it, then ask again');
    case 'not_shown':
      return refusal('consent_not_shown', `the browser did not show the question${words === undefined ? '' : ` (${words})`}`,
        'look at the browser, then try again');
    case 'cancelled': return refusal(reason, 'the question was withdrawn', elsewhere);
    case 'closed': return refusal(reason, 'the user closed the question', elsewhere);
    case 'earlier_answer': return refusal(reason, 'the user said no before and that still counts', elsewhere);
    case 'user': return refusal(reason, 'the user said no', elsewhere);
  }
}

/**
 * @param {By} by
 * @returns {Verdict}
 */
function no(by) {
  return { isAllowed: false, by };
}
