// What Chrome's words for a failed debugger call mean. Chrome gives texts, not codes, so this one file reads them; nothing
// else in the kernel decides by a message. Unknown texts stay what they are: `cdp_failed` with the text in `data`.
// Invariant 12: none of these texts carries page contents.

import { Refusal } from './codes.js';
import { isObject } from './shape.js';

/** The call was never begun, since its execution context, or the process that it was in, was gone already. */
const NEVER_BEGUN = ['Cannot find context with specified id', 'Session with given id not found'];
/** The page was replaced while the call ran in it. */
const NAVIGATED = [
  'Execution context was destroyed', 'Promise was collected', 'Inspected target navigated or closed',
  ...NEVER_BEGUN, 'uniqueContextId not found', 'Not attached to an active page',
];
const DETACHED = ['Debugger is not attached', 'Detached while handling command', 'Target closed'];
/** Somewhere in the tab is a frame of another extension: Chrome lets none debug such a tab. */
const FOREIGN_FRAME = 'URL of different extension';
const FORBIDDEN = ['Cannot access', 'Cannot attach to this target', 'cannot be scripted', 'Not allowed'];

/**
 * Chrome's words out of what `chrome.debugger` throws: CDP errors come as JSON in the message.
 * @param {unknown} thrown
 * @returns {string}
 */
export function chromeMessage(thrown) {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (!message.startsWith('{')) return message;
  try {
    /** @type {unknown} */
    const parsed = JSON.parse(message);
    return isObject(parsed) && typeof parsed['message'] === 'string' ? parsed['message'] : message;
  } catch {
    return message;
  }
}

/**
 * Whether the call was refused before it began because its context was gone.
 * @param {unknown} thrown
 * @returns {boolean}
 */
export function isContextGone(thrown) {
  const message = thrown instanceof Refusal ? thrown.data?.['cdp_message'] : undefined;
  return typeof message === 'string' && NEVER_BEGUN.some((text) => message.includes(text));
}

/**
 * Whether the browser stopped a script because its time was over.
 * @param {unknown} thrown
 * @returns {boolean}
 */
export function isTerminated(thrown) {
  return thrown instanceof Refusal && thrown.data?.['cdp_message'] === 'Execution was terminated';
}

/** @param {number} tabId */
export function tabClosed(tabId) {
  return new Refusal('cdp_failed', 'tab_closed', `tab ${tabId} was closed`, 'run `bsk tab list` to see the tabs there are');
}

/** @param {number} tabId */
export function pageCrashed(tabId) {
  return new Refusal('cdp_failed', 'page_crashed', `the page in tab ${tabId} crashed`, '`bsk navigate` revives the tab');
}

/** @param {number} tabId */
export function pageNavigated(tabId) {
  return new Refusal('cdp_failed', 'page_navigated', `the page in tab ${tabId} was replaced by another while the command ran`,
    'run `bsk observe` to see the page as it is now');
}

/** @param {number} tabId */
export function tabDetached(tabId) {
  return new Refusal('user_aborted', 'tab_detached', `the user stopped the debugging of tab ${tabId}`,
    'ask the user, then open another tab with `bsk tab create`');
}

/** @param {number} tabId */
export function tabTakenForAMoment(tabId) {
  return new Refusal('cdp_failed', 'tab_detached', `the browser took tab ${tabId} from the extension`, 'run the command again');
}

/** @param {number} tabId */
export function tabForbidden(tabId) {
  return new Refusal('permission_denied', 'tab_forbidden', `tab ${tabId} shows a page that no extension may touch`,
    '`bsk navigate URL` leads it away from there');
}

/**
 * @param {unknown} thrown by `chrome.debugger`, in a tab whose own page may be touched
 * @returns {boolean}
 */
export function isForeignFrame(thrown) {
  return chromeMessage(thrown).includes(FOREIGN_FRAME);
}

/**
 * @param {number} tabId
 * @param {string[]} extensionIds whose frames are open, in this tab or another
 */
export function tabHoldsForeignFrame(tabId, extensionIds) {
  const owner = extensionIds.length === 1 ? `the extension \`${extensionIds[0]}\`` : 'another extension';
  return new Refusal('permission_denied', 'frame_forbidden',
    `tab ${tabId} holds a frame of ${owner}, and the browser lets no extension debug such a tab`,
    'it works again once the frame is gone: `bsk navigate URL` leads away from it; a person can keep that extension off this site in `chrome://extensions`',
    extensionIds.length === 0 ? undefined : { extension_ids: extensionIds });
}

/**
 * @param {number} tabId
 * @param {number} frame
 */
export function frameForbidden(tabId, frame) {
  return new Refusal('permission_denied', 'frame_forbidden', `frame ${frame} of tab ${tabId} shows a page of another extension or of the browser`,
    'use the rest of the page; such a frame is for people only');
}

/**
 * A refusal for what a call of `chrome.debugger` threw.
 * @param {number} tabId
 * @param {string} what the method, or `attach`
 * @param {unknown} thrown
 * @returns {Refusal}
 */
export function fromChrome(tabId, what, thrown) {
  const message = chromeMessage(thrown);
  const begins = (/** @type {string[]} */ texts) => texts.some((text) => message.includes(text));
  if (message.includes('No tab with given id') || message.includes('No tab with id')) return tabClosed(tabId);
  if (begins(FORBIDDEN)) return tabForbidden(tabId);
  if (begins(DETACHED)) return tabTakenForAMoment(tabId);
  if (begins(NAVIGATED)) {
    const refusal = pageNavigated(tabId);
    return new Refusal(refusal.code, refusal.reason, refusal.message, refusal.hint, { cdp_message: message });
  }
  if (message.includes('No dialog is showing')) {
    return new Refusal('not_found', 'no_dialog', `no JavaScript dialog is open in tab ${tabId}`, 'nothing has to be done');
  }
  if (message.includes('Could not compute')) {
    return new Refusal('cdp_failed', 'element_not_visible', `the element has no place on the page in tab ${tabId}`,
      'run `bsk observe` to see what is visible');
  }
  return new Refusal('cdp_failed', null, `\`${what}\` failed in tab ${tabId}`, undefined, { cdp_message: message });
}
