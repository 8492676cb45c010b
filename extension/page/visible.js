// What is rendered, what is inert, and how the flat tree hangs together: the one rule that both listing and acting go by.
// Rendered means that the element has boxes and is not made invisible by `display`, `visibility`, `content-visibility` or
// a closed `<details>`; transparent, clipped or off-screen elements are rendered, and `aria-hidden` does not matter, since
// a person can point at them. Covering and size are the acting half's questions, not asked here. Text that only CSS shows
// (`::before`, `::after`) is read here too.
// Invariants: the flat tree is walked only through `composedChildren` and `composedParent`; within one `readingOnce` no
// element's style is read twice; shadow roots are reached only through `shadowRootOf`; nothing is written to the page.

/**
 * What an element's computed style says about showing it.
 * @typedef {object} StyleFacts
 * @property {string} display
 * @property {boolean} isVisible `visibility` is `visible`
 * @property {boolean} isPointer `cursor` is `pointer`
 */

/**
 * What has been read since `readingOnce` began. Valid only inside one synchronous pass, as the page can change after it.
 * @typedef {object} ReadPass
 * @property {Map<Element, StyleFacts>} styles
 * @property {Map<Element, NameAndSource>} names
 * @property {Map<Element, string>} roles
 * @property {Map<Node, Map<Element, Element[]>>} labels the labels of each control, by tree
 * @property {Element | null | undefined} modal the top modal dialog; undefined is not looked for yet
 * @property {boolean} isOfFew it reads a few elements, so that a search of the whole page costs more than it spares
 * @property {PageSheets | undefined} sheets undefined is not read yet
 * @property {AttributeFacts | undefined} attributes undefined is not read yet
 * @property {Map<Element, DOMRect> | null | undefined} rects measured beforehand; null where nothing had to be, undefined is not decided yet
 * @property {ReadonlySet<Node> | undefined} clobbered forms that hide what every element has; undefined is not looked for yet
 * @property {Map<Element, boolean>} unseen whether text in the element cannot be seen
 */

/** @type {ReadPass | null} */
let currentPass = null;

/**
 * Runs a synchronous function during which facts about elements are read at most once.
 * @template T
 * @param {() => T} run must neither change the page nor wait
 * @param {boolean} [isOfFew] see `ReadPass`; a pass within another is of its kind
 * @returns {T}
 */
function readingOnce(run, isOfFew = false) {
  if (currentPass !== null) return run();
  currentPass = {
    styles: new Map(), names: new Map(), roles: new Map(), labels: new Map(), unseen: new Map(), isOfFew,
    modal: undefined, sheets: undefined, attributes: undefined, rects: undefined, clobbered: undefined,
  };
  try {
    return run();
  } finally {
    currentPass = null;
  }
}

/**
 * @param {Element} element
 * @returns {StyleFacts}
 */
function styleFacts(element) {
  const known = currentPass?.styles.get(element);
  if (known !== undefined) return known;
  const style = getComputedStyle(element);
  const facts = {
    display: style.display,
    isVisible: style.visibility === 'visible',
    isPointer: style.cursor === 'pointer',
  };
  currentPass?.styles.set(element, facts);
  return facts;
}

/**
 * What the page's style sheets could do, as far as this pass has met them; null outside of a pass.
 * @returns {PageSheets | null}
 */
function pageSheets() {
  return currentPass === null ? null : currentPass.sheets ??= emptySheets();
}

/**
 * Whether something on the page may have this set, so that it is worth looking at an element's style.
 * @param {keyof AttributeFacts} property
 * @returns {boolean}
 */
function maySet(property) {
  const sheets = pageSheets();
  if (currentPass === null || sheets === null || currentPass.isOfFew || sheets[property]) return true;
  return (currentPass.attributes ??= factsOfAttributes())[property];
}

/**
 * The element's contents are not rendered, though it is itself: `content-visibility: hidden`.
 * @param {Element} element
 * @returns {boolean}
 */
function skipsContents(element) {
  return maySet('skipsContents') && getComputedStyle(element).contentVisibility === 'hidden';
}

/**
 * The parent in the flat tree: through the slot for slotted nodes, through the host for what is in a shadow root. Clobbered forms
 * are looked through.
 * @param {Node} node
 * @returns {Element | null}
 */
function composedParent(node) {
  const slot = node instanceof Element || node instanceof Text ? slotOf(node) : null;
  if (slot !== null) return slot;
  /** @type {Node | null} */
  let parent = node.parentNode;
  while (parent !== null && isClobbered(parent)) parent = relativeOf(parent, 'parentNode');
  if (parent instanceof ShadowRoot) return parent.host;
  return parent instanceof Element ? parent : null;
}

/**
 * The children in the flat tree. Children of a host that no slot takes are in nobody's list: they are not rendered.
 * @param {Node} node
 * @returns {ArrayLike<Node>}
 */
function composedChildren(node) {
  if (!(node instanceof Element)) return node.childNodes;
  const shadow = shadowRootOf(node);
  if (shadow !== null) return shadow.childNodes;
  if (node.localName === 'slot' && node instanceof HTMLSlotElement) {
    const assigned = node.assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return node.childNodes;
}

/**
 * Calls `visit` for each child in the flat tree; the quick form of `composedChildren` for whole walks.
 * @param {Element} element
 * @param {(child: Node) => void} visit
 */
function visitComposedChildren(element, visit) {
  if (isClobbered(element)) {
    for (let child = relativeOf(element, 'firstChild'); child !== null; child = relativeOf(child, 'nextSibling')) visitVisible(child, visit);
    return;
  }
  if (element.localName === 'slot') {
    const children = composedChildren(element);
    for (let index = 0; index < children.length; index++) {
      const child = children[index];
      if (child !== undefined) visitVisible(localised(child), visit);
    }
    return;
  }
  const shadow = shadowRootOf(element);
  if (shadow !== null) localised(shadow);
  const sheets = currentPass?.sheets;
  if (shadow !== null && sheets !== undefined) learnSheets(sheets, shadow);
  const parent = shadow ?? element;
  for (let child = /** @type {Node | null} */ (parent.firstChild); child !== null; child = relativeOf(child, 'nextSibling')) visitVisible(localised(child), visit);
}

/**
 * Visits a child, or where that is a clobbered form what is in it.
 * @param {Node} child
 * @param {(child: Node) => void} visit
 */
function visitVisible(child, visit) {
  if (child instanceof Element && isClobbered(child)) visitComposedChildren(child, visit);
  else visit(child);
}

/** @type {Document | null} */
let emptyDocument = null;

/**
 * The same node with this frame's classes. One that a script moved here from another frame, where it was observed, still has
 * that frame's, and is an instance of nothing here. The page's own view of it is another object and does not change.
 * @template {Node} T
 * @param {T} node
 * @returns {T}
 */
function localised(node) {
  if (node instanceof Node) return node;
  const moved = /** @type {Node} */ (node);
  // Elements of an empty document never are custom ones, so nothing of the page's runs.
  emptyDocument ??= document.implementation.createHTMLDocument('');
  const twin = moved.nodeType === Node.DOCUMENT_FRAGMENT_NODE ? null : emptyDocument.importNode(moved, false);
  Object.setPrototypeOf(moved, twin === null ? ShadowRoot.prototype : Object.getPrototypeOf(twin));
  return node;
}

/**
 * The element is in the page as something that a person could see or point at.
 * @param {Element} element
 * @returns {boolean}
 */
function isRendered(element) {
  if (!element.isConnected) return false;
  const owner = boxOwner(element);
  if (owner === null) return false;
  const facts = styleFacts(element);
  // A collapsed `<select>` has no boxes for its options, and an `<area>` never has any: the owner answers for them.
  if (owner !== element) return (facts.display !== 'none' || element.localName === 'area') && isRendered(owner);
  if (!facts.isVisible) return false;
  if (facts.display !== 'contents') return element.checkVisibility();
  for (let parent = composedParent(element); parent !== null; parent = composedParent(parent)) {
    const above = styleFacts(parent);
    if (hidesContents(parent, element)) return false;
    if (above.display !== 'contents') return parent.checkVisibility();
  }
  return false;
}

/**
 * The element whose boxes stand for this one: the select of an option, the image of an area, else itself.
 * Null when there is no such element.
 * @param {Element} element
 * @returns {Element | null}
 */
function boxOwner(element) {
  if (element instanceof HTMLOptionElement || element instanceof HTMLOptGroupElement) {
    return element.closest('select') ?? element;
  }
  if (!(element instanceof HTMLAreaElement)) return element;
  const name = element.closest('map')?.name;
  if (!name) return null;
  const root = element.getRootNode();
  return root instanceof Document || root instanceof ShadowRoot ? root.querySelector(`img[usemap="#${CSS.escape(name)}"]`) : null;
}

/**
 * The parent is rendered but keeps this child (or with none given, its children at large) from being so.
 * @param {Element} parent
 * @param {Node} child
 * @returns {boolean}
 */
function hidesContents(parent, child) {
  if (parent.localName === 'details' && parent instanceof HTMLDetailsElement && !parent.open) {
    return child !== parent.querySelector(':scope > summary');
  }
  return skipsContents(parent);
}

/**
 * The element takes no clicks and no focus: it or something around it is `inert`, or a modal dialog is open elsewhere.
 * @param {Element} element
 * @param {Element | null} [modal] the modal dialog that is open
 * @returns {boolean}
 */
function isInert(element, modal = topModal()) {
  for (let at = /** @type {Element | null} */ (element); at !== null; at = composedParent(at)) {
    if (at.hasAttribute('inert')) return true;
    // A modal dialog does not inherit inertness from what is around it.
    if (at === modal) return false;
  }
  return modal !== null;
}

/**
 * The modal dialog that everything outside of is blocked by, or null.
 * @returns {Element | null}
 */
function topModal() {
  if (currentPass !== null && currentPass.modal !== undefined) return currentPass.modal;
  const centre = dialogAt(innerWidth / 2, innerHeight / 2);
  const top = topOf(new Set([...documentModals(), ...(centre === null ? [] : [centre])]));
  if (currentPass !== null) currentPass.modal = top;
  return top;
}

/**
 * As `topModal`, without those in shadow roots.
 * @returns {Element | null}
 */
function documentModal() {
  return topOf(new Set(documentModals()));
}

/** @returns {Element[]} */
function documentModals() {
  return [...document.getElementsByTagName('dialog')].filter((dialog) => dialog.matches(':modal'));
}

/**
 * @param {Set<Element>} open
 * @returns {Element | null} the one that can be hit; the last of them when none can
 */
function topOf(open) {
  let top = null;
  for (const dialog of open) {
    top = dialog;
    if (open.size > 1 && isHitInside(dialog)) break;
  }
  return top;
}

/**
 * Whether pointing at the dialog finds it. Hit testing passes over what is inert, so of several modal dialogs only the
 * top one is ever found; the order in which they were opened is not readable.
 * @param {Element} dialog
 * @returns {boolean}
 */
function isHitInside(dialog) {
  const box = dialog.getBoundingClientRect();
  return [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]]
    .some(([across, down]) => dialogAt(box.x + box.width * (across ?? 0), box.y + box.height * (down ?? 0)) === dialog);
}

/**
 * The innermost modal dialog around what a point hits, also in shadow roots.
 * @param {number} x @param {number} y in CSS pixels of the viewport
 * @returns {Element | null}
 */
function dialogAt(x, y) {
  /** @type {Element | null} */
  let hit = document.elementFromPoint(x, y);
  for (let root = hit && shadowRootOf(hit); root; root = hit && shadowRootOf(hit)) {
    const deeper = root.elementFromPoint(x, y);
    if (deeper === null || deeper === hit) break;
    hit = deeper;
  }
  while (hit !== null && !hit.matches('dialog:modal')) hit = composedParent(hit);
  return hit;
}

/**
 * The element's bounding box in CSS pixels of this frame's viewport.
 * @param {Element} element
 * @returns {Box}
 */
function boxOf(element) {
  const owner = boxOwner(element) ?? element;
  if (element instanceof HTMLAreaElement && owner instanceof HTMLElement) return areaBox(element, owner);
  let rect = element.getBoundingClientRect();
  if (owner !== element && rect.width === 0 && rect.height === 0) rect = owner.getBoundingClientRect();
  if (rect.width === 0 && rect.height === 0 && styleFacts(element).display === 'contents') {
    const range = new Range();
    range.selectNodeContents(shadowRootOf(element) ?? element);
    rect = range.getBoundingClientRect();
  }
  return { x: rect.x, y: rect.y, width: rect.width, height: rect.height };
}

/**
 * The bounding box of an image map's area.
 * @param {HTMLAreaElement} area @param {HTMLElement} image
 * @returns {Box}
 */
function areaBox(area, image) {
  const rect = image.getBoundingClientRect();
  const numbers = area.coords.split(/[\s,]+/).map(Number).filter((number) => Number.isFinite(number));
  if (area.shape === 'circle' && numbers.length >= 3) {
    const [x = 0, y = 0, radius = 0] = numbers;
    return { x: rect.x + x - radius, y: rect.y + y - radius, width: 2 * radius, height: 2 * radius };
  }
  const across = numbers.filter((_, index) => index % 2 === 0);
  const down = numbers.filter((_, index) => index % 2 === 1);
  if (area.shape === 'default' || down.length < 2) return { x: rect.x, y: rect.y, width: rect.width, height: rect.height };
  const x = Math.min(...across);
  const y = Math.min(...down);
  return { x: rect.x + x, y: rect.y + y, width: Math.max(...across) - x, height: Math.max(...down) - y };
}

/** Private-use characters: pictures in some font, words in none. */
const privateUse = /[\u{e000}-\u{f8ff}\u{f0000}-\u{10ffff}]/gu;

/**
 * @param {string} display
 * @returns {boolean}
 */
function isInlineDisplay(display) {
  return display === 'inline' || display === 'contents' || display.startsWith('ruby');
}

/**
 * The text that CSS puts before or after an element's contents; its alternative text where there is one.
 * @param {Element} element @param {'::before' | '::after'} pseudo
 * @returns {string}
 */
function generatedText(element, pseudo) {
  const sheets = pageSheets();
  if (sheets !== null && !mayHaveGeneratedText(sheets, element)) return '';
  const style = getComputedStyle(element, pseudo);
  const content = style.content;
  if (content === 'none' || content === 'normal' || content === '') return '';
  if (style.display === 'none' || style.visibility !== 'visible') return '';
  const text = cssContentText(content, element).replace(privateUse, '');
  return isInlineDisplay(style.display) ? text : ` ${text} `;
}

/**
 * The text of a computed `content` value: strings, quotes and `attr()`; pictures and counters have none here. Alternative
 * text stands for a picture, and so apart from what is around it.
 * @param {string} content such as `"Total: "`, `url("a.png") / "Logo"`
 * @param {Element} element
 * @returns {string}
 */
function cssContentText(content, element) {
  let text = '';
  let isAlternative = false;
  const parts = /"((?:[^"\\]|\\[^])*)"|(?<![\w-])(open-quote|close-quote)|attr\(\s*([\w-]+)[^)]*\)|[a-z-]+\((?:"(?:[^"\\]|\\[^])*"|[^")])*\)|(\/)/gi;
  for (const [, quoted, mark, attribute, slash] of content.matchAll(parts)) {
    if (slash !== undefined) {
      text = '';
      isAlternative = true;
    } else if (mark !== undefined) text += mark === 'open-quote' ? '“' : '”';
    else if (attribute !== undefined) text += element.getAttribute(attribute) ?? '';
    else if (quoted !== undefined) text += quoted.replace(/\\(?:([0-9a-f]{1,6})\s?|([^]))/gi, unescapeCss);
  }
  return isAlternative && text !== '' ? ` ${text} ` : text;
}

/**
 * @param {string} whole @param {string | undefined} hex @param {string | undefined} literal
 * @returns {string}
 */
function unescapeCss(whole, hex, literal) {
  if (hex === undefined) return literal ?? whole;
  const point = Number.parseInt(hex, 16);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
}
