// Which site each owned tab and each of its frames shows, and what the rules allow there: from memory, for the guard.
// Learns it from the tab's record when the tab joins a session, from the debugger once it is attached, else from the tab's own
// news. A frame without an address of its own (about:blank, srcdoc, data:) is of the site that made it. Refuses what a rule does
// not allow, naming the rule; what the user has to be asked first it names to the guard. Changes nothing and asks nobody.

/** @import { TabClaim } from './types.js' */
/** @import { Access, Ruling } from './policy/site_rules.js' */
/** @import { Settings } from './settings.js' */

import { Refusal } from './codes.js';
import { accessOf, siteOf, stricter } from './policy/site_rules.js';

/**
 * What a call does to a site: `read` looks, `act` changes, `free` touches no page and is always allowed, so that a tab can be led away.
 * @typedef {'read' | 'act' | 'free'} Use
 */
/** @typedef {{ origin: string, pattern: string }} SiteQuestion the user has to be asked about this site first */
/** @typedef {{ url: string, creator: string, parentId: string | undefined }} FrameSite `creator`: its document's origin as the browser says */

class TabSites {
  url = '';
  /** By the browser's frame id; without the main frame. @type {Map<string, FrameSite>} */
  frames = new Map();
}

export class Sites {
  /** @type {Settings} */
  #settings;
  /** @type {Map<number, TabSites>} */
  #tabs = new Map();

  /** @param {Settings} settings */
  constructor(settings) {
    this.#settings = settings;
  }

  /** Whether there is any rule. */
  get hasRules() {
    const { policy, user } = this.#settings.rules;
    return policy.length > 0 || user.length > 0;
  }

  /**
   * @param {string} url
   * @returns {Ruling}
   */
  rulingOn(url) {
    return accessOf(url, this.#settings.rules);
  }

  /**
   * The ruling on a tab by its record: where it is and where it is going.
   * @param {{ url?: string | undefined, pendingUrl?: string | undefined }} tab
   * @returns {Ruling}
   */
  rulingOnTab({ url = '', pendingUrl = '' }) {
    return stricter(this.rulingOn(url), this.rulingOn(pendingUrl));
  }

  /**
   * The ruling on what an owned tab shows.
   * @param {number} tabId
   */
  rulingIn(tabId) {
    return this.rulingOn(this.#tabs.get(tabId)?.url ?? '');
  }

  /**
   * A tab shows another document. What the user answered about other sites counts no more.
   * @param {number} tabId
   * @param {string} url
   * @param {TabClaim | undefined} claim
   */
  shows(tabId, url, claim) {
    const tab = this.#tab(tabId);
    const before = siteOf(tab.url)?.origin;
    const origin = siteOf(url)?.origin;
    tab.url = url;
    if (claim?.siteAnswers === undefined || (origin !== undefined && origin === before)) return;
    const answer = origin === undefined ? undefined : claim.siteAnswers[origin];
    if (origin === undefined || answer === undefined) delete claim.siteAnswers;
    else claim.siteAnswers = { [origin]: answer };
  }

  /**
   * A frame shows another document.
   * @param {number} tabId
   * @param {string} frameId
   * @param {Partial<FrameSite>} news what is known of it now; the rest is as before
   */
  frameShows(tabId, frameId, news) {
    const { frames } = this.#tab(tabId);
    frames.set(frameId, { url: '', creator: '', parentId: undefined, ...frames.get(frameId), ...news });
  }

  /**
   * @param {number} tabId
   * @param {string} frameId
   */
  forgetFrame(tabId, frameId) {
    this.#tabs.get(tabId)?.frames.delete(frameId);
  }

  /** @param {number} tabId */
  forgetTab(tabId) {
    this.#tabs.delete(tabId);
  }

  /** @param {number} tabId */
  #tab(tabId) {
    const tab = this.#tabs.get(tabId) ?? new TabSites();
    this.#tabs.set(tabId, tab);
    return tab;
  }

  /**
   * The ruling on a child frame; null when its site is not known.
   * @param {number} tabId
   * @param {string} frameId
   * @returns {Ruling | null}
   */
  rulingOnFrame(tabId, frameId) {
    const url = this.#siteUrl(tabId, frameId);
    return url === null ? null : this.rulingOn(url);
  }

  /**
   * The origin of what a frame of an owned tab shows, with or without rules; '' for what has no site.
   * @param {number} tabId
   * @param {string | undefined} frameId undefined for the main frame
   * @returns {string | null} null when it is not known
   */
  originIn(tabId, frameId) {
    const url = frameId === undefined ? this.#tab(tabId).url : this.#siteUrl(tabId, frameId);
    return url === null ? null : siteOf(url)?.origin ?? '';
  }

  /**
   * An address of the site that a child frame is of; null when it is not known.
   * @param {number} tabId
   * @param {string} frameId
   * @returns {string | null}
   */
  #siteUrl(tabId, frameId) {
    const tab = this.#tab(tabId);
    /** @type {string | undefined} */
    let id = frameId;
    // Bounded: what a browser tells may not make a ring.
    for (let depth = 0; depth < 64 && id !== undefined; depth += 1) {
      const frame = tab.frames.get(id);
      // Above the frames that are known is the main frame, but for the first one asked for.
      if (frame === undefined) return depth === 0 ? null : tab.url;
      for (const url of [frame.url, frame.creator]) if (siteOf(url) !== null) return url;
      id = frame.parentId;
    }
    return tab.url;
  }

  /**
   * Whether nothing of what a tab shows may be told without a yes that is missing: of the tab itself, or of a frame with this address.
   * @param {TabClaim} claim
   * @param {unknown} url
   */
  isClosed(claim, url) {
    return [this.rulingIn(claim.tabId), this.rulingOn(typeof url === 'string' ? url : '')].some(({ access, origin }) =>
      access === 'block' || (access === 'ask' && claim.siteAnswers?.[origin] !== true));
  }

  /**
   * Lets a call use what a tab shows, or throws.
   * @param {TabClaim} claim
   * @param {Use} use
   * @param {string | undefined} [frameId] of the child frame that it is for
   * @returns {SiteQuestion | 'unknown_frame' | null} null when it may
   */
  check(claim, use, frameId) {
    if (use === 'free' || !this.hasRules) return null;
    const question = this.#judge(this.rulingIn(claim.tabId), use, `tab ${claim.tabId} shows`, claim, LEAD_AWAY);
    if (question !== null || frameId === undefined) return question;
    const ruling = this.rulingOnFrame(claim.tabId, frameId);
    if (ruling === null) return 'unknown_frame';
    return this.#judge(ruling, use, `frame ${claim.frames[frameId]?.number} of tab ${claim.tabId} shows`, claim, 'use the rest of the page');
  }

  /**
   * Lets a tab go to an address, or throws.
   * @param {string} url
   * @param {TabClaim | null} claim of the tab, when there is one already
   * @returns {SiteQuestion | null} null when it may
   */
  checkVisit(url, claim) {
    return this.#judge(this.rulingOn(url), 'read', 'the address is of', claim, 'do without it, or ask the user');
  }

  /**
   * @param {Ruling} ruling
   * @param {'read' | 'act'} use
   * @param {string} what
   * @param {TabClaim | null} claim
   * @param {string} way out, for a blocked site
   * @returns {SiteQuestion | null}
   */
  #judge(ruling, use, what, claim, way) {
    const { access, rule, origin } = ruling;
    if (access === 'allow' || rule === null || (access === 'read_only' && use === 'read')) return null;
    const told = `${rule.by === 'policy' ? 'a policy of the administrator' : 'a rule of the user'}: \`${rule.pattern}: ${access}\``;
    const site = `${what} \`${origin}\``;
    switch (access) {
      case 'block':
        throw new Refusal('permission_denied', 'site_blocked', `${site}, which is blocked for agents by ${told}`, way);
      case 'read_only':
        throw new Refusal('permission_denied', 'site_read_only', `${site}, which agents may only read by ${told}`,
          'read with `bsk observe`, `bsk get-html` or `bsk screenshot`, move with `bsk navigate` and `bsk scroll`');
      case 'ask': {
        const answer = claim?.siteAnswers?.[origin];
        if (answer === false) throw notAllowed(site, told, 'the user said no');
        return answer === true ? null : { origin, pattern: rule.pattern };
      }
    }
  }
}

const LEAD_AWAY = '`bsk navigate URL` leads the tab away from there, `bsk tab close` closes it';

/**
 * @param {string} site
 * @param {string} told whose rule
 * @param {string} why
 */
function notAllowed(site, told, why) {
  return new Refusal('permission_denied', 'site_not_allowed', `${site}, for which the user is asked by ${told}, and ${why}`, 'do without that site, or ask the user');
}
