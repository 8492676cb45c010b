// Frames of other extensions, such as a password manager's menu. While one is in a tab, Chrome lets no extension debug that tab: it
// refuses to attach and takes an attached tab away (docs/decisions/0004-frames-of-other-extensions.md). Nothing here gets
// around that; it finds out whose frame it is, so that the error can name the extension. Reads addresses, touches nothing.

/** @import { Surroundings } from './types.js' */

/** The browser's own PDF viewer: its frames keep nobody from debugging. */
const PDF_VIEWER = 'mhjfbmdgcfjbbpaeojofohoefgiehjai';

/**
 * The other extension whose page an address is; null for every other address.
 * @param {Surroundings} around
 * @param {unknown} url
 * @returns {string | null}
 */
export function otherExtension(around, url) {
  if (typeof url !== 'string' || !url.startsWith('chrome-extension:') || !URL.canParse(url)) return null;
  const id = new URL(url).host;
  return id === around.chrome.runtime.id || id === PDF_VIEWER ? null : id;
}

/**
 * The other extensions that have a frame in some tab: Chrome does not say in which.
 * @param {Surroundings} around
 * @returns {Promise<string[]>} ids
 */
export async function otherExtensions(around) {
  const targets = await around.chrome.debugger.getTargets().catch(() => []);
  const ids = targets.map(({ type, url }) => (type === 'other' ? otherExtension(around, url) : null));
  return [...new Set(ids.filter((id) => id !== null))].sort();
}
