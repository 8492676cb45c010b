// Editing: filling fields and moving the focus. Text is typed by the host as trusted input; this file makes
// the field ready, selects what is to be replaced, and reads back what came of it. Fields that take no typing (dates,
// ranges, colours) are set here, with the events that a user's edit would give.
// Refuses what is not a field, a part of an editor (the rest would be lost), and values that the field cannot hold, each
// before anything changed. Invariants: what a secret field holds never leaves the page; `done` is only answered after it was
// read back; no event without a change.

/**
 * @typedef {{ kind: 'typed', element: HTMLInputElement | HTMLTextAreaElement } | { kind: 'set', element: HTMLInputElement }
 *   | { kind: 'rich', element: HTMLElement }} Field
 */
/**
 * @typedef {object} OpenFill a fill between its begin and its end
 * @property {Field} field
 * @property {string} before
 * @property {string | null} accepted what was asked for as the field writes it; null when the host types
 * @property {boolean} isRefused the page cancelled the edit
 * @property {Promise<void>} edited resolves when the page has handled or cancelled an edit of the field
 * @property {() => void} stop
 */

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
/** How long the browser may take to tell a page that its selection moved. */
const TOLD_MS = 200;
/** How long a cancelled edit may take to show, when the page writes the text itself. */
const OWN_WRITE_MS = 100;

/** @type {OpenFill | null} */
let openFill = null;

/**
 * `fill_begin`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['fill_begin']>[0]} args
 * @returns {Promise<Answer<FillBegun>>}
 */
async function beginFill({ target, value, append, timeout_ms }) {
  openFill?.stop();
  openFill = null;
  const found = await lookUntil(timeout_ms, () => editableField(target, value, append));
  if ('error' in found) return found;
  const field = found.ok;
  const { element } = field;
  const before = heldText(field);
  const focused = takeFocus(element);
  if (focused) return focused;
  if (field.kind === 'set') return setValue(field.element, value);
  await selectionTold(element, () => selectForTyping(field, append));
  if (!element.isConnected) return elementReplaced(element);
  const fill = watchFill(field, before, null);
  openFill = fill;
  const wanted = append ? before + value : value;
  const isDone = value === '' || await enterLongText(field, value, wanted);
  if (value === '' && !append && before !== '') document.execCommand('delete');
  if (isDone) {
    await nextTask();
    if (!element.isConnected) return elementReplaced(element);
    if (value === '' && heldText(field) !== wanted) return valueNotKept(element, 'it could not be emptied');
    openFill = { ...fill, accepted: wanted };
  }
  return { ok: { ...usedElement(element), done: isDone, is_secret: isSecret(element) } };
}

/**
 * `fill_end`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['fill_end']>[0]} args
 * @returns {Promise<Answer<FillEnded>>}
 */
async function endFill({ value, append, timeout_ms }) {
  const fill = openFill;
  if (!fill) {
    return fail('cdp_failed', 'page_navigated', 'the page was replaced before the text was confirmed',
      'run `bsk observe` to see the page as it is now');
  }
  openFill = null;
  await settleFill(fill, timeout_ms);
  fill.stop();
  const { element } = fill.field;
  if (!element.isConnected) return elementReplaced(element);
  const held = heldText(fill.field);
  const wanted = fill.accepted ?? (append ? fill.before : '') + value;
  return {
    ok: {
      ...usedElement(element),
      value_length: held.length,
      ...(isSecret(element) ? {} : { value: held }),
      matches: comparable(fill.field, held) === comparable(fill.field, wanted),
    },
  };
}

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
  if (field.kind === 'rich') return null;
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

/**
 * Gives an element the focus and checks that it stayed.
 * @param {Element} element
 * @returns {{ error: PageError } | null}
 */
function takeFocus(element) {
  if (element instanceof HTMLElement || element instanceof SVGElement) element.focus();
  if (!element.isConnected) return elementReplaced(element);
  const active = focusedElement(element);
  if (holdsElement(element, active)) return null;
  const inert = inertObstacle(element, topModal());
  if (inert) return { error: inert.error };
  const elsewhere = active && active !== document.body ? `, \`${describe(active)}\` has it` : '';
  return fail('cdp_failed', 'not_focusable', `\`${describe(element)}\` does not take the focus${elsewhere}`,
    'give the ref of the field or control inside it; `bsk observe` shows them');
}

/**
 * Selects what the typed text is to replace, or puts the cursor at the end.
 * @param {Exclude<Field, { kind: 'set' }>} field
 * @param {boolean} append
 */
function selectForTyping(field, append) {
  if (field.kind === 'typed') {
    field.element.select();
    if (!append) return;
    const end = field.element.value.length;
    // Some types (email, number) have no positions: their selection only collapses by a movement.
    if (field.element.selectionStart !== null) field.element.setSelectionRange(end, end);
    else document.getSelection()?.modify('move', 'forward', 'documentboundary');
    return;
  }
  if (append) caretToEnd(field.element);
  else selectContents(field.element);
}

/**
 * Moves the selection and waits until the page was told. Editors with a document of their own type where they last heard that
 * the selection is; fields of the browser know by themselves.
 * @param {Element} element
 * @param {() => void} move
 */
async function selectionTold(element, move) {
  const place = () => {
    const selection = selectionAround(element);
    return [selection?.anchorNode, selection?.anchorOffset, selection?.focusNode, selection?.focusOffset];
  };
  const before = place();
  const told = new Promise((resolve) => { document.addEventListener('selectionchange', resolve, { once: true, capture: true }); });
  move();
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return;
  const now = place();
  if (now.every((part, index) => part === before[index])) return;
  await withinTime(told, TOLD_MS);
  await nextTask();
}

/**
 * The selection as it is seen inside of an element's shadow root.
 * @param {Element} element
 * @returns {Selection | null}
 */
function selectionAround(element) {
  const root = element.getRootNode();
  const own = root instanceof ShadowRoot && 'getSelection' in root && typeof root.getSelection === 'function' ? root.getSelection() : null;
  return own instanceof Selection ? own : document.getSelection();
}

/**
 * Puts the caret at the end of an editable element: into its last text where it ends with one, since some editors know no
 * other form.
 * @param {Element} element
 */
function caretToEnd(element) {
  selectContents(element);
  /** @type {Node} */
  let last = element;
  while (last.lastChild) last = last.lastChild;
  const selection = selectionAround(element);
  if (last instanceof Text) selection?.collapse(last, last.length);
  else selection?.collapseToEnd();
}

/**
 * Selects what an editable element holds, also inside of a shadow root.
 * @param {Element} element
 */
function selectContents(element) {
  const selection = selectionAround(element);
  selection?.selectAllChildren(element);
  const anchor = selection?.anchorNode ?? null;
  // The focus is there already, so the browser's own command means this editor.
  if (!element.contains(anchor)) document.execCommand('selectAll');
}

/**
 * Watches a field for an edit until the page's own handlers have run. Those below window have run when an event bubbles up
 * to it; a page that stops the event on its way is waited for by a later task, which costs a frame (Chromium holds tasks
 * back after input).
 * @param {Field} field
 * @param {string} before
 * @param {string | null} accepted
 * @returns {OpenFill}
 */
function watchFill(field, before, accepted) {
  const watching = new AbortController();
  const { signal } = watching;
  /** @type {OpenFill} */
  const fill = { field, before, accepted, isRefused: false, edited: Promise.resolve(), stop: () => watching.abort() };
  fill.edited = new Promise((resolve) => {
    /** @param {Event} event */
    const handled = (event) => {
      if (event.type === 'beforeinput' && !event.defaultPrevented) return;
      fill.isRefused = event.type === 'beforeinput';
      resolve();
    };
    for (const type of ['beforeinput', 'input']) {
      field.element.addEventListener(type, (event) => { void nextTask().then(() => handled(event)); }, { capture: true, signal });
      window.addEventListener(type, (event) => {
        if (event.composedPath().includes(field.element)) queueMicrotask(() => handled(event));
      }, { signal });
    }
  });
  return fill;
}

/**
 * Waits until the edit was made. A page that cancelled it writes the text itself, perhaps a little later.
 * @param {OpenFill} fill
 * @param {number} timeoutMs
 */
async function settleFill(fill, timeoutMs) {
  if (fill.accepted !== null) return;
  await withinTime(fill.edited, timeoutMs);
  if (!fill.isRefused || heldText(fill.field) !== fill.before) return;
  const written = new Promise((resolve) => {
    const observer = new MutationObserver(resolve);
    observer.observe(fill.field.element, { subtree: true, childList: true, characterData: true });
    setTimeout(() => observer.disconnect(), OWN_WRITE_MS);
  });
  await withinTime(written, Math.min(OWN_WRITE_MS, timeoutMs));
}

/**
 * Looks until something holds, at most `timeoutMs` long.
 * @param {number} timeoutMs
 * @param {() => boolean} holds
 * @returns {Promise<boolean>}
 */
async function becomesTrue(timeoutMs, holds) {
  const unmet = { ...fail('cdp_failed', 'value_mismatch', 'it does not hold yet', 'look again'), wait_ms: timeoutMs };
  return 'ok' in await lookUntil(timeoutMs, () => (holds() ? { ok: true } : unmet));
}

/**
 * Sets a field that takes no typing, with the events of a user's choice, and reads it back.
 * @param {HTMLInputElement} element
 * @param {string} value
 * @returns {Promise<Answer<FillBegun>>}
 */
async function setValue(element, value) {
  const before = element.value;
  const accepted = value === '' ? '' : acceptedValue(element, value) ?? '';
  if (accepted !== before) {
    element.value = accepted;
    await announceChange(element);
    if (!element.isConnected) return elementReplaced(element);
    if (element.value !== accepted) {
      return valueNotKept(element, isSecret(element) ? 'the page changed it again' : `the page made it \`${element.value}\``);
    }
  }
  // A range takes the nearest step and a colour small letters: that is what was asked for, as the field writes it.
  openFill = watchFill({ kind: 'set', element }, before, accepted);
  return { ok: { ...usedElement(element), done: true, is_secret: isSecret(element) } };
}

/**
 * One `input` and one `change`, as after a user's choice; resolves when the page's handlers have run.
 * @param {Element} element
 * @returns {Promise<void>}
 */
function announceChange(element) {
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
  return nextTask();
}

/**
 * @param {Element} element
 * @returns {{ error: PageError }}
 */
function elementReplaced(element) {
  return fail('cdp_failed', 'element_replaced', `the page took \`${describe(element)}\` away while it was used`,
    'run `bsk observe` and look at what stands in its place');
}

/**
 * @param {Element} element
 * @param {string} cause
 * @returns {{ error: PageError }}
 */
function valueNotKept(element, cause) {
  return fail('cdp_failed', 'value_not_accepted', `\`${describe(element)}\` did not keep the value: ${cause}`,
    'run `bsk observe` to see what the field holds and what the page says about it');
}

/**
 * What a field holds, as plain text with `\n`.
 * @param {Field} field
 * @returns {string}
 */
function heldText(field) {
  if (field.kind !== 'rich') return field.element.value;
  // An editor ends with a line break that nobody typed, writes spaces as no-break ones and marks places invisibly.
  return field.element.innerText.replace(/\r\n?/g, '\n').replaceAll('\u00a0', ' ').replace(/[\u200b\ufeff]/g, '').replace(/\n$/, '');
}

/**
 * A text in the form in which two texts of a field are compared.
 * @param {Field} field
 * @param {string} text
 * @returns {string}
 */
function comparable(field, text) {
  const lines = text.replace(/\r\n?/g, '\n');
  if (field.kind === 'rich') return lines.replaceAll('\u00a0', ' ').replace(/[\u200b\ufeff]/g, '').replace(/\n+/g, '\n').replace(/\n$/, '');
  return field.element instanceof HTMLInputElement ? lines.replaceAll('\n', '') : lines;
}

/**
 * `focus`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['focus']>[0]} args
 * @returns {Promise<Answer<UsedElement & { is_frame: boolean }>>}
 */
async function focusTarget({ target, timeout_ms }) {
  let element = focusedElement() ?? document.documentElement;
  if (target) {
    const found = await lookUntil(timeout_ms, () => {
      const resolved = resolveTarget(target);
      if ('error' in resolved) return resolved;
      const control = labelledControl(resolved.ok);
      return stateObstacle(control, true, true) ?? { ok: control };
    });
    if ('error' in found) return found;
    element = found.ok;
    const editor = element instanceof HTMLElement && element.isContentEditable ? editorRoot(element) : element;
    const refused = takeFocus(editor);
    if (refused) return refused;
    if (editor !== element) {
      // Keys go to the cursor of the editor, so a part of it is focused by putting the cursor there.
      caretToEnd(element);
    }
  }
  const answer = { ...usedElement(element), is_frame: isFrameElement(element) };
  armProbe('keydown', null, false);
  watchOutcome(element);
  return { ok: answer };
}
