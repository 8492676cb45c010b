// The one connection to the native host: opened here and nowhere else, said hello on, kept up.
// A lost host is tried again after 0.25 s, doubling to 5 s, and at once when something wakes the kernel (alarm, start-up, the
// user coming back, the popup). Nothing is connected while the user or a policy has switched the extension off. Losing it touches no session (invariant 8). Refuses whatever is not a message of the host: the
// port is closed then, and nothing of it is carried out. A connection counts as made when the host welcomed us (invariant 9).

/** @import { ConnectionState, Failure, HostMessage, Surroundings } from './types.js' */

import { cut, Joiner } from './parts.js';
import { decode, WireError } from './wire.js';

const HOST_NAME = 'com.bsk.host';
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5000;
/** How long ago the last attempt must be for a page that shows the state to cause another. */
const NUDGE_MS = 1000;
/** How long a host may take to welcome us before it is given up. */
const WELCOME_MS = 10_000;

/** Chrome's words for why a host ended; there is no code for it. @type {ReadonlyMap<string, ConnectionState['cause']>} */
const CAUSES = new Map([
  ['Specified native messaging host not found.', 'host_not_found'],
  ['Access to the specified native messaging host is forbidden.', 'host_forbidden'],
  ['Native host has exited.', 'host_exited'],
]);

/**
 * @typedef {object} PortUser
 * @property {() => Promise<object>} hello the hello of a new port
 * @property {(message: HostMessage) => void} received a message after the welcome; may throw `WireError`
 * @property {() => void} lost the host is gone
 * @property {(state: ConnectionState) => void} changed
 */

export class HostPort {
  /** @type {Surroundings} */
  #around;
  /** @type {PortUser} */
  #user;
  /** @type {chrome.runtime.Port | null} */
  #port = null;
  #joiner = new Joiner();
  #isWelcome = false;
  /** Of the host that welcomed us last. @type {string | null} */
  #hostVersion = null;
  /** Unknown until the settings were read. @type {boolean | null} */
  #isOn = null;
  /** What happened since the hello was written, for after the welcome; null before the hello. @type {object[] | null} */
  #held = null;
  #delayMs = FIRST_DELAY_MS;
  /** @type {number | null} */
  #timer = null;
  #streams = 0;
  #triedAtMs = -Infinity;
  /** @type {ConnectionState} */
  #state = { state: 'disconnected' };

  /**
   * @param {Surroundings} around
   * @param {PortUser} user
   */
  constructor(around, user) {
    this.#around = around;
    this.#user = user;
  }

  /** @returns {ConnectionState} */
  get state() {
    return this.#state;
  }

  /** The version of the host; null without one. @returns {string | null} */
  get hostVersion() {
    return this.#isWelcome ? this.#hostVersion : null;
  }

  /**
   * Connects and stays connected, or closes the connection and opens none until told otherwise.
   * @param {boolean} isOn
   */
  setOn(isOn) {
    if (this.#isOn === isOn) return;
    this.#isOn = isOn;
    if (isOn) this.reconnect();
    else this.#switchOff();
  }

  #switchOff() {
    const wasWelcome = this.#isWelcome;
    this.#port?.disconnect();
    this.#port = null;
    this.#isWelcome = false;
    this.#clearTimer();
    if (wasWelcome) this.#user.lost();
    this.#setState({ state: 'disconnected', cause: 'switched_off' });
  }

  /** Connects now unless there is a connection or none may be. */
  connect() {
    if (this.#port !== null || this.#isOn !== true) return;
    this.#clearTimer();
    this.#triedAtMs = this.#around.now();
    if (this.#state.state !== 'disconnected' || this.#state.cause === undefined || this.#state.cause === 'switched_off') this.#setState({ state: 'connecting' });
    const port = this.#around.chrome.runtime.connectNative(HOST_NAME);
    this.#port = port;
    this.#joiner = new Joiner();
    this.#isWelcome = false;
    this.#held = null;
    port.onMessage.addListener((/** @type {unknown} */ message) => {
      if (this.#port === port) this.#receive(port, message);
    });
    port.onDisconnect.addListener(() => {
      const detail = this.#around.chrome.runtime.lastError?.message;
      if (this.#port === port) this.#disconnected(detail);
    });
    this.#timer = this.#around.setTimer(() => this.#drop(port, 'the host did not answer'), WELCOME_MS);
    void this.#user.hello().then((hello) => {
      if (this.#port !== port) return;
      this.#held = [];
      port.postMessage({ hello });
    });
  }

  /** Somebody looks: connects, but not more than once a second, since every attempt makes the looker look again. */
  nudge() {
    if (this.#around.now() - this.#triedAtMs >= NUDGE_MS) this.connect();
  }

  /** The user asks: begins again with the shortest delay. */
  reconnect() {
    this.#delayMs = FIRST_DELAY_MS;
    this.connect();
  }

  /**
   * Sends a message, in parts when it is too long for one. Without a host it is dropped; a host that has the hello but has
   * not welcomed us gets it after its welcome.
   * @param {object} message
   */
  post(message) {
    const port = this.#port;
    if (port === null) return;
    if (!this.#isWelcome) {
      this.#held?.push(message);
      return;
    }
    try {
      port.postMessage(message);
    } catch {
      // Chrome throws past 64 MiB and leaves the port as it was.
      const stream = this.#streams;
      this.#streams = (stream + 1) % 0x1_0000_0000;
      for (const part of cut(JSON.stringify(message), stream)) port.postMessage({ part });
    }
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {unknown} message
   */
  #receive(port, message) {
    try {
      this.#take(port, decode(message));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#drop(port, `the host sent something malformed: ${error.message}`);
    }
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {HostMessage} message
   */
  #take(port, message) {
    switch (message.kind) {
      case 'welcome':
        if (this.#isWelcome) throw new WireError('a second welcome');
        this.#isWelcome = true;
        this.#hostVersion = message.hostVersion;
        this.#clearTimer();
        this.#delayMs = FIRST_DELAY_MS;
        for (const held of this.#held?.splice(0) ?? []) this.post(held);
        this.#setState({ state: 'connected' });
        return;
      case 'refuse':
        this.#refused(port, message.failure);
        return;
      case 'part': {
        const json = this.#joiner.push(message.part);
        if (json === null) return;
        const whole = decode(parse(json));
        if (whole.kind === 'part') throw new WireError('parts within parts');
        this.#take(port, whole);
        return;
      }
      case 'ping':
        port.postMessage({ pong: {} });
        return;
      default:
        if (!this.#isWelcome) throw new WireError('a request before the welcome');
        this.#user.received(message);
    }
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {Failure} failure
   */
  #refused(port, failure) {
    this.#delayMs = LONGEST_DELAY_MS;
    port.disconnect();
    const detail = failure.hint === undefined ? failure.message : `${failure.message}; ${failure.hint}`;
    this.#gone({ state: 'disconnected', cause: failure.code === 'version_too_old' ? 'version_skew' : 'host_refused', detail });
  }

  /**
   * Gives the host up.
   * @param {chrome.runtime.Port} port
   * @param {string} detail
   */
  #drop(port, detail) {
    if (this.#port !== port) return;
    port.disconnect();
    this.#gone({ state: 'disconnected', cause: 'host_exited', detail });
  }

  /** @param {string | undefined} detail */
  #disconnected(detail) {
    const cause = CAUSES.get(detail ?? '') ?? 'host_exited';
    this.#gone({ state: 'disconnected', cause, ...(detail === undefined ? {} : { detail }) });
  }

  /** @param {ConnectionState} state */
  #gone(state) {
    const wasWelcome = this.#isWelcome;
    this.#port = null;
    this.#isWelcome = false;
    this.#clearTimer();
    this.#timer = this.#around.setTimer(() => {
      this.#timer = null;
      this.connect();
    }, this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
    if (wasWelcome) this.#user.lost();
    this.#setState(state);
  }

  #clearTimer() {
    if (this.#timer !== null) this.#around.clearTimer(this.#timer);
    this.#timer = null;
  }

  /** @param {ConnectionState} state */
  #setState(state) {
    const isSame = JSON.stringify(state) === JSON.stringify(this.#state);
    this.#state = state;
    if (!isSame) this.#user.changed(state);
  }
}

/**
 * @param {string} json
 * @returns {unknown}
 */
function parse(json) {
  try {
    return JSON.parse(json);
  } catch {
    throw new WireError('parts that are no JSON');
  }
}
