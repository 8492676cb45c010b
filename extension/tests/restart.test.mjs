// Invariant 8: a worker, a host or an extension that goes away loses no session, and no ref number is given twice.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { colorOf } from '../kernel/tab_groups.js';
import { FakeBrowser, settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';

const OBSERVE = { frame: 0, function: 'observe', args: { budget_ms: 1000 } };

/**
 * Pages that number from `first_ref` on, `nodes` elements each time; a new document forgets.
 * @param {FakeBrowser} browser
 */
function numberingPages(browser) {
  const page = { nodes: 10, nextRef: 1, given: /** @type {number[]} */ ([]), firstRefs: /** @type {number[]} */ ([]) };
  browser.cdp['Runtime.callFunctionOn'] = (params) => {
    const context = params.arguments[2].value;
    page.firstRefs.push(context.first_ref);
    page.nextRef = Math.max(page.nextRef, context.first_ref);
    for (let node = 0; node < page.nodes; node += 1) page.given.push(page.nextRef++);
    return { result: { value: { ok: {}, next_ref: page.nextRef } } };
  };
  return page;
}

/** @param {Lab} lab @param {{ tab_id: number }} tab @param {{ nextRef: number }} page */
async function newDocument(lab, { tab_id }, page) {
  page.nextRef = 1;
  await lab.cdpEvent(tab_id, 'Page.frameNavigated', { frame: { id: `main-${tab_id}` } });
}

test('ref numbers go on over documents and workers and never repeat', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const page = numberingPages(lab.browser);
  for (const nodes of [10, 700, 3]) {
    page.nodes = nodes;
    await lab.ok('page', { ...mine, ...OBSERVE });
    await newDocument(lab, mine, page);
  }
  assert.deepEqual(page.firstRefs, [1, 11, 711]);
  await lab.restart();
  await newDocument(lab, mine, page);
  page.nodes = 2000;
  await lab.ok('page', { ...mine, ...OBSERVE });
  await lab.restart();
  await newDocument(lab, mine, page);
  await lab.ok('page', { ...mine, ...OBSERVE });
  assert.equal(new Set(page.given).size, page.given.length);
});

test('a reservation is durable before the numbers are told', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const page = numberingPages(lab.browser);
  page.nodes = 800;
  const { writes } = lab.browser.session;
  await lab.ok('page', { ...mine, ...OBSERVE });
  assert.ok(lab.browser.session.writes > writes);
  const stored = /** @type {any} */ (lab.browser.session.values['ownership']);
  assert.ok(stored.claims[0].mainReserved >= 801);
});

test('refs of a document that was replaced meanwhile are not told', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  /** @type {(value: unknown) => void} */
  let finish = () => {};
  lab.browser.cdp['Runtime.callFunctionOn'] = () => new Promise((resolve) => {
    finish = resolve;
  });
  const running = lab.begin('page', { ...mine, ...OBSERVE });
  await settled();
  await lab.cdpEvent(mine.tab_id, 'Page.frameNavigated', { frame: { id: `main-${mine.tab_id}` } });
  finish({ result: { value: { ok: {}, next_ref: 5 } } });
  await settled();
  assert.equal(running.outcome().failed.reason, 'page_navigated');
});

test('a new worker finds its sessions, tabs and the attached debugger', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session({ name: 'kept' });
  await lab.ok('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
  await lab.restart();
  assert.deepEqual(lab.hello.sessions.map((/** @type {any} */ session) => [session.session_id, session.name, session.tab_ids]),
    [[mine.session_id, 'kept', [mine.tab_id]]]);
  await lab.ok('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
});

test('tabs and windows that went while no worker ran are given up', async () => {
  const lab = await new Lab().start();
  const first = await lab.session();
  const second = await lab.session();
  const extra = await lab.ok('tab_create', { session_id: second.session_id, active: false });
  lab.worker.die();
  lab.worker.closeTab(first.tab_id);
  lab.worker.closeTab(extra.tab_id);
  lab.worker = lab.browser.worker();
  await lab.start();
  assert.deepEqual(lab.hello.sessions.map((/** @type {any} */ session) => session.tab_ids), [[second.tab_id]]);
});

test('what happens between the hello and the welcome is told after it', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const extra = await lab.ok('tab_create', { session_id: mine.session_id, active: false });
  lab.worker.loseHost();
  await lab.browser.advance(250);
  lab.worker.closeTab(extra.tab_id);
  await settled();
  assert.deepEqual(lab.port.sent.map((message) => Object.keys(message)[0]), ['hello']);
  lab.welcome();
  assert.deepEqual(lab.events('session_changed').map((record) => record.tab_ids), [[mine.tab_id]]);
});

test('a lost host keeps the sessions; its subscriptions and replies are gone', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('subscribe', { ...mine, events: ['Page.lifecycleEvent'] });
  lab.browser.cdp['Runtime.evaluate'] = () => new Promise((resolve) => setImmediate(resolve, {}));
  lab.begin('evaluate', { ...mine, expression: '1', await_promise: true, return_by_value: true, timeout_ms: 1000 });
  lab.worker.loseHost();
  await lab.browser.advance(250);
  assert.equal(lab.browser.ports.length, 2);
  lab.welcome();
  assert.equal(lab.hello.sessions[0].session_id, mine.session_id);
  await lab.cdpEvent(mine.tab_id, 'Page.lifecycleEvent', { name: 'load' });
  assert.deepEqual(lab.port.sent.map((message) => Object.keys(message)[0]), ['hello']);
});

test('an updated extension closes what its lost sessions had opened, and nothing else', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session({ name: 'lost' });
  const windowId = lab.browser.tabs.get(mine.tab_id).windowId;
  const ofUser = lab.browser.addTab({ windowId, url: 'https://mine.test/' });
  lab.browser.session.values = {};
  await lab.restart();
  assert.deepEqual([...lab.browser.tabs.keys()], [lab.browser.userTab.id, ofUser.id]);
  assert.deepEqual(lab.hello.sessions, []);
});

test('after a browser restart ids that mean other tabs now are left alone', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.browser.tabs.get(mine.tab_id).url = 'https://a.test/';
  lab.browser.session.values = {};
  lab.browser.groups.clear();
  lab.browser.tabs.get(mine.tab_id).groupId = -1;
  await lab.restart();
  assert.ok(lab.browser.tabs.has(mine.tab_id));
});

test('a session of which nobody was told is ended: its caller left, its host died, or the worker did', async () => {
  const start = { focus: false, idle_ms: 300_000 };
  /** @type {((lab: Lab, id: number) => unknown)[]} */
  const losses = [(lab, id) => lab.send({ cancel: { id } }), (lab) => lab.worker.loseHost()];
  for (const lose of losses) {
    const lab = await new Lab().start();
    const { id } = lab.begin('session_start', start);
    lose(lab, id);
    await lab.browser.advance(1000);
    assert.deepEqual([...lab.browser.tabs.keys()], [lab.browser.userTab.id]);
  }
  const lab = await new Lab().start();
  const told = await lab.session();
  await lab.restart();
  assert.deepEqual(lab.hello.sessions.map((/** @type {any} */ session) => session.session_id), [told.session_id], 'one that was told stays');
});

test('a restored tab of the user is never taken for one of ours: not by its id, its address or the name of its group alone', async () => {
  const lab = await new Lab().start();
  const { browser } = lab;
  const mine = await lab.session({ name: 'work' });
  const tab = browser.tabs.get(mine.tab_id);
  tab.url = 'https://agent.test/';
  lab.worker.fire('tabs.onUpdated', tab.id, { url: tab.url }, tab);
  await settled();
  browser.crash();
  const inGroup = (/** @type {string} */ url, /** @type {string} */ title, /** @type {string} */ color, id = browser.nextId++) => {
    const window = browser.addWindow('normal');
    const own = browser.addTab({ windowId: window.id, url, active: true });
    browser.tabs.delete(own.id);
    browser.tabs.set(id, Object.assign(own, { id, groupId: browser.nextId++ }));
    browser.groups.set(own.groupId, { id: own.groupId, title, color });
    return id;
  };
  const kept = [
    inGroup('https://agent.test/', 'mine', colorOf('mine')), inGroup('https://agent.test/', 'work', 'grey'),
    inGroup('https://mine.test/', 'work', colorOf('work')), inGroup('https://mine.test/', 'mine', colorOf('mine'), mine.tab_id),
  ];
  const ours = inGroup('https://agent.test/', 'work', colorOf('work'));
  await lab.restart();
  for (const id of kept) assert.ok(browser.tabs.has(id), JSON.stringify(browser.tabs.get(id)));
  assert.equal(browser.tabs.has(ours), false);
});

test('when nothing but what was ours is restored, the browser keeps a window', async () => {
  const lab = await new Lab().start();
  await lab.session();
  lab.worker.closeWindow(lab.browser.userWindow.id);
  const restore = lab.browser.crash();
  lab.browser.tabs.clear();
  lab.browser.windows.clear();
  restore();
  const [ours] = lab.browser.windows.keys();
  await lab.restart();
  assert.equal(lab.browser.windows.size, 1);
  assert.equal(lab.browser.windows.has(ours ?? -1), false);
});

test('a question that a dead worker left open is closed, whenever it died', async () => {
  const lab = await new Lab().start();
  const window = lab.browser.addWindow('popup');
  lab.browser.addTab({ windowId: window.id, url: 'chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/consent.html', active: true });
  await lab.restart();
  assert.equal(lab.browser.windows.has(window.id), false);
});
