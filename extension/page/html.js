// The document as text, and how it came: markup for `get-html`, and the state of the navigation.
// Refuses to give secrets: what a secret field holds is cut out of the markup, template contents included. Changes
// nothing: when there is something to cut, it works on a copy in a document that loads and runs nothing.

/**
 * `get_html`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['get_html']>[0]} args
 * @returns {Answer<{ html: string, truncated: boolean, byte_size: number }>}
 */
function getHtml({ target, max_bytes }) {
  let html = '';
  if (target) {
    const resolved = resolveTarget(target);
    if ('error' in resolved) return { error: resolved.error };
    html = markupWithoutSecrets(resolved.ok);
  } else {
    const doctype = document.doctype ? `${new XMLSerializer().serializeToString(document.doctype)}\n` : '';
    // A script can take the whole document away.
    const root = /** @type {Element | null} */ (document.documentElement);
    html = doctype + (root === null ? '' : markupWithoutSecrets(root));
  }
  const encoder = new TextEncoder();
  const byteSize = encoder.encode(html).length;
  if (byteSize <= max_bytes) return { ok: { html, truncated: false, byte_size: byteSize } };
  // `encodeInto` stops before a character that does not fit whole.
  const { read } = encoder.encodeInto(html, new Uint8Array(max_bytes));
  return { ok: { html: html.slice(0, read), truncated: true, byte_size: byteSize } };
}

/**
 * @param {Element} element
 * @returns {string}
 */
function markupWithoutSecrets(element) {
  if (!hasSecretMarkup(element)) return element.outerHTML;
  const copy = document.implementation.createHTMLDocument('').importNode(element, true);
  cutSecrets(element, copy);
  return copy.outerHTML;
}

/** A select's choice is marked on its options. */
const fieldSelector = 'input[value], textarea, option[selected]';

/**
 * Fields whose contents can stand in the markup, the node itself included.
 * @param {Element | DocumentFragment} root
 * @returns {Element[]}
 */
function markupFields(root) {
  const below = [...root.querySelectorAll(fieldSelector)];
  return root instanceof Element && root.matches(fieldSelector) ? [root, ...below] : below;
}

/**
 * @param {Element} field
 * @returns {boolean}
 */
function isSecretField(field) {
  const owner = field.localName === 'option' ? field.closest('select') : field;
  return owner !== null && isSecret(owner);
}

/**
 * The templates below a node, itself included; their contents are documents of their own.
 * @param {Element | DocumentFragment} root
 * @returns {HTMLTemplateElement[]}
 */
function templatesOf(root) {
  const below = [...root.querySelectorAll('template')];
  return root instanceof HTMLTemplateElement ? [root, ...below] : below;
}

/**
 * @param {Element | DocumentFragment} root
 * @returns {boolean}
 */
function hasSecretMarkup(root) {
  return markupFields(root).some(isSecretField) || templatesOf(root).some((template) => hasSecretMarkup(template.content));
}

/**
 * Empties in the copy what is secret in the original; both have the same shape.
 * @param {Element | DocumentFragment} original
 * @param {Element | DocumentFragment} copy
 */
function cutSecrets(original, copy) {
  const fields = markupFields(copy);
  for (const [index, field] of markupFields(original).entries()) {
    const twin = fields[index];
    if (!twin || !isSecretField(field)) continue;
    if (twin.localName === 'option') twin.removeAttribute('selected');
    else if (twin.hasAttribute('value')) twin.setAttribute('value', '');
    if (twin.localName === 'textarea') twin.textContent = '';
  }
  const templates = templatesOf(copy);
  for (const [index, template] of templatesOf(original).entries()) {
    const twin = templates[index];
    if (twin) cutSecrets(template.content, twin.content);
  }
}

/** A page that is to be replaced by itself or another after so many seconds is on its way there. */
const soonSeconds = 1;

/**
 * `document_state`: see `PageFunctions`.
 * @returns {Answer<DocumentState>}
 */
function documentState() {
  const navigation = performance.getEntriesByType('navigation')[0];
  const status = navigation instanceof PerformanceNavigationTiming ? navigation.responseStatus : 0;
  const refresh = document.querySelector('meta[http-equiv=refresh i]')?.getAttribute('content') ?? '';
  const goes_on = Number.parseFloat(refresh) <= soonSeconds;
  return { ok: { url: location.href, title: document.title, ready_state: document.readyState, status, goes_on } };
}
