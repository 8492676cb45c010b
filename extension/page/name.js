// The accessible name and description of an element, after ACCNAME 1.2 and HTML-AAM.
// Refuses to tell what a secret field holds, also where a field sits inside another element's name. Only white space that
// HTML collapses is collapsed; generated text (`::before`, `::after`) counts, private-use symbols (icon fonts) do not.
// Elements that are not rendered have no name of their own, but lend their text to those that refer to them.
// Beyond the standard: a clickable element without a role is named by its text when that is short and holds no controls,
// so that a person's words for it can find it. Inside `readingOnce` no element's name is computed twice.

/**
 * @typedef {'author' | 'label' | 'native' | 'content' | 'title' | ''} NameSource where a name comes from: ARIA attributes, a
 *   `<label>`, another native element or attribute, the element's own content, its tooltip or placeholder, nowhere
 * @typedef {{ text: string, source: NameSource }} NameAndSource
 */

/**
 * How far a computation has come.
 * @typedef {object} Naming
 * @property {Element} subject the element that is to be named or described
 * @property {Set<Element>} visited no element lends its text twice to one name
 * @property {boolean} isReferring following `aria-labelledby` or `aria-describedby`: further references are not followed
 * @property {boolean} includesHidden inside something hidden that was referred to: all of it counts
 * @property {number} nesting how deep in the content the computation is
 */

const contentNamedRoles = new Set(['button', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'link', 'menuitem',
  'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'rowheader', 'switch', 'tab', 'term', 'tooltip', 'treeitem',
  'doc-backlink', 'doc-biblioref', 'doc-glossref', 'doc-noteref', 'doc-subtitle', 'sectionhead', 'comment']);

/** Roles that ARIA gives no name: a tooltip describes such an element. */
const unnamedRoles = new Set(['caption', 'code', 'definition', 'deletion', 'emphasis', 'generic', 'insertion', 'mark', 'none', 'paragraph',
  'strong', 'subscript', 'suggestion', 'superscript', 'time']);

/** What a person can act on inside another element. */
const controlSelector = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable], [role=button], '
  + '[role=checkbox], [role=link], [role=menuitem], [role=option], [role=radio], [role=switch], [role=tab], [role=textbox]';

/** Content nested deeper than this in one name is not read: the stack has an end. */
const deepestNaming = 400;

/** The longest text, in UTF-16 units, that names a clickable element without a role. */
const longestGenericName = 120;

/**
 * The accessible name.
 * @param {Element} element
 * @returns {string}
 */
function nameOf(element) {
  return nameAndSourceOf(element).text;
}

/**
 * The accessible name and where it comes from.
 * @param {Element} element
 * @returns {NameAndSource}
 */
function nameAndSourceOf(element) {
  const known = currentPass?.names.get(element);
  if (known !== undefined) return known;
  const name = readingOnce(() => {
    if (!isRendered(element)) return noName;
    const found = computeName(element, { subject: element, visited: new Set(), isReferring: false, includesHidden: false, nesting: 0 }, true);
    // No-break spaces that the author wrote into a name are meant; those of content are layout.
    return found.source === 'author' ? found : { text: tidyText(found.text), source: found.source };
  }, true);
  currentPass?.names.set(element, name);
  return name;
}

/** @type {NameAndSource} */
const noName = { text: '', source: '' };

/**
 * The description: what `aria-describedby` or `aria-description` says, else what describes the element in HTML and is not its name.
 * @param {Element} element
 * @returns {string}
 */
function descriptionOf(element) {
  const hasDescribers = element.hasAttribute('aria-describedby');
  const said = element.getAttribute('aria-description') ?? '';
  const title = element.getAttribute('title') ?? '';
  const placeholder = placeholderOf(element);
  const part = describingPart(element);
  if (!hasDescribers && said === '' && title === '' && placeholder === '' && part === null) return '';
  return readingOnce(() => {
    const name = nameOf(element);
    const naming = { subject: element, visited: new Set(), isReferring: true, includesHidden: false, nesting: 0 };
    const described = hasDescribers ? tidyText(referencedText(describersOf(element), naming)) : '';
    const texts = [described, tidyText(said), part === null ? '' : tidyText(referredName(part, naming)), tidyText(title), tidyText(placeholder)];
    return texts.find((text) => text !== '' && text !== name) ?? '';
  }, true);
}

/**
 * The child that describes its parent: an SVG's `<desc>`, or a table's caption where that is not its name.
 * @param {Element} element
 * @returns {Element | null}
 */
function describingPart(element) {
  if (element.localName === 'table') return childOfTag(element, 'caption');
  return element instanceof SVGElement && element.firstElementChild !== null ? childOfTag(element, 'desc') : null;
}

/**
 * Collapses what HTML collapses, trims all white space and leaves private-use symbols out.
 * @param {string} text
 * @returns {string}
 */
function tidyText(text) {
  return text.replace(privateUse, '').replace(/[ \t\n\f\r]+/g, ' ').trim();
}

/**
 * Collapses and trims what HTML collapses; other white space stays.
 * @param {string} text
 * @returns {string}
 */
function collapseText(text) {
  return text.replace(/[ \t\n\f\r]+/g, ' ').replace(/^ | $/g, '');
}

/**
 * @param {Element} element @param {string} attribute
 * @returns {Element[]} the elements that the attribute's ids name, in the element's own tree
 */
function elementsByIds(element, attribute) {
  const ids = element.getAttribute(attribute)?.split(/[ \t\n\f\r]+/) ?? [];
  const root = element.getRootNode();
  if (!(root instanceof Document || root instanceof ShadowRoot)) return [];
  return ids.map((id) => (id === '' ? null : root.getElementById(id))).filter((found) => found !== null);
}

/**
 * The labelling elements, those set by script included.
 * @param {Element} element
 * @returns {readonly Element[]}
 */
function labellersOf(element) {
  if (!element.hasAttribute('aria-labelledby')) return [];
  return element.getAttribute('aria-labelledby') === '' ? element.ariaLabelledByElements ?? [] : elementsByIds(element, 'aria-labelledby');
}

/**
 * @param {Element} element
 * @returns {readonly Element[]}
 */
function describersOf(element) {
  return element.getAttribute('aria-describedby') === '' ? element.ariaDescribedByElements ?? [] : elementsByIds(element, 'aria-describedby');
}

/**
 * The texts of elements that another one refers to.
 * @param {readonly Element[]} elements
 * @param {Naming} naming
 * @returns {string}
 */
function referencedText(elements, naming) {
  return elements.map((element) => tidyText(referredName(element, naming))).filter((text) => text !== '').join(' ');
}

/**
 * The text of an element that a reference or a native label leads to: it counts even if hidden.
 * @param {Element} element @param {Naming} naming
 * @returns {string}
 */
function referredName(element, naming) {
  const isHidden = !isRendered(element) || element.closest('[aria-hidden=true]') !== null;
  const within = isHidden && !naming.includesHidden ? { ...naming, includesHidden: true } : naming;
  return computeName(element, within, false).text;
}

/**
 * The name of one element as the steps of ACCNAME find it.
 * @param {Element} element
 * @param {Naming} naming
 * @param {boolean} isSubject this element is the one to be named; else its text is part of another's name
 * @returns {NameAndSource}
 */
function computeName(element, naming, isSubject) {
  if (naming.visited.has(element)) return noName;
  const labellers = naming.isReferring ? [] : labellersOf(element);
  if (labellers.length > 0) {
    const text = referencedText(labellers, { ...naming, isReferring: true });
    if (text !== '') {
      naming.visited.add(element);
      return { text, source: 'author' };
    }
  }
  naming.visited.add(element);
  const role = roleOf(element);
  if (!isSubject && element !== naming.subject) {
    // The branches below a tree item are items of their own.
    if (element.getAttribute('role') === 'group' && composedParent(element)?.getAttribute('role') === 'treeitem') return noName;
    const held = embeddedValue(element, role);
    if (held !== null) return { text: held, source: 'content' };
  }
  // A slot is only a place in the tree; what is written on it is not spoken.
  const label = element.localName === 'slot' ? '' : collapseText(element.getAttribute('aria-label') ?? '');
  if (label !== '') return { text: label, source: 'author' };
  const native = role === 'none' && element.localName !== 'img' ? noName : nativeName(element, naming);
  if (native.text !== '') return native;
  if (!isSubject || contentNamedRoles.has(role) || isGridRow(element, role) || isNamedByItsText(element, role)) {
    const text = contentText(element, naming);
    const isTooLong = isSubject && role === 'generic' && text.length > longestGenericName;
    if (text.trim() !== '' && !isTooLong) return { text, source: 'content' };
    if (!isSubject && text !== '' && !element.hasAttribute('title')) return { text: ' ', source: 'content' };
  }
  const title = tidyText(element.getAttribute('title') ?? '');
  if (title !== '' && !(isSubject && isOnlyDescribed(element, role))) return { text: title, source: 'title' };
  const placeholder = tidyText(placeholderOf(element));
  return placeholder === '' ? noName : { text: placeholder, source: 'title' };
}

/** Elements that a tooltip names although they have no role. */
const titledTags = new Set(['abbr', 'dl', 'embed', 'img', 'object']);

/**
 * The element can have no name, so that its tooltip describes it.
 * @param {Element} element @param {string} role
 * @returns {boolean}
 */
function isOnlyDescribed(element, role) {
  return unnamedRoles.has(role) && !titledTags.has(element.localName) && interactivityOf(element) === '';
}

/** Types of `<input>` that show a placeholder. */
const placeholderTypes = new Set(['text', 'search', 'url', 'tel', 'email', 'password', 'number']);

/**
 * @param {Element} element
 * @returns {string} '' when there is none, or none is shown
 */
function placeholderOf(element) {
  const written = element.getAttribute('placeholder') ?? '';
  const isShown = written !== '' && (element.localName === 'textarea' || (element instanceof HTMLInputElement && placeholderTypes.has(element.type)));
  return isShown ? written : element.getAttribute('aria-placeholder') ?? '';
}

/**
 * A row that can be chosen as a whole, unlike those of plain tables.
 * @param {Element} element @param {string} role
 * @returns {boolean}
 */
function isGridRow(element, role) {
  return role === 'row' && element.closest('[role=grid], [role=treegrid]') !== null;
}

/**
 * A clickable element without a role of its own; preformatted text takes focus to be scrolled, and stays text.
 * @param {Element} element @param {string} role
 * @returns {boolean}
 */
function isNamedByItsText(element, role) {
  if (role !== 'generic' || element.localName === 'pre' || interactivityOf(element) === '') return false;
  return element.localName === 'label' || element.querySelector(controlSelector) === null;
}

/**
 * What a control inside another element's name contributes instead of its own name; null when it is no such control.
 * @param {Element} element @param {string} role
 * @returns {string | null}
 */
function embeddedValue(element, role) {
  if (isSecret(element)) return '';
  switch (role) {
    case 'textbox': case 'searchbox':
      return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.value : element.textContent ?? '';
    case 'combobox': case 'listbox': {
      if (element instanceof HTMLSelectElement || element instanceof HTMLInputElement) return fieldValueOf(element, role);
      const chosen = Array.from(element.querySelectorAll('[role=option][aria-selected=true]'), (option) => option.textContent ?? '');
      return chosen.length > 0 || role === 'listbox' ? chosen.join(' ') : element.textContent ?? '';
    }
    case 'slider': case 'spinbutton': case 'scrollbar': case 'meter': case 'progressbar':
      return fieldValueOf(element, role);
    default: return null;
  }
}

/**
 * The name that HTML or SVG gives by a label, another element or an attribute.
 * @param {Element} element @param {Naming} naming
 * @returns {NameAndSource}
 */
function nativeName(element, naming) {
  switch (element.localName) {
    case 'input': return element instanceof HTMLInputElement ? inputName(element, naming) : noName;
    case 'button': case 'meter': case 'output': case 'progress': case 'select': case 'textarea': return labelName(element, naming);
    case 'img': case 'area': return attributeName(element, 'alt');
    case 'option': return element instanceof HTMLOptionElement ? { text: element.label, source: 'native' } : noName;
    case 'optgroup': return attributeName(element, 'label');
    case 'table': {
      const caption = partName(element, naming);
      return caption.text === '' ? attributeName(element, 'summary') : caption;
    }
    case 'fieldset': case 'figure': return partName(element, naming);
    default:
      if (element instanceof SVGElement) return partName(element, naming);
      // A custom element can be a form's field, and then has labels.
      return element.localName.includes('-') ? labelName(element, naming) : noName;
  }
}

/**
 * @param {Element} element @param {Naming} naming
 * @returns {NameAndSource}
 */
function partName(element, naming) {
  const part = namingPart(element);
  return part === null ? noName : { text: tidyText(referredName(part, naming)), source: 'native' };
}

/**
 * The child that names its parent: legend, caption, figcaption or the title of an SVG or a part of it.
 * @param {Element} element
 * @returns {Element | null}
 */
function namingPart(element) {
  switch (element.localName) {
    case 'fieldset': return childOfTag(element, 'legend');
    case 'figure': return childOfTag(element, 'figcaption');
    case 'table': return childOfTag(element, 'caption');
    default: return element instanceof SVGElement ? childOfTag(element, 'title') : null;
  }
}

/**
 * @param {Element} element @param {string} attribute
 * @returns {NameAndSource}
 */
function attributeName(element, attribute) {
  const text = tidyText(element.getAttribute(attribute) ?? '');
  return text === '' ? noName : { text, source: 'native' };
}

/** What the browser writes on buttons without a value, in English as the observation's words are. @type {Record<string, string>} */
const buttonDefaults = { submit: 'Submit', reset: 'Reset', image: 'Submit', file: 'Choose File' };

/**
 * @param {HTMLInputElement} input @param {Naming} naming
 * @returns {NameAndSource}
 */
function inputName(input, naming) {
  const labelled = labelName(input, naming);
  if (labelled.text !== '') return labelled;
  switch (input.type) {
    case 'button': case 'submit': case 'reset': case 'file': {
      const written = input.type === 'file' ? '' : tidyText(input.value);
      if (written !== '') return { text: written, source: 'native' };
      const isBlankOnPurpose = input.hasAttribute('value') && input.type !== 'file';
      if (isBlankOnPurpose) return noName;
      return { text: (buttonDefaults[input.type] ?? '') + (input.type === 'file' && input.multiple ? 's' : ''), source: 'native' };
    }
    case 'image': {
      const alt = tidyText(input.alt) || tidyText(input.title);
      return { text: alt || buttonDefaults['image'] || '', source: 'native' };
    }
    default: return noName;
  }
}

/**
 * The texts of the `<label>` elements of a control.
 * @param {Element} control @param {Naming} naming
 * @returns {NameAndSource}
 */
function labelName(control, naming) {
  // What is referred to lends its own text, not that of its labels.
  if (naming.isReferring) return noName;
  const labels = labelsOf(control);
  return labels.length === 0 ? noName : { text: referencedText(labels, naming), source: 'label' };
}

/**
 * The `<label>` elements of a control, in document order. Asked of each control in turn, the browser's own list walks the
 * whole tree each time; asked of each label, the answer is near.
 * @param {Element} control
 * @returns {readonly Element[]}
 */
function labelsOf(control) {
  const root = control.getRootNode();
  let known = currentPass?.labels.get(root);
  if (known === undefined) {
    known = new Map();
    const labels = root instanceof Document || root instanceof ShadowRoot ? root.querySelectorAll('label') : [];
    for (const label of labels) {
      const labelled = label.control;
      if (labelled === null) continue;
      const others = known.get(labelled);
      if (others === undefined) known.set(labelled, [label]);
      else others.push(label);
    }
    currentPass?.labels.set(root, known);
  }
  return known.get(control) ?? [];
}

const noTextTags = new Set(['script', 'style', 'template', 'noscript', 'head', 'datalist', 'iframe', 'frame', 'object', 'embed',
  'textarea']);

/** Elements that stand in a line like a word of their own. */
const replacedTags = new Set(['img', 'iframe', 'svg', 'canvas', 'video', 'audio', 'object', 'embed', 'input', 'select', 'textarea']);

/**
 * The text inside an element, generated text included. Blocks are set apart by spaces, inline elements are not.
 * @param {Element} element @param {Naming} naming
 * @returns {string}
 */
function contentText(element, naming) {
  if (noTextTags.has(element.localName)) return '';
  if (naming.nesting >= deepestNaming) return '';
  naming.nesting++;
  const isShown = naming.includesHidden || styleFacts(element).isVisible;
  let text = isShown ? generatedText(element, '::before') : '';
  const hidesSome = !naming.includesHidden && (element.localName === 'details' || skipsContents(element));
  visitComposedChildren(element, (child) => {
    if (hidesSome && hidesContents(element, child)) return;
    if (child instanceof Text) {
      if (isShown) text += child.data;
    } else if (child instanceof Element) {
      text += childText(child, naming);
    }
  });
  if (element.hasAttribute('aria-owns')) {
    for (const owned of elementsByIds(element, 'aria-owns')) text += ` ${childText(owned, naming)} `;
  }
  naming.nesting--;
  return isShown ? text + generatedText(element, '::after') : text;
}

/**
 * The text inside an element as it would be spoken.
 * @param {Element} element
 * @returns {string}
 */
function textWithin(element) {
  return tidyText(contentText(element, { subject: element, visited: new Set(), isReferring: false, includesHidden: false, nesting: 0 }));
}

/**
 * @param {Element} child @param {Naming} naming
 * @returns {string}
 */
function childText(child, naming) {
  if (child.localName === 'br') return ' ';
  if (child.localName === 'desc' || child.localName === 'metadata') return '';
  const { display, isVisible } = styleFacts(child);
  if (!naming.includesHidden) {
    if (display === 'none' || child.getAttribute('aria-hidden') === 'true') return '';
    // Something visible may be inside of what is not.
    if (!isVisible) return contentText(child, naming);
  }
  const { text, source } = computeName(child, naming, false);
  // A name stands apart like a picture; text that is only written in an inline element does not.
  const isApart = source !== 'content' || !isInlineDisplay(display) || replacedTags.has(child.localName);
  return isApart && text.trim() !== '' ? ` ${text} ` : text;
}
