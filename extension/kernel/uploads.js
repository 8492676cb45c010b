// Uploads: how staged files get into a page, by a file input or by a drop. One upload in a session at a time; it is opened with its
// files, and nothing else can ever be given to a page: the host names no path afterwards, and `DOM.setFileInputFiles` is in no table.
// From `arm` until it closes the tab's file choosers are not shown, and the first one that the page opens is answered. It closes
// with what comes of it, by itself after its time, with its session, its tab and the host; a worker that starts again ends what
// was left. Refuses what a setting, a site rule or the user does not allow. Looks into no file.

/** @import { Agent, CallArgs, JsonObject, Session, StagedFile, Surroundings, TabClaim } from './types.js' */
/** @import { Admission } from './admission.js' */
/** @import { Consent } from './consent.js' */
/** @import { Debuggees } from './debuggee.js' */
/** @import { Frames } from './frames.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { PageCalls } from './page_calls.js' */
/** @import { Settings } from './settings.js' */
/** @import { Sites } from './sites.js' */

import { fromPage, Refusal } from './codes.js';
import { notAllowed } from './consent.js';
import { titleOf } from './ownership.js';
import { valueOf } from './page_calls.js';
import { checkStaged } from './policy/staged_path.js';
import { arrayOf, integer, isObject } from './shape.js';
import { checkTransfers, fileWords, withEffect } from './transfers.js';

const KEY = 'upload_tabs';
const storedShape = arrayOf(integer(0, Number.MAX_SAFE_INTEGER));
/** What was handed out for an upload is let go of by this name. */
const GROUP = 'bsk-uploads';
const ELEMENT = '(ref) => bskPage.elementOf(ref)';
const BEGIN = 'function (files) { return bskPage.beginFiles(this, files); }';
const END = 'function () { return bskPage.endFiles(this); }';
/** @type {Record<CallArgs['upload_drag']['step'], string>} */
const DRAG_TYPES = { enter: 'dragEnter', over: 'dragOver', drop: 'drop', cancel: 'dragCancel' };
/** Only copying: pages that move what is dragged are told so. */
const COPY = 1;

/** What the browser told of a chooser. @typedef {{ frameId: string, backendNodeId: number | null }} Chooser */
/** A file input as the process that holds it knows it. @typedef {{ frameId: string | undefined, sessionId: string | undefined, objectId: string }} Input */

class Upload {
  /**
   * @param {Session} session
   * @param {TabClaim} claim
   * @param {StagedFile[]} files
   * @param {Agent | undefined} agent
   */
  constructor(session, claim, files, agent) {
    this.session = session;
    this.claim = claim;
    this.files = files;
    this.agent = agent;
    /** Sites that the user allowed it for. @type {Set<string>} */
    this.sites = new Set();
    this.isArmed = false;
    /** Where the files are held over the page. @type {{ x: number, y: number } | null} */
    this.heldAt = null;
    /** The first chooser that the page opened. @type {Chooser | null} */
    this.chooser = null;
    /** @type {() => void} */
    this.opened = () => {};
    /** Aborted when it closes. */
    this.end = new AbortController();
  }
}

export class Uploads {
  /** @type {Surroundings} */
  #around;
  /** @type {{ admission: Admission, consent: Consent, debuggees: Debuggees, frames: Frames, ownership: Ownership, pageCalls: PageCalls, settings: Settings, sites: Sites }} */
  #parts;
  /** By session. @type {Map<string, Upload>} */
  #open = new Map();

  /**
   * @param {Surroundings} around
   * @param {object} parts
   * @param {Admission} parts.admission
   * @param {Consent} parts.consent
   * @param {Debuggees} parts.debuggees
   * @param {Frames} parts.frames
   * @param {Ownership} parts.ownership
   * @param {PageCalls} parts.pageCalls
   * @param {Settings} parts.settings
   * @param {Sites} parts.sites
   */
  constructor(around, parts) {
    this.#around = around;
    this.#parts = parts;
  }

  /** Lets choosers be shown again where an earlier worker kept them back. */
  async load() {
    const { storage } = this.#around.chrome;
    const left = (await storage.session.get(KEY))[KEY];
    if (!storedShape.accepts(left) || left.length === 0) return;
    // To attach again sets all back. A tab that is gone needs nothing.
    for (const tabId of left) if (this.#parts.ownership.claim(tabId) !== undefined) this.#parts.debuggees.attach(tabId).catch(() => {});
    await storage.session.set({ [KEY]: [] });
  }

  /**
   * Opens an upload, once it is allowed.
   * @param {Session} session
   * @param {TabClaim} claim
   * @param {CallArgs['upload_open']} args
   * @param {AbortSignal} signal nobody waits for the answer any more
   * @returns {Promise<{}>}
   */
  async open(session, claim, { frame, files, agent, timeout_ms }, signal) {
    checkStaged(files);
    checkTransfers(this.#parts.settings, 'uploads');
    if (this.#open.has(session.sessionId)) {
      throw new Refusal('permission_denied', 'session_busy', `session \`${session.sessionId}\` has an upload already`, 'wait until it is over');
    }
    const upload = new Upload(session, claim, files, agent ?? session.agent);
    this.#open.set(session.sessionId, upload);
    const timer = this.#around.setTimer(() => this.#close(upload), timeout_ms);
    upload.end.signal.addEventListener('abort', () => this.#around.clearTimer(timer));
    const gone = () => this.#close(upload);
    signal.addEventListener('abort', gone);
    try {
      await this.#admit(upload, frame === 0 ? undefined : this.#parts.ownership.frameId(claim, frame));
    } catch (error) {
      this.#close(upload);
      throw error;
    }
    signal.removeEventListener('abort', gone);
    this.#checkOpen(upload);
    return {};
  }

  /**
   * Keeps the tab's choosers from being shown.
   * @param {TabClaim} claim
   * @returns {Promise<{}>}
   */
  async arm(claim) {
    const upload = this.#of(claim);
    upload.isArmed = true;
    await this.#save();
    await this.#parts.debuggees.interceptChoosers(claim.tabId, true);
    this.#checkOpen(upload);
    return {};
  }

  /**
   * `Page.fileChooserOpened`.
   * @param {number} tabId
   * @param {JsonObject} params
   */
  chooserOpened(tabId, { frameId, backendNodeId }) {
    if (typeof frameId !== 'string') return;
    for (const upload of this.#open.values()) {
      if (upload.claim.tabId !== tabId || !upload.isArmed) continue;
      upload.chooser ??= { frameId, backendNodeId: typeof backendNodeId === 'number' ? backendNodeId : null };
      upload.opened();
    }
  }

  /**
   * Waits until the page opens a chooser that takes files of ours.
   * @param {TabClaim} claim
   * @param {CallArgs['upload_chooser']} args
   * @returns {Promise<{}>}
   */
  async chooser(claim, { timeout_ms }) {
    const upload = this.#of(claim);
    try {
      if (upload.chooser === null) await this.#untilOpened(upload, timeout_ms);
      nodeOf(upload);
      return {};
    } catch (error) {
      this.#close(upload);
      throw error;
    }
  }

  /**
   * Gives the files to a file input: the one that is named, else the one whose chooser the page opened.
   * @param {TabClaim} claim
   * @param {CallArgs['upload_take']} args
   * @returns {Promise<{ not_accepted: string[], is_verified: boolean }>}
   */
  async take(claim, { input }) {
    const upload = this.#of(claim);
    try {
      const found = input === undefined ? await this.#chosen(upload) : await this.#named(claim, input);
      await this.#admit(upload, found.frameId);
      this.#checkOpen(upload);
      return await this.#assign(upload, found);
    } finally {
      this.#close(upload);
    }
  }

  /**
   * A step of a drag with the files.
   * @param {TabClaim} claim
   * @param {CallArgs['upload_drag']} args
   * @returns {Promise<{}>}
   */
  async drag(claim, { frame, step, x, y }) {
    const upload = this.#of(claim);
    await this.#admit(upload, frame === 0 ? undefined : this.#parts.ownership.frameId(claim, frame));
    this.#checkOpen(upload);
    upload.heldAt = step === 'enter' || step === 'over' ? { x, y } : null;
    await this.#dragEvent(upload, DRAG_TYPES[step], { x, y }).catch((error) => { throw accessOr(error); });
    return {};
  }

  /**
   * @param {Upload} upload
   * @param {string} type
   * @param {{ x: number, y: number }} place
   */
  #dragEvent({ claim, files }, type, place) {
    const data = { items: [], files: files.map(({ path }) => path), dragOperationsMask: COPY };
    return this.#parts.debuggees.send(claim.tabId, 'Input.dispatchDragEvent', { type, ...place, data });
  }

  /**
   * Ends the upload of a session.
   * @param {string} sessionId
   */
  close(sessionId) {
    const upload = this.#open.get(sessionId);
    if (upload !== undefined) this.#close(upload);
  }

  /** The host is gone: nobody closes them any more. */
  closeAll() {
    for (const upload of this.#open.values()) this.#close(upload);
  }

  /**
   * The tab was closed.
   * @param {number} tabId
   */
  tabRemoved(tabId) {
    for (const upload of this.#open.values()) if (upload.claim.tabId === tabId) this.#close(upload);
  }

  /** @param {Upload} upload */
  #close(upload) {
    if (this.#open.get(upload.session.sessionId) !== upload) return;
    this.#open.delete(upload.session.sessionId);
    upload.end.abort();
    const { claim: { tabId }, heldAt, isArmed } = upload;
    if (heldAt !== null) this.#dragEvent(upload, 'dragCancel', heldAt).catch(() => {});
    if (!isArmed) return;
    void this.#save();
    this.#parts.debuggees.interceptChoosers(tabId, false).catch(() => {});
  }

  /**
   * @param {TabClaim} claim
   * @returns {Upload}
   */
  #of(claim) {
    const upload = this.#open.get(claim.sessionId);
    if (upload?.claim !== claim) throw notOpen();
    return upload;
  }

  /** @param {Upload} upload */
  #checkOpen(upload) {
    if (upload.end.signal.aborted) throw notOpen();
  }

  /**
   * Makes sure that the files may get into a frame: by the settings as they are now, by the site rules and by the user.
   * @param {Upload} upload
   * @param {string | undefined} frameId undefined for the main frame
   */
  async #admit(upload, frameId) {
    const { admission, frames, settings, sites } = this.#parts;
    const { session, claim } = upload;
    checkTransfers(settings, 'uploads');
    if (sites.originIn(claim.tabId, frameId) === null) await frames.list(claim);
    const need = sites.check(claim, 'act', frameId);
    if (need === 'unknown_frame') throw probeFailed('its frame is gone');
    if (need !== null) await admission.askSite(session, claim, need);
    const site = sites.originIn(claim.tabId, frameId) ?? '';
    if (settings.values.uploads === 'ask' && !upload.sites.has(site)) await this.#ask(upload, site);
  }

  /**
   * @param {Upload} upload
   * @param {string} site
   */
  async #ask(upload, site) {
    const { session, agent, files } = upload;
    const verdict = await this.#parts.consent.ask({
      kind: 'upload', sessionId: session.sessionId, session: titleOf(session), agent, site, subject: files.map(fileWords).join('\n'),
      choices: ['once', 'session', 'site'],
    }, upload.end.signal);
    if (!verdict.isAllowed) throw notAllowed(`nothing was uploaded to \`${site}\``, verdict, 'upload_not_allowed');
    upload.sites.add(site);
  }

  /**
   * @param {Upload} upload
   * @param {number} timeoutMs
   * @returns {Promise<void>}
   */
  #untilOpened(upload, timeoutMs) {
    return new Promise((resolve, reject) => {
      const timer = this.#around.setTimer(() => settle(() => reject(notActivated('nothing opened a file chooser',
        'give the ref of the file input or of what opens its chooser; `--drop` is for places that take a drop'))), timeoutMs);
      const over = () => settle(() => reject(notOpen()));
      const settle = (/** @type {() => void} */ answer) => {
        this.#around.clearTimer(timer);
        upload.end.signal.removeEventListener('abort', over);
        answer();
      };
      upload.end.signal.addEventListener('abort', over);
      upload.opened = () => settle(resolve);
    });
  }

  /**
   * The input whose chooser the page opened.
   * @param {Upload} upload
   * @returns {Promise<Input>}
   */
  async #chosen(upload) {
    const { claim } = upload;
    const { frameId, backendNodeId } = nodeOf(upload);
    const { contextId: executionContextId, sessionId } = await this.#parts.pageCalls.worldWithLibrary(claim, await this.#parts.pageCalls.frameNumber(claim, frameId));
    const { object } = await this.#send(claim, 'DOM.resolveNode', { backendNodeId, executionContextId, objectGroup: GROUP }, sessionId);
    const isMain = await this.#parts.pageCalls.frameNumber(claim, frameId) === 0;
    return { frameId: isMain ? undefined : frameId, sessionId, objectId: objectIdOf(object) };
  }

  /**
   * @param {TabClaim} claim
   * @param {{ frame: number, ref: number }} input
   * @returns {Promise<Input>}
   */
  async #named(claim, { frame, ref }) {
    const { contextId, sessionId } = await this.#parts.pageCalls.worldWithLibrary(claim, frame);
    const { result } = await this.#send(claim, 'Runtime.callFunctionOn', {
      functionDeclaration: ELEMENT, executionContextId: contextId, arguments: [{ value: ref }], objectGroup: GROUP,
    }, sessionId);
    return { frameId: frame === 0 ? undefined : this.#parts.ownership.frameId(claim, frame), sessionId, objectId: objectIdOf(result) };
  }

  /**
   * @param {Upload} upload
   * @param {Input} input
   * @returns {Promise<{ not_accepted: string[], is_verified: boolean }>}
   */
  async #assign(upload, { sessionId, objectId }) {
    const { claim, files } = upload;
    const send = (/** @type {string} */ method, /** @type {JsonObject} */ params) => this.#send(claim, method, params, sessionId);
    const inPage = async (/** @type {string} */ functionDeclaration, /** @type {unknown[]} */ values) => {
      const answer = valueOf(await send('Runtime.callFunctionOn', {
        functionDeclaration, objectId, arguments: values.map((value) => ({ value })), returnByValue: true, awaitPromise: true,
      }));
      if (isObject(answer) && 'error' in answer) throw fromPage(answer['error']);
      return isObject(answer) ? answer['ok'] : undefined;
    };
    const begun = await inPage(BEGIN, [files.map(({ name, size }) => ({ name, size }))]);
    const listed = isObject(begun) && Array.isArray(begun['not_accepted']) ? begun['not_accepted'] : [];
    const not_accepted = listed.filter((name) => files.some((file) => file.name === name));
    // The last moment in which nothing has happened.
    this.#checkOpen(upload);
    await send('DOM.setFileInputFiles', { files: files.map(({ path }) => path), objectId }).catch((error) => { throw notSet(error); });
    const is_verified = await inPage(END, []).then(() => true, (error) => {
      // What the page did with the files took its document along: it got them.
      if (error instanceof Refusal && error.reason === 'page_navigated') return false;
      throw withEffect(error, 'unknown');
    });
    send('Runtime.releaseObjectGroup', { objectGroup: GROUP }).catch(() => {});
    return { not_accepted, is_verified };
  }

  /**
   * @param {TabClaim} claim
   * @param {string} method
   * @param {JsonObject} params
   * @param {string | undefined} sessionId
   */
  #send(claim, method, params, sessionId) {
    return this.#parts.debuggees.send(claim.tabId, method, params, sessionId);
  }

  #save() {
    const tabs = [...this.#open.values()].filter(({ isArmed }) => isArmed).map(({ claim }) => claim.tabId);
    return this.#around.chrome.storage.session.set({ [KEY]: tabs }).catch(() => {});
  }
}

/**
 * Where the chooser that the page opened puts its files.
 * @param {Upload} upload
 */
function nodeOf({ chooser }) {
  if (chooser === null) throw notActivated('nothing opened a file chooser', 'wait for one with `upload_chooser`');
  const { frameId, backendNodeId } = chooser;
  if (backendNodeId !== null) return { frameId, backendNodeId };
  throw notActivated('the page opened a picker of its own (`showOpenFilePicker`), which takes files only from a person',
    'look for a file input or a place to drop on (`--drop`), or let the user do it with `bsk request-help`');
}

/** @param {unknown} object a remote object */
function objectIdOf(object) {
  if (isObject(object) && typeof object['objectId'] === 'string') return object['objectId'];
  throw probeFailed('it is gone');
}

/** @param {string} why */
function probeFailed(why) {
  return new Refusal('cdp_failed', 'file_input_probe_failed', `the file input could not be looked at: ${why}`, 'run `bsk observe` to see the page as it is now');
}

/**
 * @param {string} what
 * @param {string} hint
 */
function notActivated(what, hint) {
  return new Refusal('cdp_failed', 'file_input_not_activated', what, hint);
}

function notOpen() {
  return new Refusal('cancelled', 'upload_not_open', 'no upload is open: it was closed or its time is over', 'run `bsk upload` again');
}

/**
 * What is wrong when the browser refuses files as such: to a page that may be touched, only for the extension's want of a right.
 * @param {unknown} error
 */
function accessOr(error) {
  if (!(error instanceof Refusal) || error.reason !== 'tab_forbidden') return error;
  return new Refusal('permission_denied', 'file_access_off', 'the browser does not let the extension give files to pages',
    'ask the user to switch on "Allow access to file URLs" for bsk in `chrome://extensions`', { effect_state: 'none' });
}

/**
 * @param {unknown} error what `DOM.setFileInputFiles` was refused with
 */
function notSet(error) {
  const refused = accessOr(error);
  if (!(refused instanceof Refusal) || refused.reason === 'file_access_off') return refused;
  // The page may have gone after it got them.
  if (refused.reason !== null) return withEffect(refused, 'unknown');
  return new Refusal('cdp_failed', 'set_file_input_failed', 'the browser did not give the files to the file input',
    'run `bsk observe` to see the page as it is now', { ...refused.data, effect_state: 'unknown' });
}
