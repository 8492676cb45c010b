// What the host holds in a tab: a mouse button that is down, and a drag that the page began while drags were intercepted.
// A drag's data stays here: it is what the page itself put, files left out, and the host can only move and drop it in that tab, never
// read or make it (invariant 3). When the host is lost everything is let go: no button stays pressed, nothing stays half dragged.

/** @import { JsonObject } from './types.js' */
/** @import { Debuggees } from './debuggee.js' */

import { Refusal } from './codes.js';
import { isObject } from './shape.js';

/** What one tab holds. */
class Held {
  constructor() {
    /** The press that no release followed yet. @type {JsonObject | null} */
    this.press = null;
    this.isIntercepting = false;
    /** What the page drags. @type {JsonObject | null} */
    this.drag = null;
  }
}

export class HeldInput {
  /** @type {Debuggees} */
  #debuggees;
  /** @type {Map<number, Held>} */
  #tabs = new Map();

  /** @param {Debuggees} debuggees */
  constructor(debuggees) {
    this.#debuggees = debuggees;
  }

  /**
   * Notes input that passed the guard and gives the parameters to send: a drag event gets the page's own data.
   * @param {number} tabId
   * @param {string} method
   * @param {JsonObject} params
   * @returns {JsonObject}
   * @throws {Refusal} `no_drag` when the page drags nothing
   */
  pass(tabId, method, params) {
    switch (method) {
      case 'Input.dispatchMouseEvent':
        if (params['type'] === 'mousePressed') this.#held(tabId).press = params;
        if (params['type'] === 'mouseReleased' && params['button'] !== 'none') this.#held(tabId).press = null;
        return params;
      case 'Input.setInterceptDrags':
        this.#held(tabId).isIntercepting = params['enabled'] === true;
        // What was dragged before is over.
        this.#held(tabId).drag = null;
        return params;
      case 'Input.dispatchDragEvent': {
        const held = this.#held(tabId);
        const { drag } = held;
        if (drag === null) {
          throw new Refusal('cdp_failed', 'no_drag', 'the page drags nothing', 'press on something that can be dragged, and move, first');
        }
        if (params['type'] === 'drop' || params['type'] === 'dragCancel') held.drag = null;
        return { ...params, data: drag };
      }
      default:
        return params;
    }
  }

  /**
   * The page began a drag: `Input.dragIntercepted`.
   * @param {number} tabId
   * @param {JsonObject} params
   */
  dragIntercepted(tabId, { data }) {
    const held = this.#tabs.get(tabId);
    if (held === undefined || !held.isIntercepting || !isObject(data)) return;
    const { items, dragOperationsMask } = data;
    held.drag = { items: Array.isArray(items) ? items : [], dragOperationsMask: dragOperationsMask ?? 1 };
  }

  /**
   * The tab shows another document, or is gone: what was dragged went with it.
   * @param {number} tabId
   */
  documentGone(tabId) {
    const held = this.#tabs.get(tabId);
    if (held !== undefined) held.drag = null;
  }

  /** @param {number} tabId */
  forgetTab(tabId) {
    this.#tabs.delete(tabId);
  }

  /** The host is gone and lets nothing go itself any more. */
  letGo() {
    for (const [tabId, { press, isIntercepting, drag }] of this.#tabs) {
      const send = (/** @type {string} */ method, /** @type {JsonObject} */ params) => {
        this.#debuggees.send(tabId, method, params).catch(() => {});
      };
      const { x = 0, y = 0, button = 'left' } = press ?? {};
      if (drag !== null) send('Input.dispatchDragEvent', { type: 'dragCancel', x, y, data: drag });
      if (press !== null) send('Input.dispatchMouseEvent', { type: 'mouseReleased', x, y, button, buttons: 0, clickCount: 0 });
      if (isIntercepting) send('Input.setInterceptDrags', { enabled: false });
    }
    this.#tabs.clear();
  }

  /**
   * @param {number} tabId
   * @returns {Held}
   */
  #held(tabId) {
    const held = this.#tabs.get(tabId) ?? new Held();
    this.#tabs.set(tabId, held);
    return held;
  }
}
