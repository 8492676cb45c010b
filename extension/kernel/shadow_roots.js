// Closed shadow roots: the debugger sees them without the page being patched. The page library names the elements that may
// hold one; each is described, and the roots that are closed are handed to the library, which alone works with them.
// Gives the host nothing but a count, and looks at elements that the library chose, in a frame of a tab that the session owns
// (invariants 2 and 3). Nested roots show once the library has walked the outer ones: the host asks again.

/** @import { JsonObject, TabClaim } from './types.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { PageCalls } from './page_calls.js' */

import { valueOf } from './page_calls.js';
import { isObject } from './shape.js';

/** How many elements are examined for one request: each costs the browser a tenth of a millisecond. */
const MOST_CANDIDATES = 200;
/** What was handed out for a request is let go of by this name. */
const GROUP = 'bsk-shadow-roots';

const CANDIDATES = '() => bskPage.shadowCandidates()';
const ADOPT = '(...roots) => roots.filter((root) => bskPage.adoptShadowRoot(root)).length';

/** Sends into one frame's process. @typedef {(method: string, params: JsonObject) => Promise<JsonObject>} Send */

export class ShadowRoots {
  /** @type {Debuggees} */
  #debuggees;
  /** @type {PageCalls} */
  #pageCalls;

  /**
   * @param {Debuggees} debuggees
   * @param {PageCalls} pageCalls
   */
  constructor(debuggees, pageCalls) {
    this.#debuggees = debuggees;
    this.#pageCalls = pageCalls;
  }

  /**
   * Has the closed roots in the elements that the frame's last observation noted opened to the library.
   * @param {TabClaim} claim
   * @param {number} frame
   * @returns {Promise<{ found: number }>} how many are new
   */
  async find(claim, frame) {
    const { contextId, sessionId } = await this.#pageCalls.worldWithLibrary(claim, frame);
    /** @type {Send} */
    const send = (method, params) => this.#debuggees.send(claim.tabId, method, params, sessionId);
    try {
      const roots = (await this.#candidates(send, contextId)).map((objectId) => closedRootOf(send, contextId, objectId));
      const objectIds = (await Promise.all(roots)).filter((objectId) => objectId !== null);
      return { found: objectIds.length === 0 ? 0 : await adopt(send, contextId, objectIds) };
    } finally {
      send('Runtime.releaseObjectGroup', { objectGroup: GROUP }).catch(() => {});
    }
  }

  /**
   * @param {Send} send
   * @param {number} executionContextId
   * @returns {Promise<string[]>} object ids
   */
  async #candidates(send, executionContextId) {
    const { result } = await send('Runtime.callFunctionOn', { functionDeclaration: CANDIDATES, executionContextId, objectGroup: GROUP });
    const list = objectIdOf(result);
    if (list === null) return [];
    const properties = await send('Runtime.getProperties', { objectId: list, ownProperties: true });
    const entries = Array.isArray(properties['result']) ? properties['result'] : [];
    const ids = entries.map((entry) => (isObject(entry) && entry['enumerable'] === true ? objectIdOf(entry['value']) : null));
    return ids.filter((id) => id !== null).slice(0, MOST_CANDIDATES);
  }
}

/**
 * The closed root of an element, as an object of the library's world; null for none, and when the element went away.
 * @param {Send} send
 * @param {number} executionContextId
 * @param {string} objectId
 * @returns {Promise<string | null>}
 */
async function closedRootOf(send, executionContextId, objectId) {
  try {
    const { node } = await send('DOM.describeNode', { objectId, depth: 0 });
    const roots = isObject(node) && Array.isArray(node['shadowRoots']) ? node['shadowRoots'] : [];
    const closed = roots.find((root) => isObject(root) && root['shadowRootType'] === 'closed');
    if (!isObject(closed)) return null;
    const { object } = await send('DOM.resolveNode', { backendNodeId: closed['backendNodeId'], executionContextId, objectGroup: GROUP });
    return objectIdOf(object);
  } catch {
    return null;
  }
}

/**
 * @param {Send} send
 * @param {number} executionContextId
 * @param {string[]} objectIds
 * @returns {Promise<number>}
 */
async function adopt(send, executionContextId, objectIds) {
  const count = valueOf(await send('Runtime.callFunctionOn', {
    functionDeclaration: ADOPT, executionContextId, arguments: objectIds.map((objectId) => ({ objectId })), returnByValue: true,
  }));
  return typeof count === 'number' ? count : 0;
}

/**
 * @param {unknown} object a remote object
 * @returns {string | null}
 */
function objectIdOf(object) {
  return isObject(object) && typeof object['objectId'] === 'string' ? object['objectId'] : null;
}
