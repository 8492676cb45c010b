// The CDP methods that the host may use, each with the exact form of its parameters. Default deny: what is not here, or
// has a parameter that is not listed, does not pass (invariant 3). Nothing here reads other sites, other tabs, files or
// cookies, or runs code of the host in a page. The clipboard is the user's and no part of a tab: editing commands that copy,
// cut or paste are missing, and so are the chords for them, which work in a page as if a person had pressed them (measured).
// Beside each method stands what it does to a site, for the site rules: a wheel only reads, as does the dismissal of a dialog;
// letting go of a button or key is free; all else that a person's hands do acts. A reload acts, since it sends a form again.

/** @import { JsonObject, Shape } from '../types.js' */
/** @import { Use } from '../sites.js' */

import { Refusal } from '../codes.js';
import { arrayOf, bool, empty, finite, integer, object, oneOf, text } from '../shape.js';
import { allowedUrl } from './url_rule.js';

const EDIT_COMMANDS = /** @type {const} */ ([
  'selectAll', 'deleteBackward', 'deleteForward', 'deleteWordBackward', 'deleteWordForward', 'undo', 'redo',
  'moveLeft', 'moveRight', 'moveUp', 'moveDown', 'moveWordLeft', 'moveWordRight',
  'moveToBeginningOfLine', 'moveToEndOfLine', 'moveToBeginningOfDocument', 'moveToEndOfDocument', 'deleteToBeginningOfLine',
  'moveLeftAndModifySelection', 'moveRightAndModifySelection', 'moveUpAndModifySelection', 'moveDownAndModifySelection',
  'moveWordLeftAndModifySelection', 'moveWordRightAndModifySelection', 'moveToBeginningOfLineAndModifySelection',
  'moveToEndOfLineAndModifySelection', 'moveToBeginningOfDocumentAndModifySelection', 'moveToEndOfDocumentAndModifySelection',
]);

/** Alt 1, Control 2, Meta 4, Shift 8. */
const modifiers = integer(0, 15);
const keyText = text(0, 64);

/** @typedef {Use | ((params: JsonObject) => Use)} UseOf */

/** @type {[method: string, use: UseOf, params: Shape<unknown>][]} */
const ENTRIES = [
  ['Page.navigate', 'free', object({ url: text() })],
  ['Page.reload', 'act', object({}, { ignoreCache: bool })],
  ['Page.stopLoading', 'free', empty],
  ['Page.handleJavaScriptDialog', ({ accept }) => (accept === true ? 'act' : 'read'), object({ accept: bool }, { promptText: text() })],
  ['Page.captureScreenshot', 'read', object({}, {
    format: oneOf(['png', 'jpeg', 'webp']),
    quality: integer(0, 100),
    clip: object({ x: finite, y: finite, width: finite, height: finite, scale: finite }),
    captureBeyondViewport: bool,
    optimizeForSpeed: bool,
    // `false` would take the picture from the window's view, with whatever lies over the page.
    fromSurface: oneOfTrue(),
  })],
  ['Page.getLayoutMetrics', 'read', empty],
  ['Input.dispatchMouseEvent', ({ type }) => (type === 'mouseWheel' ? 'read' : type === 'mouseReleased' ? 'free' : 'act'), object(
    { type: oneOf(['mousePressed', 'mouseReleased', 'mouseMoved', 'mouseWheel']), x: finite, y: finite },
    {
      button: oneOf(['none', 'left', 'middle', 'right', 'back', 'forward']), buttons: integer(0, 31),
      clickCount: integer(0, 3), modifiers, deltaX: finite, deltaY: finite, pointerType: oneOf(['mouse', 'pen']),
    },
  )],
  ['Input.dispatchKeyEvent', ({ type }) => (type === 'keyUp' ? 'free' : 'act'), object(
    { type: oneOf(['keyDown', 'keyUp', 'rawKeyDown', 'char']) },
    {
      modifiers, key: keyText, code: keyText, text: keyText, unmodifiedText: keyText,
      windowsVirtualKeyCode: integer(0, 0xffff), nativeVirtualKeyCode: integer(0, 0xffff_ffff), autoRepeat: bool,
      isKeypad: bool, location: integer(0, 3), commands: arrayOf(oneOf(EDIT_COMMANDS), 8),
    },
  )],
  ['Input.insertText', 'act', object({ text: text() })],
  ['Input.setInterceptDrags', ({ enabled }) => (enabled === true ? 'act' : 'free'), object({ enabled: bool })],
  // Without the data: the kernel adds what the page itself dragged (held_input.js).
  ['Input.dispatchDragEvent', ({ type }) => (type === 'dragCancel' ? 'free' : 'act'), object(
    { type: oneOf(['dragEnter', 'dragOver', 'drop', 'dragCancel']), x: finite, y: finite }, { modifiers },
  )],
  ['Emulation.setFocusEmulationEnabled', 'free', object({ enabled: bool })],
];

/** @type {ReadonlyMap<string, { use: UseOf, shape: Shape<unknown> }>} */
const TABLE = new Map(ENTRIES.map(([method, use, shape]) => [method, { use, shape }]));

/** Keys of the clipboard's chords, by each of the names that a key event has: with Control or Meta; with Shift. */
const CLIPBOARD_WITH_COMMAND = /^(?:[cvx]|Key[CVX]|Insert|Copy|Cut|Paste)$/i;
const CLIPBOARD_WITH_SHIFT = /^(?:Insert|Delete|Numpad0|NumpadDecimal)$/i;
const COMMAND_KEY_CODES = new Set([45, 67, 86, 88]);
const SHIFT_KEY_CODES = new Set([45, 46]);
/** Keys that are for the clipboard by themselves. */
const CLIPBOARD_ALONE = /^(?:Copy|Cut|Paste)$/i;

/**
 * Whether a key event would copy, cut or paste.
 * @param {JsonObject} event parameters of `Input.dispatchKeyEvent`, of the form in the table
 * @returns {boolean}
 */
function reachesClipboard({ modifiers: held = 0, key, code, windowsVirtualKeyCode, nativeVirtualKeyCode }) {
  const names = [key, code].filter((name) => typeof name === 'string');
  const codes = [windowsVirtualKeyCode, nativeVirtualKeyCode];
  const bits = typeof held === 'number' ? held : 0;
  /** @param {RegExp} pattern @param {Set<unknown>} numbers */
  const is = (pattern, numbers) => names.some((name) => pattern.test(name)) || codes.some((number) => numbers.has(number));
  return is(CLIPBOARD_ALONE, new Set())
    || ((bits & 6) !== 0 && is(CLIPBOARD_WITH_COMMAND, COMMAND_KEY_CODES))
    || ((bits & 8) !== 0 && is(CLIPBOARD_WITH_SHIFT, SHIFT_KEY_CODES));
}

/** Every method that may pass, for the tests. */
export const CDP_METHODS = Object.freeze([...TABLE.keys()]);

/** @returns {Shape<boolean>} */
function oneOfTrue() {
  /** @param {unknown} value @param {string} path */
  const problem = (value, path) => (value === true ? null : `\`${path}\` must be true`);
  return {
    problem,
    /** @param {unknown} value @returns {value is boolean} */
    accepts(value) {
      return value === true;
    },
  };
}

/**
 * Lets a method with its parameters pass, or throws.
 * @param {string} method
 * @param {JsonObject} params
 * @throws {Refusal} `method_not_allowed`, `argument_not_allowed`, `url_not_allowed` or `url_invalid`
 */
export function checkCdp(method, params) {
  const entry = TABLE.get(method);
  if (entry === undefined) {
    throw new Refusal('permission_denied', 'method_not_allowed', `\`${method.slice(0, 64)}\` is not allowed`,
      'the extension lets only a short list of browser methods pass');
  }
  const problem = entry.shape.problem(params, '');
  if (problem !== null) {
    throw new Refusal('permission_denied', 'argument_not_allowed', `\`${method}\`: ${problem}`,
      'the extension lets only listed arguments pass');
  }
  if (method === 'Input.dispatchKeyEvent' && reachesClipboard(params)) {
    throw new Refusal('permission_denied', 'argument_not_allowed', 'keys that copy, cut or paste would reach the user\'s clipboard',
      'read with `bsk observe` or `bsk get-html` and write with `bsk fill`');
  }
  if (method === 'Page.navigate' && typeof params['url'] === 'string') allowedUrl(params['url']);
}

/**
 * What a method does to the site of its tab. `Page.navigate` leads away from it: where to is checked for itself.
 * @param {string} method that passed
 * @param {JsonObject} params
 * @returns {Use}
 */
export function useOfCdp(method, params) {
  const use = TABLE.get(method)?.use ?? 'act';
  return typeof use === 'function' ? use(params) : use;
}
