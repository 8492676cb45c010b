// `wait`: a text or an element that appears or goes, or a page that comes to rest. What holds already is answered at once.
// Only what can be seen counts: text in hidden elements, scripts and styles is no text of the page, and an element that is not
// rendered or has no size is not there. Invariant: changes nothing and leaves nothing behind.

/** How long nothing may have changed for a page to be at rest. */
const restMs = 500;

/**
 * `wait`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['wait']>[0]} args
 * @returns {Promise<Answer<WaitAnswer>>}
 */
async function waitFor({ condition, value, timeout_ms }) {
  if (condition === 'quiet') return { ok: { holds: await pageAtRest(timeout_ms) } };
  const isText = condition === 'text' || condition === 'gone_text';
  const isForAbsence = condition === 'gone' || condition === 'gone_text';
  /** @type {string | undefined} */
  let obstacle;
  const found = await lookUntil(timeout_ms, () => {
    const seen = readingOnce(() => (isText ? shownWithText(value) : shownMatch(value)));
    if ('error' in seen) return { ...seen, wait_ms: 0 };
    const { element, hidden } = seen.ok;
    const beheld = isForAbsence ? element : hidden;
    obstacle = beheld === null ? undefined : describe(beheld);
    if ((element === null) === isForAbsence) return { ok: element };
    return { ...fail('timeout', 'element_not_found', 'not yet', ''), wait_ms: Infinity };
  });
  if ('ok' in found) {
    if (found.ok === null) return { ok: { holds: true } };
    const { ref, role, name } = usedElement(found.ok);
    return { ok: { holds: true, element: { ref, role, name } } };
  }
  if (found.error.code !== 'timeout') return found;
  return { ok: { holds: false, ...(obstacle === undefined ? {} : { obstacle }) } };
}

/**
 * The innermost element that shows a text; else one that holds it unseen.
 * @param {string} text
 * @returns {{ ok: { element: Element | null, hidden: Element | null } }}
 */
function shownWithText(text) {
  const wanted = folded(text);
  const holding = elementsWithText(wanted);
  const isShown = (/** @type {Element} */ element) => isRendered(element) && folded(ownText(element)).includes(wanted);
  const element = holding.find(isShown) ?? null;
  return { ok: { element, hidden: element === null ? holding.find((candidate) => !isRendered(candidate)) ?? null : null } };
}

/**
 * The first match of a selector that can be seen; else one that cannot.
 * @param {string} selector
 * @returns {Answer<{ element: Element | null, hidden: Element | null }>}
 */
function shownMatch(selector) {
  /** @type {Element | null} */
  let hidden = null;
  try {
    for (const root of rootsInTurn()) {
      for (const element of root.querySelectorAll(selector)) {
        if (isRendered(element) && clientRectsOf(element).length > 0) return { ok: { element, hidden: null } };
        hidden ??= element;
      }
    }
  } catch {
    return fail('invalid_params', 'selector_invalid', `\`${selector}\` is not a CSS selector`, 'give a selector such as `form button`');
  }
  return { ok: { element: null, hidden } };
}

/**
 * The document, then its known shadow roots: these are only looked for when the document was not enough.
 * @returns {Generator<Document | ShadowRoot, void>}
 */
function* rootsInTurn() {
  yield document;
  yield* knownRootsUnder(document);
}

/**
 * Waits until the document has loaded and nothing in it changed for `restMs`.
 * @param {number} timeoutMs
 * @returns {Promise<boolean>} whether that came in time
 */
async function pageAtRest(timeoutMs) {
  const until = performance.now() + timeoutMs;
  let changedAt = performance.now();
  const observer = new MutationObserver(() => { changedAt = performance.now(); });
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, everything);
  for (const root of knownRootsUnder(document)) observer.observe(root, everything);
  try {
    for (;;) {
      const now = performance.now();
      if (now - changedAt >= restMs && document.readyState === 'complete') return true;
      if (now >= until) return false;
      await pauseFor(Math.max(10, Math.min(until, changedAt + restMs) - now));
    }
  } finally {
    observer.disconnect();
  }
}
