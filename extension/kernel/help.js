// Help: the agent asks its user to do something in a tab, in a window of the extension beside the Agent Window and in a
// notification. From the request on until it ends the session may look and not act (guard.js asks here). It ends by the user's
// press in that window, by closing it, with the tab, or when the host takes it back; no page can see, end or fake it, and going
// to another page ends nothing. One help in a session; it outlives neither host nor worker (own_windows.js closes what is left).
// This is the one place that brings an Agent Window to the front: here the user is wanted.

/** @import { Agent, CallArgs, HelpTarget, Session, Surroundings, TabClaim } from './types.js' */
/** @import { Highlights } from './highlights.js' */
/** @import { OwnWindow, OwnWindows } from './own_windows.js' */
/** @import { Tabs } from './tabs.js' */

import { tabClosed } from './cdp_errors.js';
import { Refusal } from './codes.js';
import { titleOf } from './ownership.js';
import { integer, object, oneOf, text } from './shape.js';

/** Pixels. */
const WIDTH = 380;
const HEIGHT = 600;
const GAP = 8;
/** How long the user's note may be; the page holds to it as well. */
const LONGEST_NOTE = 4000;
const NOTIFICATION = 'help-';

/** @typedef {{ outcome: 'continued' | 'cancelled', note?: string }} HelpAnswer */

/**
 * @typedef {object} Open
 * @property {number} id
 * @property {Session} session
 * @property {CallArgs['help_request']} asked
 * @property {OwnWindow | null} window
 * @property {number} deadlineMs
 * @property {(answer: HelpAnswer) => void} answer
 * @property {(refusal: Refusal) => void} fail
 */

const stateMessage = object({ type: oneOf(['help_state']) });
const answerMessage = object({
  type: oneOf(['help_answer']), id: integer(0, Number.MAX_SAFE_INTEGER), answer: oneOf(['done', 'cancel']), note: text(0, LONGEST_NOTE),
});

export class Help {
  /** @type {Surroundings} */
  #around;
  /** @type {OwnWindows} */
  #windows;
  /** @type {Highlights} */
  #highlights;
  /** @type {Tabs} */
  #tabs;
  /** @type {() => void} */
  #changed;
  /** By session. @type {Map<string, Open>} */
  #open = new Map();
  #lastId = 0;

  /**
   * @param {Surroundings} around
   * @param {object} parts
   * @param {OwnWindows} parts.windows
   * @param {Highlights} parts.highlights
   * @param {Tabs} parts.tabs
   * @param {() => void} parts.changed a help came or went
   */
  constructor(around, { windows, highlights, tabs, changed }) {
    this.#around = around;
    this.#windows = windows;
    this.#highlights = highlights;
    this.#tabs = tabs;
    this.#changed = changed;
  }

  /** Whether the user is needed. */
  get isAsking() {
    return this.#open.size > 0;
  }

  /**
   * Whether the session is its user's now.
   * @param {string} sessionId
   */
  isOpen(sessionId) {
    return this.#open.has(sessionId);
  }

  /**
   * Asks the user. Nothing is awaited before the session is the user's: what the host asks next is refused already.
   * @param {Session} session
   * @param {TabClaim} claim
   * @param {CallArgs['help_request']} asked
   * @param {AbortSignal} signal nobody waits for the answer any more
   * @returns {Promise<HelpAnswer>}
   * @throws {Refusal} when no window can be shown, or the tab goes away
   */
  async request(session, claim, asked, signal) {
    /** @type {Promise<HelpAnswer>} */
    const answered = new Promise((resolve, reject) => {
      /** @type {Open} */
      const open = {
        id: ++this.#lastId, session, asked, window: null, deadlineMs: this.#around.now() + asked.timeout_ms,
        answer: (answer) => this.#end(open, () => resolve(answer)), fail: (refusal) => this.#end(open, () => reject(refusal)),
      };
      this.#open.set(session.sessionId, open);
      signal.addEventListener('abort', () => open.answer({ outcome: 'cancelled' }));
      this.#highlights.show(claim, asked.targets);
      this.#changed();
      void this.#show(open, claim).catch((error) => open.fail(error instanceof Refusal ? error : notShown()));
    });
    return answered;
  }

  /**
   * Ends a help, at once for every further request.
   * @param {Open} open
   * @param {() => void} settle
   */
  #end(open, settle) {
    const { id, session, asked, window } = open;
    if (!this.#isCurrent(open)) return;
    this.#open.delete(session.sessionId);
    this.#highlights.clear(asked.tab_id);
    this.#around.chrome.notifications.clear(`${NOTIFICATION}${id}`).catch(() => {});
    if (window !== null) void this.#windows.close(window);
    settle();
    this.#changed();
  }

  /**
   * @param {Open} open
   * @param {TabClaim} claim
   */
  async #show(open, claim) {
    const { i18n, notifications, runtime, tabs, windows } = this.#around.chrome;
    await this.#tabs.select(open.session, claim);
    // A page of the session may be in a popup of its own.
    const { windowId } = await tabs.get(claim.tabId);
    const { state } = await windows.get(windowId);
    const beside = await windows.update(windowId, { focused: true, ...(state === 'minimized' ? { state: 'normal' } : {}) });
    const window = await this.#openBeside(beside, () => open.answer({ outcome: 'cancelled' }));
    if (!this.#isCurrent(open)) {
      await this.#windows.close(window);
      return;
    }
    open.window = window;
    await notifications.create(`${NOTIFICATION}${open.id}`, {
      type: 'basic', iconUrl: runtime.getURL('icons/128.png'), requireInteraction: true, priority: 2,
      title: i18n.getMessage('help_title', [this.#program(open)]), message: open.asked.title ?? open.asked.prompt.slice(0, 300),
      contextMessage: titleOf(open.session), buttons: [{ title: i18n.getMessage('help_done') }, { title: i18n.getMessage('help_cancel') }],
    }).catch(() => {
      // The window asks, with or without a notification.
    });
    // Ended while the notification came: what cleared it was too early.
    if (!this.#isCurrent(open)) notifications.clear(`${NOTIFICATION}${open.id}`).catch(() => {});
  }

  /**
   * Beside the window: to its right, its left, over its right edge, or where the browser likes; it refuses places that are not on
   * a screen, and which those are it tells nobody without another permission.
   * @param {chrome.windows.Window} beside
   * @param {() => void} closed
   * @returns {Promise<OwnWindow>}
   */
  async #openBeside({ left, top, width }, closed) {
    const size = { width: WIDTH, height: HEIGHT };
    if (left !== undefined && top !== undefined && width !== undefined) {
      for (const place of [left + width + GAP, left - WIDTH - GAP, left + width - WIDTH - 3 * GAP]) {
        const window = await this.#windows.open('help.html', { ...size, left: place, top }, closed).catch(() => null);
        if (window !== null) return window;
      }
    }
    return this.#windows.open('help.html', size, closed);
  }

  /** @param {Open} open */
  #program({ asked, session }) {
    return (asked.agent ?? session.agent)?.program ?? this.#around.chrome.i18n.getMessage('unknown_program');
  }

  /** @param {Open} open */
  #isCurrent(open) {
    return this.#open.get(open.session.sessionId) === open;
  }

  /**
   * The tab was closed: there is nothing left to help with.
   * @param {number} tabId
   */
  tabRemoved(tabId) {
    for (const open of this.#open.values()) if (open.asked.tab_id === tabId) open.fail(tabClosed(tabId));
  }

  /**
   * `chrome.runtime.onMessage`, of any page of ours.
   * @param {unknown} message
   * @param {chrome.runtime.MessageSender} sender
   * @returns {unknown} the answer, or undefined when the message is not for us
   */
  received(message, sender) {
    if (!stateMessage.accepts(message) && !answerMessage.accepts(message)) return undefined;
    const window = this.#windows.of(sender);
    const open = [...this.#open.values()].find((other) => other.window !== null && other.window === window);
    if (open === undefined) return { help: null };
    if (answerMessage.accepts(message) && message.id === open.id) {
      const note = message.note.trim() === '' ? {} : { note: message.note };
      open.answer({ outcome: message.answer === 'done' ? 'continued' : 'cancelled', ...note });
    }
    return { help: this.#isCurrent(open) ? this.#told(open) : null };
  }

  /** @param {Open} open */
  #told(open) {
    const { id, asked: { title, prompt, targets, agent }, session, deadlineMs } = open;
    return {
      id, title, prompt, program: this.#program(open), agent, session: titleOf(session), deadline_ms: deadlineMs,
      targets: targets.map(({ role, name }) => ({ role, name })),
    };
  }

  /**
   * `chrome.notifications.onButtonClicked`: 0 is Done, 1 is Cancel.
   * @param {string} notificationId
   * @param {number} button
   */
  buttonClicked(notificationId, button) {
    this.#ofNotification(notificationId)?.answer({ outcome: button === 0 ? 'continued' : 'cancelled' });
  }

  /**
   * `chrome.notifications.onClicked`: brings the window to the front.
   * @param {string} notificationId
   */
  notificationClicked(notificationId) {
    const window = this.#ofNotification(notificationId)?.window;
    if (window) void this.#windows.raise(window);
  }

  /** @param {string} notificationId */
  #ofNotification(notificationId) {
    return [...this.#open.values()].find(({ id }) => notificationId === `${NOTIFICATION}${id}`);
  }
}

function notShown() {
  return new Refusal('permission_denied', 'consent_not_shown', 'the browser did not show the window that asks for help',
    'look at the browser, then try again');
}
