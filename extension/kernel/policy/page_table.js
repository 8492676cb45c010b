// The arguments that each function of the page library takes, as extension/page/types.d.ts has them.
// The library trusts what it is given, so anything else is refused here (invariant 3). Says nothing about frames or tabs.
// Beside each function stands what it does to a site, for the site rules: scrolling reads; what readies or ends input acts; the
// looks at what input did are free, since they may come after it led elsewhere and tell nothing of a page that was not readied.

/** @import { JsonObject, Shape } from '../types.js' */
/** @import { Use } from '../sites.js' */

import { Refusal } from '../codes.js';
import { arrayOf, bool, empty, finite, integer, object, oneOf, text, u32 } from '../shape.js';
import { elementTarget as target } from '../wire.js';

/** The longest wait that a page function may be asked for: a day, so that no timer overflows. */
const timeout_ms = integer(0, 86_400_000);
const ref = integer(1, 0xffff_ffff);
const point = object({ x: finite, y: finite });

/** @type {[name: string, use: Use, args: Shape<unknown>][]} */
const ENTRIES = [
  ['observe', 'read', object({ budget_ms: timeout_ms }, { root_ref: ref, form: oneOf(['full']), links: bool, boxes: bool, invisible: bool })],
  ['query', 'read', object({
    query: object({}, { role: text(), name: text(), text: text(), label: text(), placeholder: text(), test_id: text() }), timeout_ms,
  })],
  ['prepare', 'act', object({ target, timeout_ms }, {
    force: bool, arm: oneOf(['mousedown', 'mousemove', 'drag', 'drop']), at: point, watch: bool,
  })],
  ['probe', 'free', object({ timeout_ms })],
  ['fill_begin', 'act', object({ target, value: text(), append: bool, timeout_ms })],
  ['fill_end', 'act', object({ value: text(), append: bool, timeout_ms })],
  ['select', 'act', object({ target, values: arrayOf(text()), labels: arrayOf(text()), indexes: arrayOf(u32), timeout_ms }, { option: oneOf(['only', 'toggle']) })],
  ['focus', 'act', object({ timeout_ms }, { target })],
  ['type_begin', 'act', object({ target, timeout_ms })],
  ['type_end', 'act', object({ value: text(), timeout_ms })],
  ['check_begin', 'act', object({ target, checked: bool, timeout_ms })],
  ['check_end', 'act', object({ checked: bool, timeout_ms })],
  ['get_html', 'read', object({ max_bytes: u32 }, { target })],
  ['box', 'read', object({ target, timeout_ms })],
  ['settle', 'read', object({ timeout_ms }, { until_change: bool })],
  ['document_state', 'read', empty],
  ['checked_state', 'read', object({ target })],
  ['drag_state', 'read', object({ timeout_ms }, { until: oneOf(['drop', 'release']), is_last: bool })],
  ['scroll_place', 'read', object({ timeout_ms }, { target, by: point, to: oneOf(['top', 'bottom', 'on']) })],
  ['scroll_end', 'read', object({ timeout_ms, by: point, is_wheel: bool })],
  ['scroll_text', 'read', object({ text: text(1), timeout_ms })],
  ['wait', 'read', object({ condition: oneOf(['text', 'gone_text', 'selector', 'gone', 'quiet']), value: text(), timeout_ms })],
  ['outcome', 'free', empty],
  ['file_input', 'read', object({ target, timeout_ms })],
];

/** @type {ReadonlyMap<string, { use: Use, shape: Shape<unknown> }>} */
const TABLE = new Map(ENTRIES.map(([name, use, shape]) => [name, { use, shape }]));

/**
 * Lets a call of the page library pass, or throws.
 * @param {string} name
 * @param {JsonObject} args
 * @throws {Refusal} `page_function_unknown` or `argument_not_allowed`
 */
export function checkPageCall(name, args) {
  const entry = TABLE.get(name);
  if (entry === undefined) {
    throw new Refusal('unknown_method', 'page_function_unknown', `the page library has no function \`${name.slice(0, 64)}\``,
      'update the extension and the host to the same version');
  }
  const problem = entry.shape.problem(args, '');
  if (problem !== null) {
    throw new Refusal('permission_denied', 'argument_not_allowed', `\`${name}\`: ${problem}`,
      'the extension lets only listed arguments pass');
  }
}

/**
 * What a function does to the site of its frame.
 * @param {string} name that passed
 * @returns {Use}
 */
export function useOfPage(name) {
  return TABLE.get(name)?.use ?? 'act';
}
