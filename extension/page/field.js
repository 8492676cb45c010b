// Fields: which element is one, whether it can be edited now, and whether it could hold a value.
// Refuses what holds no text with the command that serves it, a part of an editor (the rest would be lost), and values that the
// field cannot hold, each before anything changed. Invariant: a value is tried on a field outside the page, never on the page's.

/**
 * @typedef {{ kind: 'typed', element: HTMLInputElement | HTMLTextAreaElement } | { kind: 'set', element: HTMLInputElement }
 *   | { kind: 'rich', element: HTMLElement } | { kind: 'surface', element: HTMLElement }} Field `surface`: takes input for an editor
 *   that draws the text elsewhere, and holds little or nothing of it itself
 */
/** @typedef {Extract<Field, { kind: 'typed' | 'rich' }>} TextField holds the text that is typed */

/** A box that is thinner than this shows no text, in CSS pixels. */
const THIN = 4;
/** Forms of the values that are set, not typed, with an example. */
const VALUE_FORMS = new Map([
  ['date', 'YYYY-MM-DD, such as `2026-03-09`'],
  ['time', 'HH:MM, such as `08:05`'],
  ['month', 'YYYY-MM, such as `2026-03`'],
  ['week', 'YYYY-Www, such as `2026-W11`'],
  ['datetime-local', 'YYYY-MM-DDTHH:MM, such as `2026-03-09T08:05`'],
  ['color', '#rrggbb, such as `#ff0000`'],
  ['range', 'a number'],
]);
const TYPED_TYPES = new Set(['text', 'search', 'url', 'tel', 'email', 'password', 'number']);

/**
 * The field that a target means, when it can be edited now and could hold the value.
 * @param {Target} target
 * @param {string} value
 * @param {boolean} append
 * @returns {Attempt<Field>}
 */
function editableField(target, value, append) {
  const resolved = resolveTarget(target);
  if ('error' in resolved) return resolved;
  const element = labelledControl(resolved.ok);
  const field = fieldOf(element);
  if ('error' in field) return { error: field.error, wait_ms: 0 };
  const blocked = stateObstacle(element, true, true);
  if (blocked) return blocked;
  if (isReadOnly(element)) return readOnlyObstacle(element);
  const refused = valueRefused(field.ok, append && field.ok.kind === 'typed' ? heldText(field.ok) + value : value);
  return refused ? { ...refused, wait_ms: 0 } : field;
}

/**
 * @param {Element} element
 * @returns {{ error: PageError, wait_ms: number }}
 */
function readOnlyObstacle(element) {
  return pageObstacle('element_readonly', `\`${describe(element)}\` is read-only`,
    'use what the page offers to change it, such as a button beside it', STATE_WAIT_MS);
}

/**
 * What a label labels, else the element itself.
 * @param {Element} element
 * @returns {Element}
 */
function labelledControl(element) {
  return element instanceof HTMLLabelElement ? element.control ?? element : element;
}

/**
 * The element as a field.
 * @param {Element} element
 * @returns {Answer<Field>}
 */
function fieldOf(element) {
  if (isInputSurface(element)) return { ok: { kind: 'surface', element } };
  if (element instanceof HTMLTextAreaElement) return { ok: { kind: 'typed', element } };
  if (element instanceof HTMLInputElement) {
    if (TYPED_TYPES.has(element.type)) return { ok: { kind: 'typed', element } };
    if (VALUE_FORMS.has(element.type)) return { ok: { kind: 'set', element } };
  } else if (element instanceof HTMLElement && element.isContentEditable) {
    const root = editorRoot(element);
    if (root === element) return { ok: { kind: 'rich', element } };
    return fail('invalid_params', 'not_fillable',
      `\`${describe(element)}\` is a part of the editor \`${describe(root)}\`, whose other contents would be lost`,
      `fill the whole editor with \`bsk fill ${refText(refOf(root))}\`, or click the part and use \`bsk press\``,
      { editor_ref: refOf(root) });
  }
  return fail('invalid_params', 'not_fillable', `\`${describe(element)}\` does not hold text`, fillHint(element));
}

/**
 * Whether an element only takes the input of an editor that draws itself: it has an edit context, or is a text area that
 * nobody could read a text in.
 * @param {Element} element
 * @returns {element is HTMLElement}
 */
function isInputSurface(element) {
  if (hasEditContext(element)) return true;
  if (!(element instanceof HTMLTextAreaElement)) return false;
  if (getComputedStyle(element).opacity === '0' || isThin(element)) return true;
  for (let around = composedParent(element); around; around = composedParent(around)) {
    if (isThin(around) && !styleOverflowIsVisible(around)) return true;
  }
  return false;
}

/**
 * @param {Element} element
 * @returns {element is HTMLElement}
 */
function hasEditContext(element) {
  return element instanceof HTMLElement && 'editContext' in element && element.editContext !== null;
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function isThin(element) {
  const { width, height } = element.getBoundingClientRect();
  return width < THIN || height < THIN;
}

/**
 * The topmost element of the editor around an editable element.
 * @param {HTMLElement} element
 * @returns {HTMLElement}
 */
function editorRoot(element) {
  if (document.designMode === 'on') return element === document.documentElement ? element : document.body;
  let root = element;
  while (root.parentElement?.isContentEditable) root = root.parentElement;
  return root;
}

/**
 * @param {Element} element
 * @returns {string}
 */
function fillHint(element) {
  if (element instanceof HTMLSelectElement) return 'choose its options with `bsk select`';
  if (['combobox', 'listbox'].includes(roleOf(element)) && !(element instanceof HTMLInputElement)) return customListHint(element);
  if (!(element instanceof HTMLInputElement)) return 'give the ref of a text field; `bsk observe` shows them';
  switch (element.type) {
    case 'file': return 'give it files with `bsk upload`';
    case 'checkbox': case 'radio': return 'use it with `bsk check` or `bsk uncheck`';
    case 'hidden': return 'the page sets it itself; fill the field that people see';
    default: return 'use it with `bsk click`';
  }
}

/**
 * Why a field cannot hold a value; null when it can. Tried on a field outside the page, so that nothing is touched.
 * @param {Field} field
 * @param {string} value
 * @returns {{ error: PageError } | null}
 */
function valueRefused(field, value) {
  if (field.kind === 'rich' || field.kind === 'surface') return null;
  const { element } = field;
  const tooLong = field.kind === 'typed' ? lengthRefused(element, value) : null;
  if (tooLong) return tooLong;
  const takesNothing = element.type === 'range' || element.type === 'color';
  if (value === '' && !takesNothing) return null;
  if (!(element instanceof HTMLInputElement) || (field.kind === 'typed' && element.type !== 'number')) return null;
  const isNumber = element.type === 'number' || element.type === 'range';
  const { min, max } = element;
  const isInRange = element.type !== 'range' || (Number(value) >= Number(min || 0) && Number(value) <= Number(max || 100));
  if (value !== '' && isInRange && (!isNumber || Number.isFinite(Number(value))) && acceptedValue(element, value) !== null) return null;
  const form = element.type === 'range' ? `a number from \`${min || 0}\` to \`${max || 100}\`` : VALUE_FORMS.get(element.type) ?? 'a number';
  const shown = isSecret(element) ? 'the value' : `\`${value}\``;
  return fail('invalid_params', 'value_not_accepted', `\`${describe(element)}\` cannot hold ${shown}`,
    `a \`${element.type}\` field takes ${form}`);
}

/**
 * Why a field is too short for a text; null when it fits. The browser would cut the text off without a word.
 * @param {HTMLInputElement | HTMLTextAreaElement} element
 * @param {string} value
 * @returns {{ error: PageError } | null}
 */
function lengthRefused(element, value) {
  const most = element.type === 'number' ? -1 : element.maxLength;
  const text = value.replace(/\r\n?/g, '\n');
  const { length } = element instanceof HTMLInputElement ? text.replaceAll('\n', '') : text;
  if (most < 0 || length <= most) return null;
  return fail('invalid_params', 'value_not_accepted',
    `\`${describe(element)}\` takes at most ${most} characters, and the value has ${length}`,
    `shorten the value to ${most} characters`, { max_length: most });
}

/**
 * A value as the field would write it, null when it takes no such value.
 * @param {HTMLInputElement} element
 * @param {string} value
 * @returns {string | null}
 */
function acceptedValue(element, value) {
  const trial = document.createElement('input');
  trial.type = element.type;
  for (const name of ['min', 'max', 'step']) {
    const limit = element.getAttribute(name);
    if (limit !== null) trial.setAttribute(name, limit);
  }
  trial.value = value;
  if (trial.type === 'color') return trial.value.toLowerCase() === value.toLowerCase() ? trial.value : null;
  return trial.value === '' && value !== '' ? null : trial.value;
}
