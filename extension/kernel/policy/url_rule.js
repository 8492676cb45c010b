// Which addresses a host may open: http, https and about:blank, also as sessions begin. And which pages it may touch once they are there.
// Refuses everything else, whatever it is: files, the browser's own pages, extensions, `javascript:`, `data:`, `blob:`,
// `view-source:`. Our own pages above all: Chrome lets an extension debug them, and a script there would have all its rights.
// Keeps invariant 3 for addresses.

import { Refusal } from '../codes.js';

/** What a page may have made itself is touched, though not opened: data and blob pages, and the browser's error page. */
const TOUCHABLE = /^(https?:|about:|data:|blob:|chrome-error:|$)/;

/** The empty page, and the one that the tabs of a session begin with, to which the history leads back. */
const EMPTY = /^about:blank(?:#bsk-[a-z0-9-]{1,32})?$/;

/**
 * Whether a tab that shows this address may be touched. An empty address is that of a tab that shows nothing yet.
 * @param {string} url
 * @returns {boolean}
 */
export function isTouchable(url) {
  return TOUCHABLE.test(url);
}

/**
 * The address as the browser will read it.
 * @param {string} url
 * @returns {string}
 * @throws {Refusal} `url_invalid` or `url_not_allowed`
 */
export function allowedUrl(url) {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) {
    throw new Refusal('invalid_params', 'url_invalid', `\`${url.slice(0, 200)}\` is not a complete URL`, 'write it out, such as `https://example.com/`');
  }
  if (parsed.protocol === 'http:' || parsed.protocol === 'https:' || EMPTY.test(parsed.href)) return parsed.href;
  throw new Refusal('permission_denied', 'url_not_allowed', `addresses that begin with \`${parsed.protocol}\` are not opened`,
    'only http, https and about:blank are allowed');
}
