// Editing: filling fields. Text is typed by the host as trusted input; this file makes the field ready, selects what is to be
// replaced, and reads back what came of it. Fields that take no typing (dates, ranges, colours) are set here, with the events
// that a user's edit would give.
// Refuses what `field.js` refuses. Invariants: what a secret field holds never leaves the page; `done` is only answered after it
// was read back; no event without a change; nothing is taken out of an editor behind its back.

/**
 * @typedef {object} OpenFill a fill between its begin and its end
 * @property {Target} target
 * @property {Field} field
 * @property {string} before
 * @property {string | null} accepted what was asked for as the field writes it; null when the host types
 * @property {boolean} isRefused the page cancelled the edit
 * @property {Promise<void>} edited resolves when the page has handled or cancelled an edit of the field
 * @property {() => void} stop
 */

/** How long a cancelled edit may take to show, when the page writes the text itself. */
const OWN_WRITE_MS = 100;
/** How long an editor that draws itself may take to take over what was typed. */
const HANDED_ON_MS = 1000;

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
  if (field.kind === 'set') return setValue(target, field.element, value);
  if (field.kind === 'surface') {
    openFill = watchFill(target, field, before, null);
    return { ok: { ...usedElement(element), done: append && value === '', is_secret: false, by_keys: true } };
  }
  await selectionTold(element, () => selectForTyping(field, append));
  if (!element.isConnected) return elementReplaced(element);
  const fill = watchFill(target, field, before, null);
  openFill = fill;
  const wanted = append ? before + value : value;
  const isDone = value === '' ? isEmptied(field, append, before) : await enterLongText(field, value, wanted);
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
  if (fill.field.kind === 'surface') await becomesTrue(Math.min(timeout_ms, HANDED_ON_MS), () => surfaceHolds(fill, value, append));
  else await settleFill(fill, timeout_ms);
  fill.stop();
  const wanted = fill.accepted ?? (append ? fill.before : '') + value;
  const field = fieldInPlace(fill.field, fill.target);
  if (field === null) return elementReplaced(fill.field.element);
  const { element } = field;
  const { held, matches } = await readBack({ ...fill, field }, wanted, append ? value : null);
  if (!matches && field !== fill.field) return elementReplaced(fill.field.element);
  return {
    ok: {
      ...usedElement(element),
      value_length: held.length,
      ...(isSecret(element) ? {} : { value: held }),
      matches,
    },
  };
}

/**
 * The field, or the one that the page put in its place.
 * @template {Field} Kind
 * @param {Kind} field
 * @param {Target} target
 * @returns {Field | null}
 */
function fieldInPlace(field, target) {
  if (field.element.isConnected) return field;
  const again = resolveTarget(target);
  const made = 'ok' in again ? fieldOf(labelledControl(again.ok)) : again;
  return 'ok' in made && made.ok.kind === field.kind ? made.ok : null;
}

/**
 * Empties a field of the browser; an editor is left to the host, whose key it hears of, unless there is nothing to take out.
 * @param {TextField} field with what it holds selected
 * @param {boolean} append
 * @param {string} before
 * @returns {boolean} false when the host is to press the key
 */
function isEmptied(field, append, before) {
  if (append) return true;
  if (field.kind === 'rich') return selectionAround(field.element)?.isCollapsed ?? true;
  if (before !== '') document.execCommand('delete');
  return true;
}

/**
 * @param {OpenFill} fill @param {string} value @param {boolean} append
 * @returns {boolean}
 */
function surfaceHolds({ field }, value, append) {
  const held = heldText(field);
  return append ? comparable(field, held).endsWith(comparable(field, value)) : isSameText(field, held, value);
}

/**
 * What a field holds after an edit, and whether that is what was asked for.
 * @param {OpenFill} fill
 * @param {string} wanted
 * @param {string | null} added what was asked to be added to its end
 * @returns {Promise<{ held: string, matches: boolean }>}
 */
async function readBack({ field, before }, wanted, added) {
  const held = heldText(field);
  // What was there before was not selected, so it could not be asked for.
  const matches = field.kind === 'surface' && added !== null
    ? comparable(field, held).endsWith(comparable(field, added)) : isSameText(field, held, wanted);
  if (matches || field.kind !== 'rich') return { held, matches };
  const copied = await copiedText(field.element);
  if (copied === null || copied.length < held.length) return { held, matches };
  const isAdded = added !== null && copied.endsWith(comparable(field, added)) && copied.length >= before.length + added.length;
  return { held: copied, matches: isAdded || isSameText(field, copied, wanted) };
}

/**
 * Watches a field for an edit until the page's own handlers have run. Those below window have run when an event bubbles up
 * to it; a page that stops the event on its way is waited for by a later task, which costs a frame (Chromium holds tasks
 * back after input).
 * @param {Target} target
 * @param {Field} field
 * @param {string} before
 * @param {string | null} accepted
 * @returns {OpenFill}
 */
function watchFill(target, field, before, accepted) {
  const watching = new AbortController();
  const { signal } = watching;
  /** @type {OpenFill} */
  const fill = { target, field, before, accepted, isRefused: false, edited: Promise.resolve(), stop: () => watching.abort() };
  fill.edited = new Promise((resolve) => {
    /** @param {Event} event */
    const handled = (event) => {
      if (event.type !== 'input' && !event.defaultPrevented) return;
      fill.isRefused = event.type !== 'input';
      resolve();
    };
    for (const type of ['keydown', 'beforeinput', 'textInput', 'input']) {
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
 * @param {Target} target
 * @param {HTMLInputElement} element
 * @param {string} value
 * @returns {Promise<Answer<FillBegun>>}
 */
async function setValue(target, element, value) {
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
  openFill = watchFill(target, { kind: 'set', element }, before, accepted);
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
