// The guard: the one function that every request of the host passes before anything is done (invariant 2).
// It lets a request pass when its session exists, its tab belongs to that session, and what it asks for is in the
// tables of policy/ (invariant 3). It answers at once, from memory: nothing can change between the check and the deed,
// and requests that arrive in order reach the browser in order. It never asks the host to be honest about anything.

/** @import { Call, Session, TabClaim } from './types.js' */
/** @import { Ownership } from './ownership.js' */

import { Refusal } from './codes.js';
import { checkCdp } from './policy/cdp_table.js';
import { checkPageCall } from './policy/page_table.js';
import { allowedUrl } from './policy/url_rule.js';

/** What the guard lets a request use. */
export class Grant {
  /**
   * @param {Session | null} session
   * @param {TabClaim | null} claim
   */
  constructor(session, claim) {
    this.heldSession = session;
    this.heldClaim = claim;
  }

  /** The session; only for calls that name one. */
  get session() {
    if (this.heldSession === null) throw new Error('the call names no session');
    return this.heldSession;
  }

  /** The tab's claim; only for calls that name a tab. */
  get claim() {
    if (this.heldClaim === null) throw new Error('the call names no tab');
    return this.heldClaim;
  }
}

/**
 * @param {Ownership} ownership
 * @param {string} sessionId
 * @returns {Session}
 */
function sessionOf(ownership, sessionId) {
  const session = ownership.session(sessionId);
  if (session !== undefined) return session;
  throw new Refusal('not_found', 'session_not_found', `there is no session \`${sessionId}\``,
    'run `bsk session list` to see the open ones or `bsk session start` for a new one');
}

/**
 * @param {Ownership} ownership
 * @param {Session} session
 * @param {number} tabId
 * @returns {TabClaim}
 */
function claimOf(ownership, session, tabId) {
  const claim = ownership.claim(tabId);
  if (claim === undefined || claim.sessionId !== session.sessionId) {
    throw new Refusal('permission_denied', 'tab_not_owned', `tab ${tabId} is not in session \`${session.sessionId}\``,
      'only tabs opened or borrowed in a session can be touched; run `bsk tab list --scope agent` to see them');
  }
  return claim;
}

/**
 * @param {TabClaim} claim
 * @returns {TabClaim}
 */
function usable(claim) {
  if (!claim.isWithdrawn) return claim;
  throw new Refusal('user_aborted', 'tab_detached', `the user stopped the debugging of tab ${claim.tabId}`,
    'ask the user, then open another tab with `bsk tab create`');
}

/**
 * Lets a request pass, or throws.
 * @param {Call} call
 * @param {Ownership} ownership
 * @returns {Grant}
 * @throws {Refusal}
 */
export function guard(call, ownership) {
  switch (call.name) {
    case 'profile':
    case 'session_start':
      return new Grant(null, null);
    case 'tab_borrow':
    case 'session_stop':
    case 'tab_list':
    case 'window_resize':
      return new Grant(sessionOf(ownership, call.args.session_id), null);
    case 'tab_create': {
      const session = sessionOf(ownership, call.args.session_id);
      if (call.args.url !== undefined) allowedUrl(call.args.url);
      return new Grant(session, null);
    }
    case 'tab_close':
    case 'tab_return':
    case 'tab_select': {
      const session = sessionOf(ownership, call.args.session_id);
      return new Grant(session, claimOf(ownership, session, call.args.tab_id));
    }
    case 'subscribe':
    case 'frames':
    case 'frame_quad':
    case 'shadow_roots':
    case 'flush':
    case 'network_watch':
    case 'network_quiet':
    case 'cdp':
    case 'page':
    case 'evaluate':
    case 'history_step': {
      const session = sessionOf(ownership, call.args.session_id);
      const claim = usable(claimOf(ownership, session, call.args.tab_id));
      if (call.name === 'cdp') checkCdp(call.args.method, call.args.params);
      if (call.name === 'page') checkPageCall(call.args.function, call.args.args);
      return new Grant(session, claim);
    }
  }
}
