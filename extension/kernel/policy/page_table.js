// The arguments that each function of the page library takes, as extension/page/types.d.ts has them.
// The library trusts what it is given, so anything else is refused here (invariant 3). Says nothing about frames or tabs.

/** @import { JsonObject, Shape } from '../types.js' */

import { Refusal } from '../codes.js';
import { arrayOf, bool, either, empty, finite, integer, object, oneOf, text, u32 } from '../shape.js';

/** The longest wait that a page function may be asked for: a day, so that no timer overflows. */
const timeout_ms = integer(0, 86_400_000);
const ref = integer(1, 0xffff_ffff);
const point = object({ x: finite, y: finite });
const target = either(object({ selector: text() }), object({ ref }));

/** @type {ReadonlyMap<string, Shape<unknown>>} */
const TABLE = new Map(/** @type {[string, Shape<unknown>][]} */ ([
  ['observe', object({ budget_ms: timeout_ms }, { root_ref: ref, form: oneOf(['full']), links: bool, boxes: bool, invisible: bool })],
  ['query', object({
    query: object({}, { role: text(), name: text(), text: text(), label: text(), placeholder: text(), test_id: text() }), timeout_ms,
  })],
  ['prepare', object({ target, timeout_ms }, {
    force: bool, arm: oneOf(['mousedown', 'mousemove', 'drag', 'drop']), at: point, watch: bool,
  })],
  ['probe', object({ timeout_ms })],
  ['fill_begin', object({ target, value: text(), append: bool, timeout_ms })],
  ['fill_end', object({ value: text(), append: bool, timeout_ms })],
  ['select', object({ target, values: arrayOf(text()), labels: arrayOf(text()), indexes: arrayOf(u32), timeout_ms }, { option: oneOf(['only', 'toggle']) })],
  ['focus', object({ timeout_ms }, { target })],
  ['type_begin', object({ target, timeout_ms })],
  ['type_end', object({ value: text(), timeout_ms })],
  ['check_begin', object({ target, checked: bool, timeout_ms })],
  ['check_end', object({ checked: bool, timeout_ms })],
  ['get_html', object({ max_bytes: u32 }, { target })],
  ['box', object({ target, timeout_ms })],
  ['settle', object({ timeout_ms }, { until_change: bool })],
  ['document_state', empty],
  ['checked_state', object({ target })],
  ['drag_state', object({ timeout_ms }, { until: oneOf(['drop', 'release']), is_last: bool })],
  ['scroll_place', object({ timeout_ms }, { target, by: point, to: oneOf(['top', 'bottom', 'on']) })],
  ['scroll_end', object({ timeout_ms, by: point, is_wheel: bool })],
  ['scroll_text', object({ text: text(1), timeout_ms })],
  ['wait', object({ condition: oneOf(['text', 'gone_text', 'selector', 'gone', 'quiet']), value: text(), timeout_ms })],
  ['outcome', empty],
]));

/**
 * Lets a call of the page library pass, or throws.
 * @param {string} name
 * @param {JsonObject} args
 * @throws {Refusal} `page_function_unknown` or `argument_not_allowed`
 */
export function checkPageCall(name, args) {
  const shape = TABLE.get(name);
  if (shape === undefined) {
    throw new Refusal('unknown_method', 'page_function_unknown', `the page library has no function \`${name.slice(0, 64)}\``,
      'update the extension and the host to the same version');
  }
  const problem = shape.problem(args, '');
  if (problem !== null) {
    throw new Refusal('permission_denied', 'argument_not_allowed', `\`${name}\`: ${problem}`,
      'the extension lets only listed arguments pass');
  }
}
