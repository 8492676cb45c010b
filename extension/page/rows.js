// Rows as they come together: runs of text that grow and end, and rows that turn out to say nothing, to repeat what is below
// them, or only to wear the pointer of their controls. Works on the rows of one walk; reads the page only for the place of text
// and the spans of cells.
// Invariant: a row is taken back by `isGone`, never by moving others, so that a long page costs no more per row than a short one.

/** What stands between two links says nothing on its own. */
const separatorsOnly = /^[\s,.;:|\u00b7\u2022/()[\]]+$/;

/**
 * @param {Around} around
 * @returns {Run}
 */
function emptyRun(around) {
  return { text: '', first: null, last: null, element: null, around };
}

/**
 * @param {Walk} walk
 * @param {Element} element around the text
 * @param {string} text
 * @param {Text | null} node null for generated text
 * @param {Around} around
 */
function appendText(walk, element, text, node, around) {
  if (text === '') return;
  const isBlank = !/\S/.test(text);
  if (!isBlank && (around.where.isAway || isUnseenText(element))) {
    if (walk.options.invisible) pushUnseen(walk, element, text, node, around);
    return;
  }
  const run = walk.run;
  if (run.element === null) {
    run.element = element;
    run.around = around;
  }
  run.text += text;
  if (node === null || isBlank) return;
  run.first ??= node;
  run.last = node;
}

/**
 * A row of its own for text that nobody can see.
 * @param {Walk} walk @param {Element} element @param {string} text @param {Text | null} node @param {Around} around
 */
function pushUnseen(walk, element, text, node, around) {
  flushRun(walk, around);
  walk.rows.push({
    depth: around.depth, role: 'text', name: tidyText(text), value: '', description: '', states: ['invisible'], element, hasRef: false,
    text: node === null ? null : [node, node], place: places.none, rect: null, clip: null, isGone: false,
  });
}

/**
 * Ends the run of text and gives it a row if it says something new.
 * @param {Walk} walk @param {Around} around for the run to come
 */
function flushRun(walk, around) {
  const run = walk.run;
  if (run.text === '') return;
  const text = tidyText(run.text);
  walk.run = emptyRun(around);
  if (text === '' || run.element === null) return;
  const { said, depth, where } = run.around;
  if (!walk.options.isFull && separatorsOnly.test(text)) return;
  if (said !== '' && (said.toLowerCase().includes(text.toLowerCase()) || !/[\p{L}\p{N}]/u.test(text))) return;
  walk.rows.push({
    depth, role: 'text', name: text, value: '', description: '', states: [], element: run.element, hasRef: false,
    text: run.first !== null && run.last !== null ? [run.first, run.last] : null, place: runPlace(walk.range, run, where), rect: null, clip: null, isGone: false,
  });
}

/**
 * @param {Range} range @param {Run} run @param {Where} where
 * @returns {number} a digit of the `place` column
 */
function runPlace(range, run, where) {
  if (where.place !== places.mixed) return where.place;
  if (run.first === null || run.last === null) return places.none;
  range.setStart(run.first, 0);
  range.setEnd(run.last, run.last.length);
  const place = placeOfRect(range.getBoundingClientRect(), where.clip);
  return place === places.mixed ? places.in : place;
}

/**
 * The next row that stays, from an index on.
 * @param {Row[]} rows @param {number} from
 * @returns {number} the number of rows when there is none
 */
function nextStaying(rows, from) {
  let index = from;
  while (rows[index]?.isGone === true) index++;
  return index;
}

/**
 * Drops or simplifies a row now that what is below it is known.
 * @param {Walk} walk @param {number} index
 */
function settleRow(walk, index) {
  const rows = walk.rows;
  const row = rows[index];
  if (row === undefined) return;
  if (row.role === 'row' && holdsEmptyCells(rows, index)) rows.length = index + 1;
  const onlyIndex = nextStaying(rows, index + 1);
  const only = rows[onlyIndex];
  if (only === undefined) {
    // A clickable wrapper that shows nothing (a veil, a spacer) still has a ref; an empty cell keeps the columns after it in place.
    if (saysNothing(row) && !row.hasRef && (row.role === 'row' || !cellRoles.has(row.role))) row.isGone = true;
    return;
  }
  if (cellRoles.has(row.role) && row.name === '' && only.role === 'text' && nextStaying(rows, onlyIndex + 1) === rows.length) {
    row.name = only.name;
    only.isGone = true;
    return;
  }
  const isWrapper = row.hasRef && row.role === 'generic' && row.name === '' && interactivityOf(row.element) === 'pointer';
  if (isWrapper && !row.element.hasAttribute('onclick') && holdsOnlyTargets(rows, index)) dissolveRow(rows, index);
}

/**
 * @param {Row} row
 * @returns {boolean}
 */
function saysNothing(row) {
  return row.name === '' && row.value === '' && row.description === '' && row.states.length === 0;
}

/**
 * All that a table's row holds are empty cells, if any.
 * @param {Row[]} rows @param {number} index
 * @returns {boolean}
 */
function holdsEmptyCells(rows, index) {
  for (let below = nextStaying(rows, index + 1); below < rows.length; below = nextStaying(rows, below + 1)) {
    const cell = rows[below];
    if (cell === undefined || cell.hasRef || !cellRoles.has(cell.role) || !saysNothing(cell)) return false;
  }
  return true;
}

/**
 * All that a row holds belongs to targets inside it: such a wrapper only wears the pointer of its controls.
 * @param {Row[]} rows @param {number} index
 * @returns {boolean}
 */
function holdsOnlyTargets(rows, index) {
  let targetDepth = Infinity;
  for (let below = index + 1; below < rows.length; below++) {
    const row = rows[below];
    if (row === undefined || row.isGone || row.depth > targetDepth) continue;
    if (row.hasRef) targetDepth = row.depth;
    else if (row.name !== '') return false;
    else targetDepth = Infinity;
  }
  return true;
}

/**
 * Takes a row away and moves what is below it up.
 * @param {Row[]} rows @param {number} index
 */
function dissolveRow(rows, index) {
  const gone = rows[index];
  if (gone !== undefined) gone.isGone = true;
  for (let below = index + 1; below < rows.length; below++) {
    const moved = rows[below];
    if (moved !== undefined) moved.depth -= 1;
  }
}

/** Columns and rows that one cell is followed over: spans beyond that are mistakes. */
const widestSpan = 100;

/**
 * Empty cells in place of those that the cells of rows above reach down to, before a cell of the walk.
 * @param {Walk} walk @param {HTMLTableCellElement} cell @param {Around} around
 */
function padBefore(walk, cell, around) {
  const row = cell.parentElement;
  const taken = row === null ? undefined : walk.spanned.get(row);
  if (taken === undefined) return;
  for (let column = columnOf(walk, cell); taken.has(column); column++) pushPad(walk, cell, around);
}

/**
 * Empty cells for the further columns of a cell, and a note for the rows that it reaches down to.
 * @param {Walk} walk @param {HTMLTableCellElement} cell @param {Around} around
 */
function padAfter(walk, cell, around) {
  const width = Math.min(cell.colSpan, widestSpan);
  for (let extra = 1; extra < width; extra++) pushPad(walk, cell, around);
  if (cell.rowSpan === 1) return;
  const taken = walk.spanned.get(cell.parentElement ?? cell);
  let first = columnOf(walk, cell);
  while (taken?.has(first) === true) first++;
  let row = cell.parentElement?.nextElementSibling ?? null;
  // A span of 0 reaches to the end of the rows.
  for (let left = Math.min(cell.rowSpan || widestSpan, widestSpan) - 1; left > 0 && row !== null; left--, row = row.nextElementSibling) {
    const columns = walk.spanned.get(row) ?? new Set();
    for (let column = first; column < first + width; column++) columns.add(column);
    walk.spanned.set(row, columns);
  }
}

/**
 * The column after the cells before this one; it may be taken by a cell of a row above.
 * @param {Walk} walk @param {HTMLTableCellElement} cell
 * @returns {number}
 */
function columnOf(walk, cell) {
  const row = cell.parentElement;
  const taken = row === null ? undefined : walk.spanned.get(row);
  let column = 0;
  for (let before = row?.firstElementChild ?? null; before !== null && before !== cell; before = before.nextElementSibling) {
    while (taken?.has(column) === true) column++;
    column += before instanceof HTMLTableCellElement ? Math.min(before.colSpan, widestSpan) : 0;
  }
  return column;
}

/**
 * @param {Walk} walk @param {Element} element @param {Around} around
 */
function pushPad(walk, element, around) {
  walk.rows.push({
    depth: around.depth, role: 'cell', name: '', value: '', description: '', states: [], element, hasRef: false, text: null,
    place: places.none, rect: null, clip: null, isGone: false,
  });
}
