// Targets: from a ref or a CSS selector to an element of this document, and waiting for pages that are not ready yet.
// A selector means its first match in the document, else in the known shadow roots in document order; a ref means its one
// element. Refuses to guess: a bad selector and a stale ref fail at once, only a selector without a match is waited for.
// Waiting is driven by mutations and a few events, with a timer behind them because style sheets, shadow roots and media
// change without either; no frame callbacks, which never come in a background tab, and no busy loop.

/**
 * One look at the page: what was wanted, or why not and for how long that reason is worth waiting for.
 * @template T
 * @typedef {{ ok: T } | { error: PageError, wait_ms: number }} Attempt
 */

/** Longest time between two looks while waiting. */
const RECHECK_MS = 100;
/** Shortest time between two looks, so that a page that changes all the time is not slowed down by us. */
const LOOK_GAP_MS = 16;
/** Events after which a waited-for condition may hold although no node changed. */
const CHANGE_EVENTS = ['transitionend', 'animationend', 'load', 'resize', 'toggle'];
/** Of these what can be a reaction to input. Not the window's size, which the browser's notice about debugging changes. */
const REACTION_EVENTS = ['transitionend', 'animationend', 'toggle'];

/**
 * The element that a target means now.
 * @param {Target} target
 * @returns {Attempt<Element>}
 */
function resolveTarget(target) {
  if ('ref' in target) {
    const known = elementOfRef(target.ref);
    return 'error' in known ? { ...known, wait_ms: 0 } : known;
  }
  try {
    const element = firstMatch(target.selector);
    if (element) return { ok: element };
  } catch {
    return {
      ...fail('invalid_params', 'selector_invalid', `\`${target.selector}\` is not a CSS selector`,
        'give a ref such as `@e3` or a selector such as `form button`'),
      wait_ms: 0,
    };
  }
  return {
    ...fail('not_found', 'selector_not_found', `no element matches the selector \`${target.selector}\``,
      'run `bsk observe` to see what the page has'),
    wait_ms: Infinity,
  };
}

/**
 * The first match in the document, else in its shadow roots, the closed ones that an observation found included.
 * @param {string} selector throws a `SyntaxError` when it is not one
 * @returns {Element | null}
 */
function firstMatch(selector) {
  const inDocument = document.querySelector(selector);
  if (inDocument) return inDocument;
  for (const root of knownRootsUnder(document)) {
    const inRoot = root.querySelector(selector);
    if (inRoot) return inRoot;
  }
  return null;
}

/**
 * The shadow roots under a node that are known, nested ones included, in document order.
 * @param {Document | ShadowRoot} root
 * @returns {Generator<ShadowRoot, void>}
 */
function* knownRootsUnder(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const inner = node instanceof Element ? shadowRootOf(node) : null;
    if (!inner) continue;
    yield inner;
    yield* knownRootsUnder(inner);
  }
}

/**
 * The document and the shadow roots that hold a node, innermost first. Knows closed roots too: from inside they show.
 * @param {Node} node
 * @returns {(Document | ShadowRoot)[]}
 */
function rootsAround(node) {
  /** @type {(Document | ShadowRoot)[]} */
  const roots = [];
  let root = node.getRootNode();
  while (root instanceof ShadowRoot) {
    roots.push(root);
    root = root.host.getRootNode();
  }
  roots.push(document);
  return roots;
}

/**
 * The element that has the focus, looked for inside the known shadow roots and those around `near`.
 * @param {Element} [near]
 * @returns {Element | null}
 */
function focusedElement(near) {
  const known = near ? rootsAround(near) : [];
  let active = document.activeElement;
  while (active) {
    const host = active;
    const inner = shadowRootOf(host) ?? known.find((root) => root instanceof ShadowRoot && root.host === host);
    if (!inner?.activeElement) break;
    active = inner.activeElement;
  }
  return active;
}

/**
 * Whether `inner` is `outer` or below it, through shadow roots and slots.
 * @param {Element} outer
 * @param {Element | null} inner
 * @returns {boolean}
 */
function holdsElement(outer, inner) {
  for (let node = inner; node; node = composedParent(node)) if (node === outer) return true;
  return false;
}

/**
 * An element in a few words for a message: `div#veil`, `button "Go"`. Page text in it is short and has no backticks.
 * @param {Element} element
 * @returns {string}
 */
function describe(element) {
  const id = element.getAttribute('id');
  const tidy = (/** @type {string} */ text) => shortName(text.replace(/\s+/g, ' ').trim());
  if (id) return `${element.localName}#${tidy(id)}`;
  const name = tidy(nameOf(element));
  if (name) return `${element.localName} "${name}"`;
  const firstClass = element.classList.item(0);
  return firstClass ? `${element.localName}.${tidy(firstClass)}` : element.localName;
}

/**
 * What an answer says about the element that was used.
 * @param {Element} element
 * @returns {UsedElement}
 */
function usedElement(element) {
  const [ref, role, name] = [refOf(element), roleOf(element), nameOf(element)];
  const told = toldByRef.get(ref);
  rememberTold(ref, role, name);
  const isSame = told === undefined || (told.role === role && told.name === name);
  return { ref, role, name, ...(isSame ? {} : { was: told }) };
}

/**
 * Looks until the look succeeds, the deadline passes, or one reason has lasted as long as it is worth; the last reason
 * is the answer. The first look costs no timer and no observer.
 * @template T
 * @param {number} timeoutMs
 * @param {() => Attempt<T> | Promise<Attempt<T>>} look
 * @returns {Promise<Answer<T>>}
 */
async function lookUntil(timeoutMs, look) {
  const started = performance.now();
  let outcome = await look();
  if ('ok' in outcome) return outcome;
  let reason = outcome.error.reason;
  let reasonSince = started;
  let cost = performance.now() - started;
  const page = watchPage();
  try {
    for (;;) {
      const now = performance.now();
      if (outcome.error.reason !== reason) {
        reason = outcome.error.reason;
        reasonSince = now;
      }
      const left = Math.min(started + timeoutMs, reasonSince + outcome.wait_ms) - now;
      if (left <= 0) return { error: outcome.error };
      await page.change(Math.min(left, RECHECK_MS), Math.min(left, LOOK_GAP_MS + 3 * cost));
      const lookStarted = performance.now();
      outcome = await look();
      if ('ok' in outcome) return outcome;
      cost = performance.now() - lookStarted;
    }
  } finally {
    page.stop();
  }
}

/**
 * Watches the document for changes.
 * @param {string[]} [events] that count as one, too
 * @returns {{ change(atMostMs: number, atLeastMs: number): Promise<void>, stop(): void }} `change` resolves on a change
 *   since the last call, not before `atLeastMs` and not after `atMostMs`, whichever of the two is longer
 */
function watchPage(events = CHANGE_EVENTS) {
  let changed = false;
  /** @type {(() => void) | null} */
  let wake = null;
  const note = () => {
    changed = true;
    wake?.();
  };
  const observer = new MutationObserver(note);
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, everything);
  for (const root of knownRootsUnder(document)) observer.observe(root, everything);
  for (const type of events) window.addEventListener(type, note, { capture: true, passive: true });
  return {
    async change(atMostMs, atLeastMs) {
      const started = performance.now();
      if (!changed) {
        await withinTime(new Promise((resolve) => { wake = () => resolve(undefined); }), atMostMs);
        wake = null;
      }
      const rest = atLeastMs - (performance.now() - started);
      if (rest > 0) await pauseFor(rest);
      changed = false;
    },
    stop() {
      observer.disconnect();
      for (const type of events) window.removeEventListener(type, note, { capture: true });
    },
  };
}

/**
 * Waits for a promise, but no longer than `ms`.
 * @param {Promise<unknown>} promise
 * @param {number} ms
 * @returns {Promise<void>}
 */
async function withinTime(promise, ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((resolve) => { timer = setTimeout(() => resolve(undefined), ms); });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

/**
 * @param {number} ms
 * @returns {Promise<void>}
 */
function pauseFor(ms) {
  return new Promise((resolve) => { setTimeout(() => resolve(), ms); });
}

/**
 * Resolves in a later task, when handlers of the event at hand and their microtasks have run. A message, because timers
 * are held back in background tabs.
 * @returns {Promise<void>}
 */
function nextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** What a `prepare` watches for the `settle` after it. @type {ReturnType<typeof watchPage> | null} */
let reaction = null;

/** Notes changes of the page from now on, until `settle` asks for one or much later. */
function watchReaction() {
  reaction?.stop();
  const page = watchPage(REACTION_EVENTS);
  reaction = page;
  setTimeout(() => page.stop(), 60_000);
}

/**
 * `settle`: see `PageFunctions`. Messages and timers that the page set going while it handled the input run first.
 * @param {Parameters<PageFunctions['settle']>[0]} args
 * @returns {Promise<Answer<Record<string, never>>>}
 */
async function settlePage({ timeout_ms, until_change = false }) {
  const watched = reaction;
  if (until_change) {
    reaction = null;
    const page = watched ?? watchPage(REACTION_EVENTS);
    await page.change(timeout_ms, 0);
    page.stop();
    return { ok: {} };
  }
  await withinTime(nextTask().then(() => pauseFor(0)).then(() => nextTask()), timeout_ms);
  return { ok: {} };
}
