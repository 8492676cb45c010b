// What uploads and downloads share: the setting that blocks them, a file in the words of the question, and what a refusal says of its effect.
// Changes nothing.

/** @import { Settings } from './settings.js' */

import { Refusal } from './codes.js';

/**
 * Lets a transfer begin, or throws.
 * @param {Settings} settings
 * @param {'uploads' | 'downloads'} kind
 * @throws {Refusal} `uploads_blocked` or `downloads_blocked`
 */
export function checkTransfers(settings, kind) {
  if (settings.values[kind] !== 'block') return;
  throw new Refusal('permission_denied', `${kind}_blocked`,
    `${kind} are blocked by ${settings.isManaged(kind) ? 'a policy of the administrator' : 'the user, in the options of the extension'}`,
    'do without it, or ask the user');
}

/**
 * Name and size on one line, whatever the name is.
 * @param {{ name: string, size: number }} file
 * @returns {string}
 */
export function fileWords({ name, size }) {
  const words = size < 1024 ? `${size} B` : size < 1024 * 1024 ? `${(size / 1024).toFixed(1)} KiB` : `${(size / 1024 / 1024).toFixed(1)} MiB`;
  return `${name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')} (${words})`;
}

/**
 * A refusal with what is known of the effect; anything else as it is.
 * @param {unknown} error
 * @param {'none' | 'unknown'} effect_state
 * @returns {unknown}
 */
export function withEffect(error, effect_state) {
  if (!(error instanceof Refusal)) return error;
  return new Refusal(error.code, error.reason, error.message, error.hint, { ...error.data, effect_state });
}
