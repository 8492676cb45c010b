// Actionability: may this element be acted on now, and where to point. Rendered, enabled, not inert, standing still, and
// hit by a point inside it; scrolled into view only when no such point is in view as the page stands.
// Refuses with the condition that fails, naming what covers the element; never moves or hides what is in the way.
// Invariants: on a calm page `prepare` is one synchronous pass without timers or frame callbacks; a condition that can
// change is waited for, but one that rarely changes by itself ends the wait early (the `*_WAIT_MS` below).

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ point: Point } | { cover: Element | null }} HitTest `cover` null: no point of the element is in view */

/** How long each condition is worth waiting for: long enough for an entry animation or a validation, short enough for an
 * agent to go on within two seconds. */
const COVERED_WAIT_MS = 1000;
const STATE_WAIT_MS = 1500;
const MOVING_WAIT_MS = 3000;
/** An animation that ends within this time is waited for; a longer one only has to leave the element where it is. */
const SHORT_ANIMATION_MS = 1000;
/** Time between two samples of an element's place when no frame comes. */
const SAMPLE_MS = 50;
/** Where an element is put in the view, as parts of its height, until no sticky or fixed layer covers it there. */
const VIEW_PLACES = [0.5, 0.9, 0.1, 0.3, 0.7, 0.5];
/** Client rectangles looked at per element; a link over more lines has enough points in these. */
const MAX_RECTS = 8;
/** Animated properties that never move an element. */
const STILL_PROPERTIES = new Set(['opacity', 'color', 'fill', 'stroke', 'boxShadow', 'textShadow', 'filter', 'backdropFilter',
  'backgroundColor', 'backgroundPosition', 'backgroundSize', 'backgroundImage', 'borderColor', 'borderTopColor',
  'borderRightColor', 'borderBottomColor', 'borderLeftColor', 'outlineColor', 'outlineOffset', 'outlineWidth',
  'outlineStyle', 'textDecorationColor', 'caretColor', 'visibility', 'offset', 'computedOffset', 'easing', 'composite']);

/**
 * `prepare`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['prepare']>[0]} args
 * @returns {Promise<Answer<Prepared>>}
 */
async function prepareTarget({ target, timeout_ms, force = false, arm, at, watch = false }) {
  const needsEnabled = arm !== 'mousemove' && arm !== 'drop';
  const option = arm === 'mousedown' ? optionMeant(target) : null;
  if (option !== null) return { ok: { ...usedElement(option), x: 0, y: 0, box: boxInView(option), is_option: true } };
  if (arm === 'mousedown' || arm === 'drag') await firstPaint();
  const found = await lookUntil(timeout_ms, () => {
    if (force) return forcedPoint(target, at);
    const ready = readyElement(target, needsEnabled);
    if ('error' in ready) return orStandIn(target, at, ready);
    const moving = movesOf(ready.ok);
    if (moving.length > 0) return afterMoving(target, ready.ok, moving, needsEnabled, at);
    const reached = reachablePoint(ready.ok, at);
    return 'ok' in reached ? reached : orStandIn(target, at, reached);
  });
  if ('error' in found) return found;
  const { element, point, proxy } = found.ok;
  const answer = {
    ...usedElement(element), ...point, box: boxInView(proxy ?? element),
    ...(proxy !== undefined && isToggleInput(element) ? { stand_in: describe(proxy), checked: element.checked } : {}),
  };
  // A label's contents reach its input; another stand-in is what is to get the press itself.
  const wanted = proxy === undefined || proxy instanceof HTMLLabelElement ? element : proxy;
  if (arm === 'drag' || arm === 'drop') watchDrag(arm === 'drop' ? element : null, arm === 'drag');
  if (arm !== undefined && arm !== 'drop') armProbe(arm, wanted, !force);
  if (watch) watchReaction();
  if (arm === 'mousedown') watchOutcome(element);
  return { ok: answer };
}

/**
 * The obstacle, or a point of what stands in for a checkbox or radio that nobody can point at.
 * @param {Target} target
 * @param {Point | undefined} at
 * @param {{ error: PageError, wait_ms: number }} obstacle
 * @returns {Attempt<Pointed>}
 */
function orStandIn(target, at, obstacle) {
  const { reason } = obstacle.error;
  const resolved = at === undefined && (reason === 'element_not_visible' || reason === 'element_covered') ? resolveTarget(target) : null;
  return resolved !== null && 'ok' in resolved && isToggleInput(resolved.ok) ? standInPoint(resolved.ok, obstacle) : obstacle;
}

/**
 * `box`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['box']>[0]} args
 * @returns {Promise<Answer<UsedElement & { box: Box }>>}
 */
async function boxOfTarget({ target, timeout_ms }) {
  const found = await lookUntil(timeout_ms, () => {
    const resolved = resolveTarget(target);
    if ('error' in resolved) return resolved;
    return isRendered(resolved.ok) && clientRectsOf(resolved.ok).length > 0 ? resolved : visibilityObstacle(resolved.ok);
  });
  if ('error' in found) return found;
  const element = found.ok;
  const { x, y, width, height } = boxInView(element);
  const isInView = x >= 0 && y >= 0 && x + width <= viewWidth() && y + height <= viewHeight();
  bringIntoView(element, isInView ? 'nearest' : height > viewHeight() ? 'start' : 'center');
  return { ok: { ...usedElement(element), box: boxInView(element) } };
}

/**
 * The target when its own state allows acting on it, wherever it is.
 * @param {Target} target
 * @param {boolean} needsEnabled
 * @returns {Attempt<Element>}
 */
function readyElement(target, needsEnabled) {
  const resolved = resolveTarget(target);
  if ('error' in resolved) return resolved;
  return stateObstacle(resolved.ok, needsEnabled) ?? resolved;
}

/**
 * Why an element cannot be used, place and cover aside; null when it can.
 * @param {Element} element
 * @param {boolean} needsEnabled
 * @param {boolean} [isFocusedNext] the caller gives it the focus, which what is inert never takes: then dialogs in shadow roots
 *   are looked for only when it does not (`inertObstacle`), as the search is a hit test, which costs a layout of a changed page
 * @returns {{ error: PageError, wait_ms: number } | null}
 */
function stateObstacle(element, needsEnabled, isFocusedNext = false) {
  // What has an edit context takes input for a text that is drawn elsewhere, and needs no box for it.
  if (!isRendered(element) || (clientRectsOf(element).length === 0 && !hasEditContext(element))) return visibilityObstacle(element);
  if (needsEnabled) {
    const disabled = disabledAround(element);
    if (disabled) return disabledObstacle(element, disabled);
  }
  return inertObstacle(element, isFocusedNext ? documentModal() : topModal());
}

/**
 * @param {Element} element
 * @param {Element | null} modal the modal dialog that is open
 * @returns {{ error: PageError, wait_ms: number } | null}
 */
function inertObstacle(element, modal) {
  if (!isInert(element, modal)) return null;
  return pageObstacle('element_inert', `\`${describe(element)}\` is inert${modal ? ` behind \`${describe(modal)}\`` : ''}`,
    modal ? 'use or close the dialog first; `bsk observe` shows it' : 'run `bsk observe` to see what can be used now',
    STATE_WAIT_MS);
}

/**
 * @param {Element} element
 * @param {Element} disabled itself or what is around it
 * @returns {{ error: PageError, wait_ms: number }}
 */
function disabledObstacle(element, disabled) {
  const inside = disabled === element ? '' : ` inside the disabled \`${describe(disabled)}\``;
  return pageObstacle('element_disabled', `\`${describe(element)}\` is disabled${inside}`,
    'fill in or switch on what it depends on, then run `bsk observe`', STATE_WAIT_MS);
}

/**
 * @param {string} reason
 * @param {string} message
 * @param {string} hint
 * @param {number} waitMs
 * @returns {{ error: PageError, wait_ms: number }}
 */
function pageObstacle(reason, message, hint, waitMs) {
  return { ...fail('cdp_failed', reason, message, hint), wait_ms: waitMs };
}

/**
 * @param {Element} element
 * @returns {{ error: PageError, wait_ms: number }}
 */
function visibilityObstacle(element) {
  const hint = element.localName === 'option'
    ? 'choose an option with `bsk select` on its select'
    : 'open the menu, tab or section that holds it, then run `bsk observe`';
  return pageObstacle('element_not_visible', `\`${describe(element)}\` is not visible or has no size`, hint, STATE_WAIT_MS);
}

/**
 * What disables an element: itself or something around it, natively or by `aria-disabled`.
 * @param {Element} element
 * @returns {Element | null}
 */
function disabledAround(element) {
  for (let node = /** @type {Element | null} */ (element); node; node = composedParent(node)) {
    // A disabled fieldset disables the controls in it, which say so themselves; other content in it stays usable.
    if (isDisabled(node) && (node === element || node.localName !== 'fieldset')) return node;
  }
  return null;
}

/**
 * The running animations that move the element.
 * @param {Element} element
 * @returns {Animation[]}
 */
function movesOf(element) {
  return rootsAround(element).flatMap((root) => root.getAnimations()).filter((animation) => {
    const effect = animation.effect;
    if (animation.playState !== 'running' || !(animation.timeline instanceof DocumentTimeline)) return false;
    if (!(effect instanceof KeyframeEffect) || !effect.target || effect.pseudoElement) return false;
    return holdsElement(effect.target, element)
      && effect.getKeyframes().some((frame) => Object.keys(frame).some((property) => !STILL_PROPERTIES.has(property)));
  });
}

/**
 * Waits until the element stands still, then looks again from the start, as anything may have changed meanwhile.
 * @param {Target} target
 * @param {Element} element
 * @param {Animation[]} moving
 * @param {boolean} needsEnabled
 * @param {Point | undefined} at
 * @returns {Promise<Attempt<Pointed>>}
 */
async function afterMoving(target, element, moving, needsEnabled, at) {
  const remaining = moving.map((animation) => {
    const end = Number(animation.effect?.getComputedTiming().endTime ?? 0);
    return (end - Number(animation.currentTime ?? 0)) / Math.abs(animation.playbackRate || 1);
  });
  const short = moving.filter((_, index) => (remaining[index] ?? Infinity) <= SHORT_ANIMATION_MS);
  if (short.length > 0) {
    const ends = short.map((animation) => animation.finished.catch(() => undefined));
    await withinTime(Promise.all(ends), Math.max(...remaining.filter((ms) => ms <= SHORT_ANIMATION_MS)) + SAMPLE_MS);
  }
  const before = boxInView(element);
  if (movesOf(element).length > 0) {
    // Two frames: the first can belong to the picture that the first sample was taken from.
    const twoFrames = new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
    await withinTime(twoFrames, SAMPLE_MS);
  }
  const now = boxInView(element);
  const drift = Math.hypot(now.x + now.width / 2 - before.x - before.width / 2, now.y + now.height / 2 - before.y - before.height / 2);
  const ready = readyElement(target, needsEnabled);
  if ('error' in ready) return ready;
  // Its centre is what is pointed at, so an element that spins or pulses in place stands still.
  if (ready.ok === element && drift < 0.5) return reachablePoint(element, at);
  return pageObstacle('element_unstable', `\`${describe(ready.ok)}\` does not stop moving`,
    'wait for the animation to end, or stop it, and try again', MOVING_WAIT_MS);
}

/**
 * A point of the element that input would reach, scrolling if it must.
 * @param {Element} element
 * @param {Point | undefined} at
 * @param {(hit: Element) => boolean} [reaches] whether input at what was hit is right
 * @returns {Attempt<Pointed>}
 */
function reachablePoint(element, at, reaches = (hit) => reachesElement(hit, element)) {
  const outside = pointOutside(element, at);
  if (outside) return outside;
  // In a frame the view may be fine here and the frame itself out of sight: `nearest` moves nothing that is in view.
  if (window.parent !== window) bringIntoView(element, 'nearest');
  let test = hitTest(element, at, reaches);
  for (const place of VIEW_PLACES) {
    if ('point' in test) break;
    bringIntoView(element, 'center');
    const { x, y, height } = boxInView(element);
    const from = at ? { x: x + at.x, y: y + at.y } : { x: viewWidth() / 2, y: y + height / 2 };
    const isInView = from.x >= 0 && from.x < viewWidth();
    scrollAround(element, isInView ? 0 : from.x - viewWidth() / 2, from.y - viewHeight() * place);
    test = hitTest(element, at, reaches);
  }
  return 'point' in test ? { ok: { element, point: test.point } } : coverObstacle(element, test.cover);
}

/**
 * @param {Element} element
 * @param {Element | null} hit what is over it
 * @returns {{ error: PageError, wait_ms: number }}
 */
function coverObstacle(element, hit) {
  const cover = hit && coverElement(hit);
  if (!cover) {
    return pageObstacle('element_covered', `\`${describe(element)}\` cannot be scrolled into view`,
      'scroll or open what holds it, then run `bsk observe`', COVERED_WAIT_MS);
  }
  const isPassive = getComputedStyle(element).pointerEvents === 'none';
  const cause = isPassive ? 'lets input through (`pointer-events: none`) to' : 'is covered by';
  return {
    ...fail('cdp_failed', 'element_covered', `\`${describe(element)}\` ${cause} \`${describe(cover)}\``,
      `close or move \`${describe(cover)}\` (\`bsk observe\` shows it), then try again`, { covered_by: describe(cover) }),
    wait_ms: COVERED_WAIT_MS,
  };
}

/**
 * The point without any check but that there is one.
 * @param {Target} target
 * @param {Point | undefined} at
 * @returns {Attempt<Pointed>}
 */
function forcedPoint(target, at) {
  const resolved = resolveTarget(target);
  if ('error' in resolved) return resolved;
  const element = resolved.ok;
  if (clientRectsOf(element).length === 0) return visibilityObstacle(element);
  const outside = pointOutside(element, at);
  if (outside) return outside;
  bringIntoView(element, 'nearest');
  if (at) scrollPointIntoView(element, at);
  const point = pointsOf(element, at).next().value;
  return point ? { ok: { element, point } } : coverObstacle(element, null);
}

/**
 * Why a wanted point is not a point of the element; null when it is one.
 * @param {Element} element
 * @param {Point | undefined} at
 * @returns {{ error: PageError, wait_ms: number } | null}
 */
function pointOutside(element, at) {
  if (!at) return null;
  const { width, height } = boxInView(element);
  if (at.x >= 0 && at.y >= 0 && at.x < width && at.y < height) return null;
  return {
    ...fail('invalid_params', 'position_outside', `\`${at.x},${at.y}\` is outside \`${describe(element)}\``,
      `the element is \`${Math.round(width)}\` wide and \`${Math.round(height)}\` high; count from its top left corner`),
    wait_ms: 0,
  };
}

/**
 * The first of the element's points in view that input would reach, else what covers the first one.
 * @param {Element} element
 * @param {Point | undefined} at
 * @param {(hit: Element) => boolean} [reaches]
 * @returns {HitTest}
 */
function hitTest(element, at, reaches = (hit) => reachesElement(hit, element)) {
  /** @type {Element | null} */
  let cover = null;
  for (const point of pointsOf(element, at)) {
    const hit = deepestAt(point, element);
    if (hit && reaches(hit)) return { point };
    cover ??= hit;
  }
  return { cover };
}

/**
 * Points of the element in view, the best first: the centres of its rectangles, then points between centre and corners.
 * @param {Element} element
 * @param {Point | undefined} at
 * @returns {Generator<Point, void>}
 */
function* pointsOf(element, at) {
  if (at) {
    const { x, y } = boxInView(element);
    const point = { x: x + at.x, y: y + at.y };
    if (point.x >= 0 && point.y >= 0 && point.x < viewWidth() && point.y < viewHeight()) yield point;
    return;
  }
  const parts = clientRectsOf(element).map((rect) => ({
    left: Math.max(rect.left, 0), top: Math.max(rect.top, 0),
    right: Math.min(rect.right, viewWidth()), bottom: Math.min(rect.bottom, viewHeight()),
  })).filter((part) => part.right > part.left && part.bottom > part.top);
  for (const [across, down] of /** @type {const} */ ([[0.5, 0.5], [0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]])) {
    for (const { left, top, right, bottom } of parts) yield { x: left + (right - left) * across, y: top + (bottom - top) * down };
  }
}

/**
 * What a pointer at this point touches, through the shadow roots that are known and those around `near`.
 * @param {Point} point
 * @param {Element} near
 * @returns {Element | null}
 */
function deepestAt({ x, y }, near) {
  const known = rootsAround(near);
  let hit = document.elementFromPoint(x, y);
  while (hit) {
    const host = hit;
    const inner = shadowRootOf(host) ?? known.find((root) => root instanceof ShadowRoot && root.host === host);
    const deeper = inner?.elementFromPoint(x, y);
    // A shadow root also answers with elements outside it; only what is inside leads deeper.
    if (!inner || !deeper || deeper === host || !inner.contains(deeper)) break;
    hit = deeper;
  }
  return hit;
}

/**
 * Whether input at `hit` acts on `element`: it is inside, or a label hands it on, or the element is a see-through part
 * of the control that was hit.
 * @param {Element} hit
 * @param {Element} element
 * @returns {boolean}
 */
function reachesElement(hit, element) {
  if (holdsElement(element, hit)) return true;
  if (element instanceof HTMLLabelElement && element.control && holdsElement(element.control, hit)) return true;
  for (let node = /** @type {Element | null} */ (hit); node; node = composedParent(node)) {
    if (node instanceof HTMLLabelElement) return node.control === element;
    // What is interactive inside a label keeps the input for itself.
    if (node.matches('a[href], button, input, select, textarea, [contenteditable]')) break;
  }
  const control = element.closest('button, a[href], [role="button"], [role="link"]');
  return control !== null && getComputedStyle(element).pointerEvents === 'none' && holdsElement(control, hit);
}
