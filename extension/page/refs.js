// Refs: numbers that stand for elements of this document, and the elements behind them.
// A number is given once, to one element, and never again; a removed element stays known as removed, so that its ref
// answers `ref_stale` and never another element. The map lives in the page's isolated world, so it outlives the host
// and the kernel's worker. Refuses to guess: what was never given is `ref_not_found`.

/** @type {Map<number, WeakRef<Element>>} */
const elementByRef = new Map();
/** @type {WeakMap<Element, number>} */
const refByElement = new WeakMap();
/** What was last told of a ref. @type {Map<number, Told>} */
const toldByRef = new Map();
let nextRef = 1;
let frameNumber = 0;

/** Refs of which something is kept; beyond that what is gone is forgotten, the oldest first. */
const mostTold = 200_000;

/** @typedef {{ role: string, name: string }} Told */

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
 * Keeps what was told of a ref, so that a later use can say when it is no longer so.
 * @param {number} ref @param {string} role @param {string} name
 */
function rememberTold(ref, role, name) {
  const told = toldByRef.get(ref);
  if (told?.role !== role || told.name !== name) toldByRef.set(ref, { role, name });
  if (toldByRef.size > mostTold) forgetGone();
}

/** Forgets the elements that no longer are, and what was told of the older half. */
function forgetGone() {
  for (const [ref, held] of elementByRef) if (held.deref() === undefined) elementByRef.delete(ref);
  let toForget = mostTold / 2;
  for (const ref of toldByRef.keys()) {
    if (toForget-- <= 0) return;
    toldByRef.delete(ref);
  }
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
  if (held !== undefined || ref < nextRef) return staleRef(ref);
  return fail('not_found', 'ref_not_found', `ref \`${refText(ref)}\` was never given out in this tab`,
    'run `bsk observe` and use a ref from its answer');
}

/**
 * The answer for a ref whose element is gone. It names the element that is now what the gone one was, and leaves it to the
 * caller to use that one.
 * @param {number} ref
 * @returns {{ error: PageError }}
 */
function staleRef(ref) {
  const told = toldByRef.get(ref);
  const gone = `ref \`${refText(ref)}\`${told === undefined ? '' : ` (${told.role} "${shortName(told.name)}")`} points at an element that is gone from the page`;
  const successor = told === undefined || told.name === '' ? null : successorOf(told);
  if (told === undefined || successor === null) return fail('not_found', 'ref_stale', gone, 'run `bsk observe` and use a ref from its answer');
  const text = refText(successor);
  return fail('not_found', 'ref_stale', `${gone}; \`${text}\` has the same role and name now`,
    `use \`${text}\` if that is the one you mean, or run \`bsk observe\``, { successor: { ref: text, ...told } });
}

/**
 * The one element with this role and name, or null when there is none or more than one.
 * @param {Told} told
 * @returns {number | null} its ref
 */
function successorOf(told) {
  return readingOnce(() => {
    /** @type {Element | null} */
    let found = null;
    for (const element of allElements()) {
      if (roleOf(element) !== told.role || nameOf(element) !== told.name) continue;
      if (found !== null) return null;
      found = element;
    }
    if (found === null) return null;
    const ref = refOf(found);
    rememberTold(ref, told.role, told.name);
    return ref;
  });
}

/**
 * A name for a message: short, and without what messages quote with.
 * @param {string} name
 * @returns {string}
 */
function shortName(name) {
  const line = name.replaceAll('`', "'");
  return line.length > 40 ? `${line.slice(0, 39).trimEnd()}…` : line;
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
