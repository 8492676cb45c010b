// What an action changed so far: armed with the probe, read once the browser has handled the input, then gone. Sees changes of the
// nodes, of fields, focus, selection and scroll offsets, and the states of the element that was used.
// Refuses to say that nothing changed where changes cannot be seen from here: pictures that a script paints, frames, unknown shadow
// roots, and what the browser shows by itself (menus of selects, pickers). Invariant: nothing is asked of the page while it works.

/**
 * @typedef {object} WatchedOutcome
 * @property {Element} element
 * @property {string[]} before its states
 * @property {string} situation focus, selection and scroll offsets
 * @property {boolean} isPartial not every shadow root is watched
 * @property {boolean} hasChanged
 * @property {Event[]} downloads clicks on links whose address is to be downloaded
 * @property {boolean} isOpen whether the input may show later or outside of the document
 * @property {MutationObserver} observer
 * @property {AbortController} listening
 */

/** Documents of more elements than this are not searched for shadow roots, so that a command costs the same on every page. */
const mostSearched = 3000;
/** What an action leaves behind when nobody reads it. */
const outcomeMs = 10_000;
/** Elements whose contents do not show as changes of nodes. */
const paintedTags = ['canvas', 'video', 'object', 'embed'];
/** Controls that the browser itself opens something for. */
const nativePopups = 'select, input:is([type=color], [type=file], [type=date], [type=time], [type=month], [type=week], [type=datetime-local], [list]), audio, video';
/** Events that something visible happened which no node tells. */
const visibleEvents = ['input', 'change', 'invalid', 'toggle', 'scroll', 'fullscreenchange', 'transitionrun', 'animationstart'];
/** Keys that scroll, by the browser and a moment later. */
const scrollKeys = new Set(['PageUp', 'PageDown', 'Home', 'End', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', ' ']);

/** @type {WatchedOutcome | null} */
let watchedOutcome = null;

/**
 * Watches what comes of the next action on an element.
 * @param {Element} element
 */
function watchOutcome(element) {
  forgetOutcome();
  const control = labelledControl(element);
  const isPartial = document.getElementsByTagName('*').length > mostSearched || isUnknownHost(element);
  /** @type {WatchedOutcome} */
  const watched = {
    element: control, before: tellingStates(control), situation: currentSituation(), isPartial, hasChanged: false, isOpen: false,
    downloads: [],
    observer: new MutationObserver((records) => { watched.hasChanged ||= records.some(isVisibleChange); }),
    listening: new AbortController(),
  };
  watchedOutcome = watched;
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  for (const root of [...rootsAround(element), ...(isPartial ? [] : knownRootsUnder(document))]) watched.observer.observe(root, everything);
  const options = { capture: true, passive: true, signal: watched.listening.signal };
  for (const type of visibleEvents) window.addEventListener(type, () => { watched.hasChanged = true; }, options);
  window.addEventListener('keydown', (event) => { watched.isOpen ||= scrollKeys.has(event.key); }, options);
  window.addEventListener('click', (event) => { if (event.composedPath().some(isDownloadLink)) watched.downloads.push(event); }, options);
  window.addEventListener('contextmenu', () => { watched.isOpen = true; }, options);
  setTimeout(() => { if (watchedOutcome === watched) forgetOutcome(); }, outcomeMs);
}

function forgetOutcome() {
  watchedOutcome?.observer.disconnect();
  watchedOutcome?.listening.abort();
  watchedOutcome = null;
}

/**
 * `outcome`: see `PageFunctions`.
 * @returns {Answer<Outcome>}
 */
function readOutcome() {
  const watched = watchedOutcome;
  if (watched === null) return { ok: { changed: null } };
  const begins = watched.downloads.some((event) => !event.defaultPrevented) ? { begins_download: /** @type {const} */ (true) } : {};
  const { element, before, observer } = watched;
  if (observer.takeRecords().some(isVisibleChange)) watched.hasChanged = true;
  forgetOutcome();
  const after = element.isConnected ? tellingStates(element) : before;
  const isOtherState = before.length !== after.length || before.some((state, index) => after[index] !== state);
  if (isOtherState || watched.hasChanged || watched.situation !== currentSituation()) {
    return { ok: { changed: true, ...(isOtherState ? { state: { before, after } } : {}), ...begins } };
  }
  const cannotTell = watched.isPartial || watched.isOpen || window.parent !== window || element.closest(nativePopups) !== null
    || paintedTags.some((tag) => document.getElementsByTagName(tag).length > 0) || hasFrameInSight();
  return { ok: { changed: cannotTell ? null : false, ...begins } };
}

/**
 * @param {EventTarget} node
 * @returns {boolean}
 */
function isDownloadLink(node) {
  return (node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement) && node.hasAttribute('download') && node.hasAttribute('href');
}

/**
 * The element's states as `observe` shows them; that it has the focus now goes without saying.
 * @param {Element} element
 * @returns {string[]}
 */
function tellingStates(element) {
  return statesOf(element, roleOf(element)).filter((state) => state !== 'focused');
}

/**
 * Whether the element may be or be in a shadow host whose root is not known.
 * @param {Element} element
 * @returns {boolean}
 */
function isUnknownHost(element) {
  for (let node = /** @type {Element | null} */ (element); node; node = composedParent(node)) {
    if (isCustomTag(node.localName) && shadowRootOf(node) === null) return true;
  }
  return false;
}

/** @returns {boolean} whether a frame of the document has a size */
function hasFrameInSight() {
  if (window.length === 0) return false;
  return [...document.querySelectorAll('iframe, frame')].some((frame) => {
    const { width, height } = frame.getBoundingClientRect();
    return width > 2 && height > 2;
  });
}

/**
 * Whether a change of nodes can be seen: not one of scripts, comments and metadata.
 * @param {MutationRecord} record
 * @returns {boolean}
 */
function isVisibleChange({ type, target, addedNodes, removedNodes }) {
  const isUnseen = (/** @type {Node} */ node) => node instanceof Comment || (node instanceof Element && /^(?:script|meta|template|base)$/.test(node.localName));
  if (isUnseen(target)) return false;
  return type !== 'childList' || [...addedNodes, ...removedNodes].some((node) => !isUnseen(node));
}

/**
 * Focus, selection and scroll offsets, to be compared. Never leaves the page.
 * @returns {string}
 */
function currentSituation() {
  const focused = focusedElement();
  const field = focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement ? focused : null;
  const selection = document.getSelection();
  const focusedRef = focused === null || focused === document.body ? 0 : identityOf(focused);
  const anchor = selection?.anchorNode ? identityOf(selection.anchorNode) : 0;
  return [focusedRef, field?.selectionStart, field?.selectionEnd, selection?.type, anchor, selection?.anchorOffset, selection?.focusOffset,
    window.scrollX, window.scrollY, document.title, location.href].join();
}

/** @type {WeakMap<Node, number>} */
const identities = new WeakMap();
let identityCount = 0;

/**
 * A number for a node, the same each time.
 * @param {Node} node
 * @returns {number}
 */
function identityOf(node) {
  const known = identities.get(node);
  if (known !== undefined) return known;
  identityCount += 1;
  identities.set(node, identityCount);
  return identityCount;
}
