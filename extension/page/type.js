// Typing key by key: the host presses the keys, this file gives the field its focus and caret and reads back what came of it.
// Refuses what `fill` refuses, and fields whose value is chosen rather than typed. Invariants: a caret that the user or the
// page put into a focused field stays where it is; what a secret field holds never leaves the page.

/**
 * @typedef {object} OpenTyping
 * @property {Exclude<Field, { kind: 'set' }>} field
 * @property {string} before
 * @property {[number, number] | null} selection where the text goes; null when the field does not tell
 */

/** @type {OpenTyping | null} */
let openTyping = null;

/**
 * `type_begin`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['type_begin']>[0]} args
 * @returns {Promise<Answer<UsedElement & { is_secret: boolean, by_keys?: true }>>}
 */
async function beginTyping({ target, timeout_ms }) {
  openTyping = null;
  const found = await lookUntil(timeout_ms, () => typedField(target));
  if ('error' in found) return found;
  const { field, part } = found.ok;
  const { element } = field;
  const hadFocus = focusedElement(element) === element;
  const refused = takeFocus(element);
  if (refused) return refused;
  if (field.kind === 'surface') {
    // Where the caret is, only the editor knows; what became of the keys cannot be read without moving it.
    armProbe('keydown', null, false);
    return { ok: { ...usedElement(part), is_secret: false, by_keys: true } };
  }
  if (part !== element) {
    await selectionTold(element, () => caretToEnd(part));
  } else if (!hadFocus) {
    await selectionTold(element, () => selectForTyping(field, true));
  }
  openTyping = { field, before: heldText(field), selection: caretOf(field) };
  armProbe('keydown', null, false);
  return { ok: { ...usedElement(part), is_secret: isSecret(element) } };
}

/**
 * `type_end`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['type_end']>[0]} args
 * @returns {Promise<Answer<FillEnded>>}
 */
async function endTyping({ value, timeout_ms }) {
  const typing = openTyping;
  openTyping = null;
  if (!typing) {
    return fail('cdp_failed', 'page_navigated', 'the page was replaced before the text was confirmed',
      'run `bsk observe` to see the page as it is now');
  }
  const { field } = typing;
  const { element } = field;
  // Tab leaves most fields, as on a keyboard: what follows it goes elsewhere.
  const [first = value] = value.split('\t', 1);
  const isThere = () => typingShows(typing, value) || (first !== value && typingShows(typing, first));
  // A page that formats what is typed may do so a little later.
  await becomesTrue(Math.min(timeout_ms, OWN_WRITE_MS), isThere);
  const isSent = /^[^\n]*\n+$/.test(value) && !(element instanceof HTMLTextAreaElement);
  // Enter may have sent a form or a message: then the field is gone or empty, as it should be.
  if (!element.isConnected && !isSent) return elementReplaced(element);
  const held = heldText(field);
  return {
    ok: {
      ...usedElement(element),
      value_length: held.length,
      ...(isSecret(element) ? {} : { value: held }),
      matches: isThere() || isSent,
    },
  };
}

/**
 * The field that can be typed into, and the part of it that was meant.
 * @param {Target} target
 * @returns {Attempt<{ field: Exclude<Field, { kind: 'set' }>, part: HTMLElement }>}
 */
function typedField(target) {
  const resolved = resolveTarget(target);
  if ('error' in resolved) return resolved;
  const part = labelledControl(resolved.ok);
  const whole = part instanceof HTMLElement && part.isContentEditable ? editorRoot(part) : part;
  const made = fieldOf(whole);
  if ('error' in made) return { error: made.error, wait_ms: 0 };
  const field = made.ok;
  if (field.kind === 'set') {
    return { ...fail('invalid_params', 'not_fillable', `the value of \`${describe(part)}\` is chosen, not typed`,
      `set it with \`bsk fill ${refText(refOf(part))}\``), wait_ms: 0 };
  }
  const blocked = stateObstacle(part, true, true);
  if (blocked) return blocked;
  if (isReadOnly(whole)) return readOnlyObstacle(whole);
  return { ok: { field, part: part instanceof HTMLElement ? part : field.element } };
}

/**
 * Where the caret or selection of a field is.
 * @param {Exclude<Field, { kind: 'set' }>} field
 * @returns {[number, number] | null}
 */
function caretOf(field) {
  if (field.kind !== 'typed') return null;
  const { selectionStart, selectionEnd } = field.element;
  return selectionStart === null || selectionEnd === null ? null : [selectionStart, selectionEnd];
}

/**
 * Whether a field shows what was typed: exactly where the caret was, or laid out anew with the same letters and digits.
 * @param {OpenTyping} typing
 * @param {string} value
 * @returns {boolean}
 */
function typingShows({ field, before, selection }, value) {
  const held = comparable(field, heldText(field));
  const typed = comparable(field, value);
  if (selection) {
    const wanted = before.slice(0, selection[0]) + typed + before.slice(selection[1]);
    if (held === comparable(field, wanted)) return true;
  } else if (held !== comparable(field, before) && held.includes(typed)) {
    return true;
  }
  const letters = lettersOf(value);
  return letters !== '' && held !== comparable(field, before) && lettersOf(held).includes(letters);
}
