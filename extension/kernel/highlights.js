// Highlights: elements that the user is shown, drawn by the browser's own debugging overlay. Nothing is added to the page, and no
// page can see, cover or fake it. All are framed; one at a time, in turn, is filled too, since the frames are not drawn around
// parts of a line (measured: Chromium 156). A picture for the agent is taken without them. A new document of the tab has them
// again where exactly one element has the role and the name of the one before.
// Refuses nothing and promises nothing: a page that does not answer is shown without. Leaves nothing behind, also when the worker
// dies.

/** @import { HelpTarget, JsonObject, Surroundings, TabClaim } from './types.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { PageCalls } from './page_calls.js' */

import { arrayOf, integer, isObject, u32 } from './shape.js';

const KEY = 'highlighted_tabs';
const storedShape = arrayOf(integer(0, Number.MAX_SAFE_INTEGER));
/** What was handed out for the overlay is let go of by this name. */
const GROUP = 'bsk-highlights';
const ELEMENT = '(ref) => bskPage.elementOf(ref)';
/** For how long one element is filled before the next is. */
const TURN_MS = 1500;
/** How long a new document may take to show an element again. */
const AGAIN_MS = 10_000;

const LINE = { r: 235, g: 88, b: 0, a: 1 };
const FRAME = { containerBorder: { color: LINE, pattern: 'solid' } };
const FILL = {
  showInfo: false, borderColor: LINE, contentColor: { r: 255, g: 140, b: 0, a: 0.35 }, paddingColor: { r: 255, g: 140, b: 0, a: 0.35 },
};

/** An element as the process that draws it knows it. */
/** @typedef {{ sessionId: string | undefined, objectId: string, nodeId: number }} Drawn */

/** What is shown in a tab. */
class Shown {
  /** @param {TabClaim} claim @param {HelpTarget[]} targets */
  constructor(claim, targets) {
    this.claim = claim;
    this.targets = targets;
    /** @type {Drawn[]} */
    this.drawn = [];
    this.filled = 0;
    /** @type {number | null} */
    this.timer = null;
    /** Goes up with every document: what was begun for an earlier one stops. */
    this.document = 0;
  }
}

export class Highlights {
  /** @type {Surroundings} */
  #around;
  /** @type {Debuggees} */
  #debuggees;
  /** @type {PageCalls} */
  #pageCalls;
  /** @type {Map<number, Shown>} */
  #tabs = new Map();

  /**
   * @param {Surroundings} around
   * @param {{ debuggees: Debuggees, pageCalls: PageCalls }} parts
   */
  constructor(around, { debuggees, pageCalls }) {
    this.#around = around;
    this.#debuggees = debuggees;
    this.#pageCalls = pageCalls;
  }

  /** Clears what an earlier worker left drawn: the tab may still be attached. */
  async load() {
    const { debugger: cdp, storage } = this.#around.chrome;
    const left = (await storage.session.get(KEY))[KEY];
    if (!storedShape.accepts(left) || left.length === 0) return;
    for (const tabId of left) cdp.sendCommand({ tabId }, 'Overlay.disable').catch(() => {});
    await storage.session.set({ [KEY]: [] });
  }

  /**
   * Shows elements of a tab and scrolls to the first.
   * @param {TabClaim} claim
   * @param {HelpTarget[]} targets
   */
  show(claim, targets) {
    if (targets.length === 0) return;
    const shown = new Shown(claim, targets);
    this.#tabs.set(claim.tabId, shown);
    this.#save();
    void this.#draw(shown, true).catch(() => {});
  }

  /**
   * Shows nothing in the tab any more.
   * @param {number} tabId
   */
  clear(tabId) {
    const shown = this.#tabs.get(tabId);
    if (shown === undefined) return;
    this.#tabs.delete(tabId);
    this.#save();
    this.#stopTurns(shown);
    for (const sessionId of new Set([undefined, ...sessionsOf(shown)])) {
      for (const [method, params] of OFF) this.#send(shown, sessionId, method, params).catch(() => {});
    }
  }

  /**
   * Runs something that must not see what is drawn.
   * @template T
   * @param {number} tabId
   * @param {() => Promise<T>} run
   * @returns {Promise<T>}
   */
  async without(tabId, run) {
    const shown = this.#tabs.get(tabId);
    if (shown === undefined || shown.drawn.length === 0) return run();
    this.#stopTurns(shown);
    await Promise.all([...sessionsOf(shown)].flatMap((sessionId) => [
      this.#frame(shown, sessionId, []), this.#send(shown, sessionId, 'Overlay.hideHighlight', {}),
    ])).catch(() => {});
    try {
      return await run();
    } finally {
      if (this.#tabs.get(tabId) === shown) void this.#redraw(shown).catch(() => {});
    }
  }

  /**
   * The tab's main frame shows another document.
   * @param {number} tabId
   */
  navigated(tabId) {
    const shown = this.#tabs.get(tabId);
    if (shown === undefined) return;
    this.#stopTurns(shown);
    shown.document += 1;
    shown.drawn = [];
    void this.#findAgain(shown).catch(() => {});
  }

  /**
   * Looks for the main frame's elements in its new document; what is not there, or more than once, is not shown.
   * @param {Shown} shown
   */
  async #findAgain(shown) {
    const { document, claim } = shown;
    await this.#pageCalls.worldWithLibrary(claim, 0);
    const found = await Promise.all(shown.targets.map(async (target) => {
      if (target.frame !== 0 || target.name === '') return target;
      const query = { role: target.role, name: target.name };
      const answer = await this.#pageCalls.call(claim, 0, 'query', { query, timeout_ms: AGAIN_MS }).catch(() => null);
      const matches = isObject(answer) && answer['total'] === 1 && Array.isArray(answer['matches']) ? answer['matches'] : [];
      const ref = isObject(matches[0]) ? matches[0]['ref'] : null;
      return u32.accepts(ref) ? { ...target, ref } : target;
    }));
    if (!this.#isCurrent(shown, document)) return;
    shown.targets = found;
    await this.#draw(shown, false);
  }

  /**
   * @param {Shown} shown
   * @param {boolean} mayScroll
   */
  async #draw(shown, mayScroll) {
    const { document } = shown;
    /** @type {Set<string | undefined>} */
    const ready = new Set();
    /** @type {Drawn[]} */
    const drawn = [];
    for (const target of shown.targets) {
      const element = await this.#element(shown, target, ready).catch(() => null);
      if (!this.#isCurrent(shown, document)) return;
      if (element !== null) drawn.push(element);
    }
    shown.drawn = drawn;
    const [first] = drawn;
    if (first === undefined) return;
    if (mayScroll) await this.#send(shown, first.sessionId, 'DOM.scrollIntoViewIfNeeded', { objectId: first.objectId }).catch(() => {});
    if (this.#isCurrent(shown, document)) await this.#redraw(shown);
  }

  /** @param {Shown} shown */
  async #redraw(shown) {
    shown.filled = 0;
    for (const sessionId of sessionsOf(shown)) {
      const nodeIds = shown.drawn.filter((element) => element.sessionId === sessionId).map(({ nodeId }) => nodeId);
      await this.#frame(shown, sessionId, nodeIds);
    }
    await this.#fill(shown);
  }

  /** Fills the one whose turn it is. @param {Shown} shown */
  async #fill(shown) {
    const { document, drawn } = shown;
    const element = drawn[shown.filled % drawn.length];
    const before = drawn[(shown.filled + drawn.length - 1) % drawn.length];
    if (element === undefined || !this.#isCurrent(shown, document)) return;
    if (before !== undefined && before.sessionId !== element.sessionId) {
      await this.#send(shown, before.sessionId, 'Overlay.hideHighlight', {}).catch(() => {});
    }
    // An element that went away is passed over.
    await this.#send(shown, element.sessionId, 'Overlay.highlightNode', { highlightConfig: FILL, objectId: element.objectId }).catch(() => {});
    if (drawn.length < 2 || !this.#isCurrent(shown, document)) return;
    this.#stopTurns(shown);
    shown.timer = this.#around.setTimer(() => {
      shown.filled += 1;
      void this.#fill(shown);
    }, TURN_MS);
  }

  /**
   * @param {Shown} shown
   * @param {string | undefined} sessionId
   * @param {number[]} nodeIds
   */
  #frame(shown, sessionId, nodeIds) {
    const containerQueryHighlightConfigs = nodeIds.map((nodeId) => ({ nodeId, containerQueryContainerHighlightConfig: FRAME }));
    return this.#send(shown, sessionId, 'Overlay.setShowContainerQueryOverlays', { containerQueryHighlightConfigs });
  }

  /**
   * @param {Shown} shown
   * @param {HelpTarget} target
   * @param {Set<string | undefined>} ready processes whose overlay is on
   * @returns {Promise<Drawn | null>}
   */
  async #element(shown, { frame, ref }, ready) {
    const { contextId, sessionId } = await this.#pageCalls.worldWithLibrary(shown.claim, frame);
    const send = (/** @type {string} */ method, /** @type {JsonObject} */ params) => this.#send(shown, sessionId, method, params);
    const { result } = await send('Runtime.callFunctionOn', {
      functionDeclaration: ELEMENT, executionContextId: contextId, arguments: [{ value: ref }], objectGroup: GROUP,
    });
    const objectId = isObject(result) ? result['objectId'] : undefined;
    if (typeof objectId !== 'string') return null;
    if (!ready.has(sessionId)) {
      ready.add(sessionId);
      for (const [method, params] of ON) await send(method, params);
    }
    const { nodeId } = await send('DOM.requestNode', { objectId });
    return typeof nodeId === 'number' ? { sessionId, objectId, nodeId } : null;
  }

  /**
   * @param {Shown} shown
   * @param {string | undefined} sessionId
   * @param {string} method
   * @param {JsonObject} params
   */
  #send(shown, sessionId, method, params) {
    // Drawing is no reason to attach: the user may just have ended that.
    if (!this.#debuggees.isAttached(shown.claim.tabId)) return Promise.reject(new Error('the tab is not attached'));
    return this.#debuggees.send(shown.claim.tabId, method, params, sessionId);
  }

  /**
   * @param {Shown} shown
   * @param {number} document
   */
  #isCurrent(shown, document) {
    return this.#tabs.get(shown.claim.tabId) === shown && shown.document === document;
  }

  /** @param {Shown} shown */
  #stopTurns(shown) {
    if (shown.timer !== null) this.#around.clearTimer(shown.timer);
    shown.timer = null;
  }

  #save() {
    this.#around.chrome.storage.session.set({ [KEY]: [...this.#tabs.keys()] }).catch(() => {});
  }
}

/** What the overlay needs, in this order. @type {[string, JsonObject][]} */
const ON = [['DOM.enable', {}], ['DOM.getDocument', { depth: 0 }], ['Overlay.enable', {}]];
/** And back. @type {[string, JsonObject][]} */
const OFF = [['Overlay.disable', {}], ['DOM.disable', {}], ['Runtime.releaseObjectGroup', { objectGroup: GROUP }]];

/** @param {Shown} shown */
function sessionsOf(shown) {
  return new Set(shown.drawn.map(({ sessionId }) => sessionId));
}
