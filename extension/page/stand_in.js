// What stands in for a checkbox or radio that nobody can see or point at: its visible label, or the visible part that draws it.
// And options of a select, which are chosen rather than clicked. Refuses to click inside a label what keeps the click for itself,
// such as a link. Whether the stand-in worked is told by the state of the input itself (`checkedState`), never assumed.

/** @typedef {{ element: Element, point: Point, proxy?: Element }} Pointed `proxy`: what is pointed at in place of the element */

/** Roles of elements that draw a checkbox or radio. */
const TOGGLE_PARTS = '[role=checkbox], [role=radio], [role=switch], [role=menuitemcheckbox], [role=menuitemradio]';
/** What keeps a click inside a label for itself. */
const KEEPS_CLICKS = 'a[href], button, input, select, textarea, [contenteditable]';

/**
 * @param {Element} element
 * @returns {element is HTMLInputElement}
 */
function isToggleInput(element) {
  return element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio');
}

/**
 * What may be pointed at in place of an input, the best first.
 * @param {HTMLInputElement} input
 * @returns {Element[]}
 */
function standInsOf(input) {
  const around = input.closest(TOGGLE_PARTS);
  // Without a label a script listens on what is drawn beside the input, where nothing else is.
  const siblings = [input.nextElementSibling, input.previousElementSibling].filter((sibling) =>
    sibling !== null && !sibling.matches(KEEPS_CLICKS) && sibling.querySelector(KEEPS_CLICKS) === null);
  const others = around !== null && around !== input ? [around] : siblings;
  return [...input.labels ?? [], ...others].filter((proxy) => proxy !== null);
}

/**
 * A point of a stand-in that input would reach.
 * @param {HTMLInputElement} input
 * @param {{ error: PageError, wait_ms: number }} instead why the input itself cannot be used
 * @returns {Attempt<Pointed>}
 */
function standInPoint(input, instead) {
  const disabled = disabledAround(input);
  if (disabled) return disabledObstacle(input, disabled);
  let obstacle = instead;
  for (const proxy of standInsOf(input)) {
    if (stateObstacle(proxy, true) !== null || movesOf(proxy).length > 0) continue;
    const reached = reachablePoint(proxy, undefined, (hit) => actsOnToggle(hit, proxy, input));
    if ('ok' in reached) return { ok: { element: input, point: reached.ok.point, proxy } };
    obstacle = reached;
  }
  return obstacle;
}

/**
 * Whether a click at `hit` acts on the input through its stand-in.
 * @param {Element} hit @param {Element} proxy @param {HTMLInputElement} input
 * @returns {boolean}
 */
function actsOnToggle(hit, proxy, input) {
  if (hit === input) return true;
  if (proxy instanceof HTMLLabelElement) return reachesElement(hit, input);
  for (let node = /** @type {Element | null} */ (hit); node; node = composedParent(node)) {
    if (node === proxy) return true;
    if (node.matches(KEEPS_CLICKS)) return false;
  }
  return false;
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
