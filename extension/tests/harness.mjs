// A kernel on a fake browser, with the test as its host: says welcome, asks, reads replies and events. And with the test as its
// user: what the pages of ui/ send, and presses in the consent window.

import { startKernel } from '../kernel/kernel.js';
import { FakeBrowser, settled } from './fake_chrome.mjs';

/** The extension's own id. */
export const ID = 'mkanjamcijbnmjcfflodkihinjackdpc';

export class Lab {
  /** @param {FakeBrowser} [browser] */
  constructor(browser = new FakeBrowser()) {
    this.browser = browser;
    this.worker = browser.worker();
    this.nextRequest = 1;
  }

  /** Starts the kernel, as a worker start does. */
  async start({ isWelcome = true } = {}) {
    const { browser, worker } = this;
    startKernel({
      chrome: worker.chrome,
      readFile: async (path) => `/* ${path} */`,
      describeBrowser: async () => ({ name: 'Chromium', version: '156.0.0.0' }),
      now: () => browser.now,
      randomUUID: () => '6f1c2a34-93f0-4a57-b0c5-6f7f4f1f8a10',
      randomInt: (below) => Math.floor(Math.random() * below),
      setTimer(run, delayMs) {
        const id = browser.nextId++;
        browser.timers.push({ id, at: browser.now + delayMs, run });
        return id;
      },
      clearTimer(id) {
        browser.timers = browser.timers.filter((timer) => timer.id !== id);
      },
    });
    await settled();
    if (isWelcome) this.welcome();
    return this;
  }

  /** The worker dies and another one starts on the same browser. */
  async restart() {
    this.worker.die();
    this.worker = this.browser.worker();
    return this.start();
  }

  get port() {
    const port = this.browser.ports.at(-1);
    if (port === undefined) throw new Error('the kernel did not connect');
    return port;
  }

  /** @param {unknown} message */
  send(message) {
    this.port.onMessage.fire(message);
  }

  welcome() {
    this.send({ welcome: { host_version: '0.1.0' } });
  }

  /** The hello of the current port. */
  get hello() {
    return this.port.sent.find((message) => 'hello' in message)?.hello;
  }

  /** Events on the current port, by kind. @param {string} kind @returns {any[]} */
  events(kind) {
    return this.port.sent.flatMap((message) => message.event?.[kind] ?? []);
  }

  /**
   * Sends a request and gives its outcome, or null while there is none.
   * @param {string} name
   * @param {object} args
   */
  begin(name, args) {
    const id = this.nextRequest++;
    const { port } = this;
    this.send({ request: { id, call: { [name]: args } } });
    return { id, outcome: () => port.sent.find((message) => message.reply?.id === id)?.reply.outcome ?? null };
  }

  /**
   * @param {string} name
   * @param {object} args
   * @returns {Promise<any>} the outcome
   */
  async call(name, args) {
    const request = this.begin(name, args);
    await settled();
    return request.outcome();
  }

  /**
   * @param {string} name
   * @param {object} args
   * @returns {Promise<any>} the result
   */
  async ok(name, args) {
    const outcome = await this.call(name, args);
    if (outcome === null || !('ok' in outcome)) throw new Error(`\`${name}\`: ${JSON.stringify(outcome)}`);
    return outcome.ok;
  }

  /**
   * A session with its tab, as arguments for calls.
   * @param {object} [args]
   * @returns {Promise<{ session_id: string, tab_id: number }>}
   */
  async session(args = {}) {
    const record = await this.ok('session_start', { focus: false, idle_ms: 300_000, ...args });
    return { session_id: record.session_id, tab_id: record.active_tab_id };
  }

  /** @param {number} tabId @param {string} method @param {object} params */
  async cdpEvent(tabId, method, params) {
    this.worker.fire('debugger.onEvent', { tabId }, method, params);
    await settled();
  }
}

/**
 * What the kernel answers to a message.
 * @param {Lab} lab
 * @param {unknown} message
 * @param {object} sender
 * @returns {Promise<any>} undefined when it does not answer
 */
export async function answerTo(lab, message, sender) {
  /** @type {any} */
  let answer;
  lab.worker.fire('runtime.onMessage', message, sender, (/** @type {unknown} */ value) => { answer = value; });
  await settled();
  return answer;
}

/** The open tabs that show a page of ui/. @param {Lab} lab @param {'consent' | 'help'} page */
export function ownTabs(lab, page) {
  return [...lab.browser.tabs.values()].filter((tab) => tab.url.endsWith(`/ui/${page}.html`));
}

/** The open consent window's tab. @param {Lab} lab */
export function consentTab(lab) {
  return ownTabs(lab, 'consent')[0];
}

/**
 * What the kernel answers to a message of a window of ours.
 * @param {Lab} lab @param {object} message @param {any} [tab] the tab that sends it
 * @returns {Promise<any>}
 */
export function say(lab, message, tab = consentTab(lab)) {
  return answerTo(lab, message, { id: ID, url: tab?.url, frameId: 0, tab });
}

/** Answers the open question, as soon as it takes an answer. @param {Lab} lab @param {boolean} isAllowed @param {string} [lasting] */
export async function press(lab, isAllowed, lasting = 'once') {
  await lab.browser.advance(600);
  const { question } = await say(lab, { type: 'consent_state' });
  await say(lab, { type: 'consent_answer', id: question.id, is_allowed: isAllowed, lasting });
  return question;
}
