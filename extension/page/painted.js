// Whether the page has been drawn. In a window that is shown the browser throws presses away until a new document was drawn, or, where
// it has nothing to draw, for half a second after it came: nobody should click what is not to be seen yet. Moves and keys arrive.

/** How long after its coming a document may be held back undrawn. Measured in Chromium 156: a press at 300 ms is lost, at 600 ms it arrives. */
const HELD_MS = 600;

/**
 * Resolves when the document was drawn once, or is not held back any more.
 * @returns {Promise<void>}
 */
async function firstPaint() {
  const [navigation] = performance.getEntriesByType('navigation');
  const came = navigation instanceof PerformanceNavigationTiming ? navigation.responseStart : 0;
  const left = came + HELD_MS - performance.now();
  const isPaint = (/** @type {PerformanceEntry} */ { name }) => name === 'first-paint';
  if (left <= 0 || performance.getEntriesByType('paint').some(isPaint)) return;
  /** @type {Promise<void>} */
  const painted = new Promise((resolve) => {
    new PerformanceObserver((list, observer) => {
      if (!list.getEntries().some(isPaint)) return;
      observer.disconnect();
      resolve();
    }).observe({ type: 'paint', buffered: true });
  });
  await withinTime(painted, left);
}
