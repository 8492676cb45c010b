// One tab that the debugger is attached to: what waits in it, and what it is prepared with. State and constants only; debuggee.js
// sends and decides when. Nothing of it is stored: a worker that starts again attaches again (invariant 8).

/** @import { JsonObject } from './types.js' */
/** @import { Refusal } from './codes.js' */

import { DocumentRequests } from './document_requests.js';
import { FrameProcesses } from './frame_processes.js';
import { Traffic } from './traffic.js';

/** Older input is long past by the time a page tells of a press. */
const MOST_INPUT_TIMES = 64;

export class AttachedTab {
  constructor() {
    /** Settles when the tab can take calls; null from then on, so that calls need not wait. @type {Promise<void> | null} */
    this.attaching = null;
    /** How to fail each call that waits, and the frame's process it is in. @type {Map<(refusal: Refusal) => void, string | undefined>} */
    this.pending = new Map();
    /** Input that the page has not handled yet. @type {Set<Promise<unknown>>} */
    this.inputs = new Set();
    /** When our last inputs were under way, in milliseconds since 1970. @type {{ fromMs: number, toMs: number }[]} */
    this.inputTimes = [];
    /** Frames in processes of their own. */
    this.processes = new FrameProcesses();
    /** Requests of the tab's pages, while they are reported. */
    this.traffic = new Traffic();
    /** By process (undefined is the tab's own): whether it has answered that it reports. @type {Map<string | undefined, { isAnswered: boolean }>} */
    this.reports = new Map();
    /** Those among them that bring documents. */
    this.documents = new DocumentRequests();
    /** Whether what input set off is being followed until it comes to rest. */
    this.isFollowingInput = false;
    /** Whether file choosers are kept from being shown. */
    this.interceptsChoosers = false;
    this.isCrashed = false;
    this.hasDialog = false;
  }

  /**
   * Input of ours is under way from now on.
   * @param {() => number} now
   * @returns {() => void} to be called at its end
   */
  noteInput(now) {
    const time = { fromMs: now(), toMs: Infinity };
    this.inputTimes.push(time);
    if (this.inputTimes.length > MOST_INPUT_TIMES) this.inputTimes.shift();
    return () => { time.toMs = now(); };
  }

  /** @param {Refusal} refusal */
  failAll(refusal) {
    for (const fail of this.pending.keys()) fail(refusal);
    this.pending.clear();
  }

  /**
   * Fails what waits in a frame's process.
   * @param {string} sessionId
   * @param {Refusal} refusal
   */
  failIn(sessionId, refusal) {
    for (const [fail, session] of this.pending) if (session === sessionId) fail(refusal);
  }
}

/** Frames in other processes are attached by the browser, and those below them; what else it attaches is left alone. */
const AUTO_ATTACH = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true };

/** How requests are reported where somebody asked for it (network_watch.js): their bodies are not kept. */
export const REPORT_REQUESTS = { maxTotalBufferSize: 1, maxResourceBufferSize: 1, maxPostDataSize: 0 };

/** What a frame in a process of its own is prepared with. @type {[string, JsonObject][]} */
export const FRAME_SETUP = [
  ['Inspector.enable', {}],
  ['Page.enable', {}],
  ['Target.setAutoAttach', AUTO_ATTACH],
];

/** `Inspector.enable` first, since it reports a page that has crashed already. @type {[string, JsonObject][]} */
export const SETUP = [
  ['Inspector.enable', {}],
  ['Page.enable', {}],
  ['Page.setLifecycleEventsEnabled', { enabled: true }],
  ['Emulation.setFocusEmulationEnabled', { enabled: true }],
  // What an earlier worker may have left on; the frames' own sessions are new.
  ['Page.setInterceptFileChooserDialog', { enabled: false }],
  // Off and on: after a restart of this worker the frames are attached already and would not be told again.
  ['Target.setAutoAttach', { ...AUTO_ATTACH, autoAttach: false }],
  ['Target.setAutoAttach', AUTO_ATTACH],
];
