// The states of an element and what a field holds.
// Refuses to tell the contents of a secret field: `isSecret` is asked before any value is read, and such a field is only
// `filled` or `empty`. Native state wins over ARIA for native controls, as in ARIA in HTML. The order of the strings is
// the order in which they are rendered, so that two observations of the same page read the same.

const checkableRoles = new Set(['checkbox', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'switch', 'treeitem']);
const selectableRoles = new Set(['cell', 'columnheader', 'gridcell', 'option', 'row', 'rowheader', 'tab', 'treeitem']);
const fieldRoles = new Set(['checkbox', 'combobox', 'grid', 'gridcell', 'listbox', 'radiogroup', 'searchbox', 'slider', 'spinbutton', 'switch',
  'textbox', 'tree', 'treegrid']);
const rangeRoles = new Set(['meter', 'progressbar', 'scrollbar', 'slider', 'spinbutton']);
const currentTokens = new Set(['page', 'step', 'location', 'date', 'time']);
const secretPurposes = /(?:^|\s)(?:one-time-code|new-password|current-password|cc-[a-z-]+)(?=\s|$)/i;

/** Fields that were seen as password fields: a page that shows what is in one makes it a text field. @type {WeakSet<Element>} */
const onceSecret = new WeakSet();

/**
 * What the field holds must never leave the page: passwords, one-time codes, card data.
 * @param {Element} element
 * @returns {boolean}
 */
function isSecret(element) {
  const tag = element.localName;
  if (tag !== 'input' && tag !== 'textarea' && tag !== 'select') return false;
  if (element instanceof HTMLInputElement && element.type === 'password') onceSecret.add(element);
  if (onceSecret.has(element)) return true;
  return secretPurposes.test(element.getAttribute('autocomplete') ?? '');
}

/**
 * @param {Element} element
 * @param {string} role as `roleOf` says
 * @returns {string[]}
 */
function statesOf(element, role) {
  /** @type {string[]} */
  const states = [];
  pushChoiceStates(element, role, states);
  const expanded = expandedOf(element);
  // That a submenu is closed goes without saying.
  if (expanded === true) states.push('expanded');
  else if (expanded === false && !opensSubmenu(element)) states.push('collapsed');
  const current = element.getAttribute('aria-current') ?? '';
  // A word that ARIA does not know means `true`.
  if (current !== '' && current !== 'false') states.push(currentTokens.has(current) ? `current=${current}` : 'current');
  pushFieldStates(element, role, states);
  if (role === 'heading') states.push(`level=${headingLevel(element)}`);
  if (opensSubmenu(element)) states.push('has-submenu');
  if (isModal(element, role)) states.push('modal');
  if (isSecret(element)) states.push(holdsSomething(element) ? 'filled' : 'empty');
  return states;
}

/**
 * Checked, selected and pressed.
 * @param {Element} element @param {string} role @param {string[]} states
 */
function pushChoiceStates(element, role, states) {
  if (isToggleInput(element)) {
    if (element.indeterminate && element.type === 'checkbox') states.push('mixed');
    else if (element.checked) states.push('checked');
  } else if (checkableRoles.has(role)) {
    const checked = element.getAttribute('aria-checked');
    if (checked === 'mixed') states.push('mixed');
    else if (checked === 'true') states.push('checked');
  }
  const isSelected = element instanceof HTMLOptionElement
    ? isTellablyChosen(element) : selectableRoles.has(role) && element.getAttribute('aria-selected') === 'true';
  if (isSelected) states.push('selected');
  const pressed = role === 'button' ? element.getAttribute('aria-pressed') : null;
  if (pressed === 'true') states.push('pressed');
  else if (pressed === 'mixed') states.push('pressed=mixed');
}

/**
 * A selected option, unless its select's choice is a secret (a card's expiry month).
 * @param {HTMLOptionElement} option
 * @returns {boolean}
 */
function isTellablyChosen(option) {
  const select = option.closest('select');
  return option.selected && (select === null || !isSecret(select));
}

/**
 * Disabled, required, invalid, read-only, focused and busy.
 * @param {Element} element @param {string} role @param {string[]} states
 */
function pushFieldStates(element, role, states) {
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;
  if (isDisabled(element)) states.push('disabled');
  const isAskedFor = (isField || fieldRoles.has(role)) && element.getAttribute('aria-required') === 'true';
  if (isAskedFor || (isField && element.required)) states.push('required');
  const invalid = element.getAttribute('aria-invalid');
  // An empty required field is not yet wrong; what the person entered can be.
  const isWrong = invalid === null ? isField && element.matches(':user-invalid') : invalid !== '' && invalid !== 'false';
  if (isWrong) states.push(`invalid${complaintOf(element)}`);
  if (isReadOnly(element)) states.push('readonly');
  if (hasFocus(element)) states.push('focused');
  if (element.getAttribute('aria-busy') === 'true') states.push('busy');
}

/**
 * What is wrong with a field, in quotes: the page's own message, else the browser's.
 * @param {Element} element
 * @returns {string} '' when nobody says
 */
function complaintOf(element) {
  const ids = element.hasAttribute('aria-errormessage') ? elementsByIds(element, 'aria-errormessage') : [];
  const said = tidyText(ids.filter(isRendered).map((part) => part.textContent ?? '').join(' '));
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;
  // The browser's own message may quote what was entered.
  const message = said !== '' || !isField || isSecret(element) ? said : tidyText(element.validationMessage);
  return message === '' ? '' : ` "${message.replaceAll('"', '\'')}"`;
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function opensSubmenu(element) {
  const popup = element.getAttribute('aria-haspopup');
  return popup === 'true' || popup === 'menu';
}

/**
 * A dialog that keeps everything else from being used, by the browser or as its author says.
 * @param {Element} element @param {string} role
 * @returns {boolean}
 */
function isModal(element, role) {
  if (role !== 'dialog' && role !== 'alertdialog') return false;
  return element.getAttribute('aria-modal') === 'true' || (element.localName === 'dialog' && element.matches(':modal'));
}

/**
 * Disabled by its own attribute, by its fieldset or group of options, or by `aria-disabled` on it or a widget around it.
 * @param {Element} element
 * @returns {boolean}
 */
function isDisabled(element) {
  if (element.matches(':disabled')) return true;
  return widgetRoles.has(roleOf(element)) ? element.closest('[aria-disabled=true]') !== null : element.getAttribute('aria-disabled') === 'true';
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function isReadOnly(element) {
  if (element instanceof HTMLTextAreaElement) return element.readOnly;
  if (element instanceof HTMLInputElement && element.readOnly) return element.matches(':read-only');
  return element.getAttribute('aria-readonly') === 'true';
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function hasFocus(element) {
  if (!element.matches(':focus')) return false;
  // A host matches while something in its shadow tree has the focus; that one is told, not the host.
  return shadowRootOf(element)?.activeElement == null && element.localName !== 'body' && element.localName !== 'html';
}

/**
 * Whether what the element controls is open; null when it controls nothing.
 * @param {Element} element
 * @returns {boolean | null}
 */
function expandedOf(element) {
  if (element.localName === 'summary' && element.parentElement instanceof HTMLDetailsElement) return element.parentElement.open;
  const expanded = element.getAttribute('aria-expanded');
  if (expanded === 'true' || expanded === 'false') return expanded === 'true';
  if (element instanceof HTMLButtonElement && element.popoverTargetElement instanceof HTMLElement) {
    return element.popoverTargetElement.matches(':popover-open');
  }
  return null;
}

/**
 * @param {Element} element
 * @returns {number}
 */
function headingLevel(element) {
  const level = Number.parseInt(element.getAttribute('aria-level') ?? '', 10);
  if (level >= 1) return level;
  const native = /^h([1-6])$/.exec(element.localName);
  return native === null ? 2 : Number(native[1]);
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function holdsSomething(element) {
  return (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement)
    && element.value !== '';
}

/** Inputs whose value is their name or means nothing to a person. */
const valuelessInputTypes = new Set(['button', 'checkbox', 'hidden', 'image', 'radio', 'reset', 'submit']);

/**
 * What the control holds, as a person reads it; '' for secret fields and for what holds nothing.
 * @param {Element} element
 * @param {string} role as `roleOf` says
 * @returns {string}
 */
function fieldValueOf(element, role) {
  if (isSecret(element)) return '';
  if (element instanceof HTMLInputElement) return inputValue(element);
  if (element instanceof HTMLTextAreaElement) return element.value;
  if (element instanceof HTMLSelectElement) return Array.from(element.selectedOptions, (option) => option.label.trim()).join(', ');
  if (role === 'combobox') return element.querySelector('input, textarea') === null ? textWithin(element) : '';
  if (rangeRoles.has(role)) {
    const said = element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow');
    if (said !== null) return said.trim();
    if (element instanceof HTMLMeterElement) return String(element.value);
    if (element instanceof HTMLProgressElement && element.hasAttribute('value')) return String(element.value);
  }
  return '';
}

/**
 * @param {HTMLInputElement} input
 * @returns {string}
 */
function inputValue(input) {
  if (valuelessInputTypes.has(input.type)) return '';
  if (input.type === 'file') return Array.from(input.files ?? [], (file) => file.name).join(', ');
  if (input.type === 'range') return input.getAttribute('aria-valuetext') ?? input.value;
  return input.value;
}
