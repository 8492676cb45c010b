// What may go on in a session while its user has the control (help.js): looking, listening, and ending the session. Default deny:
// what is not here acts, or could, and is refused; a script that only reads looks like one that does not, so none passes.

/** @import { Call, CallName } from '../types.js' */

import { Refusal } from '../codes.js';

/** @type {ReadonlySet<CallName>} */
const CALLS = new Set([
  'session_start', 'session_stop', 'tab_list', 'subscribe', 'frames', 'frame_quad', 'shadow_roots', 'flush', 'network_watch',
  'network_quiet',
]);
const CDP = new Set(['Page.captureScreenshot', 'Page.getLayoutMetrics']);
/** `box` brings an element into view, for its picture. */
const PAGE = new Set(['observe', 'query', 'get_html', 'box', 'settle', 'document_state', 'checked_state', 'wait', 'outcome']);

/**
 * Lets a request pass that only looks, or throws.
 * @param {Call} call
 * @throws {Refusal} `user_in_control`
 */
export function checkIsRead(call) {
  const isRead = call.name === 'cdp' ? CDP.has(call.args.method)
    : call.name === 'page' ? PAGE.has(call.args.function)
      : CALLS.has(call.name);
  if (isRead) return;
  throw new Refusal('permission_denied', 'user_in_control',
    'the user was asked for help and has the control: until `bsk request-help` ends, the session can look and not act',
    'wait for `bsk request-help` to end; `bsk observe`, `bsk screenshot` and `bsk wait-for` work meanwhile');
}
