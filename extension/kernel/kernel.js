// The kernel put together: which part hears which event of the browser, and which handler carries out which call.
// Everything it needs comes in as `Surroundings`, so a test can start it twice on the same storage, as a worker restart does.
// Listeners are added while this runs, before anything is awaited: Chrome wakes the worker only for those. Every handler waits
// for the stored state first (invariant 8). What is here only connects; the rules are in guard.js and policy/.

/** @import { EndCause, Flushed, HostMessage, Session, Surroundings, TabClaim } from './types.js' */
/** @import { Known } from './guard.js' */
/** @import { Handlers } from './requests.js' */

import { Admission } from './admission.js';
import { Answers } from './answers.js';
import { Badge } from './badge.js';
import { Borrow } from './borrow.js';
import { pageNavigated } from './cdp_errors.js';
import { Consent } from './consent.js';
import { Debuggees } from './debuggee.js';
import { Downloads } from './downloads.js';
import { Evaluate } from './evaluate.js';
import { Events } from './events.js';
import { Fill } from './fill.js';
import { FocusGuard } from './focus_guard.js';
import { Frames } from './frames.js';
import { guard, switchedOff } from './guard.js';
import { HeldInput } from './held_input.js';
import { Help } from './help.js';
import { Highlights } from './highlights.js';
import { stepHistory } from './history.js';
import { hello } from './identity.js';
import { Idle } from './idle.js';
import { Interrupts } from './interrupts.js';
import { LostWindows } from './lost_windows.js';
import { Orphans } from './orphans.js';
import { OwnWindows } from './own_windows.js';
import { Ownership } from './ownership.js';
import { PageCalls } from './page_calls.js';
import { PopupMessages } from './popup_messages.js';
import { HostPort } from './port.js';
import { Requests } from './requests.js';
import { Sessions } from './sessions.js';
import { Settings } from './settings.js';
import { SettingsMessages } from './settings_messages.js';
import { ShadowRoots } from './shadow_roots.js';
import { isObject } from './shape.js';
import { Sites } from './sites.js';
import { TabGroups } from './tab_groups.js';
import { Tabs } from './tabs.js';
import { Uploads } from './uploads.js';
import { USER_INPUT_BINDING, UserInput } from './user_input.js';

/** Wakes the worker for what it may have missed: a host that came back, a session that became idle. */
const ALARM = 'tick';
const ALARM_MINUTES = 0.5;

/**
 * Starts the kernel.
 * @param {Surroundings} around
 */
export function startKernel(around) {
  const { chrome } = around;
  const ownership = new Ownership(around);
  const settings = new Settings(around, () => void applySettings());
  const sites = new Sites(settings);
  const events = new Events(ownership, (event) => port.post({ event }), () => popup.changed());
  const debuggees = new Debuggees(around, {
    event: (tabId, method, params) => cdpEvent(tabId, method, params),
    documentRequest: (tabId, request) => {
      if (ownership.claim(tabId) !== undefined) events.documentRequest(tabId, request);
    },
    shows: (tabId, url) => sites.shows(tabId, url, ownership.claim(tabId)),
    frameShows: (tabId, frameId, url) => sites.frameShows(tabId, frameId, { url }),
    crashed: (tabId) => tabs.lost(tabId, 'crashed', false),
    detached: (tabId, cause) => tabs.lost(tabId, cause === 'foreign_frame' ? cause : 'detached', cause === 'user'),
  });
  const heldInput = new HeldInput(debuggees);
  const groups = new TabGroups(around, ownership);
  const pageCalls = new PageCalls(around, debuggees, ownership);
  const answers = new Answers(around);
  const frames = new Frames(around, debuggees, ownership, pageCalls, { sites, answers });
  const shadowRoots = new ShadowRoots(debuggees, pageCalls);
  const fill = new Fill(around, { debuggees, pageCalls });
  const evaluate = new Evaluate(settings, debuggees, pageCalls);
  const ownWindows = new OwnWindows(around);
  const consent = new Consent(around, { windows: ownWindows, answers, changed: showState });
  const admission = new Admission({ consent, ownership, sites, frames, asking: (sessionId, isOpen) => events.asking(sessionId, isOpen) });
  const borrow = new Borrow(around, {
    ownership, debuggees, events, groups, pageCalls, consent, sites, changed: (session, tab) => interrupts.borrowed(session, tab),
  });
  const sessions = new Sessions(around, { ownership, debuggees, events, groups, borrow, ended });
  const lost = new LostWindows(around);
  const orphans = new Orphans(around, { ownership, borrow, lost });
  const interrupts = new Interrupts(around, { ownership, sessions, groups });
  const focusGuard = new FocusGuard(around, ownership);
  const userInput = new UserInput(debuggees, events);
  const tabs = new Tabs(around, { ownership, debuggees, events, groups, pageCalls, settings, sites });
  const highlights = new Highlights(around, { debuggees, pageCalls });
  const help = new Help(around, { windows: ownWindows, highlights, tabs, changed: showState });
  const uploads = new Uploads(around, { admission, consent, debuggees, frames, ownership, pageCalls, settings, sites });
  const downloads = new Downloads(around, { admission, consent, debuggees, settings, sites });
  const idle = new Idle(around, ownership, (sessionId) => requests.isBusy(sessionId), (session) => void sessions.end(session, 'idle'));

  /** @type {Known} */
  const known = { ownership, settings, sites, isWithUser: (sessionId) => help.isOpen(sessionId) };
  /** @type {Handlers} */
  const handlers = {
    profile: () => tabs.profile(),
    async session_start(args, _grant, signal) {
      const open = () => sessions.start(args, signal);
      const record = await (args.focus ? open() : focusGuard.openBehind(open));
      // Switched off while the window opened: then nobody else ends this session.
      if (!settings.values.enabled) {
        await endAll();
        throw switchedOff(settings);
      }
      idle.check();
      // Ahead of the first command: the browser's notice about debugging moves the page, which should not happen under a click.
      if (record.active_tab_id !== undefined) debuggees.attach(record.active_tab_id).catch(() => {});
      return record;
    },
    session_stop: (_args, { session }) => sessions.end(session, 'stopped'),
    tab_list: ({ scope }, { session }) => tabs.list(session, scope),
    // An address that the user has to be asked for got its yes on the way here.
    tab_create(args, { session }) {
      focusGuard.acts(session.sessionId);
      return tabs.create(session, args, sites.checkVisit(args.url ?? '', null)?.origin);
    },
    tab_close: (_args, { session, claim }) => tabs.close(session, claim),
    tab_select(_args, { session, claim }) {
      focusGuard.acts(session.sessionId);
      return tabs.select(session, claim);
    },
    tab_borrow: async (args, { session }, signal) => tabs.recordOf(session, await borrow.borrow(session, args, signal)),
    help_request(args, { session, claim }, signal) {
      focusGuard.forget(session.sessionId);
      return help.request(session, claim, args, signal);
    },
    upload_open: (args, { session, claim }, signal) => uploads.open(session, claim, args, signal),
    upload_arm: (_args, { claim }) => uploads.arm(claim),
    upload_chooser: (args, { claim }) => uploads.chooser(claim, args),
    upload_take: (args, { claim }) => uploads.take(claim, args),
    upload_drag: (args, { claim }) => uploads.drag(claim, args),
    upload_close: (_args, { session }) => uploads.close(session.sessionId),
    download_open: (args, { session, claim }) => downloads.open(session, claim, args),
    download_take: (args, { session }) => downloads.take(session, args),
    download_progress: (_args, { session }) => downloads.progress(session),
    download_close: ({ is_kept }, { session }) => downloads.close(session.sessionId, is_kept),
    download_folders: () => downloads.leftFolders(),
    tab_return: async (_args, { session, claim }) => ({ tab_id: claim.tabId, ...await borrow.returnTab(session, claim) }),
    window_resize: (args, { session }) => tabs.resizeWindow(session, args),
    async subscribe(args, { claim }) {
      events.subscribe(claim.tabId, args.events);
      await debuggees.attach(claim.tabId);
      return {};
    },
    frames: (_args, { claim }) => frames.list(claim),
    flush: ({ frame, opened_ms }, { claim }) => flush(claim, frame, opened_ms),
    fill: (args, { session, claim }, signal) => fill.run(claim, args, {
      allow() {
        if (signal.aborted || guard({ name: 'fill', args }, known).need !== null) throw pageNavigated(claim.tabId);
        focusGuard.acts(session.sessionId);
      },
      flush: () => flush(claim, undefined, args.opened_ms),
    }),
    network_watch: (_args, { claim }, over) => debuggees.watchNetwork(claim.tabId, over),
    network_quiet: (args, { claim }, over) => debuggees.networkQuiet(claim.tabId, args.quiet_ms, args.timeout_ms, over),
    frame_quad: ({ frame }, { claim }) => frames.quad(claim, frame),
    shadow_roots: ({ frame }, { claim }) => shadowRoots.find(claim, frame),
    cdp({ method, params }, { session, claim }) {
      if (method.startsWith('Input.')) focusGuard.acts(session.sessionId);
      const send = () => debuggees.send(claim.tabId, method, heldInput.pass(claim.tabId, method, params));
      return method === 'Page.captureScreenshot' ? highlights.without(claim.tabId, send) : send();
    },
    page: (args, { claim }) => pageCalls.call(claim, args.frame, args.function, args.args),
    evaluate: (args, { claim }) => evaluate.run(claim, args),
    history_step: ({ delta }, { session, claim }, signal) =>
      stepHistory(debuggees, claim, delta, (url) => admission.visit(session, claim, url)),
  };
  const requests = new Requests({
    known, admission, handlers,
    reply: (id, outcome) => port.post({ reply: { id, outcome } }),
    touch: (session) => idle.touch(session),
    // An id that no tab can have throws at once instead of answering.
    isOpenTab: async (tabId) => chrome.tabs.get(tabId).then(() => true, () => false),
    now: () => around.now(),
    changed: () => badge.worked(),
  });
  const port = new HostPort(around, {
    hello: async () => {
      await ready;
      return hello(around, ownership, settings);
    },
    received,
    lost() {
      requests.forgetAll();
      events.hostChanged();
      heldInput.letGo();
      uploads.closeAll();
      downloads.closeAll();
    },
    changed: showState,
  });
  const badge = new Badge(around, {
    look: () => ({ connection: port.state, isNeeded: consent.isAsking || help.isAsking }),
    workSince: () => requests.oldestSinceMs,
  });
  const popup = new PopupMessages(around, { ownership, sessions, port, windows: ownWindows });
  const settingsMessages = new SettingsMessages(around, { settings, answers, windows: ownWindows });

  /**
   * Gives word when the browser is through with the input sent before, and what came of it.
   * @param {TabClaim} claim
   * @param {number | undefined} frame whose page library is asked what changed
   * @param {number | undefined} opened_ms how long a tab that the page opened may take to get its address
   * @returns {Promise<Flushed>}
   */
  async function flush(claim, frame, opened_ms) {
    const outcome = await debuggees.flush(claim.tabId, async () => (
      // A page that was replaced has nothing to tell, and that is told by events.
      frame === undefined ? null : pageCalls.call(claim, frame, 'outcome', {}).catch(() => null)
    ));
    // A tab that the input opened is told when it is stored, which takes a moment longer.
    const opened = await tabs.openedBy(claim.tabId, opened_ms ?? 0);
    return { ...(outcome === null ? {} : { outcome }), ...(opened.length === 0 ? {} : { opened }) };
  }

  /**
   * @param {HostMessage} message
   */
  function received(message) {
    if (message.kind === 'request') requests.begin(message.id, message.call);
    if (message.kind === 'bad_request') port.post({ reply: { id: message.id, outcome: { failed: message.failure } } });
    if (message.kind === 'cancel') requests.cancel(message.id);
    if (message.kind === 'note') popup.noted(message.sessionId, message.command);
  }

  /**
   * @param {Session} session
   * @param {EndCause} cause
   */
  function ended(session, cause) {
    requests.sessionEnded(session.sessionId, cause);
    popup.forgetSession(session.sessionId);
    admission.sessionEnded(session.sessionId);
    void answers.forgetSession(session.sessionId);
    interrupts.sessionEnded(session.sessionId);
    focusGuard.forget(session.sessionId);
    uploads.close(session.sessionId);
    void downloads.close(session.sessionId, false);
  }

  /**
   * @param {number} tabId
   * @param {string} method
   * @param {Record<string, unknown>} params
   */
  function cdpEvent(tabId, method, params) {
    const claim = ownership.claim(tabId);
    if (claim === undefined) return;
    if (method === 'Runtime.bindingCalled') {
      if (params['name'] === USER_INPUT_BINDING) userInput.pressed(claim, params['payload']);
      return;
    }
    const { frame, frameId, reason } = params;
    if (method === 'Page.frameNavigated' && isObject(frame) && typeof frame['id'] === 'string') {
      pageCalls.frameNavigated(claim, frame['id'], frame['parentId'] === undefined);
      if (frame['parentId'] === undefined) {
        heldInput.documentGone(tabId);
        highlights.navigated(tabId);
        if (typeof frame['url'] === 'string') {
          tabs.wentTo(tabId, frame['url']);
          sites.shows(tabId, frame['url'], claim);
        }
      } else {
        sites.frameShows(tabId, frame['id'], {
          url: text(frame['url']), creator: text(frame['securityOrigin']), parentId: text(frame['parentId']),
        });
      }
    }
    // `swap` means that the frame goes on in another process.
    if (method === 'Page.frameDetached' && reason !== 'swap' && typeof frameId === 'string') {
      ownership.dropFrame(claim, frameId);
      sites.forgetFrame(tabId, frameId);
    }
    if (method === 'Page.downloadWillBegin') downloads.announced(tabId, params['url']);
    if (method === 'Page.fileChooserOpened') {
      uploads.chooserOpened(tabId, params);
      return;
    }
    if (method === 'Input.dragIntercepted') {
      // What the page drags is not the host's to read.
      heldInput.dragIntercepted(tabId, params);
      events.cdp(tabId, method, {});
      return;
    }
    // That a dialog is open is the host's to know; what a closed site says in it is not.
    const isHushed = method === 'Page.javascriptDialogOpening' && sites.isClosed(claim, params['url']);
    events.cdp(tabId, method, isHushed ? { ...params, message: '', defaultPrompt: '' } : params);
  }

  /**
   * The tab's own news of what it shows: while it is attached the debugger tells that earlier, but not of a page that was prepared.
   * @param {number} tabId
   * @param {{ url?: string, status?: string }} change
   * @param {{ url?: string | undefined }} tab
   */
  function tabUpdated(tabId, change, tab) {
    const claim = ownership.claim(tabId);
    if (claim === undefined || (debuggees.isAttached(tabId) ? change.status !== 'complete' : change.url === undefined)) return;
    sites.shows(tabId, tab.url ?? '', claim);
  }

  function endAll() {
    return Promise.all(ownership.sessions().map((session) => sessions.end(session, 'user')));
  }

  /** A setting is another one now. */
  async function applySettings() {
    await ready;
    if (!settings.values.enabled) await endAll();
    port.setOn(settings.values.enabled);
    popup.changed();
  }

  /** To the user: in the toolbar and in an open popup. */
  function showState() {
    badge.update();
    popup.changed();
  }

  const ready = (async () => {
    const [lostNow] = await Promise.all([ownership.load(), settings.load(), ownWindows.load(), highlights.load()]);
    await lost.load(lostNow);
    await sessions.resume();
    await uploads.load();
    await downloads.load();
    await groups.load();
    if (!settings.values.enabled) await endAll();
    for (const { id = -1, pendingUrl, url } of await chrome.tabs.query({})) {
      const claim = ownership.claim(id);
      if (claim !== undefined) sites.shows(id, pendingUrl || url || '', claim);
    }
    await orphans.look();
    idle.check();
  })();

  /**
   * A listener that runs once the stored state is there.
   * @template {unknown[]} A
   * @param {(...args: A) => unknown} run
   * @returns {(...args: A) => void}
   */
  const afterLoad = (run) => (...args) => void ready.then(() => run(...args));

  chrome.runtime.onInstalled.addListener(() => port.connect());
  chrome.runtime.onStartup.addListener(() => port.connect());
  chrome.idle.onStateChanged.addListener((state) => {
    if (state === 'active') port.connect();
  });
  chrome.alarms.onAlarm.addListener(afterLoad(() => {
    port.connect();
    idle.check();
  }));
  chrome.tabs.onCreated.addListener(afterLoad((tab) => {
    orphans.tabCreated(tab);
    downloads.tabOpened(tab);
    return tabs.created(tab);
  }));
  chrome.tabGroups.onCreated.addListener(afterLoad(() => orphans.groupChanged()));
  chrome.tabGroups.onUpdated.addListener(afterLoad(() => orphans.groupChanged()));
  chrome.tabs.onRemoved.addListener(afterLoad(async (tabId, { isWindowClosing }) => {
    heldInput.forgetTab(tabId);
    help.tabRemoved(tabId);
    uploads.tabRemoved(tabId);
    const trip = await tabs.removed(tabId, isWindowClosing);
    if (trip !== null) await borrow.reopen(trip);
  }));
  chrome.tabs.onActivated.addListener(afterLoad(({ tabId }) => tabs.activated(tabId)));
  chrome.tabs.onReplaced.addListener(afterLoad((added, removed) => tabs.replaced(added, removed)));
  chrome.windows.onFocusChanged.addListener(afterLoad((windowId) => focusGuard.focusChanged(windowId)));
  chrome.windows.onRemoved.addListener(afterLoad((windowId) => {
    ownWindows.removed(windowId);
    return sessions.windowRemoved(windowId);
  }));
  chrome.debugger.onEvent.addListener(afterLoad((source, method, params) => {
    if (source.tabId === undefined) return;
    if (source.sessionId === undefined) debuggees.onEvent(source.tabId, method, isObject(params) ? params : {});
    else debuggees.onFrameEvent(source.tabId, source.sessionId, method, isObject(params) ? params : {});
  }));
  chrome.debugger.onDetach.addListener(afterLoad((source, reason) => {
    if (source.tabId !== undefined) void debuggees.onDetach(source.tabId, reason);
  }));
  chrome.runtime.onMessage.addListener((message, sender, answer) => {
    const asked = consent.received(message, sender) ?? help.received(message, sender);
    if (asked === undefined) return settingsMessages.received(message, sender, answer) || popup.received(message, sender, answer);
    answer(asked);
    return false;
  });
  chrome.notifications.onButtonClicked.addListener((id, button) => {
    consent.buttonClicked(id, button);
    help.buttonClicked(id, button);
  });
  chrome.notifications.onButtonClicked.addListener(afterLoad((id) => interrupts.buttonClicked(id)));
  chrome.commands.onCommand.addListener(afterLoad((name) => interrupts.command(name)));
  chrome.tabs.onUpdated.addListener(afterLoad((tabId, change, tab) => {
    tabUpdated(tabId, change, tab);
    if (change.url !== undefined) tabs.wentTo(tabId, change.url);
    if (change.groupId !== undefined) interrupts.groupChanged(tabId, change.groupId);
  }));
  chrome.notifications.onClicked.addListener((id) => {
    consent.notificationClicked(id);
    help.notificationClicked(id);
  });
  chrome.storage.onChanged.addListener((changes, area) => void settings.storageChanged(changes, area));

  void chrome.alarms.create(ALARM, { periodInMinutes: ALARM_MINUTES });
  void settings.load().then(() => port.setOn(settings.values.enabled));
}

/** @param {unknown} value */
function text(value) {
  return typeof value === 'string' ? value : '';
}
