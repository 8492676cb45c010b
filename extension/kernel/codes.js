// What can go wrong, as closed lists: the same entries as protocol/src/failure.rs, in the same order, and the one kind of
// error the kernel throws on purpose. Everything else that is thrown is a bug and becomes `protocol_error`.
// Refuses codes and reasons that are not in the lists, also from the page library.
// Invariant 12: a refusal's texts name tabs, methods and arguments, never page contents or typed text.

/** @import { Failure, JsonObject } from './types.js' */

import { anyObject, object, oneOf, text } from './shape.js';

export const ERROR_CODES = /** @type {const} */ ([
  'unknown_method', 'unsupported', 'invalid_params', 'not_found', 'permission_denied', 'timeout', 'cdp_failed',
  'protocol_error', 'cancelled', 'user_aborted', 'version_too_old', 'multiple_browsers_online', 'no_browser_connected',
]);

export const REASONS = /** @type {const} */ ([
  'session_not_found', 'session_busy', 'session_ended', 'tab_not_found', 'tab_not_owned', 'tab_not_active', 'tab_closed',
  'tab_detached', 'tab_forbidden', 'frame_not_found', 'page_crashed', 'page_navigated', 'ref_not_found', 'ref_stale',
  'cursor_stale', 'pattern_invalid', 'selector_invalid', 'selector_not_found', 'element_not_found', 'element_ambiguous', 'element_not_visible', 'element_covered',
  'element_disabled', 'element_inert', 'element_readonly', 'element_unstable', 'element_replaced', 'not_delivered',
  'not_fillable', 'not_focusable', 'not_a_select', 'value_not_accepted', 'value_mismatch', 'option_not_found',
  'option_disabled', 'single_select_value_count', 'position_outside', 'page_function_unknown', 'page_library_failed',
  'method_not_allowed', 'argument_not_allowed', 'url_not_allowed', 'url_invalid', 'evaluate_off', 'navigation_failed',
  'no_history_entry', 'dialog_pending', 'no_dialog', 'screenshot_capture_failed', 'unknown_key', 'origin_not_allowed',
  'message_too_large', 'host_not_installed', 'host_cannot_start', 'browser_not_running', 'extension_missing',
  'connection_lost', 'connection_denied', 'browser_gone', 'peer_not_trusted', 'runtime_dir_unsafe', 'path_too_long',
  'file_not_readable', 'file_not_writable', 'file_exists', 'install_failed', 'check_failed', 'browser_not_found',
  'usage_invalid', 'version_skew', 'host_silent', 'host_malformed', 'several_browsers', 'frame_forbidden',
  'not_checkable',
  'no_drag', 'drop_not_accepted', 'scroll_end_reached', 'not_scrollable', 'borrow_conflict', 'tab_not_borrowed',
  'consent_denied', 'consent_timed_out', 'consent_not_shown',
  'site_blocked', 'site_read_only', 'site_not_allowed', 'switched_off',
  'user_in_control',
  'file_name_invalid', 'file_too_large', 'file_changed', 'files_not_accepted', 'file_input_probe_failed', 'file_input_not_activated',
  'set_file_input_failed', 'transfer_timeout', 'transfer_outcome_unknown', 'upload_not_open', 'uploads_blocked', 'upload_not_allowed',
  'download_capture_failed', 'download_path_mismatch', 'download_not_open', 'downloads_blocked', 'download_not_allowed',
  'file_access_off',
]);

/** @typedef {(typeof ERROR_CODES)[number]} ErrorCode */
/** @typedef {(typeof REASONS)[number]} Reason */

export const failureShape = object(
  { code: oneOf(ERROR_CODES), message: text() },
  { reason: oneOf(REASONS), hint: text(), data: anyObject },
);

/** Why something was not done. */
export class Refusal extends Error {
  /**
   * @param {ErrorCode} code
   * @param {Reason | null} reason
   * @param {string} message what happened to which thing: lower case, no full stop, values in backticks
   * @param {string} [hint] the command or click that helps
   * @param {JsonObject} [data] facts for a program
   */
  constructor(code, reason, message, hint, data) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.reason = reason;
    this.hint = hint;
    this.data = data;
  }

  /**
   * The refusal as the wire carries it.
   * @returns {Failure}
   */
  toFailure() {
    return {
      code: this.code,
      ...(this.reason === null ? {} : { reason: this.reason }),
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.data === undefined ? {} : { data: this.data }),
    };
  }
}

/**
 * The page library's error as a refusal; a malformed one is the library's own failure.
 * @param {unknown} error
 * @returns {Refusal}
 */
export function fromPage(error) {
  if (failureShape.accepts(error)) {
    return new Refusal(error.code, error.reason ?? null, error.message, error.hint, error.data);
  }
  return new Refusal('cdp_failed', 'page_library_failed', 'the page library answered with a malformed error',
    'reload the extension');
}

/**
 * Whatever was thrown, as the wire carries it.
 * @param {unknown} thrown
 * @returns {Failure}
 */
export function toFailure(thrown) {
  if (thrown instanceof Refusal) return thrown.toFailure();
  return { code: 'protocol_error', message: `the extension failed: ${String(thrown)}`, hint: 'reload the extension' };
}
