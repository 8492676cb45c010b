// Scrolling: which box a wheel would scroll and where to turn it, how far that went, and looking for a text on the way. The wheel
// is the browser's own, sent by the host; where it does nothing, because the page lies in the background or no point of the box
// can be reached, the box is scrolled here and the answer says so. A page that took the wheel for itself is left alone.

/** @typedef {{ box: Element, wheel: Event | null, from: Point, hasScrolled: boolean, hasEnded: boolean, edge: 'top' | 'bottom' | null, listening: AbortController }} OpenScroll */

/** How long a wheel may take to move anything: a page that is not shown draws once a second, and a wheel must not come after us. */
const WHEEL_START_MS = 3500;
/** A box that stood still for so many frames has come to rest, when no `scrollend` came; or for so long where no frames come. */
const REST_FRAMES = 8;
const REST_MS = 2500;
/** Time between two looks at a box that scrolls. */
const SCROLL_LOOK_MS = 16;
/** How long a list may take to grow at its end. */
const GROWTH_MS = 2000;
/** The part of its height that a box is scrolled by while a text is looked for. */
const STEP_PART = 0.8;

/** @type {OpenScroll | null} */
let openScroll = null;

/**
 * `scroll_place`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['scroll_place']>[0]} args
 * @returns {Promise<Answer<ScrollStart>>}
 */
async function scrollPlace({ target, timeout_ms, by, to }) {
  /** @type {Element | null} */
  let element = null;
  if (target !== undefined) {
    const found = await lookUntil(timeout_ms, () => {
      const resolved = resolveTarget(target);
      if ('error' in resolved) return resolved;
      return isRendered(resolved.ok) && clientRectsOf(resolved.ok).length > 0 ? resolved : visibilityObstacle(resolved.ok);
    });
    if ('error' in found) return found;
    element = found.ok;
  }
  const isAcross = by !== undefined && by.y === 0 && by.x !== 0;
  if (element !== null && by === undefined && to === undefined) {
    // The element itself is what is wanted in view.
    const { x, y, width, height } = boxInView(element);
    const isInView = x >= 0 && y >= 0 && x + width <= viewWidth() && y + height <= viewHeight();
    bringIntoView(element, isInView ? 'nearest' : height > viewHeight() ? 'start' : 'center');
    const box = scrollBoxAround(composedParent(element), false) ?? pageBox();
    return { ok: { ...usedElement(element), ...scrollPosition(box), step: { x: 0, y: 0 }, point: null } };
  }
  const box = element === null ? mainScrollBox(isAcross) : scrollBoxAround(element, isAcross);
  if (box === null) {
    const what = element === null ? 'the page' : `\`${describe(element)}\` and what is around it`;
    return fail('cdp_failed', 'not_scrollable', `${what} cannot be scrolled ${isAcross ? 'sideways' : 'up or down'}`,
      'run `bsk observe` to see what there is, and name an element inside of what scrolls');
  }
  if (box !== pageBox()) bringIntoView(box, 'nearest');
  const { scroll_y, below } = scrollPosition(box);
  const step = by ?? { x: 0, y: to === 'top' ? -scroll_y : to === 'bottom' ? below : Math.max(1, Math.round(boxHeight(box) * STEP_PART)) };
  beginScroll(box, to === 'on' || to === undefined ? null : to);
  return { ok: { ...(element === null ? {} : usedElement(element)), ...scrollPosition(box), step, point: wheelPoint(box, isAcross) } };
}

/**
 * Remembers where a box stands and watches for the wheel.
 * @param {Element} box
 * @param {'top' | 'bottom' | null} [edge] the end that is meant, wherever it is by then
 */
function beginScroll(box, edge = null) {
  openScroll?.listening.abort();
  const { scroll_x: x, scroll_y: y } = scrollPosition(box);
  /** @type {OpenScroll} */
  const scroll = { box, wheel: null, from: { x, y }, hasScrolled: false, hasEnded: false, edge, listening: new AbortController() };
  openScroll = scroll;
  const options = { capture: true, passive: true, signal: scroll.listening.signal };
  window.addEventListener('wheel', (event) => { if (event.isTrusted) scroll.wheel = event; }, options);
  window.addEventListener('scrollend', () => { scroll.hasEnded = scroll.hasScrolled || hasMoved(scroll); }, options);
}

/**
 * `scroll_end`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['scroll_end']>[0]} args
 * @returns {Promise<Answer<ScrollState>>}
 */
async function scrollEnd({ timeout_ms, by, is_wheel }) {
  const scroll = openScroll;
  if (scroll === null || !scroll.box.isConnected) {
    return fail('cdp_failed', 'page_navigated', 'the page replaced what was scrolled', 'run `bsk observe` to see the page as it is now');
  }
  const { box, from } = scroll;
  const mostY = box.scrollHeight - boxHeight(box);
  const goalX = clamped(from.x + by.x, box.scrollWidth - boxWidth(box), box);
  const goalY = scroll.edge === 'bottom' ? mostY : scroll.edge === 'top' ? 0 : clamped(from.y + by.y, mostY, box);
  const isWithin = (/** @type {number} */ px) => {
    const { scroll_x, scroll_y } = scrollPosition(box);
    return Math.abs(scroll_x - goalX) < px && Math.abs(scroll_y - goalY) < px;
  };
  // A box on its way is a pixel from its goal for a moment; only one at rest may stay so, where the page is zoomed.
  if (is_wheel) await atRest(scroll, timeout_ms, () => isWithin(0.5));
  const isThere = () => isWithin(1.5);
  const isTaken = scroll.wheel !== null && scroll.wheel.defaultPrevented;
  let how = /** @type {ScrollState['how']} */ (isTaken && !hasMoved(scroll) ? 'page' : 'wheel');
  if (!isTaken && !isThere()) {
    if (!hasMoved(scroll)) how = 'script';
    // A wheel counts in the browser's pixels: on a page zoomed in it goes less far than it should.
    const { scroll_x, scroll_y } = scrollPosition(box);
    box.scrollBy({ left: goalX - scroll_x, top: goalY - scroll_y, behavior: 'instant' });
  }
  const moved = { x: scrollPosition(box).scroll_x - from.x, y: scrollPosition(box).scroll_y - from.y };
  beginScroll(box);
  return { ok: { ...scrollPosition(box), how, moved } };
}

/**
 * Waits until a box that a wheel was turned over has come to rest, or until it is clear that the wheel moves nothing.
 * @param {OpenScroll} scroll
 * @param {number} timeoutMs
 * @param {() => boolean} isThere
 */
async function atRest(scroll, timeoutMs, isThere) {
  const started = performance.now();
  let last = scrollPosition(scroll.box);
  let since = started;
  let frames = 0;
  const count = () => {
    frames += 1;
    if (!scroll.listening.signal.aborted) requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  while (!isThere() && !scroll.hasEnded) {
    const now = performance.now();
    const position = scrollPosition(scroll.box);
    if (position.scroll_x !== last.scroll_x || position.scroll_y !== last.scroll_y) {
      [last, since, frames] = [position, now, 0];
      scroll.hasScrolled = true;
    }
    if (now - started >= timeoutMs || now - since >= (scroll.hasScrolled ? REST_MS : WHEEL_START_MS)) return;
    if (scroll.hasScrolled && frames >= REST_FRAMES) return;
    if (scroll.wheel?.defaultPrevented) return;
    await pauseFor(SCROLL_LOOK_MS);
  }
}

/**
 * `scroll_text`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['scroll_text']>[0]} args
 * @returns {Promise<Answer<ScrollText>>}
 */
async function scrollToText({ text, timeout_ms }) {
  const scroll = openScroll;
  if (scroll === null || !scroll.box.isConnected) {
    return fail('cdp_failed', 'page_navigated', 'the page replaced what was scrolled', 'run `bsk observe` to see the page as it is now');
  }
  const { box } = scroll;
  const wanted = folded(text);
  const isInBox = (/** @type {Element} */ element) => box === pageBox() || holdsElement(box, element);
  const look = () => readingOnce(() => elementsWithText(wanted).find((element) => isInBox(element) && isRendered(element))) ?? null;
  const before = box.scrollHeight;
  let found = look();
  let isAtEnd = scrollPosition(box).below < 1.5;
  if (found === null && isAtEnd && timeout_ms > 0) {
    // What loads more at its end may take a moment to do so.
    await lookUntil(Math.min(timeout_ms, GROWTH_MS), () => {
      found = look();
      isAtEnd = scrollPosition(box).below < 1.5;
      const hasMore = found !== null || !isAtEnd || box.scrollHeight > before + 1;
      return hasMore ? { ok: true } : { ...fail('not_found', 'scroll_end_reached', '', ''), wait_ms: Infinity };
    });
  }
  if (found !== null) {
    const { y, height } = boxInView(found);
    const { top, bottom } = visibleRect(box);
    if (y < top || y + height > bottom) bringIntoView(found, 'center');
  }
  return { ok: { ...scrollPosition(box), found: found === null ? null : usedElement(found), is_at_end: isAtEnd } };
}

/**
 * @param {OpenScroll} scroll
 * @returns {boolean}
 */
function hasMoved({ box, from }) {
  const { scroll_x, scroll_y } = scrollPosition(box);
  return Math.abs(scroll_x - from.x) >= 1 || Math.abs(scroll_y - from.y) >= 1;
}

/**
 * A place that a box can be scrolled to; a page written from right to left counts below zero.
 * @param {number} goal @param {number} most @param {Element} box
 * @returns {number}
 */
function clamped(goal, most, box) {
  const isNegative = box.scrollLeft < 0 || goal < 0 && getComputedStyle(box).direction === 'rtl';
  return isNegative ? Math.max(-most, Math.min(0, goal)) : Math.max(0, Math.min(most, goal));
}

/** @returns {Element} what scrolls when the page does */
function pageBox() {
  return document.scrollingElement ?? document.documentElement;
}

/**
 * @param {Element} box
 * @returns {number}
 */
function boxHeight(box) {
  return box === pageBox() ? viewHeight() : box.clientHeight;
}

/**
 * @param {Element} box
 * @returns {number}
 */
function boxWidth(box) {
  return box === pageBox() ? viewWidth() : box.clientWidth;
}

/**
 * @param {Element} box
 * @returns {ScrollPosition}
 */
function scrollPosition(box) {
  const [x, y] = [Math.round(box.scrollLeft), Math.round(box.scrollTop)];
  return { scroll_x: x, scroll_y: y, above: Math.max(0, y), below: Math.max(0, Math.round(box.scrollHeight - boxHeight(box)) - y) };
}

/**
 * Whether a wheel can scroll a box along an axis.
 * @param {Element} element
 * @param {boolean} isAcross
 * @returns {boolean}
 */
function isScrollBox(element, isAcross) {
  const room = isAcross ? element.scrollWidth - boxWidth(element) : element.scrollHeight - boxHeight(element);
  if (room <= 1) return false;
  const { overflowX, overflowY } = getComputedStyle(element);
  const overflow = isAcross ? overflowX : overflowY;
  return element === pageBox() ? overflow !== 'hidden' && overflow !== 'clip' : overflow === 'auto' || overflow === 'scroll';
}

/**
 * The innermost box around an element, or itself, that can be scrolled.
 * @param {Element | null} element
 * @param {boolean} isAcross
 * @returns {Element | null}
 */
function scrollBoxAround(element, isAcross) {
  for (let node = element; node; node = composedParent(node)) if (isScrollBox(node, isAcross)) return node;
  return isScrollBox(pageBox(), isAcross) ? pageBox() : null;
}

/**
 * What a person would call the page's scrolling: the page's own, else the largest box in view.
 * @param {boolean} isAcross
 * @returns {Element | null}
 */
function mainScrollBox(isAcross) {
  const modal = topModal();
  if (modal !== null && isScrollBox(modal, isAcross)) return modal;
  if (isScrollBox(pageBox(), isAcross)) return pageBox();
  /** @type {Element | null} */
  let largest = null;
  let most = 0;
  for (const element of allElements()) {
    if (element.clientHeight === 0 || !isScrollBox(element, isAcross)) continue;
    const { top, bottom, left, right } = visibleRect(element);
    const area = Math.max(0, right - left) * Math.max(0, bottom - top);
    if (area > most) [largest, most] = [element, area];
  }
  return largest;
}

/**
 * The part of a box's content that is in this frame's view.
 * @param {Element} box
 * @returns {{ left: number, top: number, right: number, bottom: number }}
 */
function visibleRect(box) {
  if (box === pageBox()) return { left: 0, top: 0, right: viewWidth(), bottom: viewHeight() };
  const { left, top, right, bottom } = box.getBoundingClientRect();
  return { left: Math.max(0, left), top: Math.max(0, top), right: Math.min(viewWidth(), right), bottom: Math.min(viewHeight(), bottom) };
}

/**
 * A point where a wheel scrolls this box and not another one inside or over it.
 * @param {Element} box
 * @param {boolean} isAcross
 * @returns {Point | null}
 */
function wheelPoint(box, isAcross) {
  const { left, top, right, bottom } = visibleRect(box);
  if (right <= left || bottom <= top) return null;
  const parts = /** @type {const} */ ([0.5, 0.25, 0.75, 0.1, 0.9]);
  for (const down of parts) {
    for (const across of parts) {
      const point = { x: left + (right - left) * across, y: top + (bottom - top) * down };
      const hit = deepestAt(point, box);
      if (hit === null || hit.localName === 'iframe' || hit.localName === 'frame') continue;
      if (scrollBoxAround(hit, isAcross) === box) return point;
    }
  }
  return null;
}
