// The guard: the one function that every request of the host passes before anything is done (invariant 2).
// It lets a request pass when its session exists, its tab belongs to that session, and what it asks for is in the
// tables of policy/ (invariant 3) and allowed at the site that it is for; while the user has the control of the session, only what
// looks passes. It answers at once, from memory: nothing can change between the check and the deed,
// and requests that arrive in order reach the browser in order. It never asks the host to be honest about anything.

/** @import { Call, CallArgs, CallName, Session, TabClaim } from './types.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { Settings } from './settings.js' */
/** @import { SiteQuestion, Sites, Use } from './sites.js' */

import { A_SESSION } from './admission.js';
import { pageNavigated } from './cdp_errors.js';
import { Refusal } from './codes.js';
import { checkCdp, useOfCdp } from './policy/cdp_table.js';
import { checkPageCall, useOfPage } from './policy/page_table.js';
import { allowedUrl } from './policy/url_rule.js';
import { checkIsRead } from './policy/user_control.js';

/** What the guard knows; `isWithUser` says whether the user of a session was asked for help. */
/** @typedef {{ ownership: Ownership, settings: Settings, sites: Sites, isWithUser: (sessionId: string) => boolean }} Known */
/** What has to be done before a call may pass. @typedef {SiteQuestion | 'session' | 'unknown_frame'} Need */
/** Calls on an owned tab. @typedef {{ [K in CallName]: CallArgs[K] extends { tab_id: number } ? K : never }[Exclude<CallName, 'tab_borrow'>]} TabCallName */
/** @typedef {Extract<Call, { name: TabCallName }>} TabCall */

/** @type {ReadonlySet<string>} */
const NOTHING = new Set();

/** What the guard lets a request use. */
export class Grant {
  /**
   * @param {Session | null} session
   * @param {TabClaim | null} claim
   * @param {Need | null} need nothing may be done before this is met
   */
  constructor(session, claim, need) {
    this.heldSession = session;
    this.heldClaim = claim;
    this.need = need;
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

/** @param {Settings} settings */
export function switchedOff(settings) {
  const isPolicy = settings.isManaged('enabled');
  return new Refusal('permission_denied', 'switched_off', `the extension is switched off by ${isPolicy ? 'a policy of the administrator' : 'the user'}`,
    isPolicy ? 'the administrator of this browser decided so' : 'ask the user to switch it on in its popup');
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
 * What a call on a tab does to the site that the tab or one of its frames shows. A new call does not type-check without a line here.
 * @type {{ [K in TabCallName]: Use }}
 */
const USES = {
  tab_close: 'free', tab_return: 'free', tab_select: 'read', subscribe: 'free', frames: 'read', frame_quad: 'read', shadow_roots: 'read',
  // Tells what input did, which may have led elsewhere; a page that was not readied for it has nothing to tell.
  flush: 'free', network_watch: 'free', network_quiet: 'read', fill: 'act', evaluate: 'act',
  // By what is called: the tables know.
  cdp: 'act', page: 'act',
  // Where to is known once the browser told its history (history.js).
  history_step: 'free',
  // What is done there the user does.
  help_request: 'read',
  upload_open: 'act', upload_arm: 'act', upload_chooser: 'act', upload_take: 'act', upload_drag: 'act',
  upload_close: 'free',
  download_open: 'act',
};

/**
 * @param {TabCall} call
 * @returns {Use}
 */
function useOf(call) {
  switch (call.name) {
    case 'cdp': return useOfCdp(call.args.method, call.args.params);
    case 'page': return useOfPage(call.args.function);
    default: return USES[call.name];
  }
}

/**
 * The browser's id of the child frame that a call is for.
 * @param {TabCall} call
 * @param {Ownership} ownership
 * @param {TabClaim} claim
 */
function frameOf(call, ownership, claim) {
  const frame = 'frame' in call.args ? call.args.frame ?? 0 : 0;
  return frame === 0 ? undefined : ownership.frameId(claim, frame);
}

/**
 * What the rules say about a call on a tab: of the page it is for, and of the address it leads to.
 * @param {TabCall} call
 * @param {Known} known
 * @param {TabClaim} claim
 * @param {ReadonlySet<string>} allowed
 * @returns {Need | null}
 */
function siteNeed(call, { ownership, sites }, claim, allowed) {
  if (!sites.hasRules) return null;
  const asked = sites.check(claim, useOf(call), frameOf(call, ownership, claim));
  if (asked === 'unknown_frame') {
    if (!allowed.has(asked)) return asked;
    throw new Refusal('not_found', 'frame_not_found', `there is no such frame in tab ${claim.tabId}`, 'run `bsk observe` to see the frames there are');
  }
  const leadsTo = call.name === 'cdp' && call.args.method === 'Page.navigate' ? call.args.params['url'] : undefined;
  const need = asked ?? (typeof leadsTo === 'string' ? sites.checkVisit(leadsTo, claim) : null);
  return need === null || allowed.has(need.origin) ? null : need;
}

/**
 * Lets a request pass, or throws.
 * @param {Call} call
 * @param {Known} known
 * @param {ReadonlySet<string>} [allowed] what the user just allowed for this very call: origins, or a session
 * @returns {Grant} with what has to be done first, if anything
 * @throws {Refusal}
 */
export function guard(call, known, allowed = NOTHING) {
  const grant = granted(call, known, allowed);
  if (grant.heldSession !== null && known.isWithUser(grant.heldSession.sessionId)) checkIsRead(call);
  return grant;
}

/**
 * @param {Call} call
 * @param {Known} known
 * @param {ReadonlySet<string>} allowed
 * @returns {Grant}
 */
function granted(call, known, allowed) {
  const { ownership, settings, sites } = known;
  if (!settings.values.enabled) throw switchedOff(settings);
  switch (call.name) {
    case 'profile':
    case 'download_folders':
    case 'session_start':
      return new Grant(null, null, settings.values.ask_sessions && !allowed.has(A_SESSION) ? 'session' : null);
    case 'tab_borrow':
    case 'session_stop':
    case 'tab_list':
    case 'download_take':
    case 'download_progress':
    case 'download_close':
    case 'window_resize':
      return new Grant(sessionOf(ownership, call.args.session_id), null, null);
    case 'tab_create': {
      const session = sessionOf(ownership, call.args.session_id);
      const need = call.args.url === undefined ? null : sites.checkVisit(allowedUrl(call.args.url), null);
      return new Grant(session, null, need === null || allowed.has(need.origin) ? null : need);
    }
    case 'tab_close':
    case 'tab_return':
    case 'tab_select': {
      const session = sessionOf(ownership, call.args.session_id);
      const claim = claimOf(ownership, session, call.args.tab_id);
      return new Grant(session, claim, siteNeed(call, known, claim, allowed));
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
    case 'fill':
    case 'evaluate':
    case 'history_step':
    case 'upload_open':
    case 'upload_arm':
    case 'upload_chooser':
    case 'upload_take':
    case 'upload_drag':
    case 'upload_close':
    case 'download_open':
    case 'help_request': {
      const session = sessionOf(ownership, call.args.session_id);
      const claim = usable(claimOf(ownership, session, call.args.tab_id));
      if (call.name === 'cdp') checkCdp(call.args.method, call.args.params);
      if (call.name === 'page') checkPageCall(call.args.function, call.args.args);
      return new Grant(session, claim, siteNeed(call, known, claim, allowed));
    }
  }
}

/**
 * Whether a call's answer holds something of a page.
 * @param {Call} call
 * @returns {call is TabCall}
 */
function isReader(call) {
  return call.name === 'evaluate' || call.name === 'fill' || call.name === 'frames' || (call.name === 'page' && useOf(call) !== 'free') || (call.name === 'cdp' && useOf(call) === 'read');
}

/**
 * Whether what a call read may still be told: its page may have been replaced by one of a site that is closed while it was read.
 * @param {Call} call that passed
 * @param {Known} known
 * @param {Grant} grant
 * @throws {Refusal}
 */
export function guardAnswer(call, { ownership, sites }, { heldClaim: claim }) {
  if (claim === null || !sites.hasRules || !isReader(call)) return;
  const asked = sites.check(claim, 'read', frameOf(call, ownership, claim));
  // A frame that is gone by now was there when it was read, and a site that is asked for is another one than before.
  if (asked !== null && asked !== 'unknown_frame') throw pageNavigated(claim.tabId);
}
