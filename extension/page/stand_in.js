// What stands in for a checkbox, radio or switch that nobody can see or point at: its visible label, the visible part that draws
// it, or what is around it and holds no other control. And options of a select, which are chosen rather than clicked.
// Refuses a point on what keeps the click for itself, such as a link in a label, and the label of another control. Whether the
// stand-in worked is told by the state of the control itself, never assumed.

/** @typedef {{ element: Element, point: Point, proxy?: Element }} Pointed `proxy`: what is pointed at in place of the element */

/** Roles of elements that draw a checkbox or radio. */
const TOGGLE_PARTS = '[role=checkbox], [role=radio], [role=switch], [role=menuitemcheckbox], [role=menuitemradio]';
/** What keeps a click for itself. */
const INTERACTIVE = 'a[href], button, input, select, textarea, summary, iframe, [contenteditable], [role=link], [role=button]';
/** How far up a part that belongs to the control is looked for. */
const AROUND_DEPTH = 3;
/** Parts of a stand-in that are tried for a point. */
const MOST_PARTS = 50;

/**
 * @param {Element} element
 * @returns {element is HTMLInputElement}
 */
function isToggleInput(element) {
  return element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio');
}

/**
 * What may be pointed at in place of a control, the likeliest first.
 * @param {Element} control
 * @returns {Element[]}
 */
function standInsOf(control) {
  const labels = control instanceof HTMLInputElement ? [...control.labels ?? []] : [];
  const drawn = composedParent(control)?.closest(TOGGLE_PARTS) ?? null;
  // Without a label a script listens on what is drawn beside the input, where nothing else is.
  const beside = isToggleInput(control) && drawn === null ? [control.nextElementSibling, control.previousElementSibling] : [];
  const isFree = (/** @type {Element} */ part) => !part.matches(`label, ${INTERACTIVE}`) && part.querySelector(`label, ${INTERACTIVE}`) === null;
  /** @type {Set<Element>} */
  const all = new Set(labels);
  if (drawn !== null) all.add(drawn);
  for (const sibling of beside) {
    if (sibling !== null && isFree(sibling)) all.add(sibling);
  }
  let around = composedParent(control);
  for (let depth = 0; around && depth < AROUND_DEPTH; depth++, around = composedParent(around)) {
    if (around.matches('body, form, fieldset, ul, ol, table, tr')) break;
    if (around.querySelectorAll(INTERACTIVE).length > (control.matches(INTERACTIVE) ? 1 : 0)) break;
    all.add(around);
  }
  return [...all];
}

/**
 * A point of a stand-in that input would reach.
 * @param {Element} control
 * @param {{ error: PageError, wait_ms: number }} instead why the control itself cannot be used
 * @returns {Attempt<Pointed>}
 */
function standInPoint(control, instead) {
  const disabled = disabledAround(control);
  if (disabled) return disabledObstacle(control, disabled);
  /** @type {{ error: PageError, wait_ms: number } | null} */
  let obstacle = null;
  for (const proxy of standInsOf(control)) {
    if (stateObstacle(proxy, true) !== null || movesOf(proxy).length > 0) continue;
    const isOwn = (/** @type {Element} */ hit) => isOwnPart(hit, proxy, control);
    const reached = reachablePoint(proxy, undefined, isOwn);
    if ('ok' in reached) return { ok: { element: control, point: reached.ok.point, proxy } };
    for (const point of partPoints(proxy)) {
      const hit = deepestAt(point, proxy);
      if (hit && isOwn(hit)) return { ok: { element: control, point, proxy } };
    }
    obstacle ??= reached;
  }
  return obstacle ?? instead;
}

/**
 * Whether a click at `hit` acts on the control through its stand-in: nothing between them keeps it.
 * @param {Element} hit @param {Element} proxy @param {Element} control
 * @returns {boolean}
 */
function isOwnPart(hit, proxy, control) {
  for (let node = /** @type {Element | null} */ (hit); node; node = composedParent(node)) {
    if (node === proxy || node === control) return true;
    if (node.matches(INTERACTIVE)) return false;
  }
  return false;
}

/**
 * The middles of the texts and elements inside of a stand-in, for labels that are mostly links.
 * @param {Element} element
 * @returns {Generator<Point, void>}
 */
function* partPoints(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  const range = document.createRange();
  let left = MOST_PARTS;
  for (let node = walker.nextNode(); node && left > 0; node = walker.nextNode(), left--) {
    range.selectNode(node);
    for (const { x, y, width, height } of range.getClientRects()) {
      if (width > 0 && height > 0) yield { x: x + width / 2, y: y + height / 2 };
    }
  }
}

/**
 * `checked_state`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['checked_state']>[0]} args
 * @returns {Answer<{ checked: boolean }>}
 */
function checkedState({ target }) {
  const found = resolveTarget(target);
  if ('error' in found) return { error: found.error };
  return { ok: { checked: isToggleInput(found.ok) && found.ok.checked } };
}

/**
 * The select whose option is meant; null when the target is no option of one.
 * @param {Target} target
 * @returns {HTMLOptionElement | null}
 */
function optionMeant(target) {
  const found = resolveTarget(target);
  return 'ok' in found && found.ok instanceof HTMLOptionElement && found.ok.closest('select') !== null ? found.ok : null;
}
