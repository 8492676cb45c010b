// Forms that hide what every element has: the controls of a form are properties of it, so `<input name=children>` makes
// `form.children` that input, in every world. Such a form is looked through: what is in it is read as if it stood in the form's
// place, by way of the prototypes; the form itself is neither listed nor asked anything.
// Invariant: whoever reads a node that may be a form goes by `composedParent`, `visitComposedChildren` or asks `isClobbered`.

/** What the library reads of elements of any kind. */
const readMembers = ['assignedSlot', 'checkVisibility', 'childNodes', 'children', 'classList', 'closest', 'contains', 'firstChild',
  'firstElementChild', 'getAttribute', 'getBoundingClientRect', 'getClientRects', 'getRootNode', 'hasAttribute', 'hasAttributes',
  'isConnected', 'localName', 'matches', 'nextSibling', 'nodeType', 'ownerDocument', 'parentElement', 'parentNode', 'querySelector',
  'querySelectorAll', 'scrollIntoView', 'shadowRoot', 'textContent'];

/**
 * The document's clobbered forms; within a pass they are looked for once.
 * @returns {ReadonlySet<Node>}
 */
function clobberedForms() {
  if (currentPass?.clobbered !== undefined) return currentPass.clobbered;
  /** @type {Set<Node>} */
  const forms = new Set();
  for (const form of /** @type {HTMLCollectionOf<HTMLFormElement>} */ (Reflect.get(Document.prototype, 'forms', document))) {
    if (readMembers.some((name) => Object.hasOwn(form, name))) forms.add(form);
  }
  if (currentPass !== null) currentPass.clobbered = forms;
  return forms;
}

/**
 * @param {Node} node
 * @returns {boolean}
 */
function isClobbered(node) {
  const forms = clobberedForms();
  return forms.size > 0 && forms.has(node);
}

/**
 * A relative of a node, whatever the node's own properties are.
 * @param {Node} node @param {'firstChild' | 'nextSibling' | 'parentNode'} relation
 * @returns {Node | null}
 */
function relativeOf(node, relation) {
  return isClobbered(node) ? /** @type {Node | null} */ (Reflect.get(Node.prototype, relation, node)) : node[relation];
}
