// JavaScript of the host in the page's own world: a grant of its own, on unless the user or a managed policy turned it off.
// Refuses with `evaluate_off` when it is; a managed policy that says no cannot be overruled by the user's switch. A script gets
// its time and is stopped by the browser after it; no extension may stop one earlier. Invariant 12: neither the script nor
// its result is logged or stored.

/** @import { CallArgs, JsonObject, TabClaim } from './types.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { PageCalls } from './page_calls.js' */
/** @import { Settings } from './settings.js' */

import { isTerminated } from './cdp_errors.js';
import { Refusal } from './codes.js';
import { isObject } from './shape.js';

export class Evaluate {
  /** @type {Settings} */
  #settings;
  /** @type {Debuggees} */
  #debuggees;
  /** @type {PageCalls} */
  #pageCalls;

  /**
   * @param {Settings} settings
   * @param {Debuggees} debuggees
   * @param {PageCalls} pageCalls
   */
  constructor(settings, debuggees, pageCalls) {
    this.#settings = settings;
    this.#pageCalls = pageCalls;
    this.#debuggees = debuggees;
  }

  /**
   * Runs a script in a frame's own world.
   * @param {TabClaim} claim
   * @param {CallArgs['evaluate']} args
   * @returns {Promise<JsonObject>} the result of `Runtime.evaluate`
   */
  async run(claim, args) {
    if (!this.#settings.values.evaluate_enabled) {
      throw new Refusal('permission_denied', 'evaluate_off', 'running JavaScript is switched off in the extension',
        this.#settings.isManaged('evaluate_enabled') ? 'the administrator of this browser decided so' : 'the user switched it off in the options of the extension');
    }
    const frame = args.frame ?? 0;
    const { sessionId, ...place } = frame === 0 ? {} : await this.#pageWorld(claim, frame);
    const answer = await this.#debuggees.send(claim.tabId, 'Runtime.evaluate', {
      ...place,
      expression: args.expression, awaitPromise: args.await_promise, returnByValue: args.return_by_value,
      timeout: args.timeout_ms, userGesture: false, objectGroup: 'bsk',
    }, sessionId).catch((error) => {
      throw isTerminated(error) ? tooLong(args.timeout_ms) : error;
    });
    // An object given by description would be kept alive in the page for nothing.
    if (isObject(answer['result']) && answer['result']['objectId'] !== undefined) {
      this.#debuggees.send(claim.tabId, 'Runtime.releaseObjectGroup', { objectGroup: 'bsk' }, sessionId).catch(() => {});
    }
    return answer;
  }

  /**
   * Where a child frame's own scripts run. The browser tells contexts only to those who have it tell all (`Runtime.enable`, which
   * pages notice); a node's object in its own world names its context, too: the second number of its id.
   * @param {TabClaim} claim
   * @param {number} frame
   * @returns {Promise<{ contextId: number, sessionId: string | undefined }>}
   */
  async #pageWorld(claim, frame) {
    const { contextId: executionContextId, sessionId } = await this.#pageCalls.worldWithLibrary(claim, frame);
    /** @param {string} method @param {JsonObject} params */
    const send = (method, params) => this.#debuggees.send(claim.tabId, method, params, sessionId);
    const { result } = await send('Runtime.callFunctionOn', { functionDeclaration: '() => document', executionContextId, objectGroup: 'bsk' });
    const objectId = isObject(result) ? result['objectId'] : undefined;
    const { node } = await send('DOM.describeNode', { objectId, depth: 0 });
    const { object } = await send('DOM.resolveNode', { backendNodeId: isObject(node) ? node['backendNodeId'] : undefined, objectGroup: 'bsk' });
    const id = isObject(object) && typeof object['objectId'] === 'string' ? object['objectId'] : '';
    const contextId = Number(/^-?\d+\.(\d+)\.\d+$/.exec(id)?.[1] ?? NaN);
    if (!Number.isInteger(contextId) || contextId === executionContextId) {
      throw new Refusal('unsupported', null, `this browser does not tell where the scripts of frame ${frame} run`, 'update the extension, or run the script in the main frame');
    }
    return { contextId, sessionId };
  }
}

/** @param {number} timeoutMs */
function tooLong(timeoutMs) {
  return new Refusal('timeout', null, `the script did not end within ${timeoutMs} ms and was stopped`,
    'give it more time with `--timeout`');
}
