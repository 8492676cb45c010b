// Shadow roots, the closed ones too: the page's `attachShadow` is never touched. A closed root cannot be seen from here, so
// the library only names elements that may hold one; the kernel asks the debugger about them (kernel/shadow_roots.js) and
// hands the roots over, which are kept here and walked from then on like open ones. Cheap enough for every node of a walk.
// Invariants: a root is taken only from the kernel and only with its own host; nothing here holds on to removed elements.

/** Elements besides custom ones that may attach a root: https://dom.spec.whatwg.org/#valid-shadow-host-name */
const shadowHostTags = new Set(['article', 'aside', 'blockquote', 'body', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
  'header', 'main', 'nav', 'p', 'section', 'span']);
/** How many candidates the kernel is given at once. */
const MOST_CANDIDATES = 200;
/** After this time an element that held no root is looked at again, as a root can be attached at any time. */
const LOOK_AGAIN_MS = 5000;
/** Of those, how many in one walk: pages have many empty boxes. */
const MOST_AGAIN = 50;

/** Closed roots by their hosts. @type {WeakMap<Element, ShadowRoot>} */
const adoptedRoots = new WeakMap();
/** Spares pages without closed roots the look into the map. */
let hasAdopted = false;
/** When the kernel was last asked about an element. @type {WeakMap<Element, number>} */
const examinedAt = new WeakMap();
/** @type {Set<Element>} */
const candidates = new Set();
let againCount = 0;

/**
 * The element's shadow root as far as it is known.
 * @param {Element} element
 * @returns {ShadowRoot | null}
 */
function shadowRootOf(element) {
  return element.shadowRoot ?? (hasAdopted ? adoptedRoots.get(element) ?? null : null);
}

/**
 * The slot that a node is in. Of a closed root the browser does not tell, so its slots are asked.
 * @param {Element | Text} node
 * @returns {HTMLSlotElement | null}
 */
function slotOf(node) {
  if (node.assignedSlot !== null || !hasAdopted || node.parentElement === null) return node.assignedSlot;
  const root = adoptedRoots.get(node.parentElement);
  if (root === undefined) return null;
  for (const slot of root.querySelectorAll('slot')) if (slot.assignedNodes().includes(node)) return slot;
  return null;
}

/**
 * Whether a closed root may be in this element; its box is the caller's question: what shows nothing holds nothing to see.
 * @param {Element} element
 * @returns {boolean}
 */
function mayHoldClosedRoot(element) {
  const tag = element.localName;
  const isCustom = isCustomTag(tag);
  if (!isCustom && !shadowHostTags.has(tag)) return false;
  // Contents of its own say that an element shows just those; what a defined custom element shows is its own affair.
  if (!(isCustom && element.matches(':defined')) && !isEmpty(element)) return false;
  if (shadowRootOf(element) !== null) return false;
  const last = examinedAt.get(element);
  return last === undefined || (againCount < MOST_AGAIN && performance.now() - last > LOOK_AGAIN_MS);
}

/**
 * @param {string} tag
 * @returns {boolean}
 */
function isCustomTag(tag) {
  return tag.includes('-');
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function isEmpty(element) {
  return element.firstChild === null || (element.firstElementChild === null && !/\S/.test(element.textContent ?? ''));
}

/** A new walk begins: what an earlier one found is forgotten. */
function forgetCandidates() {
  candidates.clear();
  againCount = 0;
}

/**
 * Takes note of an element that may hold a closed root.
 * @param {Element} element
 */
function noteCandidate(element) {
  if (examinedAt.has(element) && !candidates.has(element)) againCount += 1;
  candidates.add(element);
}

/** @returns {number} how many elements the last walk noted that the kernel has not asked about yet */
function candidateCount() {
  return candidates.size;
}

/**
 * For the kernel: the elements to examine, custom ones first. They count as examined from now on.
 * @returns {Element[]}
 */
function shadowCandidates() {
  const now = performance.now();
  const isCustom = (/** @type {Element} */ element) => isCustomTag(element.localName);
  const ordered = [...candidates].filter(isCustom).concat([...candidates].filter((element) => !isCustom(element)));
  const taken = ordered.slice(0, MOST_CANDIDATES);
  for (const element of taken) {
    candidates.delete(element);
    examinedAt.set(element, now);
  }
  return taken;
}

/**
 * For the kernel: from now on this root is walked like an open one.
 * @param {unknown} root
 * @returns {boolean} whether it was a closed root that was not known yet
 */
function adoptShadowRoot(root) {
  if (!(root instanceof ShadowRoot) || root.mode !== 'closed' || adoptedRoots.has(root.host)) return false;
  adoptedRoots.set(root.host, root);
  hasAdopted = true;
  return true;
}
