// The probe: did the trusted input that the host sends reach the element it was meant for? Armed right before the input,
// read once, then gone. Listens in the capture phase on window, so a page sees the event after us at the earliest.
// It changes an event in one case only: a press that is about to hit something else is stopped with the rest of its
// gesture, so that a wrong element is never clicked. It never makes, repeats or redirects an event, and it ignores what
// scripts dispatch. The stop ends by itself, so that a host that died leaves nobody's clicks blocked.

/** @typedef {'mousedown' | 'drag' | 'mousemove' | 'keydown'} ProbeKind `drag`: a press whose release is not awaited */
/**
 * @typedef {object} ArmedProbe
 * @property {ProbeKind} kind
 * @property {Element | null} element null: wherever it arrives
 * @property {boolean} guards stops a press that is about to hit something else
 * @property {boolean} delivered
 * @property {string | null} hit
 * @property {boolean} isStopping a press went wrong: the rest of its gesture is stopped too
 * @property {Promise<void>} finished
 * @property {() => void} finish
 * @property {AbortController} listening
 */

/** A page may cancel `pointerdown`, then no `mousedown` comes: each step is watched by both of its events. */
const PRESS_EVENTS = ['pointerdown', 'mousedown'];
const GESTURE_EVENTS = [...PRESS_EVENTS, 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
const MOVE_EVENTS = ['pointermove', 'mousemove', 'pointerover', 'mouseover'];
/** How long a wrong press is stopped when nobody reads the probe. */
const GUARD_MS = 3000;
/** How long the rest of a stopped gesture (the second half of a double click) is stopped after the probe was read. */
const STOP_REST_MS = 300;

/** @type {ArmedProbe | null} */
let armedProbe = null;
/** A probe that was read and still stops the rest of a gesture. @type {ArmedProbe | null} */
let restingProbe = null;

/**
 * Watches for the next input of a kind; forgets earlier probes: their gestures are over.
 * @param {ProbeKind} kind
 * @param {Element | null} element
 * @param {boolean} guards
 */
function armProbe(kind, element, guards) {
  armedProbe?.listening.abort();
  restingProbe?.listening.abort();
  let finish = () => {};
  /** @type {Promise<void>} */
  const finished = new Promise((resolve) => { finish = () => resolve(); });
  /** @type {ArmedProbe} */
  const probe = {
    kind, element, guards, delivered: false, hit: null, isStopping: false, finished, finish, listening: new AbortController(),
  };
  armedProbe = probe;
  const types = kind === 'mousedown' || kind === 'drag' ? GESTURE_EVENTS : kind === 'mousemove' ? MOVE_EVENTS : ['keydown'];
  const options = { capture: true, signal: probe.listening.signal };
  const listener = (/** @type {Event} */ event) => { if (event.isTrusted) noteInput(probe, event); };
  for (const type of types) window.addEventListener(type, listener, options);
  if (kind === 'mousedown' && element && isFrameElement(element)) {
    // A press in a frame shows in this document only as the focus going there.
    window.addEventListener('blur', () => {
      probe.delivered ||= focusedElement(element) === element;
      if (probe.delivered) probe.finish();
    }, { signal: probe.listening.signal });
  }
  if (guards) setTimeout(() => { if (armedProbe === probe) probe.guards = false; }, GUARD_MS);
}

/**
 * `probe`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['probe']>[0]} args
 * @returns {Promise<Answer<ProbeResult>>}
 */
async function readProbe({ timeout_ms }) {
  const probe = armedProbe;
  if (!probe) {
    return fail('cdp_failed', 'page_navigated', 'the page was replaced before the input was confirmed',
      'run `bsk observe` to see the page as it is now');
  }
  armedProbe = null;
  await withinTime(probe.finished, timeout_ms);
  if (probe.isStopping) {
    restingProbe = probe;
    setTimeout(() => probe.listening.abort(), STOP_REST_MS);
  } else probe.listening.abort();
  if (probe.delivered) return { ok: { delivered: true, hit: null } };
  return { ok: { delivered: false, hit: probe.hit } };
}

/**
 * One trusted event while armed.
 * @param {ArmedProbe} probe
 * @param {Event} event
 */
function noteInput(probe, event) {
  if (probe.kind === 'keydown') {
    probe.delivered = true;
    probe.finish();
    return;
  }
  if (probe.kind === 'mousemove') {
    const wrong = wrongTarget(probe, event);
    probe.delivered ||= wrong === null;
    probe.hit = wrong && describe(wrong);
    // The user's own pointer may pass elsewhere meanwhile, so a wrong move alone ends nothing.
    if (probe.delivered) probe.finish();
    return;
  }
  if (PRESS_EVENTS.includes(event.type) && !probe.delivered && !probe.isStopping) notePress(probe, event);
  if (probe.isStopping) {
    event.stopImmediatePropagation();
    // Cancelling `pointerdown` would hide the `mousedown`, whose default (focus, drag, menu) is what must not happen.
    if (event.type !== 'pointerdown') event.preventDefault();
  }
  // The page's own handlers run after this; the host waits for the browser's word that the input was handled.
  if (!PRESS_EVENTS.includes(event.type) || (probe.kind === 'drag' && (event.type === 'mousedown' || event.defaultPrevented))) probe.finish();
}

/**
 * @param {ArmedProbe} probe
 * @param {Event} event
 */
function notePress(probe, event) {
  const wrong = wrongTarget(probe, event);
  if (wrong) {
    probe.hit = describe(wrong);
    probe.isStopping = probe.guards;
    return;
  }
  // A disabled control gets pointer events but none that acts: only `mousedown` counts for it.
  const isDisabled = probe.element?.matches(':disabled') ?? false;
  probe.delivered = event.type === 'mousedown' || !isDisabled;
}

/**
 * What gets the event instead of the probe's element; null when the element gets it.
 * @param {ArmedProbe} probe
 * @param {Event} event
 * @returns {Element | null}
 */
function wrongTarget(probe, event) {
  const origin = event.composedPath()[0];
  const touched = origin instanceof Element ? origin : document.documentElement;
  if (!probe.element || reachesElement(touched, probe.element)) return null;
  if (!(event instanceof MouseEvent)) return touched;
  // Events from a closed shadow root name its host; the place tells what was touched inside.
  const deepest = deepestAt({ x: event.clientX, y: event.clientY }, probe.element);
  const isInside = deepest !== null && deepest !== touched && holdsElement(touched, deepest);
  if (isInside && reachesElement(deepest, probe.element)) return null;
  return isInside ? deepest : touched;
}

/**
 * @param {Element} element
 * @returns {boolean}
 */
function isFrameElement(element) {
  return element instanceof HTMLIFrameElement || element.localName === 'frame';
}
