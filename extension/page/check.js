// Checking and unchecking: checkboxes, radios, switches and what ARIA calls so. The host clicks, this file finds where and
// reads the state before and after. A control that cannot be pointed at itself (hidden behind its own styling) is clicked
// through what stands in for it (`stand_in.js`); what comes of the click decides, not which part was clicked.
// Refuses what has no checked state, and unchecking a radio. Invariants: no click when the state already holds; never a
// point on a link or another control inside the label; a state that the page takes back is not reported as reached.

/** @typedef {{ control: Element, read: () => boolean | 'mixed' }} Checkable */

const CHECKABLE = 'input[type=checkbox], input[type=radio], [role=checkbox], [role=radio], [role=switch], '
  + '[role=menuitemcheckbox], [role=menuitemradio], [role=treeitem][aria-checked], [role=option][aria-checked]';
/** How long a page may take to show the state after the click. */
const CHECK_MS = 1500;

/** @type {{ target: Target, element: Element } | null} */
let openCheck = null;

/**
 * `check_begin`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['check_begin']>[0]} args
 * @returns {Promise<Answer<UsedElement & { done: boolean, x: number, y: number }>>}
 */
async function beginCheck({ target, checked, timeout_ms }) {
  openCheck = null;
  /** @returns {Attempt<{ control: Element, place: { element: Element, point: Point } | null }>} */
  const look = () => {
    const resolved = resolveTarget(target);
    if ('error' in resolved) return resolved;
    const checkable = checkableOf(resolved.ok);
    if ('error' in checkable) return { ...checkable, wait_ms: 0 };
    const { control, read } = checkable.ok;
    if (read() === checked) return { ok: { control, place: null } };
    const refused = uncheckRefused(control, checked);
    if (refused) return { ...refused, wait_ms: 0 };
    return pointToCheck(control);
  };
  const found = await lookUntil(timeout_ms, look);
  if ('error' in found) return found;
  const { control, place } = found.ok;
  const used = usedElement(control);
  if (!place) return { ok: { ...used, done: true, x: 0, y: 0 } };
  openCheck = { target, element: control };
  armProbe('mousedown', place.element, true);
  return { ok: { ...used, done: false, ...place.point } };
}

/**
 * `check_end`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['check_end']>[0]} args
 * @returns {Promise<Answer<UsedElement & ProbeResult & { checked: boolean }>>}
 */
async function endCheck({ checked, timeout_ms }) {
  const check = openCheck;
  openCheck = null;
  const probe = await readProbe({ timeout_ms });
  if ('error' in probe || !check) {
    return 'error' in probe ? probe : fail('cdp_failed', 'page_navigated', 'the page was replaced before the state was confirmed',
      'run `bsk observe` to see the page as it is now');
  }
  let element = check.element;
  const isReached = () => {
    if (!element.isConnected && 'selector' in check.target) {
      // A page that draws the control anew has another one in its place.
      const again = resolveTarget(check.target);
      const fresh = 'ok' in again ? checkableOf(again.ok) : again;
      if ('ok' in fresh) element = fresh.ok.control;
    }
    const now = checkableOf(element);
    return element.isConnected && 'ok' in now && now.ok.read() === checked;
  };
  if (probe.ok.delivered) {
    await nextTask();
    const isDone = await becomesTrue(Math.min(timeout_ms, CHECK_MS), isReached);
    if (!isDone && !element.isConnected) return elementReplaced(element);
    // A page that keeps the state itself takes a click back only after its own handlers.
    await nextTask();
  }
  const state = checkableOf(element);
  return { ok: { ...usedElement(element), ...probe.ok, checked: 'ok' in state && state.ok.read() === true } };
}

/**
 * What can be checked: the element, what it labels, or the only checkable thing inside of it.
 * @param {Element} element
 * @returns {Answer<Checkable>}
 */
function checkableOf(element) {
  const own = labelledControl(element);
  const control = own.matches(CHECKABLE) ? own : onlyCheckableIn(own);
  if (!control) {
    return fail('invalid_params', 'not_checkable', `\`${describe(element)}\` is no checkbox, radio or switch`,
      'give the ref of one; `bsk observe` shows them, and `bsk click` uses anything else');
  }
  if (isToggleInput(control)) {
    return { ok: { control, read: () => (control.type === 'checkbox' && control.indeterminate ? 'mixed' : control.checked) } };
  }
  return {
    ok: {
      control,
      read: () => {
        const state = control.getAttribute('aria-checked');
        return state === 'mixed' ? 'mixed' : state === 'true';
      },
    },
  };
}

/**
 * @param {Element} element
 * @returns {Element | null} null when there is none or more than one
 */
function onlyCheckableIn(element) {
  const scopes = [element, ...[shadowRootOf(element)].filter((root) => root !== null && root !== undefined)];
  const all = scopes.flatMap((scope) => [...scope.querySelectorAll(CHECKABLE)]);
  // A custom switch often wraps the native control that holds its state.
  const first = all[0];
  return first && all.every((other) => other === first) ? first : null;
}

/**
 * @param {Element} control
 * @param {boolean} checked
 * @returns {{ error: PageError } | null}
 */
function uncheckRefused(control, checked) {
  const role = roleOf(control);
  if (checked || (role !== 'radio' && role !== 'menuitemradio')) return null;
  return fail('invalid_params', 'not_checkable', `\`${describe(control)}\` is a radio, which cannot be unchecked`,
    'check another one of its group instead');
}

/**
 * Where to click: the control, else what stands in for it.
 * @param {Element} control
 * @returns {Attempt<{ control: Element, place: { element: Element, point: Point } }>}
 */
function pointToCheck(control) {
  const own = pointOn(control);
  const found = 'ok' in own ? own : standInPoint(control, own);
  if ('error' in found) return found;
  const { point, proxy } = found.ok;
  return { ok: { control, place: { element: proxy ?? control, point } } };
}

/**
 * @param {Element} control
 * @returns {Attempt<Pointed>}
 */
function pointOn(control) {
  const blocked = stateObstacle(control, true);
  if (blocked) return blocked;
  if (movesOf(control).length > 0) {
    return pageObstacle('element_unstable', `\`${describe(control)}\` does not stop moving`,
      'wait for the animation to end, or stop it, and try again', MOVING_WAIT_MS);
  }
  return reachablePoint(control, undefined);
}
