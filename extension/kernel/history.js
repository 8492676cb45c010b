// Back and forward in a tab's history.
// Refuses entries whose address the kernel would not open by URL either (invariant 3): the history of a tab may hold files or
// the browser's own pages that the user opened there.

/** @import { TabClaim } from './types.js' */
/** @import { Debuggees } from './debuggee.js' */

import { Refusal } from './codes.js';
import { allowedUrl } from './policy/url_rule.js';
import { isObject } from './shape.js';

/**
 * Goes to another entry of the tab's history.
 * @param {Debuggees} debuggees
 * @param {TabClaim} claim
 * @param {number} delta -1 is back, 1 is forward
 * @param {(url: string) => Promise<void>} visit lets the tab go to an address, or throws
 * @returns {Promise<{ from_url: string, to_url: string }>}
 */
export async function stepHistory(debuggees, claim, delta, visit) {
  const { currentIndex, entries } = await debuggees.send(claim.tabId, 'Page.getNavigationHistory');
  /** @type {unknown[]} */
  const known = Array.isArray(entries) ? entries : [];
  const index = typeof currentIndex === 'number' ? currentIndex : -1;
  const here = known[index];
  const target = known[index + delta];
  if (!isObject(target) || typeof target['url'] !== 'string') {
    throw new Refusal('not_found', 'no_history_entry', `tab ${claim.tabId} has no page to go ${delta < 0 ? 'back' : 'forward'} to`,
      'use `bsk navigate URL`');
  }
  await visit(allowedUrl(target['url']));
  await debuggees.send(claim.tabId, 'Page.navigateToHistoryEntry', { entryId: target['id'] });
  return { from_url: isObject(here) && typeof here['url'] === 'string' ? here['url'] : '', to_url: target['url'] };
}
