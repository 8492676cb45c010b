// Where elements are in this frame's viewport, and how they are brought into view. Boxes are CSS pixels; an element may have
// several (wrapped text, image maps). Scrolls, and changes nothing else; decides nothing about whether input would arrive.

/**
 * The rectangles that the element paints; those of its contents when it has no box of its own.
 * @param {Element} element
 * @returns {DOMRect[]}
 */
function clientRectsOf(element) {
  const hasSize = (/** @type {DOMRect} */ rect) => rect.width > 0 && rect.height > 0;
  const own = [...element.getClientRects()].filter(hasSize);
  if (own.length > 0) return own.slice(0, MAX_RECTS);
  if (element instanceof HTMLAreaElement) return areaRects(element);
  const contents = document.createRange();
  contents.selectNodeContents(shadowRootOf(element) ?? element);
  return [...contents.getClientRects()].filter(hasSize).slice(0, MAX_RECTS);
}

/**
 * An area of an image map has no box: the bounds of its shape on its image.
 * @param {HTMLAreaElement} area
 * @returns {DOMRect[]}
 */
function areaRects(area) {
  const image = boxOwner(area)?.getBoundingClientRect();
  if (!image) return [];
  const numbers = area.coords.split(',').map(Number);
  const [x = 0, y = 0, radius = 0] = numbers;
  if (area.shape === 'circle') return [new DOMRect(image.x + x - radius, image.y + y - radius, 2 * radius, 2 * radius)];
  const across = numbers.filter((_, index) => index % 2 === 0);
  const down = numbers.filter((_, index) => index % 2 === 1);
  if (down.length < 2) return [image];
  const left = Math.min(...across);
  const top = Math.min(...down);
  return [new DOMRect(image.x + left, image.y + top, Math.max(...across) - left, Math.max(...down) - top)];
}

/**
 * @param {Element} element
 * @returns {Box} in CSS pixels of this frame's viewport, not rounded
 */
function boxInView(element) {
  const own = element.getBoundingClientRect();
  const { x, y, width, height } = own.width > 0 && own.height > 0 ? own : clientRectsOf(element)[0] ?? own;
  return { x, y, width, height };
}

/**
 * @param {Element} element
 * @param {ScrollLogicalPosition} position
 */
function bringIntoView(element, position) {
  element.scrollIntoView({ block: position, inline: position, behavior: 'instant' });
}

/**
 * Scrolls so that one point of a large element is in view.
 * @param {Element} element
 * @param {Point} at
 */
function scrollPointIntoView(element, at) {
  const { x, y } = boxInView(element);
  const left = x + at.x;
  const top = y + at.y;
  if (left >= 0 && top >= 0 && left < viewWidth() && top < viewHeight()) return;
  scrollAround(element, left - viewWidth() / 2, top - viewHeight() / 2);
}

/**
 * Moves an element in the view by scrolling what is around it, the innermost first, and then the window.
 * @param {Element} element
 * @param {number} left how far to the left and, with `top`, how far up
 * @param {number} top
 */
function scrollAround(element, left, top) {
  for (let node = composedParent(element); node; node = composedParent(node)) {
    if (node === document.scrollingElement || !/auto|scroll/.test(getComputedStyle(node).overflow)) continue;
    const { scrollLeft, scrollTop } = node;
    node.scrollBy({ left, top, behavior: 'instant' });
    left -= node.scrollLeft - scrollLeft;
    top -= node.scrollTop - scrollTop;
  }
  window.scrollBy({ left, top, behavior: 'instant' });
}

/** @returns {number} the viewport's width without its scroll bar */
function viewWidth() {
  return document.compatMode === 'BackCompat' ? window.innerWidth : document.documentElement.clientWidth;
}

/** @returns {number} the viewport's height without its scroll bar */
function viewHeight() {
  return document.compatMode === 'BackCompat' ? window.innerHeight : document.documentElement.clientHeight;
}
