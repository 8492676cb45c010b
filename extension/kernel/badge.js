// What the toolbar button says at a glance: not connected, an agent at work, the user is needed; in a badge and in words.
// `faceOf` decides, `Badge` shows. Work counts once it takes longer than a moment and then stays for a second, so that nothing
// flickers. Knows no page and no title, only that something runs; refuses to call the browser when nothing changed.

/** @import { ConnectionState, Surroundings } from './types.js' */

/** Work shorter than this is not shown. */
const WORK_SHOWN_AFTER_MS = 300;
/** Work that was shown stays this long after its end, which also joins one piece of work with the next. */
const WORK_SHOWN_FOR_MS = 1000;

/**
 * @typedef {object} Circumstances
 * @property {ConnectionState} connection
 * @property {boolean} isNeeded a question or a request for help is open
 * @property {boolean} isWorking
 */
/** @typedef {{ text: string, color: string, title: string }} Face `title` is the key of its words in `_locales/` */

/**
 * The face for the circumstances; the user's attention comes first, and a lost connection before what it makes untrue.
 * @param {Circumstances} circumstances
 * @returns {Face}
 */
export function faceOf({ connection, isNeeded, isWorking }) {
  if (isNeeded) return { text: '?', color: '#b45309', title: 'badge_needs_you' };
  if (connection.cause === 'switched_off') return { text: '', color: '#59616c', title: 'switched_off' };
  if (connection.state === 'disconnected') return { text: '!', color: '#b3261e', title: 'badge_disconnected' };
  if (isWorking) return { text: '●', color: '#0f6b63', title: 'badge_working' };
  return { text: '', color: '#0f6b63', title: connection.state === 'connected' ? 'badge_connected' : 'badge_connecting' };
}

export class Badge {
  /** @type {Surroundings} */
  #around;
  /** @type {() => Omit<Circumstances, 'isWorking'>} */
  #look;
  /** @type {() => number | null} */
  #workSince;
  #isLong = false;
  /** Until when work that ended is shown. */
  #staysUntilMs = -Infinity;
  /** Set while a later look is due. @type {number | null} */
  #timer = null;
  /** @type {string | null} */
  #shown = null;

  /**
   * @param {Surroundings} around
   * @param {object} parts
   * @param {() => Omit<Circumstances, 'isWorking'>} parts.look
   * @param {() => number | null} parts.workSince when the oldest request under way began
   */
  constructor(around, { look, workSince }) {
    this.#around = around;
    this.#look = look;
    this.#workSince = workSince;
  }

  /** A request began or ended. Costs nothing while a later look is due anyway. */
  worked() {
    if (this.#timer === null) this.update();
  }

  /** Something else changed: looks and shows. */
  update() {
    const now = this.#around.now();
    const since = this.#workSince();
    const isLong = since !== null && now - since >= WORK_SHOWN_AFTER_MS;
    if (this.#isLong && !isLong) this.#staysUntilMs = now + WORK_SHOWN_FOR_MS;
    this.#isLong = isLong;
    const staysMs = this.#staysUntilMs - now;
    if (since !== null && !isLong) this.#lookIn(since + WORK_SHOWN_AFTER_MS - now);
    else if (!isLong && staysMs > 0) this.#lookIn(staysMs);
    this.#show(faceOf({ ...this.#look(), isWorking: isLong || staysMs > 0 }));
  }

  /** @param {number} delayMs */
  #lookIn(delayMs) {
    if (this.#timer !== null) this.#around.clearTimer(this.#timer);
    this.#timer = this.#around.setTimer(() => {
      this.#timer = null;
      this.update();
    }, delayMs);
  }

  /** @param {Face} face */
  #show(face) {
    if (this.#shown === face.title) return;
    this.#shown = face.title;
    const { action, i18n } = this.#around.chrome;
    const nothing = () => {};
    action.setBadgeText({ text: face.text }).catch(nothing);
    action.setBadgeBackgroundColor({ color: face.color }).catch(nothing);
    action.setBadgeTextColor({ color: '#ffffff' }).catch(nothing);
    action.setTitle({ title: `${i18n.getMessage('extension_name')}: ${i18n.getMessage(face.title)}` }).catch(nothing);
  }
}
