// Focus and caret: gives a field the focus, selects what is to be replaced or puts the caret where text is to go, and lets
// the page hear of it. Refuses to call focused what did not keep the focus. Invariant: nothing of the page's contents changes.

/** How long the browser may take to tell a page that its selection moved. */
const TOLD_MS = 200;

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
 * @param {TextField} field
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
 * other form; behind a part that cannot be edited, such as a mention, but before what is only shown beside the text.
 * @param {Element} element
 */
function caretToEnd(element) {
  selectContents(element);
  const selection = selectionAround(element);
  /** @type {Node} */
  let last = element;
  let isBeside = false;
  for (let child = last.lastChild; child; child = last.lastChild) {
    while (child instanceof Element && isShownBeside(child)) {
      isBeside = true;
      child = child.previousSibling;
    }
    if (child === null) break;
    if (child instanceof HTMLElement && !child.isContentEditable) {
      selection?.collapse(last, [...last.childNodes].indexOf(child) + 1);
      return;
    }
    last = child;
  }
  if (last instanceof Text) selection?.collapse(last, last.length);
  else if (isBeside) selection?.collapse(last instanceof HTMLBRElement ? last.parentNode : last, 0);
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
