// What the options page and the popup may ask about the settings: to see what counts, to change what is the user's, to take back
// a lasting answer. Refuses other senders, keys that a policy sets and values that mean nothing; the answer then shows what
// counts as before.

/** @import { Answers } from './answers.js' */
/** @import { OwnWindows } from './own_windows.js' */
/** @import { Settings } from './settings.js' */
/** @import { Surroundings } from './types.js' */

import { isOwnPage } from './own_pages.js';
import { isObject, object, oneOf, text, u32 } from './shape.js';

const show = object({ type: oneOf(['settings']) });
const forget = object({ type: oneOf(['forget_answer']), index: u32 });
const key = text(1, 64);

export class SettingsMessages {
  /** @type {Surroundings} */
  #around;
  /** @type {Settings} */
  #settings;
  /** @type {Answers} */
  #answers;
  /** @type {OwnWindows} */
  #windows;

  /**
   * @param {Surroundings} around
   * @param {{ settings: Settings, answers: Answers, windows: OwnWindows }} parts
   */
  constructor(around, { settings, answers, windows }) {
    this.#around = around;
    this.#settings = settings;
    this.#answers = answers;
    this.#windows = windows;
  }

  /**
   * `chrome.runtime.onMessage`.
   * @param {unknown} message
   * @param {chrome.runtime.MessageSender} sender
   * @param {(answer: unknown) => void} answer
   * @returns {boolean} whether the message was for us, so that an answer will come
   */
  received(message, sender, answer) {
    const deed = this.#deed(message);
    if (deed === null || !isOwnPage(this.#around.chrome.runtime, this.#windows, sender)) return false;
    void deed().then(() => this.#view()).then(answer, () => answer(null));
    return true;
  }

  /**
   * @param {unknown} message
   * @returns {(() => Promise<unknown>) | null} null when the message is not about settings
   */
  #deed(message) {
    if (show.accepts(message)) return () => this.#settings.load();
    if (forget.accepts(message)) return () => this.#answers.forget(message.index);
    if (!isObject(message) || message['type'] !== 'set' || !key.accepts(message['key'])) return null;
    const { key: name, value } = message;
    return () => this.#settings.set(String(name), value);
  }

  async #view() {
    await this.#settings.load();
    const { settings, managed, problems } = this.#settings.view();
    return { settings: { ...settings, answers: await this.#answers.lasting() }, managed, problems };
  }
}
