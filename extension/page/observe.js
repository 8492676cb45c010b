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

/** Roles that say nothing by themselves; a row needs a name by the author or a use. */
const transparentRoles = new Set(['generic', 'none', 'paragraph', 'strong', 'emphasis', 'code', 'deletion', 'insertion', 'subscript',
  'superscript', 'mark', 'time', 'rowgroup', 'caption', 'document', 'form', 'group', 'suggestion', 'sectionheader', 'sectionfooter',
  'separator']);

/** Roles that hold cells or text: their text is listed below them, as their name only when there is nothing else. */
const cellRoles = new Set(['cell', 'gridcell', 'columnheader', 'rowheader', 'row']);

const unlistedTags = new Set(['head', 'script', 'style', 'template', 'noscript', 'datalist', 'link', 'meta', 'title', 'source', 'track',
  'param', 'wbr', 'col', 'colgroup', 'clipPath', 'defs', 'desc', 'marker', 'mask', 'metadata', 'pattern', 'symbol']);

/** Elements whose insides are fallback, internal or another document. */
const leafTags = new Set(['audio', 'canvas', 'embed', 'frame', 'iframe', 'img', 'input', 'meter', 'object', 'option', 'progress',
  'textarea', 'video']);

/** What stands between two links says nothing on its own. */
const separatorsOnly = /^[\s,.;:|\u00b7\u2022/()[\]]+$/;

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

/**
 * The element's row, or null when it is flattened away.
 * @param {Walk} walk @param {Element} element @param {Around} around
 * @param {boolean} isMeasured `around` is the element's own, its rectangle included
 * @returns {Row | null}
 */
function rowOf(walk, element, around, isMeasured) {
  // Most elements of most pages are bare wrappers: they need no second look.
  if (isBareWrapper(element)) return null;
  const { isFull, invisible } = walk.options;
  const { where } = around;
  const role = roleOf(element);
  const interactivity = interactivityOf(element);
  const scroll = isMeasured ? where.scroll : '';
  // Inside a control the pointer and its handlers are the control's.
  const hasRef = interactivity === 'control' || (interactivity === 'pointer' && !around.isCovered);
  if (!hasRef && scroll === '' && !isListed(element, role, around, isFull)) return null;
  if (!isRendered(element)) return null;
  const isUnseen = where.isAway || (!hasRef && contentNamedRoles.has(role) && isUnseenText(element));
  if (isUnseen && !hasRef && !invisible) return null;
  const isCell = !isFull && cellRoles.has(role) && !(hasRef && role !== 'row');
  const name = isCell ? authorName(element) : nameOf(element);
  if (!isFull && saysNothingNew(role, name, around, hasRef)) return null;
  const states = statesOf(element, role);
  if (hasRef && element.localName === 'label') pushLabelledStates(element, states);
  if (around.isInert && hasRef) states.push('inert');
  const rect = isMeasured ? where.rect : null;
  if (scroll !== '') states.push(scroll);
  if (role === 'canvas') states.push(sizeOf(rect ?? rectOf(element) ?? new DOMRect()));
  if (isUnseen && !isOftenProxied(element)) states.push('invisible');
  return {
    depth: around.depth, role: holdsDocument(element) ? 'iframe' : role === 'none' ? 'generic' : role, name, value: fieldValueOf(element, role),
    description: hasRef || name !== '' ? descriptionOf(element) : '', states, element, hasRef, text: null,
    place: rowPlace(element, where, hasRef), rect, clip: where.clip, isGone: false,
  };
}

/**
 * A picture whose alternative text is in the name around it, or a control that its author hid from those who listen and gave no
 * name: the same thing has another control beside it.
 * @param {string} role @param {string} name @param {Around} around @param {boolean} hasRef
 * @returns {boolean}
 */
function saysNothingNew(role, name, around, hasRef) {
  if (hasRef) return name === '' && around.isAriaHidden && role !== 'textbox' && role !== 'canvas' && role !== 'iframe';
  return role === 'img' && name !== '' && around.said.toLowerCase().includes(name.toLowerCase());
}

/**
 * An element that nothing but its style sheet could give a meaning, and does not.
 * @param {Element} element
 * @returns {boolean}
 */
function isBareWrapper(element) {
  const tag = element.localName;
  return (tag === 'div' || tag === 'span') && !element.hasAttributes() && !styleFacts(element).isPointer;
}

/**
 * A role that has a line of its own, use aside.
 * @param {Element} element @param {string} role @param {Around} around @param {boolean} isFull
 * @returns {boolean}
 */
function isListed(element, role, around, isFull) {
  if (isFull) return (role !== 'generic' && role !== 'none' && role !== 'document') || authorName(element) !== '';
  return !around.isCovered && (!transparentRoles.has(role) || isNamedWrapper(element, role));
}

/**
 * The digit of the `place` column.
 * @param {Element} element @param {Where} where @param {boolean} hasRef
 * @returns {number}
 */
function rowPlace(element, where, hasRef) {
  if (where.isAway) return places.none;
  if (where.place !== places.mixed) return where.place;
  if (!hasRef && !replacedTags.has(element.localName)) return places.none;
  // Inline controls and pictures in a block that is partly in view stand on their own.
  let rect = where.rect !== null && !isInlineDisplay(styleFacts(element).display) ? where.rect : rectOf(element);
  // Of what has no box of its own (an area of an image, `display: contents`) others' boxes tell.
  if (rect !== null && rect.width === 0 && rect.height === 0) rect = rectOfBox(boxOf(element));
  const place = rect === null ? places.none : placeOfRect(rect, where.clip);
  return place === places.mixed ? places.in : place;
}

/**
 * @param {Box} box
 * @returns {DOMRect}
 */
function rectOfBox({ x, y, width, height }) {
  return new DOMRect(x, y, width, height);
}

/**
 * A control that pages often hide from sight and show something of their own for: not seeing it says nothing.
 * @param {Element} element
 * @returns {boolean}
 */
function isOftenProxied(element) {
  return element.localName === 'select' || (element instanceof HTMLInputElement && /^(?:checkbox|radio|file)$/.test(element.type));
}

/**
 * @param {DOMRect} rect
 * @returns {string}
 */
function sizeOf(rect) {
  return `${Math.round(rect.width)}x${Math.round(rect.height)}`;
}

/**
 * A wrapper that the author gave a name to.
 * @param {Element} element @param {string} role
 * @returns {boolean}
 */
function isNamedWrapper(element, role) {
  if (role === 'group') return nameOf(element) !== '';
  return authorName(element) !== '';
}

/**
 * The name given by ARIA attributes only.
 * @param {Element} element
 * @returns {string}
 */
function authorName(element) {
  if (!element.hasAttribute('aria-label') && !element.hasAttribute('aria-labelledby')) return '';
  const name = nameAndSourceOf(element);
  return name.source === 'author' ? name.text : '';
}

/**
 * A label that stands for a control which is styled away tells the control's states.
 * @param {Element} label @param {string[]} states
 */
function pushLabelledStates(label, states) {
  const control = label instanceof HTMLLabelElement ? label.control : null;
  if (control !== null) states.push(...statesOf(control, roleOf(control)).filter((state) => !states.includes(state)));
}

/**
 * What holds below a row.
 * @param {Walk} walk @param {Element} element @param {Row} row @param {Around} around
 * @returns {Around}
 */
function belowRow(walk, element, row, around) {
  const below = { ...around, depth: around.depth + 1 };
  // What is in an image is part of the picture.
  if (walk.options.isFull) return row.role === 'img' ? { ...below, isCovered: true } : below;
  if (row.role === 'combobox' && row.value !== '') return { ...below, isCovered: true };
  if (row.name === '') return below;
  const { source } = nameAndSourceOf(element);
  if (source === 'content' || source === 'label' && element.localName === 'button') return { ...below, isCovered: true };
  // What is in an image is part of the picture, here as well.
  if (row.role === 'img') return { ...below, isCovered: true };
  if (contentNamedRoles.has(row.role)) return { ...below, said: row.name, isCovered: isSymbol(element) };
  if (source === 'author' && !row.hasRef && isInitials(element)) return { ...below, isCovered: true };
  return below;
}

/** The longest text, in UTF-16 units, that a name by the author stands for: initials, a count, an arrow. */
const longestSymbol = 8;

/**
 * What the element shows is too little to say more than the name that its author gave it.
 * @param {Element} element
 * @returns {boolean}
 */
function isSymbol(element) {
  return (element.textContent ?? '').trim().length <= longestSymbol;
}

/**
 * What the element shows are the first letters of the name that its author gave it, as in a round badge.
 * @param {Element} element
 * @returns {boolean}
 */
function isInitials(element) {
  return /^\s*\p{Lu}{1,3}\s*$/u.test(element.textContent ?? '');
}

/**
 * What holds below an element without a row: is its text the name of something that is listed?
 * @param {Walk} walk @param {Element} element @param {Around} around
 * @returns {Around}
 */
function coveredBy(walk, element, around) {
  if (around.isCovered || walk.options.isFull) return around;
  let named = null;
  switch (element.localName) {
    case 'label': named = element instanceof HTMLLabelElement && walk.labellers.has(element) === false ? element.control : null; break;
    case 'legend': case 'caption': case 'figcaption': {
      const parent = element.parentElement;
      named = parent !== null && namingPart(parent) === element ? parent : null;
    }
  }
  const covers = named === null ? walk.labellers.has(element) : isNamedBy(named);
  return covers ? { ...around, isCovered: true } : around;
}

/**
 * @param {Element} named
 * @returns {boolean}
 */
function isNamedBy(named) {
  // A custom element that is a form's field may show its parts only, which do not know its label.
  if (!isRendered(named) || (roleOf(named) === 'generic' && interactivityOf(named) === '')) return false;
  const { source } = nameAndSourceOf(named);
  return source === 'label' || source === 'native';
}
