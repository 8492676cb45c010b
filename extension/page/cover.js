// What lies over the controls in view, for `observe`: the one that would get a click instead, by the same test as acting.
// Bounded: what is in view at once is rarely more. Reads only.

/** Controls whose cover is looked for in one observation: what is in view at once is rarely more. */
const mostHitTests = 400;

/**
 * Marks the controls in view that something else would get the click of.
 * @param {Row[]} rows
 */
function markCovered(rows) {
  let left = mostHitTests;
  for (const row of rows) {
    if (!row.hasRef || row.place !== places.in || row.isGone || left === 0) continue;
    const { element } = row;
    if (element.localName === 'option' || row.states.includes('inert')) continue;
    left--;
    const rect = row.rect ?? rectOf(element);
    if (rect === null || rect.width === 0 || rect.height === 0) continue;
    const point = centreOf(rect, row.clip);
    if (document.elementFromPoint(point.x, point.y) === element) continue;
    const hit = deepestAt(point, element);
    if (hit !== null && reachesElement(hit, element)) continue;
    const test = hitTest(element, undefined);
    const cover = hit ?? ('cover' in test ? test.cover : null);
    if ('point' in test || cover === null) continue;
    // What takes no pointer at all has nothing over it.
    const isPassive = getComputedStyle(element).pointerEvents === 'none';
    row.states.push(isPassive ? 'takes no pointer' : `covered by ${describe(coverElement(cover))}`);
  }
}

/**
 * The centre of what of a rectangle is in the view and not clipped away.
 * @param {DOMRect} rect @param {Clip | null} clip
 * @returns {Point}
 */
function centreOf(rect, clip) {
  const [left, right] = [Math.max(rect.left, clip?.left ?? 0, 0), Math.min(rect.right, clip?.right ?? innerWidth, innerWidth)];
  const [top, bottom] = [Math.max(rect.top, clip?.top ?? 0, 0), Math.min(rect.bottom, clip?.bottom ?? innerHeight, innerHeight)];
  return { x: Math.min((left + right) / 2, innerWidth - 1), y: Math.min((top + bottom) / 2, innerHeight - 1) };
}

/**
 * What to call a cover: parts of a drawing are named by what the drawing is in.
 * @param {Element} hit
 * @returns {Element}
 */
function coverElement(hit) {
  if (isClobbered(hit)) return composedParent(hit) ?? document.documentElement;
  if (!(hit instanceof SVGElement)) return hit;
  const drawing = hit.ownerSVGElement ?? hit;
  const around = hit.closest('button, a, [role], [id]') ?? drawing.parentElement;
  return around === null || around === document.body ? drawing : around;
}
