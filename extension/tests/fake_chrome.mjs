// A browser in memory: as much of `chrome.*` as the kernel uses, with a debugger that answers what a test tells it to.
// Storage, tabs and windows outlive a kernel, so starting a second kernel on the same browser is what a worker restart is.
// Time stands still until a test moves it. Answers later than it is asked, as Chrome does, and never on its own.

/** @typedef {(params: any, tabId: number, sessionId?: string) => unknown} CdpAnswer `sessionId` of a frame in a process of its own */

/** A list of listeners, as `chrome.*.on…` is. */
class FakeEvent {
  constructor() {
    /** @type {((...args: any[]) => unknown)[]} */
    this.listeners = [];
  }

  /** @param {(...args: any[]) => unknown} listener */
  addListener(listener) {
    this.listeners.push(listener);
  }

  /** @param {(...args: any[]) => unknown} listener */
  removeListener(listener) {
    this.listeners = this.listeners.filter((other) => other !== listener);
  }

  /** @param {unknown[]} args */
  fire(...args) {
    return this.listeners.map((listener) => listener(...args));
  }
}

class FakeStorage {
  constructor() {
    /** @type {Record<string, unknown>} */
    this.values = {};
    this.writes = 0;
  }

  /** @param {string | string[] | null} [keys] */
  async get(keys) {
    const wanted = keys === undefined || keys === null ? Object.keys(this.values) : [keys].flat();
    return structuredClone(Object.fromEntries(wanted.filter((key) => key in this.values).map((key) => [key, this.values[key]])));
  }

  /** @param {Record<string, unknown>} values */
  async set(values) {
    this.writes += 1;
    const copy = structuredClone(values);
    await null;
    Object.assign(this.values, copy);
  }
}

/** The kernel's end of the native port, and what a test does as the host. */
class FakePort {
  constructor() {
    this.onMessage = new FakeEvent();
    this.onDisconnect = new FakeEvent();
    /** What the kernel sent. @type {any[]} */
    this.sent = [];
    this.isOpen = true;
    /** Its worker is dead: code that a test can not stop may still speak. */
    this.isOrphaned = false;
    /** The longest JSON that passes, in UTF-16 units. */
    this.limit = Infinity;
  }

  /** @param {unknown} message */
  postMessage(message) {
    if (this.isOrphaned) return;
    if (!this.isOpen) throw new Error('Attempting to use a disconnected port object');
    const text = JSON.stringify(message);
    if (text.length > this.limit) throw new Error('Message length exceeded maximum allowed length.');
    this.sent.push(JSON.parse(text));
  }

  disconnect() {
    this.isOpen = false;
  }
}

export class FakeBrowser {
  constructor() {
    this.now = 1_000_000;
    /** @type {{ id: number, at: number, run: () => void }[]} */
    this.timers = [];
    this.nextId = 100;
    this.session = new FakeStorage();
    this.local = new FakeStorage();
    this.managed = new FakeStorage();
    /** @type {Map<number, any>} */
    this.tabs = new Map();
    /** @type {Map<number, any>} */
    this.windows = new Map();
    /** @type {Map<number, any>} */
    this.groups = new Map();
    /** @type {Set<number>} */
    this.attached = new Set();
    /** Tabs with a frame of another extension. @type {Set<number>} */
    this.foreign = new Set();
    /** What `chrome.debugger.getTargets` gives. @type {{ type: string, url: string }[]} */
    this.targets = [];
    /** Every debugger call. @type {{ tabId: number, method: string, params: any, sessionId?: string }[]} */
    this.calls = [];
    /** @type {Record<string, CdpAnswer>} */
    this.cdp = {
      'Page.getFrameTree': (_params, tabId) => ({ frameTree: { frame: { id: `main-${tabId}`, url: 'https://a.test/' } } }),
      'Page.createIsolatedWorld': () => ({ executionContextId: this.nextId++ }),
      'Runtime.callFunctionOn': () => ({ result: { value: { ok: {}, next_ref: 1 } } }),
    };
    /** @type {FakePort[]} */
    this.ports = [];
    /** What `connectNative` fails with, at once. @type {string | null} */
    this.hostError = null;
    /** Messages to other extension pages. @type {any[]} */
    this.broadcasts = [];
    /** What the toolbar button shows. @type {{ text?: string, title?: string, color?: string, calls: number }} */
    this.face = { calls: 0 };
    /** What the browser downloads, by id. @type {Map<number, any>} */
    this.downloads = new Map();
    /** Addresses that were asked for as downloads. @type {string[]} */
    this.asked = [];
    /** Calls to cancel a download and to delete its file. @type {[string, number][]} */
    this.ended = [];
    /** Shown notifications by id. @type {Map<string, any>} */
    this.notifications = new Map();
    this.userWindow = this.addWindow('normal');
    this.userTab = this.addTab({ windowId: this.userWindow.id, url: 'https://bank.test/', active: true });
  }

  /** @param {string} type */
  addWindow(type) {
    const window = { id: this.nextId++, type, state: 'normal', incognito: false, left: 0, top: 0, width: 800, height: 600 };
    this.windows.set(window.id, window);
    return window;
  }

  /** @param {{ windowId: number, url?: string, active?: boolean, openerTabId?: number, index?: number }} options */
  addTab({ windowId, url = 'about:blank', active = false, openerTabId, index }) {
    const tab = {
      id: this.nextId++, windowId, url, title: url, active, groupId: -1,
      index: index ?? [...this.tabs.values()].filter((other) => other.windowId === windowId).length,
      ...(openerTabId === undefined ? {} : { openerTabId }),
    };
    if (active) for (const other of this.tabs.values()) if (other.windowId === windowId) other.active = false;
    this.tabs.set(tab.id, tab);
    return tab;
  }

  /** Puts a tab into a window; -1 is its end. @param {any} tab @param {number} windowId @param {number} index */
  placeTab(tab, windowId, index) {
    const inOrder = (/** @type {number} */ id) =>
      [...this.tabs.values()].filter((other) => other.windowId === id && other !== tab).sort((a, b) => a.index - b.index);
    const left = inOrder(tab.windowId);
    if (tab.windowId !== windowId) left.forEach((other, place) => { other.index = place; });
    const others = inOrder(windowId);
    others.splice(index === -1 ? others.length : index, 0, tab);
    tab.windowId = windowId;
    others.forEach((other, place) => { other.index = place; });
  }

  /** One worker's `chrome`; listeners die with the worker. */
  worker() {
    const worker = new FakeWorker(this);
    return worker;
  }

  /**
   * The browser crashes and starts again with one empty window of the user; every id is new.
   * @returns {() => void} restores the windows of before, as Chromium does: no popups, groups with name and colour
   */
  crash() {
    const saved = { tabs: [...this.tabs.values()], windows: this.windows, groups: this.groups };
    this.session = new FakeStorage();
    [this.tabs, this.windows, this.groups] = [new Map(), new Map(), new Map()];
    this.attached.clear();
    this.userWindow = this.addWindow('normal');
    this.userTab = this.addTab({ windowId: this.userWindow.id, url: 'chrome://newtab/', active: true });
    return () => {
      const ids = new Map();
      const renamed = (/** @type {number} */ id) => ids.get(id) ?? ids.set(id, this.nextId++).get(id);
      for (const tab of saved.tabs.sort((a, b) => a.index - b.index)) {
        const window = saved.windows.get(tab.windowId);
        if (window.type !== 'normal') continue;
        if (!ids.has(window.id)) this.windows.set(renamed(window.id), { ...window, id: renamed(window.id) });
        const restored = this.addTab({ windowId: renamed(window.id), url: tab.url, active: tab.active });
        if (tab.groupId < 0) continue;
        restored.groupId = renamed(tab.groupId);
        this.groups.set(restored.groupId, { ...saved.groups.get(tab.groupId), id: restored.groupId });
      }
    };
  }

  /** @param {number} milliseconds */
  async advance(milliseconds) {
    const end = this.now + milliseconds;
    for (;;) {
      await settled();
      this.timers.sort((a, b) => a.at - b.at);
      const next = this.timers[0];
      if (next === undefined || next.at > end) break;
      this.timers.shift();
      this.now = next.at;
      next.run();
    }
    this.now = end;
    await settled();
  }
}

/** Lets everything that is ready run. */
export async function settled() {
  for (let round = 0; round < 30; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

export class FakeWorker {
  /** @param {FakeBrowser} browser */
  constructor(browser) {
    this.browser = browser;
    /** @type {any} */
    this.lastError = undefined;
    this.isDead = false;
    this.events = Object.fromEntries([
      'runtime.onInstalled', 'runtime.onStartup', 'runtime.onMessage', 'idle.onStateChanged', 'alarms.onAlarm', 'tabs.onCreated',
      'tabs.onRemoved', 'tabs.onActivated', 'tabs.onReplaced', 'tabs.onUpdated', 'windows.onRemoved', 'windows.onFocusChanged', 'debugger.onEvent', 'debugger.onDetach',
      'downloads.onCreated', 'downloads.onChanged', 'downloads.onErased', 'downloads.onDeterminingFilename', 'webNavigation.onBeforeNavigate', 'webNavigation.onCommitted',
      'tabGroups.onCreated', 'tabGroups.onUpdated', 'storage.onChanged', 'notifications.onButtonClicked', 'notifications.onClicked', 'commands.onCommand',
    ].map((name) => [name, new FakeEvent()]));
    /** @type {any} */
    this.chrome = {
      action: this.action(),
      alarms: { create: async () => {}, ...this.on('alarms.onAlarm') },
      idle: this.on('idle.onStateChanged'),
      storage: { session: browser.session, local: browser.local, managed: browser.managed, ...this.on('storage.onChanged') },
      runtime: this.runtime(),
      tabs: this.tabs(),
      windows: this.windows(),
      tabGroups: this.tabGroups(),
      debugger: this.debugger(), downloads: this.downloads(), webNavigation: this.on('webNavigation.onBeforeNavigate', 'webNavigation.onCommitted'),
      i18n: { getMessage: (/** @type {string} */ key, /** @type {string[]} */ words = []) => [key, ...words].join(' ') },
      notifications: this.notifications(),
      commands: this.on('commands.onCommand'),
    };
    /** Calls so far of what is awaited and changes or reads the browser. */
    this.calls = 0;
    /** The call that the worker does not survive, and whether the browser still carries it out. */
    this.fatal = { call: Infinity, isCarriedOut: false };
    const { chrome } = this;
    for (const name of ['tabs', 'windows', 'tabGroups']) chrome[name] = this.mortal(chrome[name]);
    chrome.storage = { ...chrome.storage, session: this.mortal(browser.session), local: this.mortal(browser.local) };
  }

  /**
   * The same calls, any of which may be the worker's last.
   * @param {any} api
   * @returns {any}
   */
  mortal(api) {
    const wrapped = (/** @type {(...args: any[]) => Promise<unknown>} */ run) => (/** @type {any[]} */ ...args) => {
      if (this.isDead) return new Promise(() => {});
      this.calls += 1;
      if (this.calls < this.fatal.call) return run(...args);
      if (this.fatal.isCarriedOut) run(...args).catch(() => {});
      this.die();
      return new Promise(() => {});
    };
    return new Proxy(api, {
      get: (target, name) => (typeof target[name] === 'function' ? wrapped(target[name].bind(target)) : target[name]),
    });
  }

  action() {
    const { face } = this.browser;
    const note = (/** @type {object} */ change) => {
      Object.assign(face, change);
      face.calls += 1;
      return Promise.resolve();
    };
    return {
      setBadgeText: note, setTitle: note, setBadgeTextColor: async () => {},
      setBadgeBackgroundColor: async (/** @type {{ color: string }} */ { color }) => { face.color = color; },
    };
  }

  notifications() {
    const { browser } = this;
    return {
      create: async (/** @type {string} */ id, /** @type {any} */ options) => {
        browser.notifications.set(id, options);
        return id;
      },
      clear: async (/** @type {string} */ id) => browser.notifications.delete(id),
      ...this.on('notifications.onButtonClicked', 'notifications.onClicked'),
    };
  }

  /** @param {string[]} names */
  on(...names) {
    return Object.fromEntries(names.map((name) => [name.split('.')[1], this.events[name]]));
  }

  /** @param {string} name @param {unknown[]} args */
  fire(name, ...args) {
    return this.events[name]?.fire(...args);
  }

  /** The worker is gone: nobody listens, timers are lost, the port is closed, no call is answered. */
  die() {
    this.isDead = true;
    for (const event of Object.values(this.events)) event.listeners = [];
    this.browser.timers = [];
    const port = this.browser.ports.at(-1);
    if (port === undefined) return;
    port.disconnect();
    port.isOrphaned = true;
    port.onMessage.listeners.splice(0);
  }

  runtime() {
    const { browser } = this;
    const worker = this;
    return {
      id: 'mkanjamcijbnmjcfflodkihinjackdpc',
      getManifest: () => ({ version: '0.1.0' }),
      getURL: (/** @type {string} */ path) => `chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/${path}`,
      get lastError() {
        return worker.lastError;
      },
      connectNative() {
        const port = new FakePort();
        browser.ports.push(port);
        if (browser.hostError !== null) setImmediate(() => worker.loseHost(browser.hostError ?? undefined));
        return port;
      },
      sendMessage: async (/** @type {unknown} */ message) => {
        browser.broadcasts.push(message);
      },
      ...this.on('runtime.onInstalled', 'runtime.onStartup', 'runtime.onMessage'),
    };
  }

  /** The host ends. @param {string} [message] */
  loseHost(message = 'Native host has exited.') {
    const port = this.browser.ports.at(-1);
    if (port === undefined) return;
    port.isOpen = false;
    this.lastError = { message };
    port.onDisconnect.fire(port);
    this.lastError = undefined;
  }

  tabs() {
    const { browser } = this;
    const known = (/** @type {number} */ id) => {
      const tab = browser.tabs.get(id);
      if (tab === undefined) throw new Error(`No tab with id: ${id}.`);
      return tab;
    };
    return {
      get: async (/** @type {number} */ id) => known(id),
      query: async (/** @type {{ windowId?: number }} */ { windowId }) =>
        [...browser.tabs.values()].filter((tab) => windowId === undefined || tab.windowId === windowId),
      create: async (/** @type {any} */ options) => {
        const tab = browser.addTab(options);
        this.fire('tabs.onCreated', tab);
        return tab;
      },
      update: async (/** @type {number} */ id, /** @type {any} */ { active, url, pinned, autoDiscardable }) => {
        const tab = known(id);
        if (pinned !== undefined) tab.pinned = pinned;
        if (autoDiscardable !== undefined) tab.autoDiscardable = autoDiscardable;
        if (url !== undefined) {
          tab.url = url;
          browser.foreign.delete(id);
          this.fire('tabs.onUpdated', id, { url }, tab);
        }
        if (active) for (const other of browser.tabs.values()) if (other.windowId === tab.windowId) other.active = other === tab;
        if (active) this.fire('tabs.onActivated', { tabId: id, windowId: tab.windowId });
        return tab;
      },
      remove: async (/** @type {number} */ id) => {
        known(id);
        this.closeTab(id);
      },
      move: async (/** @type {number} */ id, /** @type {{ windowId?: number, index: number }} */ { windowId, index }) => {
        const tab = known(id);
        const from = tab.windowId;
        if (windowId !== undefined && !browser.windows.has(windowId)) throw new Error(`No window with id: ${windowId}.`);
        browser.placeTab(tab, windowId ?? from, index);
        if (from !== tab.windowId) {
          tab.groupId = -1;
          if (![...browser.tabs.values()].some((other) => other.windowId === from)) this.closeWindow(from);
        }
        return tab;
      },
      ungroup: async (/** @type {number[]} */ ids) => {
        for (const id of ids) known(id).groupId = -1;
      },
      reload: async (/** @type {number} */ id) => {
        known(id).discarded = false;
      },
      group: async (/** @type {any} */ { groupId = browser.nextId++, tabIds }) => {
        for (const id of tabIds) known(id).groupId = groupId;
        const windowId = known(tabIds[0]).windowId;
        browser.groups.set(groupId, { id: groupId, windowId, ...browser.groups.get(groupId) });
        return groupId;
      },
      ...this.on('tabs.onCreated', 'tabs.onRemoved', 'tabs.onActivated', 'tabs.onReplaced', 'tabs.onUpdated'),
    };
  }

  /** A tab is closed, by whomever; its window goes with its last tab. @param {number} id */
  closeTab(id) {
    const { browser } = this;
    const { windowId } = browser.tabs.get(id);
    browser.tabs.delete(id);
    if (browser.attached.delete(id)) this.fire('debugger.onDetach', { tabId: id }, 'target_closed');
    const isLast = ![...browser.tabs.values()].some((tab) => tab.windowId === windowId);
    this.fire('tabs.onRemoved', id, { windowId, isWindowClosing: isLast });
    if (!isLast) return;
    this.closeWindow(windowId);
  }

  /** A window is closed with all its tabs. @param {number} windowId */
  closeWindow(windowId) {
    const { browser } = this;
    for (const tab of [...browser.tabs.values()].filter((other) => other.windowId === windowId)) {
      browser.tabs.delete(tab.id);
      this.fire('tabs.onRemoved', tab.id, { windowId, isWindowClosing: true });
    }
    browser.windows.delete(windowId);
    this.fire('windows.onRemoved', windowId);
  }

  /** Another extension puts a frame into a tab. @param {number} id */
  addForeignFrame(id) {
    this.browser.foreign.add(id);
    if (this.browser.attached.delete(id)) this.fire('debugger.onDetach', { tabId: id }, 'target_closed');
  }

  /** A tab goes where Chrome lets no extension follow. @param {number} id @param {string} url */
  forbidPage(id, url) {
    this.browser.tabs.get(id).url = url;
    if (this.browser.attached.delete(id)) this.fire('debugger.onDetach', { tabId: id }, 'target_closed');
  }

  windows() {
    const { browser } = this;
    const known = (/** @type {number} */ id) => {
      const window = browser.windows.get(id);
      if (window === undefined) throw new Error(`No window with id: ${id}.`);
      return window;
    };
    return {
      create: async (/** @type {any} */ { url, type = 'normal', width, height, tabId }) => {
        const window = browser.addWindow(type);
        Object.assign(window, { width: width ?? 800, height: height ?? 600 });
        if (tabId !== undefined) {
          const moved = await this.chrome.tabs.move(tabId, { windowId: window.id, index: -1 });
          return { ...window, tabs: [moved] };
        }
        const tab = browser.addTab({ windowId: window.id, url, active: true });
        this.fire('tabs.onCreated', tab);
        return { ...window, tabs: [tab] };
      },
      get: async (/** @type {number} */ id) => known(id),
      getAll: async (/** @type {{ windowTypes?: string[] }} */ { windowTypes } = {}) =>
        [...browser.windows.values()].filter((window) => windowTypes === undefined || windowTypes.includes(window.type)),
      getLastFocused: async () => [...browser.windows.values()].find(({ focused }) => focused === true) ?? browser.userWindow,
      remove: async (/** @type {number} */ id) => {
        known(id);
        this.closeWindow(id);
      },
      update: async (/** @type {number} */ id, /** @type {any} */ changes) => Object.assign(known(id), changes),
      ...this.on('windows.onRemoved', 'windows.onFocusChanged'),
    };
  }

  tabGroups() {
    const { browser } = this;
    return {
      update: async (/** @type {number} */ id, /** @type {any} */ changes) => Object.assign(browser.groups.get(id) ?? {}, changes),
      query: async (/** @type {any} */ { color }) => {
        const inUse = [...browser.groups.values()].filter(({ id }) => [...browser.tabs.values()].some((tab) => tab.groupId === id));
        return inUse.filter((group) => color === undefined || group.color === color)
          .map((group) => ({ ...group, windowId: [...browser.tabs.values()].find((tab) => tab.groupId === group.id).windowId }));
      },
      ...this.on('tabGroups.onCreated', 'tabGroups.onUpdated'),
    };
  }

  downloads() {
    const { browser } = this;
    /** @param {string} how @param {number} id @param {object} change */
    const end = async (how, id, change) => {
      browser.ended.push([how, id]);
      const item = browser.downloads.get(id);
      if (item === undefined) throw new Error('Invalid downloadId');
      if (how === 'cancel' && item.state !== 'in_progress') return;
      Object.assign(item, change);
      if (how === 'cancel') this.fire('downloads.onChanged', { id, state: { current: 'interrupted' } });
    };
    return {
      download: async (/** @type {{ url: string }} */ { url }) => browser.asked.push(url),
      search: async (/** @type {{ id?: number }} */ { id }) => [...browser.downloads.values()].filter((item) => id === undefined || item.id === id),
      cancel: (/** @type {number} */ id) => end('cancel', id, { state: 'interrupted', error: 'USER_CANCELED' }),
      removeFile: (/** @type {number} */ id) => end('delete', id, { exists: false }),
      ...this.on('downloads.onCreated', 'downloads.onChanged', 'downloads.onErased', 'downloads.onDeterminingFilename'),
    };
  }

  debugger() {
    const { browser } = this;
    return {
      attach: async (/** @type {{ tabId: number }} */ { tabId }) => {
        const tab = browser.tabs.get(tabId);
        if (tab === undefined) throw new Error(`No tab with given id ${tabId}.`);
        if (tab.url.startsWith('chrome:')) throw new Error('Cannot access a chrome:// URL');
        if (browser.foreign.has(tabId)) throw new Error('Cannot access a chrome-extension:// URL of different extension');
        if (browser.attached.has(tabId)) throw new Error(`Another debugger is already attached to the tab with id: ${tabId}.`);
        browser.attached.add(tabId);
      },
      detach: async (/** @type {{ tabId: number }} */ { tabId }) => {
        browser.attached.delete(tabId);
      },
      sendCommand: (/** @type {{ tabId: number, sessionId?: string }} */ { tabId, sessionId }, /** @type {string} */ method, /** @type {unknown} */ params) => {
        browser.calls.push({ tabId, method, params, ...(sessionId === undefined ? {} : { sessionId }) });
        return (async () => {
          if (!browser.attached.has(tabId)) throw new Error(`Debugger is not attached to the tab with id: ${tabId}.`);
          return await browser.cdp[method]?.(params, tabId, sessionId) ?? {};
        })();
      },
      getTargets: async () => browser.targets,
      ...this.on('debugger.onEvent', 'debugger.onDetach'),
    };
  }
}
