// What a field holds, read back and compared with what was asked for. The text of an editor is read as its lines: a block is
// a line, however far apart the page draws its paragraphs. An editor that draws only a part of its text is asked for the whole
// as it would give it to a copy; the clipboard is not touched. Refuses nothing. Invariant: a text is only called held when every
// letter, digit and line of it is there.

/** What the browser and editors put in to mark places. */
const MARKS = /[\u200b\ufeff]/g;

/**
 * What a field holds, as plain text with `\n`.
 * @param {Field} field
 * @returns {string}
 */
function heldText(field) {
  if (field.kind === 'surface') return surfaceText(field.element);
  return field.kind === 'rich' ? plainText(editorLines(field.element).join('\n')) : field.element.value;
}

/**
 * What a copy would take of an editor that draws its text elsewhere: what is selected there, as it hands it over.
 * @param {HTMLElement} element
 * @returns {string}
 */
function surfaceText(element) {
  const copied = offerCopy(element);
  if (copied !== null) return plainText(copied);
  return element instanceof HTMLTextAreaElement ? element.value.slice(element.selectionStart, element.selectionEnd) : '';
}

/**
 * Asks an element for what it would put into the clipboard, which is not touched.
 * @param {HTMLElement} element
 * @returns {string | null} null when it leaves that to the browser
 */
function offerCopy(element) {
  const clipboardData = new DataTransfer();
  const copy = new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true, composed: true });
  return element.dispatchEvent(copy) ? null : clipboardData.getData('text/plain');
}

/**
 * A text without what editors write for their own ends: no-break spaces, marks, a line break at the end.
 * @param {string} text
 * @returns {string}
 */
function plainText(text) {
  return text.replace(/\r\n?/g, '\n').replaceAll('\u00a0', ' ').replace(MARKS, '');
}

/**
 * The lines of an editor. A line break at the end of a block is the block's own and no further line.
 * @param {HTMLElement} editor
 * @returns {string[]}
 */
function editorLines(editor) {
  /** @type {string[]} */
  const lines = [];
  /** @type {string | null} */
  let line = null;
  let isBroken = false;
  const write = (/** @type {string} */ text) => {
    if (isBroken) lines.push(line ?? '');
    line = isBroken ? text : (line ?? '') + text;
    isBroken = false;
  };
  const breakLine = () => {
    write('');
    isBroken = true;
  };
  const endBlock = () => {
    if (line !== null) lines.push(line);
    line = null;
    isBroken = false;
  };
  const visit = (/** @type {Node} */ node, /** @type {boolean} */ keepsSpaces) => {
    if (node instanceof Text) {
      if (keepsSpaces) {
        for (const [index, part] of node.data.split('\n').entries()) {
          if (index > 0) breakLine();
          if (part !== '') write(part);
        }
        return;
      }
      const text = node.data.replace(/[ \t\n\r\f]+/g, ' ');
      const isAtEdge = isBroken || line === null || line.endsWith(' ');
      const shown = isAtEdge ? text.replace(/^ /, '') : text;
      if (shown !== '') write(shown);
    } else if (node instanceof HTMLBRElement) {
      breakLine();
    } else if (node instanceof Element && node.localName !== 'textarea') {
      const style = getComputedStyle(node);
      if (style.display === 'none' || isShownBeside(node)) return;
      const isBlock = isBlockDisplay(style.display);
      const keeps = style.whiteSpaceCollapse.startsWith('preserve') || style.whiteSpaceCollapse === 'break-spaces';
      if (isBlock) endBlock();
      for (const child of node.childNodes) visit(child, keeps);
      if (isBlock) endBlock();
    }
  };
  visit(editor, false);
  endBlock();
  return lines;
}

/**
 * What an editor shows beside its text, such as a placeholder or line numbers: nobody can edit it, and it is no part of a line
 * that one could point at.
 * @param {Element} element
 * @returns {boolean}
 */
function isShownBeside(element) {
  if (element.getAttribute('contenteditable') !== 'false') return false;
  const { display, pointerEvents, userSelect } = getComputedStyle(element);
  return isBlockDisplay(display) || pointerEvents === 'none' || userSelect === 'none';
}

/**
 * @param {string} display
 * @returns {boolean}
 */
function isBlockDisplay(display) {
  return !isInlineDisplay(display) && !display.startsWith('inline');
}

/**
 * What an editor gives to a copy of all it holds; null when it leaves that to the browser, which would give what is drawn.
 * The caret is at the end afterwards.
 * @param {HTMLElement} editor
 * @returns {Promise<string | null>}
 */
async function copiedText(editor) {
  await selectionTold(editor, () => selectContents(editor));
  const copied = offerCopy(editor);
  await selectionTold(editor, () => caretToEnd(editor));
  return copied === null ? null : plainText(copied);
}

/**
 * A text in the form in which two texts of a field are compared.
 * @param {Field} field
 * @param {string} text
 * @returns {string}
 */
function comparable(field, text) {
  const lines = plainText(text);
  if (field.kind === 'rich' || field.kind === 'surface') return lines.replace(/\n$/, '');
  return field.element instanceof HTMLInputElement ? text.replace(/[\r\n]/g, '') : text.replace(/\r\n?/g, '\n');
}

/**
 * Whether a field holds a text: exactly, or laid out anew as masks and editors do, with the same letters and digits, in an
 * editor line by line.
 * @param {Field} field
 * @param {string} held
 * @param {string} wanted
 * @returns {boolean}
 */
function isSameText(field, held, wanted) {
  if (comparable(field, held) === comparable(field, wanted)) return true;
  if (field.kind === 'rich') {
    const [have, asked] = [held, wanted].map((text) => plainText(text).split('\n').filter((line) => line.trim() !== '')
      .map((line) => lettersOf(line) || line.trim()).join('\n'));
    return have !== '' && have === asked;
  }
  return field.kind !== 'surface' && lettersOf(wanted) !== '' && lettersOf(held) === lettersOf(wanted);
}

/**
 * The letters and digits of a text: what no mask and no editor may change.
 * @param {string} text
 * @returns {string}
 */
function lettersOf(text) {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
