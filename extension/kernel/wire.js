// What the host may send, field for field as protocol/src/kernel.rs has it, and nothing else.
// Decodes strictly: an unknown call, an unknown, missing or mistyped field is an answer with an error when the message
// is a request with an id, and a `WireError`, which closes the port, when it is not. Knows forms, not rights: what is
// allowed is the guard's business. The golden files in protocol/golden hold both languages to the same forms.

/** @import { CallArgs, CallName, Failure, HostMessage, JsonObject, Shape } from './types.js' */

import { failureShape, Refusal } from './codes.js';
import {
  anyObject, arrayOf, bool, either, empty, finite, integer, isObject, matching, object, oneOf, text, u32,
} from './shape.js';

export const PROTOCOL_VERSION = 1;

/** The CDP events that a host can ask for. */
export const CDP_EVENTS = /** @type {const} */ ([
  'Page.frameNavigated', 'Page.navigatedWithinDocument', 'Page.frameRequestedNavigation', 'Page.frameStoppedLoading',
  'Page.lifecycleEvent', 'Page.javascriptDialogOpening', 'Page.javascriptDialogClosed', 'Input.dragIntercepted',
  'Page.downloadWillBegin',
]);

/** The functions of the page library that a host can call. */
export const PAGE_FUNCTIONS = /** @type {const} */ ([
  'observe', 'query', 'prepare', 'probe', 'fill_begin', 'fill_end', 'select', 'focus', 'get_html', 'box', 'settle', 'document_state',
  'type_begin', 'type_end', 'check_begin', 'check_end',
  'checked_state', 'drag_state', 'scroll_place', 'scroll_end', 'scroll_text',
  'wait', 'outcome', 'file_input',
]);

const session_id = matching(/^[a-z0-9-]{1,32}$/, 'a session id: 1 to 32 lower-case letters, digits or `-`');
const tab_id = u32;
const ofSession = { session_id };
const ofTab = { session_id, tab_id };
/** @type {Shape<import('./types.js').TabScope>} */
const tabScope = oneOf(['user', 'agent', 'all']);
/** @type {Shape<import('./types.js').DialogPolicy>} */
const dialogPolicy = oneOf(['ask', 'accept', 'dismiss']);
const windowSide = integer(100, 7680);
export const agentShape = object({ program: text(1, 256), pid: u32 }, { path: text(1, 4096) });

/** No file is larger than this many bytes. */
export const MOST_BYTES = 512 * 1024 * 1024;
export const MOST_FILES = 20;
const stagedFile = object({ path: text(1, 8192), name: text(1, 255), size: integer(0, MOST_BYTES) });
/** @type {Shape<import('./types.js').DragStep>} */
const dragStep = oneOf(['enter', 'over', 'drop', 'cancel']);

/** @type {Shape<import('./types.js').ElementTarget>} */
export const elementTarget = either(object({ selector: text() }), object({ ref: integer(1, 0xffff_ffff) }));
const helpTarget = object({ frame: u32, ref: integer(1, 0xffff_ffff), role: text(0, 200), name: text(0, 200) });

/** @type {{ [K in CallName]: Shape<CallArgs[K]> }} */
const CALLS = {
  profile: empty,
  session_start: object(
    { focus: bool, idle_ms: integer(0, Number.MAX_SAFE_INTEGER) },
    { name: text(1, 40), width: windowSide, height: windowSide, dialogs: dialogPolicy, agent: agentShape },
  ),
  session_stop: object(ofSession),
  tab_list: object({ ...ofSession, scope: tabScope }),
  tab_create: object({ ...ofSession, active: bool }, { url: text(), index: u32 }),
  tab_close: object(ofTab),
  tab_select: object(ofTab),
  tab_borrow: object(ofTab, { agent: agentShape }),
  help_request: object(
    { ...ofTab, prompt: text(1, 20_000), targets: arrayOf(helpTarget, 20), timeout_ms: integer(0, 86_400_000) },
    { title: text(1, 200), agent: agentShape },
  ),
  upload_open: object({ ...ofTab, frame: u32, files: arrayOf(stagedFile, MOST_FILES), timeout_ms: integer(0, 86_400_000) }, { agent: agentShape }),
  upload_arm: object(ofTab),
  upload_chooser: object({ ...ofTab, timeout_ms: integer(0, 86_400_000) }),
  upload_take: object(ofTab, { input: object({ frame: u32, ref: integer(1, 0xffff_ffff) }) }),
  upload_drag: object({ ...ofTab, frame: u32, step: dragStep, x: finite, y: finite }),
  upload_close: object(ofTab),
  download_open: object({ ...ofTab, frame: u32, timeout_ms: integer(0, 86_400_000) }, { agent: agentShape }),
  download_take: object({ ...ofSession, begin_ms: u32, timeout_ms: integer(0, 86_400_000) }),
  download_progress: object(ofSession),
  download_close: object({ ...ofSession, is_kept: bool }),
  download_folders: empty,
  tab_return: object(ofTab),
  window_resize: object({ ...ofSession, width: windowSide, height: windowSide }),
  subscribe: object({ ...ofTab, events: arrayOf(oneOf(CDP_EVENTS)) }),
  frames: object(ofTab),
  frame_quad: object({ ...ofTab, frame: u32 }),
  shadow_roots: object({ ...ofTab, frame: u32 }),
  flush: object(ofTab, { frame: u32, opened_ms: u32 }),
  network_watch: object(ofTab),
  network_quiet: object({ ...ofTab, quiet_ms: u32, timeout_ms: u32 }),
  cdp: object({ ...ofTab, method: text(), params: anyObject }),
  page: object({ ...ofTab, frame: u32, function: oneOf(PAGE_FUNCTIONS), args: anyObject }),
  fill: object({
    ...ofTab, frame: u32, target: elementTarget, value: text(), append: bool, timeout_ms: integer(0, 86_400_000), edit_ms: integer(0, 86_400_000),
  }, { opened_ms: u32 }),
  evaluate: object({ ...ofTab, expression: text(), await_promise: bool, return_by_value: bool, timeout_ms: u32 }, { frame: u32 }),
  history_step: object({ ...ofTab, delta: integer(-0x8000_0000, 0x7fff_ffff) }),
};

/** Every call, for the test that compares with the golden files. */
export const CALL_NAMES = Object.freeze(Object.keys(CALLS));

const welcomeShape = object({ host_version: text() });
const refuseShape = object({ failure: failureShape });
const cancelShape = object({ id: u32 });
const noteShape = object({ session_id, command: matching(/^[a-z][a-z -]{0,39}$/, 'the name of a command') });
const partShape = object({ stream: u32, index: u32, is_last: bool, text: text() });

/** A message that no correct host sends: the port is closed. */
export class WireError extends Error {}

/**
 * The name and the value of an externally tagged variant: an object with exactly one field.
 * @param {unknown} value
 * @returns {[string, unknown] | null}
 */
function variant(value) {
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  return entries.length === 1 && entries[0] !== undefined ? entries[0] : null;
}

/**
 * @template T
 * @param {Shape<T>} shape
 * @param {unknown} value
 * @param {string} what
 * @returns {T}
 */
function required(shape, value, what) {
  if (shape.accepts(value)) return value;
  throw new WireError(`${what}: ${shape.problem(value, '')}`);
}

/**
 * @param {string} name
 * @returns {name is CallName}
 */
function isCallName(name) {
  return Object.hasOwn(CALLS, name);
}

/**
 * @template {CallName} K
 * @param {K} name
 * @param {unknown} args
 * @returns {{ name: K, args: CallArgs[K] }}
 */
function decodeArgs(name, args) {
  /** @type {Shape<CallArgs[K]>} */
  const shape = CALLS[name];
  if (shape.accepts(args)) return { name, args };
  throw new Refusal('invalid_params', null, `\`${name}\`: ${shape.problem(args, '')}`);
}

/**
 * @param {JsonObject} request
 * @returns {HostMessage}
 */
function decodeRequest(request) {
  const { id, call } = request;
  if (!u32.accepts(id)) throw new WireError('a request without an id');
  /** @param {Failure} failure @returns {HostMessage} */
  const bad = (failure) => ({ kind: 'bad_request', id, failure });
  const stray = Object.keys(request).find((field) => field !== 'id' && field !== 'call');
  if (stray !== undefined) return bad({ code: 'protocol_error', message: `unknown field \`${stray}\` in a request` });
  const named = variant(call);
  if (named === null) return bad({ code: 'protocol_error', message: 'a request must have exactly one call' });
  const [name, args] = named;
  if (!isCallName(name)) {
    return bad({
      code: 'unknown_method', message: `the extension does not know the call \`${name.slice(0, 64)}\``,
      hint: 'update the extension and the host to the same version',
    });
  }
  try {
    // The union of all calls is what `decodeArgs` gives for the union of all names.
    return { kind: 'request', id, call: /** @type {import('./types.js').Call} */ (decodeArgs(name, args)) };
  } catch (error) {
    if (error instanceof Refusal) return bad(error.toFailure());
    throw error;
  }
}

/**
 * One message of the host.
 * @param {unknown} message as it came from the port, or as the joined parts read
 * @returns {HostMessage}
 * @throws {WireError} when no correct host sends this
 */
export function decode(message) {
  const named = variant(message);
  if (named === null) throw new WireError('a message must be an object with one field');
  const [name, body] = named;
  switch (name) {
    case 'welcome': return { kind: 'welcome', hostVersion: required(welcomeShape, body, name).host_version };
    case 'refuse': return { kind: 'refuse', failure: required(refuseShape, body, name).failure };
    case 'request': return decodeRequest(required(anyObject, body, name));
    case 'cancel': return { kind: 'cancel', id: required(cancelShape, body, name).id };
    case 'note': {
      const note = required(noteShape, body, name);
      return { kind: 'note', sessionId: note.session_id, command: note.command };
    }
    case 'ping': required(empty, body, name); return { kind: 'ping' };
    case 'part': return { kind: 'part', part: required(partShape, body, name) };
    default: throw new WireError('a message of an unknown kind');
  }
}
