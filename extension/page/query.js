// `query`: elements by what people say of them: role, accessible name, visible text, label, placeholder, test id. All that is
// given must hold. A name or text that is just the one asked for wins over one that only contains it; case and white space do
// not count. Refuses to choose: it tells all that match, and when none does those that come near.
// Listing and finding go by one rule: what is not rendered is not found. Invariant: one synchronous look, repeated by `lookUntil`.

/** @typedef {Parameters<PageFunctions['query']>[0]['query']} Query */

/** Most matches that are told, and most that come near. */
const mostMatches = 20;
const mostNear = 5;

/** Attributes that carry test ids, as testing tools name them. */
const testIdAttributes = ['data-testid', 'data-test-id', 'data-test'];

const labelledRoles = new Set(['checkbox', 'combobox', 'listbox', 'radio', 'searchbox', 'slider', 'spinbutton', 'switch', 'textbox']);

/**
 * `query`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['query']>[0]} args
 * @returns {Promise<Answer<QueryAnswer>>}
 */
async function queryElements({ query, timeout_ms }) {
  const found = await lookUntil(timeout_ms, () => {
    const matches = readingOnce(() => matchesOfQuery(query));
    return matches.length > 0 ? { ok: matches } : { ...fail('not_found', 'element_not_found', 'no element is like that', ''), wait_ms: Infinity };
  });
  const matches = 'ok' in found ? found.ok : [];
  return {
    ok: readingOnce(() => ({
      total: matches.length, matches: matches.slice(0, mostMatches).map(toldMatch), nearest: matches.length > 0 ? [] : nearestTo(query).map(toldMatch),
    })),
  };
}

/**
 * @param {Element} element
 * @returns {QueryMatch}
 */
function toldMatch(element) {
  const { ref, role, name } = usedElement(element);
  return { ref, role, name, context: surroundingsOf(element, name) };
}

/**
 * A few words of the row, list item or section that an element is in.
 * @param {Element} element @param {string} name of the element itself, which tells nothing new
 * @returns {string}
 */
function surroundingsOf(element, name) {
  const around = element.closest('tr, li, article, fieldset, section, [role=row], [role=listitem], [role=group], [role=dialog], dialog');
  if (around === null || around === element) return '';
  const text = tidyText(around.textContent ?? '');
  return shortName(text.startsWith(name) ? text.slice(name.length).trim() : text);
}

/**
 * @param {Query} query
 * @returns {Element[]} in document order
 */
function matchesOfQuery(query) {
  const role = query.role === undefined ? null : query.role.toLowerCase();
  const wanted = role === null ? null : roleSynonyms[role] ?? role;
  let candidates = query.text === undefined ? allElements() : elementsWithText(folded(query.text));
  candidates = candidates.filter((element) => (wanted === null || roleOf(element) === wanted) && hasAttributesAsked(element, query));
  if (query.label !== undefined) candidates = closest(candidates.filter((element) => labelledRoles.has(roleOf(element))), query.label, nameOf);
  if (query.name !== undefined) candidates = closest(named(candidates, query), query.name, nameOf);
  if (query.text !== undefined) candidates = closest(candidates, query.text, ownText);
  return candidates.filter(isRendered);
}

/**
 * Elements that can be meant by a name: without a role and a text, those that can be acted on, where there are any.
 * @param {Element[]} elements @param {Query} query
 * @returns {Element[]}
 */
function named(elements, { role, text, name }) {
  if (role !== undefined || text !== undefined) return elements;
  const controls = elements.filter((element) => interactivityOf(element) !== '');
  const wanted = folded(name ?? '');
  return controls.some((element) => folded(nameOf(element)).includes(wanted)) ? controls : elements;
}

/**
 * Those whose text is just the wanted one, else those that contain it.
 * @param {Element[]} elements @param {string} text @param {(element: Element) => string} read
 * @returns {Element[]}
 */
function closest(elements, text, read) {
  const wanted = folded(text);
  const texts = elements.map((element) => folded(read(element)));
  const exact = elements.filter((_, index) => texts[index] === wanted);
  return exact.length > 0 ? exact : elements.filter((_, index) => texts[index]?.includes(wanted) === true);
}

/**
 * @param {Element} element @param {Query} query
 * @returns {boolean}
 */
function hasAttributesAsked(element, { placeholder, test_id }) {
  if (test_id !== undefined && !testIdAttributes.some((name) => element.getAttribute(name) === test_id)) return false;
  if (placeholder === undefined) return true;
  const held = element.getAttribute('placeholder') ?? element.getAttribute('aria-placeholder');
  return held !== null && folded(held).includes(folded(placeholder));
}

/**
 * @param {string} text
 * @returns {string} without case and with white space folded
 */
function folded(text) {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

/**
 * What an element says by itself: the caption of a button that is an input, else its text.
 * @param {Element} element
 * @returns {string}
 */
function ownText(element) {
  return element instanceof HTMLInputElement ? nameOf(element) : textWithin(element);
}

/**
 * Every element of the document and its known shadow roots.
 * @returns {Element[]}
 */
function allElements() {
  return [document, ...knownRootsUnder(document)].flatMap((root) => [...root.querySelectorAll('*')]).filter((element) => !isClobbered(element));
}

/**
 * The innermost elements whose text contains a text, and buttons that are inputs.
 * @param {string} wanted as `folded` gives it
 * @returns {Element[]}
 */
function elementsWithText(wanted) {
  /** @type {Element[]} */
  const found = [];
  /** @param {Element | Document | ShadowRoot} root @returns {boolean} */
  const descend = (root) => {
    if (root instanceof Element && noTextTags.has(root.localName)) return false;
    const shadow = root instanceof Element ? shadowRootOf(root) : null;
    const isIn = folded(root.textContent ?? '').includes(wanted) || root instanceof Document;
    const isButton = root instanceof HTMLInputElement && /^(?:button|submit|reset)$/.test(root.type) && folded(nameOf(root)).includes(wanted);
    if (isButton) found.push(root);
    let isInner = shadow !== null && descend(shadow);
    // A subtree without the text may hold it in a shadow root or in the value of a button.
    for (let child = relativeOf(root, 'firstChild'); child !== null; child = relativeOf(child, 'nextSibling')) {
      if (child instanceof Element) isInner = descend(child) || isInner;
    }
    if (isIn && !isInner && root instanceof Element && !isButton && !isClobbered(root)) found.push(root);
    return isIn || isInner || isButton;
  };
  descend(document);
  return found;
}

/**
 * Controls that come near to what was asked for, the nearest first.
 * @param {Query} query
 * @returns {Element[]}
 */
function nearestTo(query) {
  const words = folded([query.name, query.text, query.label, query.placeholder].filter((part) => part !== undefined).join(' ')).split(' ');
  const role = query.role?.toLowerCase();
  return allElements()
    .filter((element) => interactivityOf(element) !== '' && isRendered(element))
    .map((element) => {
      const name = folded(nameOf(element));
      const shared = words.filter((word) => word.length > 1 && name.includes(word)).length;
      return { element, score: 2 * shared + (roleOf(element) === role ? 1 : 0) };
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, mostNear)
    .map(({ element }) => element);
}
