// Frames that live in a process of their own: which of the debugger's child sessions reaches which frame of a tab.
// The browser attaches the children itself, to frames of an attached tab only, so a child session always belongs to a tab that
// is owned (invariants 2 and 3); the host never names one. A cache: what is not known is reached through the tab itself.
// What the browser itself says about a process's topmost frame is kept too: a process that hangs cannot be asked.

/** @import { JsonObject } from './types.js' */

import { isTouchable } from './policy/url_rule.js';
import { isObject } from './shape.js';

/**
 * The topmost frame of a session, as the browser tells of it.
 * @typedef {object} Root
 * @property {string} frameId
 * @property {string | undefined} parentId the frame that holds it
 * @property {string} url '' before its first document
 */

export class FrameProcesses {
  /** Session by the id of each frame in it. @type {Map<string, string>} */
  #sessions = new Map();
  /** By session. @type {Map<string, Root>} */
  #roots = new Map();

  /**
   * Takes note of `Target.attachedToTarget`.
   * @param {JsonObject} params
   * @returns {string | null} the new session, null when the target is no frame
   */
  attached({ sessionId, targetInfo }) {
    if (typeof sessionId !== 'string' || !isObject(targetInfo) || targetInfo['type'] !== 'iframe') return null;
    const { targetId: frameId, parentFrameId, url } = targetInfo;
    if (typeof frameId !== 'string') return null;
    this.#sessions.set(frameId, sessionId);
    this.#roots.set(sessionId, {
      frameId, parentId: typeof parentFrameId === 'string' ? parentFrameId : undefined, url: typeof url === 'string' ? url : '',
    });
    return sessionId;
  }

  /**
   * Takes note of `Target.targetInfoChanged`.
   * @param {JsonObject} params
   */
  changed({ targetInfo }) {
    if (!isObject(targetInfo) || typeof targetInfo['url'] !== 'string') return;
    for (const root of this.#roots.values()) if (root.frameId === targetInfo['targetId']) root.url = targetInfo['url'];
  }

  /**
   * Takes note of `Target.detachedFromTarget`.
   * @param {JsonObject} params
   */
  detached({ sessionId }) {
    if (typeof sessionId !== 'string') return;
    this.#roots.delete(sessionId);
    for (const [frameId, session] of this.#sessions) if (session === sessionId) this.#sessions.delete(frameId);
  }

  /**
   * Takes note that a frame below a session's topmost one is in the same process, or in the tab's own (undefined).
   * @param {string} frameId
   * @param {string | undefined} sessionId
   */
  learn(frameId, sessionId) {
    if (sessionId === undefined) this.#sessions.delete(frameId);
    else this.#sessions.set(frameId, sessionId);
  }

  /**
   * @param {string | undefined} frameId
   * @returns {string | undefined} undefined for the tab's own process
   */
  sessionOf(frameId) {
    return frameId === undefined ? undefined : this.#sessions.get(frameId);
  }

  /**
   * The topmost frame of a session.
   * @param {string} sessionId
   * @returns {Root | undefined}
   */
  rootOf(sessionId) {
    return this.#roots.get(sessionId);
  }

  /**
   * Whether a session's process shows a page that may not be touched: another extension's or the browser's own.
   * @param {string} sessionId
   * @returns {boolean}
   */
  isForeign(sessionId) {
    return !isTouchable(this.#roots.get(sessionId)?.url ?? '');
  }

  /** @returns {string[]} */
  sessions() {
    return [...this.#roots.keys()];
  }
}
