// What the browser reports of the requests that bring a frame's document, cut down to what a navigation is told by: who sent it on,
// with which status it was answered, why nothing came of it. No header and no body leaves the kernel, and no other request does.
// A request for a document has its loader's id; that of a frame that is not the page's own is told too, with its frame.

/** @import { DocumentRequest, JsonObject } from './types.js' */

import { isObject } from './shape.js';

export class DocumentRequests {
  /** The frame of each request under way. @type {Map<string, string>} */
  #frames = new Map();

  /**
   * @param {string} method a `Network.*` event
   * @param {JsonObject} params
   * @returns {DocumentRequest | null} what is to be told of it
   */
  read(method, params) {
    const { requestId, loaderId, frameId, type } = params;
    if (typeof requestId !== 'string') return null;
    if (type === 'Document' && requestId === loaderId && typeof frameId === 'string') this.#frames.set(requestId, frameId);
    const frame_id = this.#frames.get(requestId);
    if (frame_id === undefined) return null;
    const step = stepOf(method, params);
    if (method === 'Network.loadingFailed' || method === 'Network.loadingFinished') this.#frames.delete(requestId);
    return step === null ? null : { frame_id, loader_id: requestId, step };
  }

  /** Nothing is reported any more. */
  forget() {
    this.#frames.clear();
  }
}

/**
 * @param {string} method
 * @param {JsonObject} params
 * @returns {DocumentRequest['step'] | null}
 */
function stepOf(method, { request, redirectResponse, response, errorText }) {
  switch (method) {
    case 'Network.requestWillBeSent':
      if (isObject(redirectResponse)) return sentOn(redirectResponse);
      return isObject(request) && typeof request['url'] === 'string' ? { asked: { url: request['url'] } } : null;
    case 'Network.responseReceived': {
      const status = isObject(response) ? response['status'] : undefined;
      return typeof status === 'number' ? { answered: { status } } : null;
    }
    case 'Network.loadingFailed':
      return { failed: { net_error: typeof errorText === 'string' ? errorText : '' } };
    default:
      return null;
  }
}

/**
 * @param {JsonObject} answer
 * @returns {DocumentRequest['step'] | null}
 */
function sentOn({ url, status }) {
  return typeof url === 'string' && typeof status === 'number' ? { sent_on: { url, status } } : null;
}
