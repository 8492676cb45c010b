// What the oracle asks of the page library. Its files and this text are one function body, evaluated in an isolated world.
// Each element is given a number, in document order through open shadow roots, as an attribute: by it the elements of
// the accessibility tree are found again. The rest of the page stays as it is.

const markedElements = [];

/** Gives every element its number. */
function markAll() {
  const visit = (root) => {
    for (const element of root.querySelectorAll('*')) {
      element.setAttribute('data-oracle', String(markedElements.push(element) - 1));
      if (element.shadowRoot !== null) visit(element.shadowRoot);
    }
  };
  visit(document);
  return markedElements.length;
}

/** What the page library says of every element. */
function askAll() {
  return readingOnce(() => markedElements.map((element) => [roleOf(element), nameOf(element), descriptionOf(element),
    ruleOf(element), startTagOf(element), expectedLabelOf(element),
    element.checkVisibility({ visibilityProperty: true })]));
}

/** The part of the standards that an element falls under. */
function ruleOf(element) {
  const role = element.getAttribute('role');
  const tag = element.localName;
  const plain = tag === 'input' ? `input type=${element.type}` : tag === 'a' && !element.hasAttribute('href') ? 'a without href'
    : tag.includes('-') ? 'custom element' : element instanceof SVGElement && tag !== 'svg' ? `svg ${tag}` : tag;
  return role !== null ? `role=${role.trim().split(/\s+/)[0]}` : element.isContentEditable && element.hasAttribute('contenteditable')
    ? 'contenteditable' : plain;
}

/** The element's start tag as written, without our number, at most 160 characters. */
function startTagOf(element) {
  const attributes = Array.from(element.attributes).filter(({ name }) => name !== 'data-oracle')
    .map(({ name, value }) => (value === '' ? ` ${name}` : ` ${name}="${value}"`));
  const text = `<${element.localName}${attributes.join('')}>`.replace(/\s+/g, ' ');
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}

/** The name that the standard's own tests expect, where they do. */
function expectedLabelOf(element) {
  const isTested = element.matches('.ex, .labelled');
  return isTested ? element.getAttribute('data-expectedlabel') : null;
}

/** For each of these elements, which of the selectors it matches. */
function matchingSelectors(numbers, selectors) {
  return numbers.map((number) => selectors.flatMap((selector, index) => (markedElements[number].matches(selector) ? [index] : [])));
}

return { markAll, askAll, matchingSelectors };
