// The library's only door: `bskPage`, reached by the kernel alone from its isolated world. The host's calls come in by
// `call(name, args, context)`; the rest is for the kernel's own work with elements (frames.js, shadow_roots.js, highlights.js, uploads.js).
// Refuses names that are not in the table; never throws: what goes wrong inside is an answer with an error.

/** @type {{ [K in keyof PageFunctions]: (args: never) => unknown }} */
const pageFunctions = {
  observe: observePage,
  query: queryElements,
  prepare: prepareTarget,
  probe: readProbe,
  fill_begin: beginFill,
  fill_end: endFill,
  select: selectOptions,
  focus: focusTarget,
  type_begin: beginTyping,
  type_end: endTyping,
  check_begin: beginCheck,
  check_end: endCheck,
  get_html: getHtml,
  box: boxOfTarget,
  settle: settlePage,
  document_state: documentState,
  checked_state: checkedState,
  drag_state: dragState,
  scroll_place: scrollPlace,
  scroll_end: scrollEnd,
  scroll_text: scrollToText,
  wait: waitFor,
  outcome: readOutcome,
  file_input: findFileInput,
};

/**
 * Runs one function of the library.
 * @param {string} name
 * @param {unknown} args as `PageFunctions[name]` takes them; the kernel has checked their shape
 * @param {CallContext} context
 * @returns {Promise<(Answer<unknown>) & { next_ref: number }>}
 */
async function callPage(name, args, context) {
  enterCall(context);
  /** @type {Answer<unknown>} */
  let answer;
  try {
    const run = Object.hasOwn(pageFunctions, name) ? pageFunctions[/** @type {keyof PageFunctions} */ (name)] : null;
    answer = run === null
      ? fail('unknown_method', 'page_function_unknown', `the page library has no function \`${name}\``, 'reload the extension')
      : /** @type {Answer<unknown>} */ (await run(/** @type {never} */ (args)));
  } catch (error) {
    answer = fail('cdp_failed', 'page_library_failed', `\`${name}\` failed in the page: ${String(error)}`,
      'run `bsk observe` to see the page as it is now');
  }
  return { ...answer, next_ref: nextRef };
}

/**
 * The element behind a ref, or null where it is gone.
 * @param {number} ref
 * @returns {Element | null}
 */
function elementOf(ref) {
  const found = elementOfRef(ref);
  return 'ok' in found ? found.ok : null;
}

Object.defineProperty(globalThis, 'bskPage', { value: Object.freeze({ call: callPage, refOf, elementOf, shadowCandidates, adoptShadowRoot, beginFiles, endFiles }) });
