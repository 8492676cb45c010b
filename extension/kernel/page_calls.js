// Calls of the page library: puts it into a frame's isolated world when it is not there and calls its functions by name.
// The world is called `bsk`, belongs to the extension's debugger session and cannot be seen by the page; nothing is added to
// the DOM (invariant 14). The host names a function and its arguments, never code. A call whose document went away under it
// says so; it is repeated only when the browser never began it. Ref numbers are made durable before they are told.

/** @import { JsonObject, Surroundings, TabClaim } from './types.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { Ownership } from './ownership.js' */

import { frameForbidden, isContextGone, pageNavigated } from './cdp_errors.js';
import { fromPage, Refusal } from './codes.js';
import { isObject, u32 } from './shape.js';
import { USER_INPUT_BINDING } from './user_input.js';

/** The world of the page library, which no page sees. */
const WORLD = 'bsk';

/** The library's files in the order they are evaluated, as one function body. */
export const PAGE_FILES = Object.freeze([
  'refs.js', 'clobbered.js', 'shadow.js', 'sheets.js', 'visible.js', 'role.js', 'name.js', 'state.js', 'place.js', 'unseen.js',
  'cover.js', 'hover.js', 'observe.js', 'listing.js', 'rows.js', 'columns.js', 'target.js', 'query.js', 'geometry.js',
  'actionable.js', 'stand_in.js', 'painted.js', 'probe.js', 'drag.js', 'scroll.js', 'field.js', 'caret.js', 'held_text.js', 'edit.js',
  'long_text.js', 'type.js', 'select.js', 'check.js', 'files.js', 'html.js', 'wait.js', 'outcome.js', 'user_input.js', 'main.js',
]);

const CALL = '(name, args, context) => bskPage.call(name, args, context)';

/** A frame's isolated world as far as this worker knows it. */
class World {
  /**
   * @param {number} contextId
   * @param {string | undefined} sessionId of the process that the context is in
   */
  constructor(contextId, sessionId) {
    this.contextId = contextId;
    this.sessionId = sessionId;
    this.hasLibrary = false;
  }
}

/** What is known about the documents of a tab. */
class TabPages {
  constructor() {
    /** @type {string | null} */
    this.mainFrameId = null;
    /** By frame number. @type {Map<number, World>} */
    this.worlds = new Map();
  }
}

export class PageCalls {
  /** @type {Surroundings} */
  #around;
  /** @type {Debuggees} */
  #debuggees;
  /** @type {Ownership} */
  #ownership;
  /** @type {Promise<string> | null} */
  #loadingCall = null;
  /** @type {Map<number, TabPages>} */
  #tabs = new Map();

  /**
   * @param {Surroundings} around
   * @param {Debuggees} debuggees
   * @param {Ownership} ownership
   */
  constructor(around, debuggees, ownership) {
    this.#around = around;
    this.#debuggees = debuggees;
    this.#ownership = ownership;
  }

  /**
   * Calls one function of the library in a frame.
   * @param {TabClaim} claim
   * @param {number} frame
   * @param {string} name
   * @param {JsonObject} args
   * @returns {Promise<unknown>} the function's result
   * @throws {Refusal}
   */
  async call(claim, frame, name, args) {
    const first_ref = this.#ownership.firstRef(claim, frame);
    const context = { first_ref, frame };
    const { world, answer } = await this.#inWorld(claim, frame, async (found) => {
      const declaration = found.hasLibrary ? CALL : await this.#callWithLibrary();
      const result = await this.#run(claim, found, declaration, [name, args, context]);
      found.hasLibrary = true;
      return result;
    });
    if (!isObject(answer) || !u32.accepts(answer['next_ref'])) throw malformed(name);
    const isReplaced = this.#pages(claim).worlds.get(frame) !== world;
    // Another document of this frame may have begun to number already: these refs must not get out.
    if (isReplaced && answer['next_ref'] > first_ref) throw pageNavigated(claim.tabId);
    const write = this.#ownership.useRefs(claim, frame, answer['next_ref']);
    if (write !== null) await write;
    if ('error' in answer) throw fromPage(answer['error']);
    if (!('ok' in answer)) throw malformed(name);
    return answer['ok'];
  }

  /**
   * The frame's world with the library in it.
   * @param {TabClaim} claim
   * @param {number} frame
   * @returns {Promise<World>}
   */
  async worldWithLibrary(claim, frame) {
    if (!this.#pages(claim).worlds.get(frame)?.hasLibrary) await this.call(claim, frame, 'document_state', {});
    const world = this.#pages(claim).worlds.get(frame);
    if (world === undefined) throw pageNavigated(claim.tabId);
    return world;
  }

  /**
   * Runs a function of the kernel's own in a frame's world, without the library.
   * @param {TabClaim} claim
   * @param {number} frame
   * @param {string} declaration
   * @returns {Promise<unknown>}
   */
  async runOwn(claim, frame, declaration) {
    return (await this.#inWorld(claim, frame, (world) => this.#run(claim, world, declaration, []))).answer;
  }

  /**
   * @param {TabClaim} claim
   * @param {number} frame
   * @param {(world: World) => Promise<unknown>} run
   * @returns {Promise<{ world: World, answer: unknown }>}
   */
  async #inWorld(claim, frame, run) {
    const known = this.#pages(claim).worlds.get(frame);
    if (known !== undefined) {
      try {
        return { world: known, answer: await run(known) };
      } catch (error) {
        if (!isContextGone(error)) throw error;
        this.#forgetWorld(claim, frame, known);
      }
    }
    const world = await this.#makeWorld(claim, frame);
    try {
      return { world, answer: await run(world) };
    } catch (error) {
      this.#forgetWorld(claim, frame, world);
      throw error;
    }
  }

  /**
   * @param {TabClaim} claim
   * @param {World} world
   * @param {string} functionDeclaration
   * @param {unknown[]} values
   * @returns {Promise<unknown>}
   */
  async #run(claim, world, functionDeclaration, values) {
    const answer = await this.#debuggees.send(claim.tabId, 'Runtime.callFunctionOn', {
      functionDeclaration, executionContextId: world.contextId, arguments: values.map((value) => ({ value })),
      returnByValue: true, awaitPromise: true,
    }, world.sessionId);
    return valueOf(answer);
  }

  /**
   * @param {TabClaim} claim
   * @param {number} frame
   * @returns {Promise<World>}
   */
  async #makeWorld(claim, frame) {
    const pages = this.#pages(claim);
    const frameId = frame === 0
      ? pages.mainFrameId ?? await this.#findMainFrame(claim)
      : this.#ownership.frameId(claim, frame);
    if (frameId === undefined) throw frameNotFound(claim, frame);
    try {
      return await this.#createWorld(claim, frame, frameId);
    } catch (error) {
      if (!(error instanceof Refusal) || error.data?.['cdp_message'] !== 'No frame for given id found') throw error;
      if (frame !== 0) throw frameNotFound(claim, frame);
      return this.#createWorld(claim, frame, await this.#findMainFrame(claim));
    }
  }

  /**
   * @param {TabClaim} claim
   * @param {number} frame
   * @param {string} frameId
   */
  async #createWorld(claim, frame, frameId) {
    const processes = this.#debuggees.processes(claim.tabId);
    const sessionId = processes.sessionOf(frameId);
    if (sessionId !== undefined && processes.isForeign(sessionId)) throw frameForbidden(claim.tabId, frame);
    const made = this.#debuggees.send(claim.tabId, 'Page.createIsolatedWorld', {
      frameId, worldName: WORLD, grantUniveralAccess: false,
    }, sessionId);
    // Right behind it, ahead of the library: a function in that world only.
    this.#debuggees.send(claim.tabId, 'Runtime.addBinding', { name: USER_INPUT_BINDING, executionContextName: WORLD }, sessionId).catch(() => {});
    const { executionContextId } = await made;
    if (typeof executionContextId !== 'number') throw malformed('Page.createIsolatedWorld');
    const worlds = this.#pages(claim).worlds;
    const known = worlds.get(frame);
    // Two first calls at once get the same context; they share its entry.
    if (known?.contextId === executionContextId && known.sessionId === sessionId) return known;
    const world = new World(executionContextId, sessionId);
    worlds.set(frame, world);
    return world;
  }

  /**
   * The number of a frame of the tab; one that is new gets its number now.
   * @param {TabClaim} claim
   * @param {string} frameId
   * @returns {Promise<number>}
   */
  async frameNumber(claim, frameId) {
    const main = this.#pages(claim).mainFrameId ?? await this.#findMainFrame(claim);
    if (frameId === main) return 0;
    const { number, isNew } = this.#ownership.numberFrame(claim, frameId);
    if (isNew) await this.#ownership.save();
    return number;
  }

  /** @param {TabClaim} claim */
  async #findMainFrame(claim) {
    const { frameTree } = await this.#debuggees.send(claim.tabId, 'Page.getFrameTree');
    const frame = isObject(frameTree) ? frameTree['frame'] : undefined;
    if (!isObject(frame) || typeof frame['id'] !== 'string') throw malformed('Page.getFrameTree');
    this.#pages(claim).mainFrameId = frame['id'];
    return frame['id'];
  }

  /** The declaration that brings the library along; where it is already, only the call is made. */
  #callWithLibrary() {
    this.#loadingCall ??= Promise.all(PAGE_FILES.map((file) => this.#around.readFile(`page/${file}`))).then((texts) =>
      `(name, args, context) => {\nif (!Object.hasOwn(globalThis, 'bskPage')) (() => { 'use strict';\n${texts.join('\n')}\n})();\n`
      + 'return bskPage.call(name, args, context);\n}');
    return this.#loadingCall;
  }

  /**
   * @param {TabClaim} claim
   * @returns {TabPages}
   */
  #pages(claim) {
    const pages = this.#tabs.get(claim.tabId) ?? new TabPages();
    this.#tabs.set(claim.tabId, pages);
    return pages;
  }

  /**
   * @param {TabClaim} claim
   * @param {number} frame
   * @param {World} world
   */
  #forgetWorld(claim, frame, world) {
    const { worlds } = this.#pages(claim);
    if (worlds.get(frame) === world) worlds.delete(frame);
  }

  /**
   * All that is known about the tab's documents no longer holds: it crashed, was closed or was taken away.
   * @param {number} tabId
   */
  forgetTab(tabId) {
    this.#tabs.delete(tabId);
  }

  /**
   * A frame shows another document.
   * @param {TabClaim} claim
   * @param {string} frameId
   * @param {boolean} isMain
   */
  frameNavigated(claim, frameId, isMain) {
    const pages = this.#pages(claim);
    if (isMain) {
      pages.mainFrameId = frameId;
      pages.worlds.clear();
      return;
    }
    const number = claim.frames[frameId]?.number;
    if (number !== undefined) pages.worlds.delete(number);
  }
}

/**
 * The value a function gave, by value.
 * @param {JsonObject} answer of `Runtime.callFunctionOn`
 * @returns {unknown}
 */
export function valueOf(answer) {
  const { exceptionDetails, result } = answer;
  if (exceptionDetails !== undefined) {
    const exception = isObject(exceptionDetails) && isObject(exceptionDetails['exception']) ? exceptionDetails['exception'] : {};
    const description = typeof exception['description'] === 'string' ? exception['description'] : 'an exception';
    throw new Refusal('cdp_failed', 'page_library_failed', `the page library failed: ${description.slice(0, 200)}`,
      'reload the page with `bsk reload`');
  }
  return isObject(result) ? result['value'] : undefined;
}

/** @param {string} what */
function malformed(what) {
  return new Refusal('cdp_failed', 'page_library_failed', `\`${what}\` gave a malformed answer`, 'reload the page with `bsk reload`');
}

/**
 * @param {TabClaim} claim
 * @param {number} frame
 */
export function frameNotFound(claim, frame) {
  return new Refusal('not_found', 'frame_not_found', `there is no frame ${frame} in tab ${claim.tabId}`,
    'run `bsk observe` to see the frames there are');
}
