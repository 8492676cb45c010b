// Texts of many lines, entered as one edit. Typing gives an edit per line, and each costs as much as all lines before it:
// measured 0.05 s for 100 lines, 1 s for 1,000, minutes for 16,000. One edit takes 20,000 lines in under a second.
// Editors that keep a document of their own are given the text as a paste, which they all read, made here and without the
// user's clipboard. Refuses nothing: what cannot be entered so is typed by the host. Invariant: read back like any fill.

/** A text of more lines than this is entered as one edit where that can be done. */
const TYPED_LINES = 50;
/** How long an editor that took the paste may take to show it. */
const PASTE_MS = 3000;

/**
 * Enters a text of many lines as one edit; false when the host is to type it.
 * @param {Exclude<Field, { kind: 'set' }>} field with the text to replace selected
 * @param {string} value
 * @param {string} wanted what it holds afterwards
 * @returns {Promise<boolean>}
 */
async function enterLongText(field, value, wanted) {
  if (field.element instanceof HTMLInputElement) return false;
  const text = value.replace(/\r\n?/g, '\n');
  if (text.split('\n', TYPED_LINES + 1).length <= TYPED_LINES) return false;
  const before = heldText(field);
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
 * @param {Exclude<Field, { kind: 'set' }>} field
 * @param {string} text
 * @param {string} wanted
 * @returns {Promise<boolean>} false when nobody took it
 */
async function pasteIsTaken(field, text, wanted) {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
  const before = heldText(field);
  if (field.element.dispatchEvent(paste)) return false;
  // Editors lay out white space as they like.
  const isThere = () => lettersOf(heldText(field)) === lettersOf(wanted);
  await becomesTrue(PASTE_MS, isThere);
  // An editor that only forbids pasting is typed into.
  return heldText(field) !== before;
}
