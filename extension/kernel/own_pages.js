// Which of the extension's own pages speaks: the popup, which is in no tab, and the options page, embedded in the browser's page of
// extensions (in no tab either) or in a window that the kernel opened itself. Refuses everybody else: pages of the web, other
// extensions, our other files, and our pages in an ordinary tab (invariant 4: decisions of the user are taken in extension pages
// only). No session can drive such a page: the browser's debugger refuses it, and so does the rule for addresses.

/** @import { OwnWindows } from './own_windows.js' */

const PAGES = ['popup.html', 'options.html'];

/**
 * Whether a message comes from a page in which the user looks at and sets what is the user's.
 * @param {typeof chrome.runtime} runtime
 * @param {OwnWindows} windows
 * @param {chrome.runtime.MessageSender} sender
 * @returns {boolean}
 */
export function isOwnPage(runtime, windows, sender) {
  if (sender.id !== runtime.id) return false;
  if (sender.tab !== undefined) return windows.of(sender)?.page === 'options.html';
  const [url] = (sender.url ?? '').split(/[?#]/);
  return PAGES.some((page) => url === runtime.getURL(`ui/${page}`));
}
