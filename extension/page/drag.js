// What the page does with a drag while the host holds the button: whether it began a drag of its own (HTML5), whether the place
// under the pointer takes it, and whether the drop or the release arrived. Watches in the capture phase on window and only
// trusted events; makes none, and stops only the click that a drag given up would end with. One watch per document; it ends when it is read for the last time, or by itself.

/**
 * @typedef {object} DragWatch
 * @property {Element | null} onto where the drop is meant to arrive; null: anywhere
 * @property {Event | null} press the `mousedown` on what is draggable
 * @property {Event | null} start the `dragstart`
 * @property {Event | null} over the last `dragenter` or `dragover`
 * @property {boolean} isPressed
 * @property {boolean} released
 * @property {boolean} guards the drag is not at its end: a release now gives it up, where it began, and is no click
 * @property {number | null} releasedAt
 * @property {boolean} dropped
 * @property {string | null} hit what got the drop instead
 * @property {{ name: string, size: number }[]} files that were dropped
 * @property {(() => void) | null} wake
 * @property {AbortController} listening
 */

const DRAG_EVENTS = ['pointerdown', 'mousedown', 'dragstart', 'dragenter', 'dragover', 'drop', 'pointerup', 'mouseup', 'click'];
/** How long a watch lasts that nobody reads. */
const DRAG_WATCH_MS = 120_000;

/** @type {DragWatch | null} */
let dragWatch = null;

/**
 * Watches a drag from now on; one that is watched already goes on.
 * @param {Element | null} onto
 * @param {boolean} isNew the drag has not begun yet
 */
function watchDrag(onto, isNew) {
  if (dragWatch !== null && !isNew) {
    dragWatch.onto = onto;
    return;
  }
  dragWatch?.listening.abort();
  /** @type {DragWatch} */
  const watch = { onto, press: null, start: null, over: null, isPressed: !isNew, released: false, releasedAt: null, guards: isNew, dropped: false, hit: null, files: [], wake: null, listening: new AbortController() };
  dragWatch = watch;
  const options = { capture: true, signal: watch.listening.signal };
  for (const type of DRAG_EVENTS) {
    window.addEventListener(type, (event) => { if (event.isTrusted) noteDrag(watch, event); }, options);
  }
  setTimeout(() => watch.listening.abort(), DRAG_WATCH_MS);
}

/**
 * @param {DragWatch} watch
 * @param {Event} event
 */
function noteDrag(watch, event) {
  if (event.type === 'dragstart') watch.start = event;
  if (event.type === 'mousedown' && event.composedPath().some(isDraggable)) watch.press = event;
  if (event.type === 'dragenter' || event.type === 'dragover') watch.over = event;
  if (event.type === 'pointerdown') {
    // Another press is another gesture: this one is over, even where its release never came.
    if (watch.isPressed) watch.listening.abort();
    watch.isPressed = true;
  }
  if (event.type === 'pointerup' || event.type === 'mouseup') {
    watch.released = true;
    watch.releasedAt = event.timeStamp;
    if (watch.guards) setTimeout(() => watch.listening.abort(), STOP_REST_MS);
  }
  // The click that the browser makes of a release has its time; a later one is somebody's.
  if (event.type === 'click' && watch.guards && watch.releasedAt !== null && Math.abs(event.timeStamp - watch.releasedAt) < 1) {
    event.stopImmediatePropagation();
    event.preventDefault();
  }
  if (event.type === 'drop') {
    const origin = event.composedPath()[0];
    const touched = origin instanceof Element ? origin : document.documentElement;
    const isRight = watch.onto === null || holdsElement(watch.onto, touched) || (event instanceof MouseEvent
      && holdsElement(watch.onto, deepestAt({ x: event.clientX, y: event.clientY }, watch.onto)));
    watch.dropped = true;
    watch.hit = isRight ? null : describe(touched);
    // Only while the event is on its way does it tell.
    if (event instanceof DragEvent) watch.files = [...event.dataTransfer?.files ?? []].map(({ name, size }) => ({ name, size }));
  }
  watch.wake?.();
}

/**
 * @param {EventTarget} target
 * @returns {boolean} whether its page says that it can be dragged
 */
function isDraggable(target) {
  return target instanceof Element && target.getAttribute('draggable') === 'true';
}

/**
 * `drag_state`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['drag_state']>[0]} args
 * @returns {Promise<Answer<DragState>>}
 */
async function dragState({ timeout_ms, until, is_last = false }) {
  const watch = dragWatch;
  if (watch === null) {
    return fail('cdp_failed', 'page_navigated', 'the page was replaced while something was dragged', 'run `bsk observe` to see the page as it is now');
  }
  const isThere = () => until === undefined || watch.dropped || (until === 'release' && watch.released);
  if (!isThere()) {
    await withinTime(new Promise((resolve) => { watch.wake = () => { if (isThere()) resolve(undefined); }; }), timeout_ms);
    watch.wake = null;
  }
  const isOverdue = watch.press !== null && !watch.press.defaultPrevented && watch.start === null;
  if (is_last && !isOverdue) watch.guards = false;
  if (until !== undefined) {
    watch.listening.abort();
    dragWatch = null;
  }
  return {
    ok: {
      started: watch.start !== null && !watch.start.defaultPrevented,
      overdue: isOverdue, accepts: watch.over?.defaultPrevented ?? false,
      released: watch.released, dropped: watch.dropped, hit: watch.hit, ...(watch.files.length === 0 ? {} : { files: watch.files }),
    },
  };
}
