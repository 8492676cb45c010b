// Where rows are, for `observe`: in the view, above, below or beside it, scrolled out of a container, clipped away.
// What lies wholly outside hands its place down, so that the far part of a long page costs hardly any geometry.
// Invariants: called between reads only, so layout is computed at most once; nothing scrolls.

/** The digits of the `place` column, as in `Observation`; `mixed` is told as `in` for controls and text, else as `none`. */
const places = Object.freeze({ in: 0, above: 1, below: 2, beside: 3, none: 4, mixed: 5 });

/**
 * What a subtree can be seen through.
 * @typedef {object} Clip
 * @property {Element | null} owner what clips; null is the viewport
 * @property {Clip | null} outer the clip around that
 * @property {number} left
 * @property {number} top
 * @property {number} right
 * @property {number} bottom
 * @property {Reach | null} reach how far scrolling leads; null where that is not known
 */

/**
 * How far a page or a scroll container can be scrolled, in CSS pixels of the viewport: what lies wholly beyond is out of reach.
 * @typedef {{ left: number, top: number, right: number, bottom: number }} Reach
 */

/**
 * Where a subtree is.
 * @typedef {object} Where
 * @property {number} place
 * @property {Clip} clip
 * @property {boolean} isAway clipped away or out of reach: nothing in it can be seen
 * @property {DOMRect | null} rect of the element itself, where it was measured
 * @property {string} scroll how much a scroll container hides, '' for others
 */

/** Tags that pages use bare by the thousand and hardly ever style by tag alone as scroll containers. */
const plainTags = new Set(['div', 'li', 'p', 'td', 'th', 'tr', 'tbody', 'section', 'article']);

/** A box this thin that clips its contents shows nothing (the usual way to hide text from sight only). */
const thinnest = 1;

/**
 * @returns {Where} that of the document
 */
function whereAll() {
  const page = /** @type {Element | null} */ (document.scrollingElement ?? document.documentElement);
  // The body's direction is the view's, as CSS Writing Modes has it.
  const flow = page === null ? '' : flowOf(document.body ?? page);
  const reach = {
    left: flow.includes('left') ? -Infinity : -scrollX, right: flow.includes('left') ? innerWidth - scrollX : Infinity,
    top: -scrollY, bottom: Infinity,
  };
  const clip = { owner: null, outer: null, left: 0, top: 0, right: innerWidth, bottom: innerHeight, reach };
  return { place: places.mixed, clip, isAway: false, rect: null, scroll: '' };
}

/**
 * Where the contents of a scroll container go on once it is full, other than down and to the right.
 * @param {Element} container
 * @returns {string} `up`, `left`, both or neither
 */
function flowOf(container) {
  const { direction, writingMode, display, flexDirection } = getComputedStyle(container);
  const isFlex = display.includes('flex');
  const isVertical = writingMode !== 'horizontal-tb';
  const inline = (direction === 'rtl') !== (isFlex && flexDirection === 'row-reverse');
  const block = (writingMode === 'vertical-rl' || writingMode === 'sideways-rl') !== (isFlex && flexDirection === 'column-reverse');
  return `${(isVertical ? block : inline) ? 'left ' : ''}${(isVertical ? inline : block) ? 'up' : ''}`;
}

/**
 * The element's rectangle, or null where the browser has not laid it out for now (`content-visibility: auto` far from the view).
 * @param {Element} element
 * @returns {DOMRect | null}
 */
function rectOf(element) {
  if (currentPass === null) return element.getBoundingClientRect();
  if (currentPass.rects === undefined) currentPass.rects = !currentPass.isOfFew && maySet('skipsContents') ? measureLaidOut() : null;
  if (currentPass.rects === null) return element.getBoundingClientRect();
  return currentPass.rects.get(element) ?? (isLaidOut(element) ? element.getBoundingClientRect() : null);
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function isLaidOut(element) {
  return element.checkVisibility({ contentVisibilityAuto: true });
}

/**
 * All rectangles that need no layout. Reading the style of what is not laid out yet makes the next rectangle cost a layout of
 * the page (1 ms each, measured), so on pages that skip contents the rectangles come first.
 * @returns {Map<Element, DOMRect>}
 */
function measureLaidOut() {
  /** @type {Map<Element, DOMRect>} */
  const rects = new Map();
  for (const element of document.querySelectorAll('*')) if (!isClobbered(element) && isLaidOut(element)) rects.set(element, element.getBoundingClientRect());
  return rects;
}

/**
 * Where an element is, given where what is around it is.
 * @param {Element} element
 * @param {StyleFacts} facts
 * @param {Where} around
 * @returns {Where} `around` itself where nothing changes
 */
function whereOf(element, facts, around) {
  const tag = element.localName;
  if (isInlineDisplay(facts.display) || tag === 'html' || tag === 'option' || tag === 'optgroup') return around;
  const isOutside = around.place !== places.mixed && around.place !== places.in;
  const isBare = !element.hasAttributes();
  if (around.isAway || isOutside) {
    if (isBare && plainTags.has(tag)) return around;
    const { position } = getComputedStyle(element);
    if (position !== 'absolute' && position !== 'fixed') return around;
  }
  const rect = rectOf(element);
  if (rect === null) return around;
  const isPlain = isBare && plainTags.has(tag);
  let { clip } = around;
  let place = placeOfRect(rect, clip);
  const isFarFixed = place !== places.in && !isPlain && getComputedStyle(element).position === 'fixed';
  if (place !== places.in && clip.outer !== null && !isPlain) {
    clip = clipAround(element, clip);
    place = placeOfRect(rect, clip);
  }
  const isThin = rect.width <= thinnest || rect.height <= thinnest;
  const overflow = isThin || !isPlain ? clippingOf(element, tag) : '';
  const isAway = (isThin && (overflow !== '' || isFlattened(element, rect))) || isOutOfReach(rect, clip) || (!isBare && isClippedAway(element, rect))
    // What is fixed outside of the view stays there however the page is scrolled.
    || (isFarFixed && clip.outer === null && place !== places.mixed && place !== places.in);
  if (isAway) return { place: places.none, clip, isAway, rect, scroll: '' };
  // What is in view as a whole may hold what is not.
  if ((isThin && rect.width * rect.height === 0) || (place === places.in && overflow !== '' && holdsMore(element))) place = places.mixed;
  const scrolls = /auto|scroll/.test(overflow);
  return {
    place, isAway, rect,
    clip: overflow === '' ? clip : clipWithin(element, rect, clip, scrolls),
    scroll: scrolls ? hiddenByScroll(element) : '',
  };
}

/**
 * More is in the element than its box shows.
 * @param {Element} element
 * @returns {boolean}
 */
function holdsMore(element) {
  return element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1;
}

/**
 * What clips an element: not a container that it is positioned out of.
 * @param {Element} element @param {Clip} around
 * @returns {Clip}
 */
function clipAround(element, around) {
  const { position } = getComputedStyle(element);
  if ((position !== 'absolute' && position !== 'fixed') || !(element instanceof HTMLElement)) return around;
  const block = element.offsetParent;
  let clip = around;
  while (clip.outer !== null && (block === null || !clip.owner?.contains(block))) clip = clip.outer;
  return clip;
}

/**
 * A transform left nothing of it.
 * @param {Element} element @param {DOMRect} rect
 * @returns {boolean}
 */
function isFlattened(element, rect) {
  if (!(element instanceof HTMLElement)) return false;
  return (rect.width === 0 && element.offsetWidth > 0) || (rect.height === 0 && element.offsetHeight > 0);
}

/**
 * The element's `overflow` where it clips what it holds, else ''. What is written on the page's own scroller is the viewport's.
 * @param {Element} element
 * @param {string} tag
 * @returns {string}
 */
function clippingOf(element, tag) {
  if (element === document.scrollingElement) return '';
  const { overflow } = getComputedStyle(element);
  if (overflow === 'visible') return '';
  const isHandedUp = tag === 'body' && styleOverflowIsVisible(document.documentElement);
  return isHandedUp ? '' : overflow;
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function styleOverflowIsVisible(element) {
  return getComputedStyle(element).overflow === 'visible';
}

/**
 * @param {DOMRect} rect @param {Clip} clip
 * @returns {number} one of `places`
 */
function placeOfRect(rect, clip) {
  if (rect.bottom <= clip.top) return places.above;
  if (rect.top >= clip.bottom) return places.below;
  if (rect.right <= clip.left || rect.left >= clip.right) return places.beside;
  const isInside = rect.top >= clip.top && rect.bottom <= clip.bottom && rect.left >= clip.left && rect.right <= clip.right;
  return isInside ? places.in : places.mixed;
}

/**
 * @param {Element} owner @param {DOMRect} rect the owner's @param {Clip} around
 * @param {boolean} scrolls a person can scroll in it
 * @returns {Clip}
 */
function clipWithin(owner, rect, around, scrolls) {
  return {
    owner, outer: around,
    left: Math.max(rect.left, around.left), top: Math.max(rect.top, around.top),
    right: Math.min(rect.right, around.right), bottom: Math.min(rect.bottom, around.bottom),
    // What only a script scrolls it can move as well, as slides are.
    reach: scrolls ? reachIn(owner, rect) : null,
  };
}

/**
 * @param {Element} container @param {DOMRect} rect the container's
 * @returns {Reach}
 */
function reachIn(container, rect) {
  const flow = flowOf(container);
  const scale = container instanceof HTMLElement && container.offsetWidth > 0 ? rect.width / container.offsetWidth : 1;
  const [across, down] = [container.scrollLeft * scale, container.scrollTop * scale];
  return {
    left: flow.includes('left') ? -Infinity : rect.left - across, right: flow.includes('left') ? rect.right - across : Infinity,
    top: flow.includes('up') ? -Infinity : rect.top - down, bottom: flow.includes('up') ? rect.bottom - down : Infinity,
  };
}

/**
 * Beyond where scrolling leads.
 * @param {DOMRect} rect @param {Clip} clip
 * @returns {boolean}
 */
function isOutOfReach(rect, clip) {
  const { reach } = clip;
  if (reach === null || rect.width === 0 || rect.height === 0) return false;
  return rect.right <= reach.left || rect.bottom <= reach.top || rect.left >= reach.right || rect.top >= reach.bottom;
}

/**
 * `clip` or `clip-path` leave nothing of the element.
 * @param {Element} element @param {DOMRect} rect the element's
 * @returns {boolean}
 */
function isClippedAway(element, rect) {
  if (!maySet('clips')) return false;
  const { clip, clipPath, position } = getComputedStyle(element);
  if (clip !== 'auto' && (position === 'absolute' || position === 'fixed')) {
    const [top = 0, right = 0, bottom = 0, left = 0] = Array.from(clip.matchAll(/-?[\d.]+/g), Number);
    if (!clip.includes('auto') && (bottom - top <= thinnest || right - left <= thinnest)) return true;
  }
  if (clipPath === 'none') return false;
  const inset = /^inset\(([^()]*?)(?: round [^()]*)?\)/.exec(clipPath);
  if (inset !== null) {
    const [top = '0', right = top, bottom = top, left = right] = (inset[1] ?? '').split(' ');
    const width = rect.width - lengthOf(left, rect.width) - lengthOf(right, rect.width);
    return width <= thinnest || rect.height - lengthOf(top, rect.height) - lengthOf(bottom, rect.height) <= thinnest;
  }
  const polygon = /^polygon\((?:\w+, )?([^()]*)\)/.exec(clipPath);
  if (polygon !== null) {
    const points = (polygon[1] ?? '').split(', ').map((point) => point.split(' '));
    const across = points.map(([x = '0']) => lengthOf(x, rect.width));
    const down = points.map(([, y = '0']) => lengthOf(y, rect.height));
    return Math.max(...across) - Math.min(...across) <= thinnest || Math.max(...down) - Math.min(...down) <= thinnest;
  }
  return /^(?:circle|ellipse)\(0(?:px|%)/.test(clipPath);
}

/**
 * @param {string} length in pixels or per cent
 * @param {number} whole what the per cents are of
 * @returns {number}
 */
function lengthOf(length, whole) {
  const number = Number.parseFloat(length) || 0;
  return length.endsWith('%') ? number / 100 * whole : number;
}

/**
 * What a scroll container hides, in its own CSS pixels; '' when it shows all.
 * @param {Element} element
 * @returns {string}
 */
function hiddenByScroll(element) {
  const { scrollTop, scrollLeft, scrollHeight, scrollWidth, clientHeight, clientWidth } = element;
  const [down, across] = [scrollHeight - clientHeight, scrollWidth - clientWidth];
  if (!holdsMore(element)) return '';
  // Contents that go on upwards or to the left are scrolled by negative lengths.
  const flow = flowOf(element);
  const parts = [];
  if (down > 1) {
    const above = Math.max(0, Math.round(scrollTop + (flow.includes('up') ? down : 0)));
    parts.push(`${above} above`, `${Math.max(0, down - above)} below`);
  }
  if (across > 1) {
    const left = Math.max(0, Math.round(scrollLeft + (flow.includes('left') ? across : 0)));
    parts.push(`${left} left`, `${Math.max(0, across - left)} right`);
  }
  return `scroll ${parts.join(', ')}`;
}
