// Choosing options of a `<select>`, by value, label or place, in one step as a user's choice would be.
// Refuses what is no select, options that are missing or disabled, and several values where one is taken, each before anything
// changed. Invariants: one `input` and one `change` event, none when nothing changes; what is chosen is read back.

/** How long a select without any choice yet is waited for: its options may come from a server. */
const OPTIONS_WAIT_MS = 5000;

/**
 * `select`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['select']>[0]} args
 * @returns {Promise<Answer<Selected>>}
 */
async function selectOptions({ target, values, labels, indexes, timeout_ms, option }) {
  const found = await lookUntil(timeout_ms, () => {
    const resolved = resolveTarget(target);
    if ('error' in resolved) return resolved;
    const clicked = option !== undefined && resolved.ok instanceof HTMLOptionElement ? resolved.ok : null;
    const named = labelledControl(resolved.ok);
    // An option's ref means its select, as an observation shows both.
    const element = named instanceof HTMLOptionElement ? named.closest('select') ?? named : named;
    if (!(element instanceof HTMLSelectElement)) {
      return {
        ...fail('invalid_params', 'not_a_select', `\`${describe(element)}\` is not a select`,
          customListHint(element)),
        wait_ms: 0,
      };
    }
    const blocked = stateObstacle(element, true, true);
    if (blocked) return blocked;
    const options = clicked !== null && option !== undefined ? clickedOptions(element, clicked, option) : wantedOptions(element, values, labels, indexes);
    return 'ok' in options ? { ok: { element, options: options.ok } } : options;
  });
  if ('error' in found) return found;
  const { element, options } = found.ok;
  const chosen = () => [...element.options].filter((option) => option.selected);
  const isChosen = () => chosen().length === options.size && chosen().every((option) => options.has(option));
  element.focus();
  const inert = focusedElement(element) === element ? null : inertObstacle(element, topModal());
  if (inert) return { error: inert.error };
  if (!isChosen()) {
    if (element.multiple) for (const option of element.options) option.selected = options.has(option);
    else for (const option of options) element.selectedIndex = option.index;
    await announceChange(element);
    if (element.isConnected && !isChosen()) return valueNotKept(element, 'the page chose something else');
  }
  return {
    ok: {
      ...usedElement(element),
      multiple: element.multiple,
      selected_values: isSecret(element) ? [] : chosen().map((option) => option.value),
      selected_labels: isSecret(element) ? [] : chosen().map(optionLabel),
    },
  };
}

/**
 * How to choose in a list that the page made itself.
 * @param {Element} element
 * @returns {string}
 */
function customListHint(element) {
  const ref = refText(refOf(element));
  switch (roleOf(element)) {
    case 'combobox': case 'button':
      return `it opens a list of the page's own: run \`bsk click ${ref}\`, then \`bsk click --role option --name LABEL\``;
    case 'listbox': case 'option':
      return 'it is a list of the page\'s own: choose with `bsk click --role option --name LABEL`';
    default: return 'give the ref of a select; `bsk observe` shows them';
  }
}

/**
 * @param {HTMLOptionElement} option
 * @returns {string}
 */
function optionLabel(option) {
  return option.label.replace(/\s+/g, ' ').trim();
}

/**
 * The options that are chosen after a click on one of them.
 * @param {HTMLSelectElement} element
 * @param {HTMLOptionElement} clicked
 * @param {'only' | 'toggle'} way
 * @returns {Attempt<Set<HTMLOptionElement>>}
 */
function clickedOptions(element, clicked, way) {
  if (clicked.matches(':disabled')) {
    return { ...fail('invalid_params', 'option_disabled', `the option \`${optionLabel(clicked)}\` of \`${describe(element)}\` is disabled`,
      'choose another option, or change what it depends on first'), wait_ms: 0 };
  }
  if (way === 'only' || !element.multiple) return { ok: new Set([clicked]) };
  const chosen = new Set([...element.options].filter((one) => one.selected));
  if (!chosen.delete(clicked)) chosen.add(clicked);
  return { ok: chosen };
}

/**
 * The options that are asked for.
 * @param {HTMLSelectElement} element
 * @param {string[]} values
 * @param {string[]} labels
 * @param {number[]} indexes
 * @returns {Attempt<Set<HTMLOptionElement>>}
 */
function wantedOptions(element, values, labels, indexes) {
  const options = [...element.options];
  /** @type {Set<HTMLOptionElement>} */
  const wanted = new Set();
  const asked = [
    ...values.map((value) => ({ text: `value \`${value}\``, matches: options.filter((option) => option.value === value) })),
    ...labels.map((label) => ({
      text: `label \`${label}\``,
      matches: options.filter((option) => optionLabel(option) === label.replace(/\s+/g, ' ').trim()),
    })),
    ...indexes.map((index) => ({ text: `index \`${index}\``, matches: options.slice(index, index + 1) })),
  ];
  for (const { text, matches } of asked) {
    const usable = matches.find((option) => !option.matches(':disabled'));
    if (usable) {
      wanted.add(usable);
    } else if (matches.length > 0) {
      return { ...fail('invalid_params', 'option_disabled', `the option with ${text} of \`${describe(element)}\` is disabled`,
        'choose another option, or change what it depends on first'), wait_ms: 0 };
    } else {
      return { ...optionNotFound(element, text), wait_ms: options.some((option) => option.value !== '') ? COVERED_WAIT_MS : OPTIONS_WAIT_MS };
    }
  }
  if (element.multiple || wanted.size === 1) return { ok: wanted };
  return { ...fail('invalid_params', 'single_select_value_count', `\`${describe(element)}\` takes one option, not ${wanted.size}`,
    'give exactly one `--value`, `--label` or `--index`'), wait_ms: 0 };
}

/**
 * @param {HTMLSelectElement} element
 * @param {string} text
 * @returns {{ error: PageError }}
 */
function optionNotFound(element, text) {
  const all = [...element.options];
  const listed = all.slice(0, 20).map((option) => ({ value: option.value, label: optionLabel(option) }));
  const more = all.length > listed.length ? ` and ${all.length - listed.length} more` : '';
  return fail('not_found', 'option_not_found', `\`${describe(element)}\` has no option with ${text}`,
    all.length === 0 ? 'it has no options yet; run `bsk observe` to see what it depends on' : `its options are ${listed.map(({ label }) => `\`${label.replaceAll('`', "'")}\``).join(', ')}${more}`, { options: listed });
}
