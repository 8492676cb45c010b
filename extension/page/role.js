// The ARIA role of an element: the first valid token of its `role` attribute, else what HTML-AAM gives to its tag.
// Refuses abstract and unknown tokens. `none` and `presentation` read as `none`, and are passed over when the element is
// focusable or has a global ARIA attribute, as WAI-ARIA's conflict resolution says. `generic` is the role of all the rest.
// Elements that HTML-AAM leaves without a role get the nearest word a person would look for: date fields and editing hosts
// are `textbox`, file and colour fields and `<summary>` are `button`; `canvas`, `video`, `audio` and `iframe` keep their tag's name.
// An `<li>` is a `listitem` also outside of any list. Parts of an SVG have a role only when something names them.
// `interactivityOf` is the one rule on what a person could act on, and so on what gets a ref.

const ariaRoles = new Set(('alert alertdialog application article banner blockquote button caption cell checkbox code '
  + 'columnheader combobox comment complementary contentinfo definition deletion dialog directory document emphasis feed '
  + 'figure form generic grid gridcell group heading image img insertion link list listbox listitem log main mark marquee '
  + 'math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation '
  + 'progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader '
  + 'separator slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term '
  + 'textbox time timer toolbar tooltip tree treegrid treeitem graphics-document graphics-object graphics-symbol '
  + 'doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography '
  + 'doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote '
  + 'doc-endnotes doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-glossref '
  + 'doc-index doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part '
  + 'doc-preface doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc').split(' '));

/** Roles that go by two names: the one that is reported. @type {Record<string, string>} */
const roleSynonyms = { presentation: 'none', image: 'img', directory: 'list' };

/** Tags whose role depends on nothing else. @type {Record<string, string>} */
const rolesByTag = {
  address: 'group', article: 'article', audio: 'audio', blockquote: 'blockquote', button: 'button', canvas: 'canvas', caption: 'caption',
  code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog',
  dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure', form: 'form', frame: 'iframe', h1: 'heading', h2: 'heading',
  h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group', hr: 'separator', html: 'document',
  iframe: 'iframe', ins: 'insertion', main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter',
  nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph',
  progress: 'progressbar', s: 'deletion', search: 'search', strong: 'strong', sub: 'subscript', summary: 'button',
  sup: 'superscript', svg: 'img', table: 'table', tbody: 'rowgroup', textarea: 'textbox', tfoot: 'rowgroup',
  thead: 'rowgroup', time: 'time', ul: 'list', video: 'video',
};

/** Roles of `<input>` by type. @type {Record<string, string>} */
const rolesByInputType = {
  button: 'button', checkbox: 'checkbox', color: 'button', file: 'button', hidden: 'none', image: 'button', number: 'spinbutton', radio: 'radio',
  range: 'slider', reset: 'button', search: 'searchbox', submit: 'button',
};

/** What SVG-AAM makes of the parts of a drawing that are named or can take focus. @type {Record<string, string>} */
const rolesBySvgTag = {
  circle: 'graphics-symbol', ellipse: 'graphics-symbol', g: 'group', image: 'img', line: 'graphics-symbol', path: 'graphics-symbol',
  polygon: 'graphics-symbol', polyline: 'graphics-symbol', rect: 'graphics-symbol', use: 'graphics-symbol',
};

/** Attributes that make `role=none` void, from WAI-ARIA's list of global attributes that are not deprecated elsewhere. */
const globalAriaAttributes = ['aria-atomic', 'aria-busy', 'aria-controls', 'aria-current', 'aria-describedby', 'aria-description',
  'aria-details', 'aria-dropeffect', 'aria-flowto', 'aria-grabbed', 'aria-keyshortcuts', 'aria-label',
  'aria-labelledby', 'aria-live', 'aria-owns', 'aria-relevant', 'aria-roledescription'];

const sectioningSelector = 'article, aside, main, nav, section, [role=article], [role=complementary], [role=main], '
  + '[role=navigation], [role=region]';

/** An `<aside>` in the main content is a landmark still. */
const asideSectioningSelector = 'article, aside, nav, section, [role=article], [role=complementary], [role=navigation], [role=region]';

/**
 * The element's role; `generic` when nothing says more, `none` when the author took it away.
 * @param {Element} element
 * @returns {string}
 */
function roleOf(element) {
  const known = currentPass?.roles.get(element);
  if (known !== undefined) return known;
  let role = explicitRole(element) ?? implicitRole(element);
  if (role === 'generic' && isEditingHost(element)) role = 'textbox';
  currentPass?.roles.set(element, role);
  return role;
}

/**
 * The role that the `role` attribute gives, if any of it holds.
 * @param {Element} element
 * @returns {string | null}
 */
function explicitRole(element) {
  const tokens = element.getAttribute('role');
  if (tokens === null) return null;
  for (const token of tokens.toLowerCase().split(/\s+/)) {
    if (!ariaRoles.has(token)) continue;
    const role = roleSynonyms[token] ?? token;
    if (role === 'none' && (isFocusable(element) || globalAriaAttributes.some((name) => element.hasAttribute(name)))) return null;
    // An unnamed region or form is no landmark.
    if ((role === 'region' || role === 'form') && !hasAuthorName(element)) continue;
    return role;
  }
  return null;
}

/**
 * @param {Element} element
 * @returns {string}
 */
function implicitRole(element) {
  const tag = element.localName;
  const plain = Object.hasOwn(rolesByTag, tag) ? rolesByTag[tag] : undefined;
  if (tag === 'svg' || tag === 'math' || element instanceof HTMLElement) {
    if (tag === 'summary') return element.parentElement?.localName === 'details' ? 'button' : 'generic';
    if (tag === 'tbody' || tag === 'thead' || tag === 'tfoot') return tablePartRole(element, 'rowgroup');
    if (plain !== undefined) return plain;
  }
  switch (tag) {
    case 'a': case 'area': return element.hasAttribute('href') || element.hasAttribute('xlink:href') ? 'link' : 'generic';
    case 'aside': return element.parentElement?.closest(asideSectioningSelector) != null && !hasAuthorName(element) ? 'generic' : 'complementary';
    case 'footer': return isInSectioning(element) ? 'sectionfooter' : 'contentinfo';
    case 'header': return isInSectioning(element) ? 'sectionheader' : 'banner';
    case 'img': return imageRole(element);
    case 'input': return element instanceof HTMLInputElement ? inputRole(element) : 'generic';
    case 'li': return listItemRole(element);
    case 'section': return hasAuthorName(element) ? 'region' : 'generic';
    case 'select': return element instanceof HTMLSelectElement && (element.multiple || element.size > 1) ? 'listbox' : 'combobox';
    case 'td': return cellRole(element);
    case 'th': return headerCellRole(element);
    case 'tr': return tablePartRole(element, 'row');
    default: return element instanceof SVGElement ? svgPartRole(element, tag) : 'generic';
  }
}

/**
 * @param {SVGElement} part @param {string} tag
 * @returns {string}
 */
function svgPartRole(part, tag) {
  const role = Object.hasOwn(rolesBySvgTag, tag) ? rolesBySvgTag[tag] : undefined;
  if (role === undefined) return 'generic';
  const isSaid = role === 'img' || part.hasAttribute('aria-label') || part.hasAttribute('aria-labelledby')
    || part.hasAttribute('tabindex') || childOfTag(part, 'title') !== null;
  return isSaid ? role : 'generic';
}

/**
 * The first child with this tag.
 * @param {Element} parent @param {string} tag
 * @returns {Element | null}
 */
function childOfTag(parent, tag) {
  for (let child = parent.firstElementChild; child !== null; child = child.nextElementSibling) {
    if (child.localName === tag) return child;
  }
  return null;
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function isInSectioning(element) {
  return element.parentElement?.closest(sectioningSelector) != null;
}

/**
 * The author named the element by attribute; what the name is does not matter here.
 * @param {Element} element
 * @returns {boolean}
 */
function hasAuthorName(element) {
  return Boolean(element.getAttribute('aria-label')?.trim() || element.getAttribute('title')?.trim())
    || labellersOf(element).length > 0;
}

/**
 * @param {Element} image
 * @returns {string}
 */
function imageRole(image) {
  const isDecorative = image.getAttribute('alt') === '' && !image.getAttribute('title')?.trim();
  return isDecorative && !isFocusable(image) && !globalAriaAttributes.some((name) => image.hasAttribute(name)) ? 'none' : 'img';
}

/**
 * @param {HTMLInputElement} input
 * @returns {string}
 */
function inputRole(input) {
  const role = rolesByInputType[input.type];
  if ((role === undefined || role === 'searchbox') && input.list !== null) return 'combobox';
  return role ?? 'textbox';
}

/**
 * @param {Element} item
 * @returns {string}
 */
function listItemRole(item) {
  let list = composedParent(item);
  while (list !== null && list.localName === 'slot') list = composedParent(list);
  if (list === null) return 'listitem';
  const role = roleOf(list);
  if (role === 'list' || role === 'none') return role === 'list' ? 'listitem' : 'none';
  // A list that became something else has no list items; outside of any list the item is all there is.
  const isList = list.localName === 'ul' || list.localName === 'ol' || list.localName === 'menu';
  return isList ? 'generic' : 'listitem';
}

/**
 * The role of the table that a row or cell belongs to, `none` when it was taken away.
 * @param {Element} part
 * @returns {string}
 */
function tableRole(part) {
  const table = part.closest('table');
  return table === null ? 'table' : roleOf(table);
}

/**
 * The role of a part of a table, as long as the table is one.
 * @param {Element} part @param {string} role
 * @returns {string}
 */
function tablePartRole(part, role) {
  switch (tableRole(part)) {
    case 'table': case 'grid': case 'treegrid': return role;
    case 'none': return 'none';
    default: return 'generic';
  }
}

/**
 * What a cell is when its row or its table is something else; null when it is a cell.
 * @param {Element} cell
 * @returns {string | null}
 */
function lostCellRole(cell) {
  const row = cell.parentElement;
  if (row !== null && row.hasAttribute('role') && roleOf(row) !== 'row') return roleOf(row) === 'none' ? 'none' : 'generic';
  const role = tablePartRole(cell, 'cell');
  return role === 'cell' ? null : role;
}

/**
 * @param {Element} cell
 * @returns {string}
 */
function cellRole(cell) {
  const lost = lostCellRole(cell);
  if (lost !== null) return lost;
  return tableRole(cell) === 'table' ? 'cell' : 'gridcell';
}

/**
 * @param {Element} header
 * @returns {string}
 */
function headerCellRole(header) {
  const lost = lostCellRole(header);
  if (lost !== null) return lost;
  const scope = header.getAttribute('scope')?.toLowerCase() ?? '';
  if (scope.startsWith('row')) return 'rowheader';
  if (scope.startsWith('col')) return 'columnheader';
  // Without a scope, a header beside data cells is about its row.
  const row = header.parentElement;
  return row?.querySelector(':scope > td') != null && row.closest('thead') === null ? 'rowheader' : 'columnheader';
}

/**
 * The element can take focus by its own nature or by `tabindex`.
 * @param {Element} element
 * @returns {boolean}
 */
function isFocusable(element) {
  if (element.hasAttribute('tabindex')) return true;
  switch (element.localName) {
    case 'a': case 'area': return element.hasAttribute('href');
    case 'button': case 'select': case 'textarea': return !element.hasAttribute('disabled');
    case 'input': return element.getAttribute('type') !== 'hidden' && !element.hasAttribute('disabled');
    case 'iframe': return true;
    case 'summary': return element.parentElement?.localName === 'details';
    case 'audio': case 'video': return element.hasAttribute('controls');
    default: return isEditingHost(element);
  }
}

/**
 * The element makes its contents editable, and not just inherits it.
 * @param {Element} element
 * @returns {boolean}
 */
function isEditingHost(element) {
  const value = element.getAttribute('contenteditable');
  return value !== null && value.toLowerCase() !== 'false' && element instanceof HTMLElement && element.isContentEditable;
}

const widgetRoles = new Set(['button', 'checkbox', 'combobox', 'link', 'listbox', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option',
  'radio', 'scrollbar', 'searchbox', 'slider', 'spinbutton', 'switch', 'tab', 'textbox', 'treeitem']);

/**
 * Why a person could act on the element: `control` by what it is, `pointer` by what the page made of it, '' not at all.
 * @param {Element} element
 * @returns {'control' | 'pointer' | ''}
 */
function interactivityOf(element) {
  if (widgetRoles.has(roleOf(element))) return 'control';
  const tag = element.localName;
  if (tag === 'canvas' || tag === 'iframe' || tag === 'frame' || isNativeControl(element, tag)) return 'control';
  if (tag === 'html' || tag === 'body') return isEditingHost(element) ? 'control' : '';
  if (isEditingHost(element)) return 'control';
  const tabindex = element.getAttribute('tabindex');
  if (tabindex !== null && Number.parseInt(tabindex, 10) >= 0) return 'control';
  if (tag === 'label' && element instanceof HTMLLabelElement && element.control !== null) {
    // A label is the way to a control that is styled away; beside a control that shows it only names it.
    return isRendered(element.control) ? '' : 'pointer';
  }
  if (element.hasAttribute('onclick')) return 'pointer';
  if (!styleFacts(element).isPointer) return '';
  const parent = composedParent(element);
  return parent !== null && styleFacts(parent).isPointer ? '' : 'pointer';
}

/**
 * A native control keeps being one when its role says otherwise.
 * @param {Element} element
 * @param {string} tag
 * @returns {boolean}
 */
function isNativeControl(element, tag) {
  switch (tag) {
    case 'button': case 'select': case 'textarea': return element instanceof HTMLElement;
    case 'input': return element.getAttribute('type')?.toLowerCase() !== 'hidden';
    case 'a': case 'area': return element.hasAttribute('href') || element.hasAttribute('xlink:href');
    case 'summary': return element.parentElement?.localName === 'details';
    case 'audio': case 'video': return element.hasAttribute('controls');
    default: return false;
  }
}
