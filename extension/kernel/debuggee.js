// The tabs the debugger is attached to, and every CDP call of the kernel.
// Attaches on demand and once; sends in the order asked, without a pause between the request and the browser; fails all that
// waits in a tab at once when the tab is closed, crashes or is taken away. Decides nothing: callers have passed the guard.
// Touches only tabs it was asked for, never a tab of its own choosing. Only subscribed events leave the kernel.

/** @import { DocumentRequest, JsonObject, Surroundings } from './types.js' */
import { AttachedTab, FRAME_SETUP, REPORT_REQUESTS, SETUP } from './attached_tab.js';
import { Refusal } from './codes.js';
import {
  fromChrome, isForeignFrame, pageCrashed, pageNavigated, tabClosed, tabDetached, tabForbidden, tabHoldsForeignFrame,
  tabTakenForAMoment,
} from './cdp_errors.js';
import { within } from './deadline.js';
import { ForeignFrames } from './foreign_frames.js';
import { FrameProcesses } from './frame_processes.js';
import { NetworkWatch } from './network_watch.js';
import { isTouchable } from './policy/url_rule.js';
import { isObject } from './shape.js';

const CDP_VERSION = '1.3';
/** How long a page may take to answer what prepares it. */
const SETUP_MS = 1000;
/** How long a tab may take to show an empty page; the attachment fails by itself when it does not. */
const EMPTY_MS = 2000;
/** What input set off is followed until no request has been under way for so long, and no longer than this. */
const INPUT_REST_MS = 500;
const INPUT_FOLLOWED_MS = 10_000;
const INTERCEPT = 'Page.setInterceptFileChooserDialog';
/** What frames in processes of their own tell that is passed on as it is. */
const OF_FRAMES = new Set(['Page.frameNavigated', 'Page.frameDetached', 'Page.downloadWillBegin']);
/** What may set off requests. */
const INPUT = /^Input\.(?:dispatch|insertText)/;

/** What may be sent to a crashed tab: these make a new process for the page. */
const REVIVING = new Set(['Page.navigate', 'Page.reload', 'Page.navigateToHistoryEntry', 'Page.getNavigationHistory']);

/**
 * What the kernel does about changes of a tab.
 * @typedef {object} DebuggeeWatcher
 * @property {(tabId: number, method: string, params: JsonObject) => void} event
 * @property {(tabId: number, request: DocumentRequest) => void} documentRequest
 * @property {(tabId: number, url: string) => void} shows what a tab shows as it is attached
 * @property {(tabId: number, frameId: string, url: string) => void} frameShows what the topmost frame of a process shows
 * @property {(tabId: number) => void} crashed
 * @property {(tabId: number, cause: 'user' | 'page' | 'foreign_frame') => void} detached
 */

export class Debuggees {
  /** @type {Map<number, AttachedTab>} */
  #tabs = new Map();
  /** @type {ForeignFrames} */
  #foreign;
  /** Tabs that are being closed: their pages may not object. @type {Set<number>} */
  #closing = new Set();
  #network = new NetworkWatch((tabId, isOn) => this.#reportRequests(tabId, isOn));
  /** @type {Surroundings} */
  #around;
  /** @type {DebuggeeWatcher} */
  #watcher;

  /**
   * @param {Surroundings} around
   * @param {DebuggeeWatcher} watcher
   */
  constructor(around, watcher) {
    this.#around = around;
    this.#foreign = new ForeignFrames(around);
    this.#watcher = watcher;
  }

  /**
   * Calls a CDP method in a tab, attaching first when need be.
   * @param {number} tabId
   * @param {string} method
   * @param {JsonObject} [params]
   * @param {string} [sessionId] of a frame in a process of its own, from `processes`
   * @returns {Promise<JsonObject>} the method's result
   * @throws {Refusal}
   */
  send(tabId, method, params, sessionId) {
    const debuggee = this.#tabs.get(tabId);
    if (debuggee !== undefined && debuggee.attaching === null) {
      const call = this.#call(tabId, debuggee, method, params, sessionId);
      return method === 'Page.navigate' ? call.catch((error) => this.#navigateFromEmpty(tabId, params, error)) : call;
    }
    const attached = method === 'Page.navigate' ? this.#attachAnyhow(tabId) : this.attach(tabId);
    return attached.then(() => this.send(tabId, method, params, sessionId));
  }

  /**
   * Navigates again from an empty page where the page that is there lets nothing be sent: the browser's warning about a certificate
   * leaves the debugger attached and refuses every call (measured in Chromium 156).
   * @param {number} tabId
   * @param {JsonObject | undefined} params
   * @param {unknown} error
   * @returns {Promise<JsonObject>}
   */
  async #navigateFromEmpty(tabId, params, error) {
    if (!isOutOfReach(error)) throw error;
    await this.#empty(tabId);
    await this.attach(tabId);
    const debuggee = this.#tabs.get(tabId);
    if (debuggee === undefined) throw error;
    return this.#call(tabId, debuggee, 'Page.navigate', params, undefined);
  }

  /**
   * Whether the debugger tells what a tab shows.
   * @param {number} tabId
   */
  isAttached(tabId) {
    return this.#tabs.get(tabId)?.attaching === null;
  }

  /**
   * The tab's frames that live in processes of their own.
   * @param {number} tabId
   * @returns {FrameProcesses}
   */
  processes(tabId) {
    return this.#tabs.get(tabId)?.processes ?? new FrameProcesses();
  }

  /**
   * Attaches for a navigation: a tab on a page that nobody may touch, or with a frame of another extension in it, is emptied
   * first, so that a page cannot lock us out of its tab.
   * @param {number} tabId
   */
  async #attachAnyhow(tabId) {
    try {
      await this.attach(tabId);
    } catch (error) {
      if (!isOutOfReach(error)) throw error;
      await this.#empty(tabId);
      await this.attach(tabId);
    }
  }

  /** @param {number} tabId */
  async #empty(tabId) {
    const { tabs } = this.#around.chrome;
    /** @type {Promise<void>} */
    const isEmpty = new Promise((resolve) => {
      /** @param {number} id @param {{ url?: string }} change */
      const updated = (id, change) => {
        if (id === tabId && change.url === 'about:blank') finish();
      };
      const timer = this.#around.setTimer(() => finish(), EMPTY_MS);
      const finish = () => {
        this.#around.clearTimer(timer);
        tabs.onUpdated.removeListener(updated);
        resolve();
      };
      tabs.onUpdated.addListener(updated);
    });
    await tabs.update(tabId, { url: 'about:blank' });
    await isEmpty;
  }

  /**
   * Attaches to the tab unless it is already.
   * @param {number} tabId
   * @returns {Promise<void>}
   */
  attach(tabId) {
    const known = this.#tabs.get(tabId);
    if (known !== undefined) return known.attaching ?? Promise.resolve();
    const debuggee = new AttachedTab();
    this.#tabs.set(tabId, debuggee);
    debuggee.attaching = this.#attach(tabId, debuggee);
    return debuggee.attaching;
  }

  /**
   * @param {number} tabId
   * @param {AttachedTab} debuggee
   */
  async #attach(tabId, debuggee) {
    const { debugger: cdp, tabs } = this.#around.chrome;
    try {
      const { url } = await tabs.get(tabId);
      if (!isTouchable(url ?? '')) throw tabForbidden(tabId);
      this.#watcher.shows(tabId, url ?? '');
      await cdp.attach({ tabId }, CDP_VERSION).catch(async (error) => {
        // After a restart of this worker the tab may still be attached to this extension; then a call goes through.
        await cdp.sendCommand({ tabId }, 'Inspector.enable').catch(() => {
          throw error;
        });
        // Whoever wanted reports is gone with the worker.
        cdp.sendCommand({ tabId }, 'Network.disable').catch(() => {});
      });
    } catch (error) {
      if (this.#tabs.get(tabId) === debuggee) this.#tabs.delete(tabId);
      throw await this.#refusal(tabId, 'attach', error);
    }
    await this.#setUp(tabId, debuggee);
    debuggee.attaching = null;
    if (this.#network.isHeld(tabId)) this.#reportRequests(tabId, true);
  }

  /**
   * Prepares an attached tab and waits until its page took it over: a navigation that overtakes the focus emulation crashes
   * the page's process (measured: 12 of 25 in Chromium 156, none of 25 when waited for). A page that does not answer, because
   * it crashed, hangs or shows a dialog, is not waited for longer than `SETUP_MS`.
   * @param {number} tabId
   * @param {AttachedTab} debuggee
   * @returns {Promise<void>}
   */
  #setUp(tabId, debuggee) {
    const { debugger: cdp } = this.#around.chrome;
    return new Promise((resolve) => {
      const timer = this.#around.setTimer(() => done(), SETUP_MS);
      const done = () => {
        this.#around.clearTimer(timer);
        debuggee.pending.delete(done);
        resolve();
      };
      debuggee.pending.set(done, undefined);
      const sent = SETUP.map(([method, params]) => cdp.sendCommand({ tabId }, method, params).catch(() => {}));
      void Promise.all(sent).then(done);
    });
  }

  /**
   * @param {number} tabId
   * @param {AttachedTab} debuggee
   * @param {string} method
   * @param {JsonObject | undefined} params
   * @param {string | undefined} sessionId
   * @returns {Promise<JsonObject>}
   */
  #call(tabId, debuggee, method, params, sessionId) {
    if (debuggee.isCrashed && !REVIVING.has(method)) return Promise.reject(pageCrashed(tabId));
    if (INPUT.test(method)) this.#followInput(tabId, debuggee);
    /** @type {Promise<JsonObject>} */
    const call = new Promise((resolve, reject) => {
      debuggee.pending.set(reject, sessionId);
      const target = sessionId === undefined ? { tabId } : { tabId, sessionId };
      this.#around.chrome.debugger.sendCommand(target, method, params).then(
        (result) => resolve(isObject(result) ? result : {}),
        async (error) => reject(await this.#refusal(tabId, method, error)),
      ).finally(() => {
        debuggee.pending.delete(reject);
        debuggee.inputs.delete(call);
      });
    });
    if (method.startsWith('Input.')) {
      debuggee.inputs.add(call);
      const ended = debuggee.noteInput(() => this.#around.now());
      call.then(ended, ended);
    }
    return call;
  }

  /**
   * Whether input of ours was under way at a time.
   * @param {number} tabId
   * @param {number} atMs milliseconds since 1970
   * @param {number} toleranceMs
   * @returns {boolean}
   */
  isOwnInput(tabId, atMs, toleranceMs) {
    const times = this.#tabs.get(tabId)?.inputTimes ?? [];
    return times.some(({ fromMs, toMs }) => atMs >= fromMs - toleranceMs && atMs <= toMs + toleranceMs);
  }

  /**
   * Resolves when the input already sent to the tab has been handled and the browser has told all that came of it: it answers
   * the last question itself, after what its page processes told it.
   * @template T
   * @param {number} tabId
   * @param {() => Promise<T>} ask what to ask the page meanwhile
   * @returns {Promise<T>}
   */
  async flush(tabId, ask) {
    await Promise.allSettled(this.#tabs.get(tabId)?.inputs ?? []);
    const asked = ask();
    await this.send(tabId, 'Page.getNavigationHistory').catch((error) => {
      // In the moment of a change of pages there is nobody to ask, and nothing held back.
      if (!(error instanceof Refusal) || error.reason !== 'page_navigated') throw error;
    });
    return asked;
  }

  /**
   * Has the browser report the tab's requests until `over`; those that bring documents are told to the watcher.
   * @param {number} tabId
   * @param {AbortSignal} over
   * @returns {Promise<void>} resolves then
   */
  watchNetwork(tabId, over) {
    this.#network.hold(tabId, over);
    return new Promise((resolve) => over.addEventListener('abort', () => resolve(), { once: true }));
  }

  /**
   * Has requests reported from before the input on until they have come to rest: whoever waits for that asks afterwards.
   * @param {number} tabId
   * @param {AttachedTab} debuggee
   */
  #followInput(tabId, debuggee) {
    if (debuggee.isFollowingInput) {
      debuggee.traffic.touch(this.#around.now());
      return;
    }
    debuggee.isFollowingInput = true;
    const over = new AbortController();
    this.#network.hold(tabId, over.signal);
    debuggee.traffic.touch(this.#around.now());
    void debuggee.traffic.quiet(this.#around, INPUT_REST_MS, INPUT_FOLLOWED_MS).then(() => {
      debuggee.isFollowingInput = false;
      over.abort();
    });
  }

  /**
   * @param {number} tabId
   * @param {boolean} isOn
   */
  #reportRequests(tabId, isOn) {
    const debuggee = this.#tabs.get(tabId);
    // What is being attached is switched on when that is done.
    if (debuggee === undefined || debuggee.attaching !== null) return;
    if (isOn) debuggee.traffic.begin(this.#around.now());
    else debuggee.documents.forget();
    for (const sessionId of [undefined, ...debuggee.processes.sessions()]) this.#switchReports(tabId, debuggee, sessionId, isOn);
  }

  /**
   * @param {number} tabId
   * @param {AttachedTab} debuggee
   * @param {string | undefined} sessionId of a frame in a process of its own
   * @param {boolean} isOn
   */
  #switchReports(tabId, { reports }, sessionId, isOn) {
    const target = sessionId === undefined ? { tabId } : { tabId, sessionId };
    const [method, params] = isOn ? ['Network.enable', REPORT_REQUESTS] : ['Network.disable', {}];
    const switched = { isAnswered: false };
    if (isOn) reports.set(sessionId, switched);
    else reports.delete(sessionId);
    this.#around.chrome.debugger.sendCommand(target, method, params).then(() => { switched.isAnswered = true; }, () => {});
  }

  /**
   * Waits until no request of the tab's pages has been under way for `quietMs`, at most `timeoutMs`.
   * @param {number} tabId
   * @param {number} quietMs
   * @param {number} timeoutMs
   * @param {AbortSignal} over
   * @returns {Promise<{ is_quiet: boolean, under_way: number }>}
   */
  async networkQuiet(tabId, quietMs, timeoutMs, over) {
    await this.attach(tabId);
    this.#network.hold(tabId, over);
    const traffic = this.#tabs.get(tabId)?.traffic;
    return traffic === undefined ? { is_quiet: true, under_way: 0 } : traffic.quiet(this.#around, quietMs, timeoutMs);
  }

  /**
   * Keeps file choosers of the tab from being shown, and has `Page.fileChooserOpened` told instead; or no longer. Asks every process
   * of the tab; one that does not answer is not waited for longer than a page that is being prepared.
   * @param {number} tabId
   * @param {boolean} isOn
   */
  async interceptChoosers(tabId, isOn) {
    if (isOn) await this.attach(tabId);
    const debuggee = this.#tabs.get(tabId);
    if (debuggee === undefined) return;
    debuggee.interceptsChoosers = isOn;
    const own = this.send(tabId, INTERCEPT, { enabled: isOn });
    const frames = debuggee.processes.sessions().map((sessionId) => this.send(tabId, INTERCEPT, { enabled: isOn }, sessionId).catch(() => {}));
    await own;
    await within(this.#around, Promise.all(frames), SETUP_MS);
  }

  /**
   * Lets the tab be closed: an open dialog is dismissed, and a page that asks whether to stay is not heard.
   * @param {number} tabId
   */
  prepareClose(tabId) {
    this.#closing.add(tabId);
    if (this.#tabs.get(tabId)?.hasDialog) this.#leave(tabId);
  }

  /** @param {number} tabId */
  #leave(tabId) {
    this.#around.chrome.debugger.sendCommand({ tabId }, 'Page.handleJavaScriptDialog', { accept: true }).catch(() => {});
  }

  /**
   * Stops debugging the tab; it stays open.
   * @param {number} tabId
   */
  release(tabId) {
    const debuggee = this.#tabs.get(tabId);
    this.#tabs.delete(tabId);
    debuggee?.failAll(tabForbidden(tabId));
    this.#around.chrome.debugger.detach({ tabId }).catch(() => {});
  }

  /**
   * The tab is gone.
   * @param {number} tabId
   */
  tabRemoved(tabId) {
    this.#closing.delete(tabId);
    this.#foreign.forget(tabId);
    const debuggee = this.#tabs.get(tabId);
    this.#tabs.delete(tabId);
    debuggee?.failAll(tabClosed(tabId));
  }

  /**
   * `chrome.debugger.onDetach`.
   * @param {number} tabId
   * @param {string} reason `target_closed` (also: went to a forbidden page, got a frame of another extension) or `canceled_by_user`
   */
  async onDetach(tabId, reason) {
    const debuggee = this.#tabs.get(tabId);
    this.#tabs.delete(tabId);
    if (reason === 'canceled_by_user') {
      debuggee?.failAll(tabDetached(tabId));
      this.#watcher.detached(tabId, 'user');
      return;
    }
    const url = await this.#around.chrome.tabs.get(tabId).then((tab) => tab.url ?? '', () => null);
    const refusal = url === null ? tabClosed(tabId)
      : isTouchable(url) && debuggee !== undefined ? await this.#attachAgain(tabId) : tabForbidden(tabId);
    const isForeign = refusal.reason === 'frame_forbidden';
    debuggee?.failAll(refusal);
    if (isForeign || refusal.reason === 'tab_forbidden') this.#watcher.detached(tabId, isForeign ? 'foreign_frame' : 'page');
  }

  /**
   * Tries to get a tab back that the browser took although its page may be touched. A frame of another extension takes it for as
   * long as it is there; one that the browser trusts, such as its PDF viewer's, only for the moment in which it comes.
   * @param {number} tabId
   * @returns {Promise<Refusal>} what to tell those who waited
   */
  async #attachAgain(tabId) {
    if (this.#foreign.isKnown(tabId)) return tabHoldsForeignFrame(tabId, await this.#foreign.ownersIn(tabId));
    return this.attach(tabId).then(() => tabTakenForAMoment(tabId), (error) => this.#refusal(tabId, 'attach', error));
  }

  /**
   * A refusal for what was thrown; of another extension's frame it says whose it is.
   * @param {number} tabId
   * @param {string} what
   * @param {unknown} thrown
   * @returns {Promise<Refusal>}
   */
  async #refusal(tabId, what, thrown) {
    if (thrown instanceof Refusal) return thrown;
    return isForeignFrame(thrown) ? tabHoldsForeignFrame(tabId, await this.#foreign.ownersIn(tabId)) : fromChrome(tabId, what, thrown);
  }

  /**
   * `chrome.debugger.onEvent` of a frame in a process of its own: only what tells where frames and their documents are.
   * @param {number} tabId
   * @param {string} sessionId
   * @param {string} method
   * @param {JsonObject} params
   */
  onFrameEvent(tabId, sessionId, method, params) {
    if (method === 'Runtime.bindingCalled') this.#watcher.event(tabId, method, params);
    if (method.startsWith('Network.')) this.#onNetworkEvent(tabId, sessionId, method, params);
    if (method === 'Page.frameRequestedNavigation') this.#foreign.note(tabId, params['url']);
    if (method === 'Page.fileChooserOpened') {
      // Where the frame is reached is known by who tells of it.
      if (typeof params['frameId'] === 'string') this.#tabs.get(tabId)?.processes.learn(params['frameId'], sessionId);
      this.#watcher.event(tabId, method, params);
    }
    if (method.startsWith('Target.')) this.#onTargetEvent(tabId, method, params);
    else if (OF_FRAMES.has(method)) this.#watcher.event(tabId, method, params);
    else if (method === 'Inspector.targetCrashed') this.#tabs.get(tabId)?.failIn(sessionId, pageNavigated(tabId));
  }

  /**
   * @param {number} tabId
   * @param {string} method
   * @param {JsonObject} params
   */
  #onTargetEvent(tabId, method, params) {
    const debuggee = this.#tabs.get(tabId);
    if (debuggee === undefined) return;
    const { targetInfo } = params;
    if (isObject(targetInfo) && targetInfo['type'] === 'iframe' && typeof targetInfo['targetId'] === 'string' && typeof targetInfo['url'] === 'string') {
      this.#watcher.frameShows(tabId, targetInfo['targetId'], targetInfo['url']);
    }
    if (method === 'Target.targetInfoChanged') debuggee.processes.changed(params);
    if (method === 'Target.detachedFromTarget') {
      debuggee.processes.detached(params);
      if (typeof params['sessionId'] === 'string') debuggee.failIn(params['sessionId'], pageNavigated(tabId));
    }
    const sessionId = method === 'Target.attachedToTarget' ? debuggee.processes.attached(params) : null;
    if (sessionId === null) return;
    for (const [setup, args] of FRAME_SETUP) {
      this.#around.chrome.debugger.sendCommand({ tabId, sessionId }, setup, args).catch(() => {});
    }
    if (debuggee.interceptsChoosers) this.send(tabId, INTERCEPT, { enabled: true }, sessionId).catch(() => {});
    if (this.#network.isHeld(tabId)) this.#switchReports(tabId, debuggee, sessionId, true);
  }

  /**
   * @param {number} tabId
   * @param {string | undefined} sessionId of the process that tells it
   * @param {string} method
   * @param {JsonObject} params
   */
  #onNetworkEvent(tabId, sessionId, method, params) {
    const debuggee = this.#tabs.get(tabId);
    if (debuggee === undefined || !this.#network.isHeld(tabId)) return;
    debuggee.traffic.note(method, params, this.#around.now(), debuggee.reports.get(sessionId)?.isAnswered ?? false);
    const request = debuggee.documents.read(method, params);
    if (request !== null) this.#watcher.documentRequest(tabId, request);
  }

  /**
   * `chrome.debugger.onEvent` of the tab itself.
   * @param {number} tabId
   * @param {string} method
   * @param {JsonObject} params
   */
  onEvent(tabId, method, params) {
    const debuggee = this.#tabs.get(tabId);
    if (method.startsWith('Network.')) {
      this.#onNetworkEvent(tabId, undefined, method, params);
      return;
    }
    switch (method) {
      case 'Target.attachedToTarget':
      case 'Target.targetInfoChanged':
      case 'Target.detachedFromTarget':
        this.#onTargetEvent(tabId, method, params);
        return;
      case 'Page.frameRequestedNavigation':
        this.#foreign.note(tabId, params['url']);
        break;
      case 'Inspector.targetCrashed':
        if (debuggee === undefined || debuggee.isCrashed) return;
        debuggee.isCrashed = true;
        debuggee.hasDialog = false;
        debuggee.failAll(pageCrashed(tabId));
        this.#watcher.crashed(tabId);
        return;
      case 'Inspector.targetReloadedAfterCrash':
        if (debuggee !== undefined) debuggee.isCrashed = false;
        return;
      case 'Page.frameNavigated':
        if (debuggee !== undefined) debuggee.isCrashed = false;
        if (isMainFrame(params)) this.#foreign.forget(tabId);
        if (isMainFrame(params)) debuggee?.traffic.documentChanged(params);
        if (isForbiddenPage(params)) {
          this.release(tabId);
          this.#watcher.detached(tabId, 'page');
          return;
        }
        break;
      case 'Page.lifecycleEvent':
        debuggee?.traffic.noteStage(params);
        break;
      case 'Page.javascriptDialogOpening':
        if (debuggee !== undefined) debuggee.hasDialog = true;
        if (this.#closing.has(tabId)) this.#leave(tabId);
        break;
      case 'Page.javascriptDialogClosed':
        if (debuggee !== undefined) debuggee.hasDialog = false;
        break;
      default:
    }
    this.#watcher.event(tabId, method, params);
  }
}

/**
 * Whether something was refused for the page that is there: a tab on another page would take it.
 * @param {unknown} error
 * @returns {boolean}
 */
function isOutOfReach(error) {
  return error instanceof Refusal && (error.reason === 'tab_forbidden' || error.reason === 'frame_forbidden');
}

/**
 * @param {JsonObject} params of `Page.frameNavigated`
 * @returns {boolean}
 */
function isMainFrame({ frame }) {
  return isObject(frame) && frame['parentId'] === undefined;
}

/**
 * Whether the tab itself, not a frame in it, went to a page that may not be touched.
 * @param {JsonObject} params of `Page.frameNavigated`
 * @returns {boolean}
 */
function isForbiddenPage(params) {
  const { frame } = params;
  return isMainFrame(params) && isObject(frame) && typeof frame['url'] === 'string' && !isTouchable(frame['url']);
}
