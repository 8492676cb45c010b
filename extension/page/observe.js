// `observe`: one walk over the flat tree that gives a row to each node that matters, as columns for the host to render.
// Wrappers without role, name or use are flattened away; text is joined into runs; text that already is a row's name is
// not repeated below it. Refuses to list what is not rendered; what is inert is listed and says so.
// Invariants: rows are in flat-tree order; refs are given only to rows that stay, to what a person can act on; all
// geometry is read after the walk, which writes nothing, so layout is computed at most once.

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
 */

/**
 * @typedef {object} Walk
 * @property {Row[]} rows
 * @property {Run} run
 * @property {Set<Element>} labellers elements that only name a control by `aria-labelledby`
 */

/** Roles that say nothing by themselves; a row needs a name by the author or a use. */
const transparentRoles = new Set(['generic', 'none', 'paragraph', 'strong', 'emphasis', 'code', 'deletion', 'insertion', 'subscript',
  'superscript', 'mark', 'time', 'rowgroup', 'caption', 'document', 'form', 'group', 'suggestion', 'sectionheader', 'sectionfooter']);

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

/**
 * Walks the document, or the subtree of `root_ref`.
 * @param {{ root_ref?: number }} args
 * @returns {Answer<Observation>}
 */
function observePage(args) {
  /** @type {Element | null} */
  let root = document.documentElement;
  if (args.root_ref !== undefined) {
    const found = elementOfRef(args.root_ref);
    if ('error' in found) return found;
    root = found.ok;
  }
  return { ok: readingOnce(() => pageFacts(root === null ? [] : rowsOf(root))) };
}

/**
 * @param {Element} root
 * @returns {Row[]}
 */
function rowsOf(root) {
  const around = { depth: 0, isCovered: false, said: '', isInert: isInert(root) };
  forgetCandidates();
  /** @type {Walk} */
  const walk = { rows: [], run: emptyRun(around), labellers: new Set() };
  collectLabellers(document, walk.labellers);
  walkElement(walk, root, around, 0);
  flushRun(walk, around);
  return walk.rows;
}

/**
 * @param {Document | ShadowRoot} root
 * @param {Set<Element>} labellers
 */
function collectLabellers(root, labellers) {
  for (const control of root.querySelectorAll('input[aria-labelledby], select[aria-labelledby], textarea[aria-labelledby]')) {
    if (!isRendered(control)) continue;
    for (const labeller of labellersOf(control)) labellers.add(labeller);
  }
}

/**
 * @param {Walk} walk
 * @param {Element} element
 * @param {Around} around
 * @param {number} nesting
 */
function walkElement(walk, element, around, nesting) {
  const tag = element.localName;
  if (unlistedTags.has(tag) || nesting > deepestNesting) return;
  if (tag === 'button' && element.parentElement?.localName === 'select') return;
  if (tag === 'br') {
    walk.run.text += ' ';
    return;
  }
  const facts = styleFacts(element);
  // The browser styles every `<area>` as not displayed; its image decides.
  if (facts.display === 'none' && tag !== 'area') return;
  const inertness = isInertWithin(element, around.isInert);
  const here = inertness === around.isInert ? around : { ...around, isInert: inertness };
  const row = rowOf(element, here);
  if (row === null) {
    const isApart = !isInlineDisplay(facts.display) && facts.display !== 'inline-block';
    if (isApart) flushRun(walk, here);
    else if (facts.display === 'inline-block') walk.run.text += ' ';
    walkChildren(walk, element, coveredBy(walk, element, here), nesting);
    if (isApart) flushRun(walk, around);
    else if (facts.display === 'inline-block') walk.run.text += ' ';
    return;
  }
  flushRun(walk, here);
  const index = walk.rows.push(row) - 1;
  const below = belowRow(element, row, here);
  walkChildren(walk, element, below, nesting);
  flushRun(walk, around);
  settleRow(walk, index);
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
  if (leafTags.has(tag)) return;
  if (tag === 'svg' && element.querySelector('a, text, foreignObject, [role], [tabindex]') === null) return;
  const shadow = shadowRootOf(element);
  if (shadow !== null) collectLabellers(shadow, walk.labellers);
  else if (mayHoldClosedRoot(element) && (!needsBoxForRoot(element) || clientRectsOf(element).length > 0)) noteCandidate(element);
  // A select shows its choice as its value, whatever else is written into it.
  const isShown = styleFacts(element).isVisible && !around.isCovered && tag !== 'select';
  if (isShown) appendText(walk, element, generatedText(element, '::before'), null, around);
  const hidesSome = tag === 'details' || styleFacts(element).skipsContents;
  visitComposedChildren(element, (child) => {
    if (child instanceof Text) {
      if (isShown && !(hidesSome && hidesContents(element, child))) appendText(walk, element, child.data, child, around);
    } else if (child instanceof Element && !(hidesSome && hidesContents(element, child))) {
      walkElement(walk, child, around, nesting + 1);
    }
  });
  if (isShown) appendText(walk, element, generatedText(element, '::after'), null, around);
}

/**
 * The element's row, or null when it is flattened away.
 * @param {Element} element @param {Around} around
 * @returns {Row | null}
 */
function rowOf(element, around) {
  const role = roleOf(element);
  const interactivity = interactivityOf(element);
  // Inside a control the pointer and its handlers are the control's.
  const hasRef = interactivity === 'control' || (interactivity === 'pointer' && !around.isCovered);
  if (!hasRef && (around.isCovered || (transparentRoles.has(role) && !isNamedWrapper(element, role)))) return null;
  if (!isRendered(element)) return null;
  const name = cellRoles.has(role) && !(hasRef && role !== 'row') ? authorName(element) : nameOf(element);
  const states = statesOf(element, role);
  if (hasRef && element.localName === 'label') pushLabelledStates(element, states);
  if (around.isInert && hasRef) states.push('inert');
  return {
    depth: around.depth, role: role === 'none' ? 'generic' : role, name, value: fieldValueOf(element, role),
    description: hasRef || name !== '' ? descriptionOf(element) : '', states, element, hasRef, text: null,
  };
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
 * @param {Element} element @param {Row} row @param {Around} around
 * @returns {Around}
 */
function belowRow(element, row, around) {
  const below = { ...around, depth: around.depth + 1 };
  if (row.name === '') return below;
  const { source } = nameAndSourceOf(element);
  if (source === 'content' || source === 'label' && element.localName === 'button') return { ...below, isCovered: true };
  if (contentNamedRoles.has(row.role) || row.role === 'img') return { ...below, said: row.name };
  return below;
}

/**
 * What holds below an element without a row: is its text the name of something that is listed?
 * @param {Walk} walk @param {Element} element @param {Around} around
 * @returns {Around}
 */
function coveredBy(walk, element, around) {
  if (around.isCovered) return around;
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
  if (!isRendered(named)) return false;
  const { source } = nameAndSourceOf(named);
  return source === 'label' || source === 'native';
}

/**
 * @param {Around} around
 * @returns {Run}
 */
function emptyRun(around) {
  return { text: '', first: null, last: null, element: null, around };
}

/**
 * @param {Walk} walk
 * @param {Element} element around the text
 * @param {string} text
 * @param {Text | null} node null for generated text
 * @param {Around} around
 */
function appendText(walk, element, text, node, around) {
  if (text === '') return;
  const run = walk.run;
  if (run.element === null) {
    run.element = element;
    run.around = around;
  }
  run.text += text;
  if (node !== null && run.first === null && /\S/.test(text)) run.first = node;
  if (node !== null && run.first !== null) run.last = node;
}

/**
 * Ends the run of text and gives it a row if it says something new.
 * @param {Walk} walk @param {Around} around for the run to come
 */
function flushRun(walk, around) {
  const run = walk.run;
  if (run.text === '') return;
  const text = tidyText(run.text);
  walk.run = emptyRun(around);
  if (text === '' || run.element === null) return;
  const { said, depth } = run.around;
  if (separatorsOnly.test(text)) return;
  if (said !== '' && (said.toLowerCase().includes(text.toLowerCase()) || !/[\p{L}\p{N}]/u.test(text))) return;
  walk.rows.push({
    depth, role: 'text', name: text, value: '', description: '', states: [], element: run.element, hasRef: false,
    text: run.first !== null && run.last !== null ? [run.first, run.last] : null,
  });
}

/**
 * Drops or simplifies a row now that what is below it is known.
 * @param {Walk} walk @param {number} index
 */
function settleRow(walk, index) {
  const rows = walk.rows;
  const row = rows[index];
  if (row === undefined) return;
  const only = rows[index + 1];
  if (only === undefined) {
    const saysNothing = row.name === '' && row.value === '' && row.description === '' && row.states.length === 0;
    const isSeparator = row.role === 'separator';
    // A clickable wrapper that shows nothing (a veil, a spacer) still has a ref.
    if (saysNothing && !row.hasRef && !isSeparator) rows.pop();
    return;
  }
  if (cellRoles.has(row.role) && row.name === '' && only.role === 'text' && rows.length === index + 2) {
    row.name = only.name;
    rows.pop();
    return;
  }
  const isWrapper = row.hasRef && row.role === 'generic' && row.name === '' && interactivityOf(row.element) === 'pointer';
  if (isWrapper && !row.element.hasAttribute('onclick') && holdsOnlyTargets(rows, index)) dissolveRow(rows, index);
}

/**
 * All that a row holds belongs to targets inside it: such a wrapper only wears the pointer of its controls.
 * @param {Row[]} rows @param {number} index
 * @returns {boolean}
 */
function holdsOnlyTargets(rows, index) {
  let targetDepth = Infinity;
  for (let below = index + 1; below < rows.length; below++) {
    const row = rows[below];
    if (row === undefined || row.depth > targetDepth) continue;
    if (row.hasRef) targetDepth = row.depth;
    else if (row.name !== '') return false;
    else targetDepth = Infinity;
  }
  return true;
}

/**
 * Takes a row away and moves what is below it up.
 * @param {Row[]} rows @param {number} index
 */
function dissolveRow(rows, index) {
  rows.splice(index, 1);
  for (let below = index; below < rows.length; below++) {
    const moved = rows[below];
    if (moved !== undefined) moved.depth -= 1;
  }
}

/**
 * Turns rows into columns and adds what holds for the page.
 * @param {Row[]} rows
 * @returns {Observation}
 */
function pageFacts(rows) {
  /** @type {Map<string, number>} */
  const indexes = new Map();
  /** @type {string[]} */
  const strings = [];
  /** @param {string} text */
  const intern = (text) => {
    if (text === '') return -1;
    const known = indexes.get(text);
    if (known !== undefined) return known;
    indexes.set(text, strings.length);
    return strings.push(text) - 1;
  };
  const page = document.scrollingElement ?? document.documentElement;
  /** @type {Observation['nodes']} */
  const nodes = { depth: [], role: [], name: [], value: [], description: [], states: [], ref: [], box: [] };
  const range = new Range();
  for (const row of rows) {
    nodes.depth.push(row.depth);
    nodes.role.push(intern(row.role));
    nodes.name.push(intern(row.name));
    nodes.value.push(intern(row.value));
    nodes.description.push(intern(row.description));
    nodes.states.push(intern(row.states.join(',')));
    nodes.ref.push(row.hasRef ? refOf(row.element) : 0);
    const box = rowBox(row, range);
    nodes.box.push(Math.round(box.x), Math.round(box.y), Math.round(box.width), Math.round(box.height));
  }
  return {
    url: location.href, title: pageTitle(), ready_state: document.readyState,
    viewport: { width: innerWidth, height: innerHeight },
    scroll: {
      x: Math.round(scrollX), y: Math.round(scrollY),
      max_x: Math.max(0, page.scrollWidth - page.clientWidth), max_y: Math.max(0, page.scrollHeight - page.clientHeight),
    },
    device_pixel_ratio: devicePixelRatio, unexplored: candidateCount(), strings, nodes,
  };
}

/**
 * The title, also where an element named `title` hides the document's own.
 * @returns {string}
 */
function pageTitle() {
  const title = /** @type {unknown} */ (document.title);
  return typeof title === 'string' ? title : document.querySelector('title')?.textContent?.trim() ?? '';
}

/**
 * @param {Row} row
 * @param {Range} range one for all rows, as each living range slows the page's changes down
 * @returns {Box}
 */
function rowBox(row, range) {
  if (row.text === null) return boxOf(row.element);
  const [first, last] = row.text;
  // An element's box costs half of a range's.
  if (first === last && row.element.firstChild === first && row.element.lastChild === first) return boxOf(row.element);
  range.setStart(first, 0);
  range.setEnd(last, last.length);
  return range.getBoundingClientRect();
}
