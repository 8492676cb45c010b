// Surfaces that only show while the pointer is over something, as far as style sheets tell: a menu below `li:hover`, a panel
// beside `.trigger:hover`. What a script shows on `mouseenter` leaves no such evidence; `--probe-hover` finds that.
// Refuses to guess from class names. Reads only; moves nothing.

/** Surfaces told in one observation, and items told of each. */
const mostSurfaces = 24;
const mostItems = 6;
const longestItem = 30;

/** What in a hidden surface is worth naming. */
const surfaceItems = 'a[href], button, [role=menuitem], [role=option], [role=link], [role=button], input, select';

/**
 * The items of hidden surfaces by the element to point at.
 * @returns {Map<Element, { surface: Element, items: string }>}
 */
function hoverSurfaces() {
  /** @type {Map<Element, { surface: Element, items: string }>} */
  const found = new Map();
  for (const rule of pageSheets()?.hovers ?? []) {
    if (found.size >= mostSurfaces) break;
    for (const surface of matchesOf(rule.revealed)) {
      const trigger = triggerOf(surface, rule);
      if (trigger === null || found.has(trigger) || found.size >= mostSurfaces || !isHiddenNow(surface)) continue;
      const items = itemsOf(surface);
      // What is inside another hidden surface comes with that one.
      if (items !== '' && isRendered(trigger)) found.set(trigger, { surface, items });
    }
  }
  return found;
}

/**
 * @param {string} selector cut out of another one, so perhaps none
 * @returns {readonly Element[]}
 */
function matchesOf(selector) {
  try {
    return [...document.querySelectorAll(selector)].slice(0, mostSurfaces);
  } catch {
    return [];
  }
}

/**
 * @param {Element} surface @param {HoverRule} rule
 * @returns {Element | null}
 */
function triggerOf(surface, { trigger, revealed }) {
  if (!/^\s*[+~]/.test(revealed.slice(trigger.length))) return surface.parentElement?.closest(trigger) ?? null;
  for (let before = surface.previousElementSibling; before !== null; before = before.previousElementSibling) {
    if (before.matches(trigger)) return before;
  }
  return null;
}

/**
 * @param {Element} surface
 * @returns {boolean}
 */
function isHiddenNow(surface) {
  return !isRendered(surface) || !surface.checkVisibility({ opacityProperty: true });
}

/**
 * The names of what a surface holds, joined; a tooltip's own text where it holds no controls.
 * @param {Element} surface
 * @returns {string}
 */
function itemsOf(surface) {
  const items = [...surface.querySelectorAll(surfaceItems)].map((item) => item.getAttribute('aria-label') ?? item.textContent ?? '')
    .map(shortItem).filter((name) => name !== '');
  const names = items.length > 0 ? items : [shortItem(surface.textContent ?? '')].filter((name) => name !== '');
  const more = names.length - mostItems;
  return names.slice(0, mostItems).concat(more > 0 ? [`${more} more`] : []).join(' | ');
}

/**
 * @param {string} text
 * @returns {string}
 */
function shortItem(text) {
  const line = tidyText(text).replaceAll('|', '/');
  return line.length > longestItem ? `${line.slice(0, longestItem - 1).trimEnd()}…` : line;
}

/**
 * Says on the rows what shows once they are pointed at.
 * @param {Row[]} rows
 */
function markHoverSurfaces(rows) {
  const surfaces = hoverSurfaces();
  if (surfaces.size === 0) return;
  /** @type {Set<string>} */
  const told = new Set();
  const rowByElement = new Map(rows.filter((row) => !row.isGone && row.text === null).map((row) => [row.element, row]));
  for (const [trigger, { surface, items }] of surfaces) {
    // The wrapper of a menu seldom has a row: the first one inside it is what a person points at.
    const inside = [trigger, ...trigger.querySelectorAll('*')].filter((element) => !surface.contains(element))
      .map((element) => rowByElement.get(element)).filter((row) => row !== undefined);
    const row = inside.find(({ hasRef }) => hasRef) ?? inside[0];
    // The same menu on each of many rows is told in full once.
    const short = told.has(items) ? `${items.split(' | ')[0]} | …` : items;
    told.add(items);
    row?.states.push(`hover first: ${short}`);
  }
}
