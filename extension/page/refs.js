// Refs: numbers that stand for elements of this document, and the elements behind them.
// A number is given once, to one element, and never again; a removed element stays known as removed, so that its ref
// answers `ref_stale` and never another element. The map lives in the page's isolated world, so it outlives the host
// and the kernel's worker. Refuses to guess: what was never given is `ref_not_found`.

/** @type {Map<number, WeakRef<Element>>} */
const elementByRef = new Map();
/** @type {WeakMap<Element, number>} */
const refByElement = new WeakMap();
let nextRef = 1;
let frameNumber = 0;

/**
 * Takes over what the kernel knows: no number of an earlier document of this frame may come again.
 * @param {CallContext} context
 */
function enterCall(context) {
  if (context.first_ref > nextRef) nextRef = context.first_ref;
  frameNumber = context.frame;
}

/**
 * A ref as people write it: `@e12`, or `@f2e5` in frame 2.
 * @param {number} ref
 * @returns {string}
 */
function refText(ref) {
  return frameNumber === 0 ? `@e${ref}` : `@f${frameNumber}e${ref}`;
}

/**
 * The element's ref number, the same for as long as it lives.
 * @param {Element} element
 * @returns {number}
 */
function refOf(element) {
  const known = refByElement.get(element);
  if (known !== undefined) return known;
  const ref = nextRef++;
  refByElement.set(element, ref);
  elementByRef.set(ref, new WeakRef(element));
  return ref;
}

/**
 * The connected element behind a ref.
 * @param {number} ref
 * @returns {Answer<Element>}
 */
function elementOfRef(ref) {
  const held = elementByRef.get(ref);
  const element = held?.deref();
  if (element?.isConnected && element.ownerDocument === document) return { ok: element };
  if (held !== undefined || ref < nextRef) {
    return fail('not_found', 'ref_stale', `ref \`${refText(ref)}\` points at an element that is gone from the page`,
      'run `bsk observe` and use a ref from its answer');
  }
  return fail('not_found', 'ref_not_found', `ref \`${refText(ref)}\` was never given out in this tab`,
    'run `bsk observe` and use a ref from its answer');
}

/**
 * An error answer.
 * @param {string} code @param {string} reason @param {string} message @param {string} hint
 * @param {Record<string, unknown>} [data]
 * @returns {{ error: PageError }}
 */
function fail(code, reason, message, hint, data) {
  return { error: { code, reason, message, hint, ...(data ? { data } : {}) } };
}
