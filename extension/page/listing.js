// Which elements get a row in an observation, what the row says, and what that leaves to say below it.
// Nothing is said twice: what is the name of a row is no text below it, a picture in a link that names it no row, a label that
// only names its field no text. Works on one element of a walk at a time; the walk itself is `observe.js`.

/** Roles that say nothing by themselves; a row needs a name by the author or a use. */
const transparentRoles = new Set(['generic', 'none', 'paragraph', 'strong', 'emphasis', 'code', 'deletion', 'insertion', 'subscript',
  'superscript', 'mark', 'time', 'rowgroup', 'caption', 'document', 'form', 'group', 'suggestion', 'sectionheader', 'sectionfooter',
  'separator']);

/** Roles that hold cells or text: their text is listed below them, as their name only when there is nothing else. */
const cellRoles = new Set(['cell', 'gridcell', 'columnheader', 'rowheader', 'row']);

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
