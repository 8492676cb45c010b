// Whether the page has been drawn. Until then the browser throws away presses in a window that is shown, so that nobody clicks
// what he cannot see yet; moves and keys arrive. Asked once per document: where nothing is drawn presses arrive all the same.

/** How long the first picture is waited for; windows that are not shown draw late or never. */
const PAINT_MS = 300;

let hasWaitedForPaint = false;

/**
 * Resolves when the document has been drawn once, or is not going to be.
 * @returns {Promise<void>}
 */
async function firstPaint() {
  if (hasWaitedForPaint) return;
  hasWaitedForPaint = true;
  const isPaint = (/** @type {PerformanceEntry} */ { name }) => name === 'first-paint';
  if (performance.getEntriesByType('paint').some(isPaint)) return;
  /** @type {Promise<void>} */
  const painted = new Promise((resolve) => {
    new PerformanceObserver((list, observer) => {
      if (!list.getEntries().some(isPaint)) return;
      observer.disconnect();
      resolve();
    }).observe({ type: 'paint', buffered: true });
  });
  await withinTime(painted, PAINT_MS);
}
