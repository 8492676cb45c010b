// `observe`: one walk over the flat tree that gives a row to each node that matters, for the host to render.
// Wrappers without role, name or use are flattened away; text is joined into runs; text that already is a row's name is
// not repeated below it. The full form keeps every role and all text. Refuses to list what is not rendered; what is inert is
// listed and says so. Listing goes by sight, so `aria-hidden` matters to names only; text that nobody can see is left out.
// Invariants: rows are in flat-tree order, what is owned (`aria-owns`) below its owner; refs are given only to rows that stay,
// to what a person can act on; the walk writes nothing, so style and layout are computed at most once; it ends in time.

/**
 * A row on its way to becoming columns.
 * @typedef {object} Row
 * @property {number} depth
 * @property {string} role
 * @property {string} name
 * @property {string} value
 * @property {string} description
 * @property {string[]} states
 * @property {Element} element the element itself; for text the one around it
 * @property {boolean} hasRef
 * @property {[Text, Text] | null} text the first and last node of a run of text
 * @property {number} place a digit of the `place` column
 * @property {DOMRect | null} rect where it was measured
 * @property {Clip | null} clip what it is seen through, where that matters
 * @property {boolean} isGone taken back: another row says the same
 */

/**
 * A run of text that is still growing.
 * @typedef {object} Run
 * @property {string} text
 * @property {Text | null} first
 * @property {Text | null} last
 * @property {Element | null} element around the run's beginning
 * @property {Around} around
 */

/**
 * What holds for a subtree by what is above it.
 * @typedef {object} Around
 * @property {number} depth of the rows in it
 * @property {boolean} isCovered its text is the name of a row above
 * @property {string} said a name above that the text may repeat, '' for none
 * @property {boolean} isInert
 * @property {boolean} isAriaHidden
 * @property {Where} where
 */

/**
 * @typedef {object} Walk
 * @property {Row[]} rows
 * @property {Run} run
 * @property {Set<Element>} labellers elements whose text is told as a field's name (`aria-labelledby`) or a control's description
 * @property {Map<Element, Element>} owners the owner of each element that is owned by `aria-owns`
 * @property {Map<Element, Set<number>>} spanned by row of a table the columns that cells of rows above reach down to
 * @property {Options} options
 * @property {number} deadline on the clock of `performance.now`
 * @property {number} met elements met so far
 * @property {boolean} isPartial the deadline came before the end
 * @property {Range} range one for all measuring of text, as each living range slows the page's changes down
 */

/** @typedef {{ isFull: boolean, links: boolean, boxes: boolean, invisible: boolean }} Options */

const unlistedTags = new Set(['head', 'script', 'style', 'template', 'noscript', 'datalist', 'link', 'meta', 'title', 'source', 'track',
  'param', 'wbr', 'col', 'colgroup', 'clipPath', 'defs', 'desc', 'marker', 'mask', 'metadata', 'pattern', 'symbol']);

/** Elements whose insides are fallback, internal or another document. */
const leafTags = new Set(['audio', 'canvas', 'embed', 'frame', 'iframe', 'img', 'input', 'meter', 'object', 'option', 'progress',
  'textarea', 'video']);

/** Nesting beyond which a page is not followed further: no page for people needs it, and the stack has an end. */
const deepestNesting = 1000;

/** Elements between two looks at the clock. */
const clockStride = 1024;

/**
 * `observe`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['observe']>[0]} args
 * @returns {Answer<string>}
 */
function observePage({ budget_ms, root_ref, form, links = false, boxes = false, invisible = false }) {
  const deadline = performance.now() + budget_ms;
  /** @type {Element | null} */
  let root = document.documentElement;
  if (root_ref !== undefined) {
    const found = elementOfRef(root_ref);
    if ('error' in found) return found;
    root = found.ok;
  }
  return { ok: readingOnce(() => packObservation(walkFrom(root, deadline, { isFull: form === 'full', links, boxes, invisible }))) };
}

/**
 * @param {Element | null} root
 * @param {number} deadline
 * @param {Options} options
 * @returns {Walk}
 */
function walkFrom(root, deadline, options) {
  forgetCandidates();
  const around = { depth: 0, isCovered: false, said: '', isInert: root !== null && isInert(root), isAriaHidden: false, where: whereAll() };
  /** @type {Walk} */
  const walk = {
    rows: [], run: emptyRun(around), labellers: new Set(), owners: ownersIn(document), spanned: new Map(), options, deadline, met: 0, isPartial: false,
    range: new Range(),
  };
  collectLabellers(document, walk.labellers);
  if (root !== null) walkElement(walk, root, around, 0);
  flushRun(walk, around);
  if (!options.isFull) {
    markCovered(walk.rows);
    markHoverSurfaces(walk.rows);
  }
  return walk;
}

/**
 * @param {Document | ShadowRoot} root
 * @param {Set<Element>} labellers
 */
function collectLabellers(root, labellers) {
  for (const control of root.querySelectorAll('[role][aria-labelledby], :is(input, select, textarea)[aria-labelledby]')) {
    if ((control.hasAttribute('role') && !fieldRoles.has(roleOf(control))) || !isRendered(control)) continue;
    for (const labeller of labellersOf(control)) labellers.add(labeller);
  }
  for (const control of root.querySelectorAll('[aria-describedby]')) {
    if (interactivityOf(control) !== 'control' || !isRendered(control)) continue;
    for (const describer of describersOf(control)) labellers.add(describer);
  }
}

/**
 * The owner of each element that `aria-owns` moves; the first one that names it. What would own itself is left where it is.
 * @param {Document | ShadowRoot} root
 * @returns {Map<Element, Element>}
 */
function ownersIn(root) {
  /** @type {Map<Element, Element>} */
  const owners = new Map();
  for (const owner of root.querySelectorAll('[aria-owns]')) {
    if (!isRendered(owner)) continue;
    for (const owned of elementsByIds(owner, 'aria-owns')) {
      if (!owned.contains(owner) && !owners.has(owned)) owners.set(owned, owner);
    }
  }
  // Two that own each other have no place left: both stay where they are.
  for (const [owned, owner] of owners) {
    const seen = new Set([owned]);
    /** @type {Element | null} */
    let above = owner;
    while (above !== null && !seen.has(above)) {
      seen.add(above);
      above = owners.get(above) ?? composedParent(above);
    }
    if (above !== null) owners.delete(owned);
  }
  return owners;
}

/**
 * @param {Walk} walk
 * @param {Element} element
 * @param {Around} around
 * @param {number} nesting
 */
function walkElement(walk, element, around, nesting) {
  const tag = element.localName;
  if (unlistedTags.has(tag) || nesting > deepestNesting || isOutOfTime(walk)) return;
  if (tag === 'button' && element.parentElement?.localName === 'select') return;
  if (tag === 'br') {
    walk.run.text += ' ';
    return;
  }
  const facts = styleFacts(element);
  // The browser styles every `<area>` as not displayed; its image decides.
  if (facts.display === 'none' && tag !== 'area') return;
  const here = aroundWithin(element, facts, around);
  if (mayHoldClosedRoot(element) && (!needsBoxForRoot(element) || hasBox(element))) noteCandidate(element);
  const row = rowOf(walk, element, here, here.where !== around.where);
  const isInline = isInlineDisplay(facts.display);
  if (row === null) {
    const isApart = !isInline && facts.display !== 'inline-block' && !facts.display.endsWith('math');
    if (isApart) flushRun(walk, here);
    else if (!isInline) walk.run.text += ' ';
    walkChildren(walk, element, coveredBy(walk, element, here), nesting);
    if (isApart) flushRun(walk, around);
    else if (!isInline) walk.run.text += ' ';
    return;
  }
  flushRun(walk, here);
  const spanning = cellRoles.has(row.role) && !walk.options.isFull && element instanceof HTMLTableCellElement ? element : null;
  if (spanning !== null && walk.spanned.size > 0) padBefore(walk, spanning, here);
  const index = walk.rows.push(row) - 1;
  walkChildren(walk, element, belowRow(walk, element, row, here), nesting);
  flushRun(walk, around);
  if (!walk.options.isFull) settleRow(walk, index);
  if (spanning !== null && spanning.hasAttributes()) padAfter(walk, spanning, here);
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function hasBox(element) {
  const rect = rectOf(element);
  return rect !== null && rect.width > 0 && rect.height > 0;
}

/**
 * @param {Walk} walk
 * @returns {boolean}
 */
function isOutOfTime(walk) {
  if (++walk.met % clockStride === 0 && performance.now() > walk.deadline) walk.isPartial = true;
  return walk.isPartial;
}

/**
 * @param {Element} element @param {StyleFacts} facts @param {Around} around
 * @returns {Around} `around` itself where the element changes nothing
 */
function aroundWithin(element, facts, around) {
  const where = whereOf(element, facts, around.where);
  const isInertHere = isInertWithin(element, around.isInert);
  const isAriaHidden = around.isAriaHidden || element.getAttribute('aria-hidden') === 'true';
  const isSame = where === around.where && isInertHere === around.isInert && isAriaHidden === around.isAriaHidden;
  return isSame ? around : { ...around, where, isInert: isInertHere, isAriaHidden };
}

/**
 * Inertness of an element inside of something that is or is not inert, as `isInert` has it.
 * @param {Element} element @param {boolean} isAroundInert
 * @returns {boolean}
 */
function isInertWithin(element, isAroundInert) {
  if (element.hasAttribute('inert')) return true;
  return isAroundInert && !(element.localName === 'dialog' && element === topModal());
}

/**
 * @param {Walk} walk
 * @param {Element} element
 * @param {Around} around what holds for the children
 * @param {number} nesting
 */
function walkChildren(walk, element, around, nesting) {
  const tag = element.localName;
  if (leafTags.has(tag) && !(tag === 'object' && showsFallback(element))) return;
  if (tag === 'svg' && element.querySelector('a, text, foreignObject, [role], [tabindex]') === null) return;
  const shadow = shadowRootOf(element);
  if (shadow !== null) {
    collectLabellers(shadow, walk.labellers);
    for (const [owned, owner] of ownersIn(shadow)) walk.owners.set(owned, owner);
  }
  // A select shows its choice as its value, whatever else is written into it.
  const isShown = styleFacts(element).isVisible && !around.isCovered && tag !== 'select';
  if (isShown) appendText(walk, element, generatedText(element, '::before'), null, around);
  const hidesSome = tag === 'details' || skipsContents(element);
  visitComposedChildren(element, (child) => {
    if (child instanceof Text) {
      if (isShown && !(hidesSome && hidesContents(element, child))) appendText(walk, element, child.data, child, around);
    } else if (child instanceof Element && !(hidesSome && hidesContents(element, child)) && !walk.owners.has(child)) {
      walkElement(walk, child, around, nesting + 1);
    }
  });
  if (walk.owners.size > 0 && element.hasAttribute('aria-owns')) {
    for (const [owned, owner] of walk.owners) if (owner === element) walkElement(walk, owned, around, nesting + 1);
  }
  if (isShown) appendText(walk, element, generatedText(element, '::after'), null, around);
}

/**
 * An object whose document or picture did not come, so that its contents are shown instead.
 * @param {Element} element
 * @returns {boolean}
 */
function showsFallback(element) {
  const contents = new Range();
  contents.selectNodeContents(element);
  return contents.getClientRects().length > 0;
}
