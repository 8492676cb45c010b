// Downloads: one click, one file. While a capture is open, the browser's downloads are looked at, and the one that the capture's own tab,
// its frames or a tab that they opened began is claimed: put into a folder of its own below the browser's download folder, followed to
// its end, and told to the host with its final place. Everybody else's downloads are let through as they are.
// Whose a download is, two things tell: the debugger says what a tab begins to download (`Page.downloadWillBegin`), and of a tab that a click
// opens, for which that comes too soon, the browser says where it goes (`webNavigation.onBeforeNavigate`). A PDF that the click shows instead
// is downloaded from its address, as its viewer's own button would. Two downloads of one click are claimed neither.
// Refuses what the setting, a rule for the site that the file comes from, or the user does not allow.
// Cancels a claimed download that nobody waits for any more, never another one, and deletes only what is in a folder of its own.

/** @import { Agent, CallArgs, DownloadTaken, Session, Surroundings, TabClaim } from './types.js' */
/** @import { Admission } from './admission.js' */
/** @import { Consent } from './consent.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { Settings } from './settings.js' */
/** @import { Sites } from './sites.js' */

import { Refusal } from './codes.js';
import { notAllowed } from './consent.js';
import { within } from './deadline.js';
import { checkTransfers, fileWords, withEffect } from './transfers.js';
import { LeftDownloads } from './left_downloads.js';
import { titleOf } from './ownership.js';

/** A second download of the same click shows within this time; the file is on its way meanwhile. */
const GRACE_MS = 200;
/** How long a download that may turn out to be ours is kept from getting its name; the browser itself waits for 15 s. */
const HELD_MS = 1000;
/** Characters of a name in our folder: the browser adds an ending of its own while it downloads, and cancels what is too long then. */
const MOST_CHARACTERS = 48;
/** Names that mean a device on Windows, which the browser refuses from extensions on every system. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i;
/** The browser's own viewer, the same in every Chromium. It shows a document in a frame of its own, and the PDF in one below that. */
const PDF_VIEWER = 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/';
/** How long downloads are listened to behind the last capture: a question that is on its way to us then would hold up somebody's download for 15 s. */
const AFTER_MS = 3000;
/** How long a cancelled download may take to say so. */
const CANCELLED_MS = 2000;

/** @typedef {chrome.downloads.DownloadItem} Item */
/** @typedef {(suggestion?: { filename: string, conflictAction: 'uniquify' }) => void} Suggest */

/** A download whose beginning was seen. */
class Begun {
  /** @param {Item} item */
  constructor(item) {
    this.id = item.id;
    this.item = item;
    /** Gives it its name; null before the browser asked and after it was told. @type {Suggest | null} */
    this.suggest = null;
    this.name = '';
    /** @type {Capture | null} */
    this.capture = null;
    /** The tab that began it, once it has a capture. @type {number | null} */
    this.tabId = null;
  }

  /** Lets it go where the browser or another extension puts it. */
  release() {
    this.suggest?.();
    this.suggest = null;
  }
}

/** What one command waits for. */
class Capture {
  /**
   * @param {Session} session
   * @param {TabClaim} claim
   * @param {Agent | undefined} agent
   * @param {string} folder
   */
  constructor(session, claim, agent, folder) {
    this.session = session;
    this.claim = claim;
    this.agent = agent;
    this.folder = folder;
    /** The tab and those that its pages opened since. */
    this.tabIds = new Set([claim.tabId]);
    /** What the tab began to download, and where opened tabs went, as far as no download was seen of it. @type {{ url: string, tabId: number }[]} */
    this.announced = [];
    /** What tabs show since the click, and whether that is in the browser's PDF viewer. @type {Map<number, { url: string, isInViewer: boolean }>} */
    this.shown = new Map();
    /** @type {Begun[]} */
    this.candidates = [];
    /** @type {Begun | null} */
    this.claimed = null;
    /** Its final state. @type {'complete' | 'interrupted' | 'erased' | null} */
    this.state = null;
    /** Aborted when it closes. */
    this.end = new AbortController();
    /** Called at every change. @type {Set<() => void>} */
    this.waiting = new Set();
  }

  changed() {
    for (const wake of this.waiting) wake();
  }
}

export class Downloads {
  /** @type {Surroundings} */
  #around;
  /** @type {{ admission: Admission, consent: Consent, debuggees: Debuggees, settings: Settings, sites: Sites }} */
  #parts;
  /** By session. @type {Map<string, Capture>} */
  #open = new Map();
  /** Downloads that began while a capture was open, by their id. @type {Map<number, Begun>} */
  #begun = new Map();
  /** What is being cancelled. @type {Set<Promise<unknown>>} */
  #closing = new Set();
  /** @type {LeftDownloads} */
  #left;
  /** @type {(() => void) | null} */
  #stopListening = null;

  /**
   * @param {Surroundings} around
   * @param {{ admission: Admission, consent: Consent, debuggees: Debuggees, settings: Settings, sites: Sites }} parts
   */
  constructor(around, parts) {
    this.#around = around;
    this.#parts = parts;
    this.#left = new LeftDownloads(around);
  }

  /** Ends what an earlier worker left. */
  load() {
    return this.#left.load();
  }

  /** Folders of downloads that ended with nobody there to take them; given once. */
  async leftFolders() {
    return { folders: await this.#left.take() };
  }

  /**
   * Opens a capture: what the tab begins to download from now on is its.
   * @param {Session} session
   * @param {TabClaim} claim
   * @param {CallArgs['download_open']} args
   * @returns {Promise<{}>}
   */
  async open(session, claim, { agent, timeout_ms }) {
    const { settings, debuggees } = this.#parts;
    checkTransfers(settings, 'downloads');
    await Promise.allSettled(this.#closing);
    this.#close(session.sessionId);
    const capture = new Capture(session, claim, agent ?? session.agent, `bsk-${this.#around.randomUUID().replaceAll('-', '')}`);
    this.#open.set(session.sessionId, capture);
    const timer = this.#around.setTimer(() => this.#close(session.sessionId), timeout_ms);
    capture.end.signal.addEventListener('abort', () => this.#around.clearTimer(timer));
    this.#listen();
    await debuggees.attach(claim.tabId);
    return {};
  }

  /**
   * Waits until the download has ended and gives its file.
   * @param {Session} session
   * @param {CallArgs['download_take']} args
   * @returns {Promise<DownloadTaken>}
   */
  async take(session, { begin_ms, timeout_ms }) {
    const capture = this.#of(session);
    const until = this.#around.now() + timeout_ms;
    await this.#until(capture, () => capture.claimed !== null || capture.candidates.length > 1, Math.min(begin_ms, timeout_ms));
    if (capture.candidates.length > 1) throw ambiguous(capture.candidates);
    if (capture.claimed === null) throw nothingBegan(Math.min(begin_ms, timeout_ms), capture.tabIds.size > 1);
    await this.#until(capture, () => capture.state !== null, until - this.#around.now());
    if (capture.state === null) await this.#cancelLate(capture);
    const item = await this.#itemOf(capture);
    if (capture.state !== 'complete') throw interrupted(item, capture.state);
    await this.#admit(capture, item);
    await this.#ask(capture, item);
    await this.#closeBlank(capture);
    const parts = item.filename.split(/[\\/]/);
    return {
      path: item.filename, is_own_place: parts.at(-2) === capture.folder, suggested_filename: capture.claimed.name || parts.at(-1) || '',
      byte_size: item.fileSize, mime: item.mime, danger: item.danger, url: item.finalUrl || item.url, began_at_ms: Date.parse(item.startTime) || 0,
    };
  }

  /**
   * How far the download is.
   * @param {Session} session
   * @returns {Promise<{ received_bytes: number, total_bytes?: number, is_held_back?: true }>}
   */
  async progress(session) {
    const capture = this.#open.get(session.sessionId);
    if (!capture?.claimed) return { received_bytes: 0 };
    const { bytesReceived, totalBytes, danger } = await this.#itemOf(capture);
    return {
      received_bytes: bytesReceived, ...(totalBytes > 0 ? { total_bytes: totalBytes } : {}),
      ...(isHeldBack(danger) ? { is_held_back: /** @type {const} */ (true) } : {}),
    };
  }

  /**
   * Ends the capture of a session. A download that is under way is cancelled; a file that nobody took is deleted.
   * @param {string} sessionId
   * @param {boolean} isKept whether the file is the host's from now on
   */
  async close(sessionId, isKept) {
    this.#close(sessionId, isKept);
    await Promise.allSettled(this.#closing);
    return {};
  }

  /** The host is gone: nobody closes them any more. */
  closeAll() {
    for (const sessionId of this.#open.keys()) this.#close(sessionId);
  }

  /**
   * `Page.downloadWillBegin` of a tab or of a frame in it.
   * @param {number} tabId
   * @param {unknown} url
   */
  announced(tabId, url) {
    if (typeof url !== 'string') return;
    for (const capture of this.#open.values()) {
      if (capture.claim.tabId !== tabId) continue;
      const begun = [...this.#begun.values()].find(({ item, capture: taken }) => taken === null && addressOf(item) === url);
      if (begun === undefined) capture.announced.push({ url, tabId });
      else this.#pair(capture, begun, tabId);
    }
  }

  /**
   * A tab opened.
   * @param {chrome.tabs.Tab} tab
   */
  tabOpened({ id, openerTabId }) {
    if (id === undefined || openerTabId === undefined) return;
    for (const capture of this.#open.values()) {
      if (capture.tabIds.has(openerTabId)) capture.tabIds.add(id);
    }
  }

  /** @param {{ tabId: number, url: string }} going */
  #goes({ tabId, url }) {
    for (const capture of this.#open.values()) {
      if (tabId !== capture.claim.tabId && capture.tabIds.has(tabId)) capture.announced.push({ url, tabId });
    }
  }

  /** @param {chrome.webNavigation.WebNavigationTransitionCallbackDetails} shown */
  #shows({ tabId, frameId, url, transitionType }) {
    for (const capture of this.#open.values()) {
      if (!capture.tabIds.has(tabId)) continue;
      const shown = capture.shown.get(tabId);
      if (frameId === 0) {
        // What a form was answered with cannot be asked for again.
        if (transitionType !== 'form_submit') capture.shown.set(tabId, { url, isInViewer: false });
      } else if (url.startsWith(PDF_VIEWER)) {
        if (shown !== undefined) shown.isInViewer = true;
      } else if (shown?.isInViewer && shown.url === url && capture.candidates.length === 0) {
        capture.shown.delete(tabId);
        capture.announced.push({ url, tabId });
        this.#around.chrome.downloads.download({ url }).catch(() => {});
      }
    }
  }

  #listen() {
    if (this.#stopListening !== null) return;
    const { downloads, webNavigation } = this.#around.chrome;
    const created = (/** @type {Item} */ item) => this.#created(item);
    const shows = (/** @type {chrome.webNavigation.WebNavigationTransitionCallbackDetails} */ shown) => this.#shows(shown);
    const goes = (/** @type {{ tabId: number, url: string }} */ going) => this.#goes(going);
    const changed = (/** @type {chrome.downloads.DownloadDelta} */ delta) => this.#changed(delta.id, delta.state?.current, delta.filename?.current);
    const erased = (/** @type {number} */ id) => this.#changed(id, 'erased');
    const determining = (/** @type {Item} */ item, /** @type {Suggest} */ suggest) => this.#determining(item, suggest);
    downloads.onCreated.addListener(created);
    downloads.onChanged.addListener(changed);
    downloads.onErased.addListener(erased);
    downloads.onDeterminingFilename.addListener(determining);
    webNavigation.onBeforeNavigate.addListener(goes);
    webNavigation.onCommitted.addListener(shows);
    this.#stopListening = () => {
      downloads.onCreated.removeListener(created);
      downloads.onChanged.removeListener(changed);
      downloads.onErased.removeListener(erased);
      downloads.onDeterminingFilename.removeListener(determining);
      webNavigation.onBeforeNavigate.removeListener(goes);
      webNavigation.onCommitted.removeListener(shows);
    };
  }

  /** @param {Item} item */
  #created(item) {
    // What another extension began is no page's, as far as the browser tells that already.
    const isOthers = item.byExtensionId !== undefined && item.byExtensionId !== this.#around.chrome.runtime.id;
    if (this.#open.size === 0 || isOthers || this.#begun.has(item.id)) return;
    const begun = new Begun(item);
    this.#begun.set(item.id, begun);
    for (const capture of this.#open.values()) {
      // The debugger names the last address of a redirect, a navigation the first.
      const announced = capture.announced.find(({ url, tabId }) => url === (tabId === capture.claim.tabId ? addressOf(item) : item.url));
      if (announced === undefined) continue;
      capture.announced.splice(capture.announced.indexOf(announced), 1);
      this.#pair(capture, begun, announced.tabId);
      return;
    }
  }

  /**
   * @param {Capture} capture
   * @param {Begun} begun
   * @param {number} tabId that began it
   */
  #pair(capture, begun, tabId) {
    if (begun.capture !== null || capture.end.signal.aborted) return;
    begun.capture = capture;
    begun.tabId = tabId;
    if (capture.claimed !== null) {
      begun.release();
      return;
    }
    capture.candidates.push(begun);
    if (capture.candidates.length > 1) {
      for (const candidate of capture.candidates) {
        candidate.release();
        void this.#left.forget(candidate.id);
      }
      capture.changed();
      return;
    }
    // Noted first: whatever happens from here on, a next worker knows what to end.
    void this.#left.add(begun.id, capture.folder);
    this.#around.setTimer(() => this.#claim(capture, begun), GRACE_MS);
  }

  /**
   * @param {Capture} capture
   * @param {Begun} begun
   */
  #claim(capture, begun) {
    if (capture.end.signal.aborted || capture.candidates.length > 1) {
      begun.release();
      return;
    }
    capture.claimed = begun;
    this.#name(begun);
    capture.changed();
  }

  /**
   * @param {Item} item
   * @param {Suggest} suggest
   * @returns {true} the answer comes later
   */
  #determining(item, suggest) {
    this.#created(item);
    const begun = this.#begun.get(item.id);
    if (begun === undefined || this.#open.size === 0) {
      suggest();
      return true;
    }
    begun.suggest = suggest;
    begun.name = item.filename.split(/[\\/]/).at(-1) ?? '';
    if (begun.capture === null) {
      this.#around.setTimer(() => {
        if (begun.capture === null) begun.release();
      }, HELD_MS);
    } else {
      this.#name(begun);
    }
    return true;
  }

  /** @param {Begun} begun */
  #name(begun) {
    const { capture, suggest, name } = begun;
    if (capture === null || suggest === null) return;
    if (capture.candidates.length > 1 || (capture.claimed !== null && capture.claimed !== begun)) begun.release();
    if (capture.claimed !== begun) return;
    begun.suggest = null;
    suggest({ filename: `${capture.folder}/${nameInFolder(name)}`, conflictAction: 'uniquify' });
  }

  /**
   * @param {number} id
   * @param {string | undefined} state
   * @param {string} [filename]
   */
  #changed(id, state, filename) {
    for (const capture of this.#open.values()) {
      if (capture.claimed?.id === id && filename !== undefined) this.#left.saw(id, filename);
      if (capture.claimed?.id !== id && capture.candidates[0]?.id !== id) continue;
      if (state !== 'complete' && state !== 'interrupted' && state !== 'erased') continue;
      // One that ended before it was claimed is claimed all the same: its end is the answer.
      if (capture.claimed === null && capture.candidates.length === 1) capture.claimed = capture.candidates[0] ?? null;
      capture.state ??= state;
      capture.changed();
    }
  }

  /**
   * Waits until something holds, the time is over or the capture closes.
   * @param {Capture} capture
   * @param {() => boolean} holds
   * @param {number} timeoutMs
   * @returns {Promise<void>}
   */
  #until(capture, holds, timeoutMs) {
    if (holds()) return Promise.resolve();
    if (capture.end.signal.aborted) return Promise.reject(notOpen());
    return new Promise((resolve, reject) => {
      const over = () => {
        this.#around.clearTimer(timer);
        capture.waiting.delete(look);
        capture.end.signal.removeEventListener('abort', closed);
      };
      const look = () => {
        if (!holds()) return;
        over();
        resolve();
      };
      const closed = () => {
        over();
        reject(notOpen());
      };
      const timer = this.#around.setTimer(() => {
        over();
        resolve();
      }, Math.max(0, timeoutMs));
      capture.waiting.add(look);
      capture.end.signal.addEventListener('abort', closed);
    });
  }

  /**
   * Cancels a claimed download whose time is over, unless it ends by itself first.
   * @param {Capture} capture
   */
  async #cancelLate(capture) {
    const id = capture.claimed?.id ?? -1;
    await this.#around.chrome.downloads.cancel(id).catch(() => {});
    await this.#until(capture, () => capture.state !== null, CANCELLED_MS);
    if (capture.state === 'complete') return;
    const isKnown = capture.state !== null;
    throw new Refusal('timeout', isKnown ? 'transfer_timeout' : 'transfer_outcome_unknown',
      isKnown ? 'the download did not end in time and was cancelled' : 'the download did not end in time, and the browser does not say what became of it',
      isKnown ? 'give it more time with `--timeout`' : LOOK_FIRST, { effect_state: isKnown ? 'none' : 'unknown' });
  }

  /**
   * @param {Capture} capture
   * @returns {Promise<Item>}
   */
  async #itemOf({ claimed }) {
    if (claimed === null) throw notOpen();
    const [item] = await this.#around.chrome.downloads.search({ id: claimed.id });
    return item ?? claimed.item;
  }

  /**
   * Makes sure that the session may have something of the sites that the file came by: a page can link to any site.
   * @param {Capture} capture
   * @param {Item} item
   */
  async #admit({ session, claim }, item) {
    try {
      for (const url of [item.url, item.finalUrl]) if (/^https?:/.test(url)) await this.#parts.admission.visit(session, claim, url);
    } catch (error) {
      throw withEffect(error, 'none');
    }
  }

  /**
   * @param {Capture} capture
   * @param {Item} item
   */
  async #ask(capture, item) {
    if (this.#parts.settings.values.downloads !== 'ask') return;
    const { session, agent, claim, claimed } = capture;
    const site = this.#parts.sites.originIn(claim.tabId, undefined) ?? '';
    const verdict = await this.#parts.consent.ask({
      kind: 'download', sessionId: session.sessionId, session: titleOf(session), agent, site,
      subject: fileWords({ name: claimed?.name ?? '', size: item.fileSize }), choices: ['once', 'session', 'site'],
    }, capture.end.signal);
    if (verdict.isAllowed) return;
    throw withEffect(notAllowed(`the file from \`${site}\` was not given out`, verdict, 'download_not_allowed'), 'none');
  }

  /**
   * Closes the tab that the page opened for nothing but the download, where it stayed empty.
   * @param {Capture} capture
   */
  async #closeBlank({ claim, claimed }) {
    const { tabs } = this.#around.chrome;
    const tabId = claimed?.tabId ?? claim.tabId;
    if (tabId === claim.tabId) return;
    const tab = await tabs.get(tabId).catch(() => null);
    if (tab !== null && tab.status !== 'loading' && ['', 'about:blank'].includes(tab.url ?? '')) await tabs.remove(tabId).catch(() => {});
  }

  /**
   * @param {string} sessionId
   * @param {boolean} [isKept]
   */
  #close(sessionId, isKept = false) {
    const capture = this.#open.get(sessionId);
    if (capture === undefined) return;
    this.#open.delete(sessionId);
    capture.end.abort();
    for (const candidate of capture.candidates) candidate.release();
    const [own] = capture.candidates;
    if (own !== undefined && capture.candidates.length === 1) {
      const ended = isKept ? this.#left.forget(own.id) : within(this.#around, this.#left.end(own.id), CANCELLED_MS);
      this.#closing.add(ended);
      void ended.finally(() => this.#closing.delete(ended));
    }
    if (this.#open.size > 0) return;
    for (const begun of this.#begun.values()) if (begun.capture === null) begun.release();
    this.#begun.clear();
    this.#around.setTimer(() => {
      if (this.#open.size > 0) return;
      this.#stopListening?.();
      this.#stopListening = null;
    }, AFTER_MS);
  }

  /**
   * @param {Session} session
   * @returns {Capture}
   */
  #of(session) {
    const capture = this.#open.get(session.sessionId);
    if (capture === undefined) throw notOpen();
    return capture;
  }
}

const LOOK_FIRST = 'look into the download list of the browser and at the page with `bsk observe`, and do not run it again blindly';

/**
 * A name that the browser takes for a file; nobody sees it but us, and its ending is what the browser judges the file by.
 * @param {string} name
 */
function nameInFolder(name) {
  const [ending = ''] = /\.[^.]{1,16}$/.exec(name) ?? [];
  const stem = [...name.slice(0, name.length - ending.length)].slice(0, MOST_CHARACTERS).join('');
  return `${DEVICE.test(name) ? '_' : ''}${stem}${ending}`;
}

/**
 * Where a download comes from, as the debugger tells it.
 * @param {Item} item
 */
function addressOf({ finalUrl, url }) {
  return finalUrl || url;
}

/**
 * Whether the browser waits for the user's word on a file that may be harmful.
 * @param {string} danger
 */
function isHeldBack(danger) {
  return !['safe', 'accepted'].includes(danger) && !danger.startsWith('allowlisted');
}

/** @param {Begun[]} candidates */
function ambiguous(candidates) {
  return new Refusal('cdp_failed', 'download_capture_failed', `the click began ${candidates.length} downloads, and one was asked for: none was taken`,
    'they go on in the browser, in its download folder; click what downloads one file', { effect_state: 'committed' });
}

/**
 * @param {number} ms
 * @param {boolean} hasTabs
 */
function nothingBegan(ms, hasTabs) {
  return new Refusal('cdp_failed', 'download_capture_failed', `no download began within ${ms / 1000} s of the click`,
    hasTabs ? 'it opened a tab: look at it with `bsk tab list` and `bsk observe`' : LOOK_FIRST, { effect_state: 'unknown' });
}

/**
 * @param {Item} item
 * @param {string | null} state
 */
function interrupted({ error }, state) {
  const what = state === 'erased' ? 'was taken off the download list while it ran'
    : error === 'USER_CANCELED' ? 'was cancelled in the browser, by a person or by another extension' : `failed: ${error ?? 'the browser does not say why'}`;
  return new Refusal('cdp_failed', 'download_capture_failed', `the download ${what}`,
    'look into the download list of the browser; another extension may have begun it anew there', { effect_state: 'none', ...(error ? { download_error: error } : {}) });
}

function notOpen() {
  return new Refusal('cancelled', 'download_not_open', 'no download is waited for: it was given up or its time is over', 'run `bsk download` again');
}
