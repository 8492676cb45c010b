// Text that is in the page and that nobody can see: transparent, in letters without size, pushed out of its box.
// Refuses to guess about colours that merely look alike. Asked once per element that text stands in; where text is clipped away or
// out of reach, `place.js` knows.

/**
 * Text in the element that nobody can see: transparent, in letters without size, or pushed out of its box.
 * @param {Element} element rendered
 * @returns {boolean}
 */
function isUnseenText(element) {
  const known = currentPass?.unseen.get(element);
  if (known !== undefined) return known;
  const isUnseen = findUnseen(element);
  currentPass?.unseen.set(element, isUnseen);
  return isUnseen;
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function findUnseen(element) {
  /** @type {Element | null} */
  let boxed = element;
  // A slot has no box and no opacity of its own.
  while (boxed !== null && styleFacts(boxed).display === 'contents') boxed = composedParent(boxed);
  if (boxed !== null && !boxed.checkVisibility({ opacityProperty: true })) return true;
  const style = getComputedStyle(element);
  if (Number.parseFloat(style.fontSize) <= thinnest || isPushedOut(style)) return true;
  return isTransparent(style.webkitTextFillColor) && !showsThrough(element, style);
}

/**
 * @param {string} colour as computed, in any colour space
 * @returns {boolean}
 */
function isTransparent(colour) {
  return colour.startsWith('rgba') ? colour.endsWith(', 0)') : colour.endsWith('/ 0)');
}

/**
 * Transparent letters of which something is seen all the same: their shadow, their outline, or a background in their shape.
 * @param {Element} element
 * @param {CSSStyleDeclaration} style the element's
 * @returns {boolean}
 */
function showsThrough(element, style) {
  if (style.textShadow !== 'none' || Number.parseFloat(style.webkitTextStrokeWidth) > 0) return true;
  for (let around = /** @type {Element | null} */ (element); around !== null; around = composedParent(around)) {
    if (getComputedStyle(around).backgroundClip.includes('text')) return true;
  }
  return false;
}

/** An indent of so many pixels to the left is meant to hide. */
const farIndent = -999;

/**
 * Indented out of its box; where a picture stands in its place, the text is what the picture says.
 * @param {CSSStyleDeclaration} style
 * @returns {boolean}
 */
function isPushedOut(style) {
  if (!maySet('indents')) return false;
  const indent = style.textIndent;
  if (indent === '0px') return false;
  const isFar = indent.endsWith('%') ? Number.parseFloat(indent) >= 100 && style.overflow !== 'visible' : Number.parseFloat(indent) <= farIndent;
  return isFar && style.backgroundImage === 'none';
}
