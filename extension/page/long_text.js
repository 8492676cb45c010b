// Texts of several lines, entered as one edit. Typing gives an edit per line, and each costs as much as all lines before it:
// measured 0.05 s for 100 lines, 1 s for 1,000, minutes for 16,000. One edit takes 20,000 lines in under a second.
// Editors that keep a document of their own are given the text as a paste, which they all read, made here and without the
// user's clipboard. Refuses nothing: what cannot be entered so is typed by the host. Invariant: read back like any fill.

/** A text of more lines than this is entered as one edit where that can be done. */
const TYPED_LINES = 50;
/** How long editors put off hearing where the selection is; unlike typing, a paste carries no place of its own. */
const HEARD_MS = 150;
/** How long an editor that took the paste may take to show it. */
const PASTE_MS = 3000;
/** How long it may take to draw the rest once something changed; it may never draw all. */
const DRAWN_MS = 300;

/**
 * Enters a text of many lines as one edit; false when the host is to type it.
 * @param {TextField} field with the text to replace selected
 * @param {string} value
 * @param {string} wanted what it holds afterwards
 * @returns {Promise<boolean>}
 */
async function enterLongText(field, value, wanted) {
  if (field.element instanceof HTMLInputElement) return false;
  const text = value.replace(/\r\n?/g, '\n');
  const isLong = text.split('\n', TYPED_LINES + 1).length > TYPED_LINES;
  const before = heldText(field);
  if (!isLong) {
    // Replacing takes lines as they come. At a mere caret, editors with a document of their own lose all but the first line.
    const isAtCaret = field.kind === 'rich' && text.includes('\n')
      && (before === '' || (selectionAround(field.element)?.isCollapsed ?? false));
    return isAtCaret && pasteIsTaken(field, text, wanted);
  }
  try {
    if (field.kind === 'rich') {
      if (await pasteIsTaken(field, text, wanted)) return true;
      insertParagraphs(field.element, text);
    } else {
      insertLines(text);
    }
  } catch {
    return false;
  }
  // A page that keeps something else has answered the edit; untouched means that the command was refused.
  return heldText(field) !== before || comparable(field, before) === comparable(field, wanted);
}

/** @param {string} text */
function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * Into a text area. The only edit that takes all lines at once and still gives a trusted `input` event and a step to undo.
 * @param {string} text
 */
function insertLines(text) {
  const body = text.replace(/\n+$/, '');
  document.execCommand('insertHTML', false, escapeHtml(body).replaceAll('\n', '<br>'));
  // A line break at the very end is taken for the field's own.
  if (body !== text) document.execCommand('insertText', false, text.slice(body.length));
}

/**
 * Into an editable element, as the paragraphs that typing would make there.
 * @param {HTMLElement} editor
 * @param {string} text
 */
function insertParagraphs(editor, text) {
  const keepsSpaces = getComputedStyle(editor).whiteSpaceCollapse.startsWith('preserve');
  const paragraphs = text.split('\n').map((line) => {
    const written = keepsSpaces ? escapeHtml(line) : escapeHtml(line).replace(/^ | $| (?= )/g, '\u00a0').replaceAll('\t', '\u00a0');
    return `<div>${written === '' ? '<br>' : written}</div>`;
  });
  document.execCommand('insertHTML', false, paragraphs.join(''));
}

/**
 * Offers the text as a paste to an editor that handles those itself.
 * @param {TextField} field
 * @param {string} text
 * @param {string} wanted
 * @returns {Promise<boolean>} false when nobody took it
 */
async function pasteIsTaken(field, text, wanted) {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
  const before = heldText(field);
  await pauseFor(HEARD_MS);
  if (field.element.dispatchEvent(paste) && field.element.dispatchEvent(pastedInput(text))) return false;
  await becomesTrue(PASTE_MS, () => heldText(field) !== before);
  // Editors lay out white space as they like.
  await becomesTrue(DRAWN_MS, () => lettersOf(heldText(field)) === lettersOf(wanted));
  // An editor that only forbids pasting is typed into.
  return heldText(field) !== before;
}

/**
 * What the browser says of a paste that nobody took before it puts the text in.
 * @param {string} text
 * @returns {InputEvent}
 */
function pastedInput(text) {
  const dataTransfer = new DataTransfer();
  dataTransfer.setData('text/plain', text);
  return new InputEvent('beforeinput', { inputType: 'insertFromPaste', dataTransfer, bubbles: true, cancelable: true, composed: true });
}
