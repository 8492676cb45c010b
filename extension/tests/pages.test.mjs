// Page calls: where the library goes, what a lost context means, what a crash does, and the frames' numbers.

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';
import { PAGE_FILES } from '../kernel/page_calls.js';

const STATE = { frame: 0, function: 'document_state', args: {} };
const gone = () => {
  throw new Error(JSON.stringify({ code: -32000, message: 'Cannot find context with specified id' }));
};
/** @param {Lab} lab @param {string} method */
const count = (lab, method) => lab.browser.calls.filter((call) => call.method === method).length;

test('the list of the page library names every file of page/', () => {
  const folder = new URL('../page/', import.meta.url);
  for (const file of PAGE_FILES) assert.ok(existsSync(new URL(file, folder)), file);
  assert.deepEqual([...PAGE_FILES].sort(), readdirSync(folder).filter((name) => name.endsWith('.js')).sort());
});

test('the library is brought once to a document and called directly from then on', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  for (let round = 0; round < 3; round += 1) await lab.ok('page', { ...mine, ...STATE });
  assert.equal(count(lab, 'Page.createIsolatedWorld'), 1);
  const sent = lab.browser.calls.filter(({ method }) => method === 'Runtime.callFunctionOn').map(({ params }) => params.functionDeclaration);
  assert.match(sent[0], /refs\.js[^]*main\.js/);
  assert.ok(!sent[1].includes('main.js'));
  const world = lab.browser.calls.find(({ method }) => method === 'Page.createIsolatedWorld')?.params;
  assert.deepEqual(world, { frameId: `main-${mine.tab_id}`, worldName: 'bsk', grantUniveralAccess: false });
});

test('a call that never began because its context was gone is made once more', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('page', { ...mine, ...STATE });
  const answer = lab.browser.cdp['Runtime.callFunctionOn'];
  let failures = 1;
  lab.browser.cdp['Runtime.callFunctionOn'] = (params, tabId) => (failures-- > 0 ? gone() : answer?.(params, tabId));
  await lab.ok('page', { ...mine, ...STATE });
  failures = 2;
  assert.equal((await lab.call('page', { ...mine, ...STATE })).failed.reason, 'page_navigated');
});

test('a call whose document went away under it is not repeated', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.browser.cdp['Runtime.callFunctionOn'] = () => {
    throw new Error(JSON.stringify({ code: -32000, message: 'Execution context was destroyed.' }));
  };
  const { failed } = await lab.call('page', { ...mine, ...STATE });
  assert.deepEqual([failed.code, failed.reason], ['cdp_failed', 'page_navigated']);
  assert.equal(count(lab, 'Runtime.callFunctionOn'), 1);
});

test('errors of the library pass when they are well formed', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const error = { code: 'not_found', reason: 'ref_stale', message: 'gone', hint: 'look', data: { x: 1 } };
  lab.browser.cdp['Runtime.callFunctionOn'] = () => ({ result: { value: { error, next_ref: 1 } } });
  assert.deepEqual(await lab.call('page', { ...mine, ...STATE }), { failed: error });
  for (const value of [{ error: { code: 'x', message: 'y' }, next_ref: 1 }, { ok: 1 }, null, { next_ref: 1 }, { ok: 1, next_ref: -1 }]) {
    lab.browser.cdp['Runtime.callFunctionOn'] = () => ({ result: { value } });
    assert.equal((await lab.call('page', { ...mine, ...STATE })).failed.reason, 'page_library_failed', JSON.stringify(value));
  }
});

test('a crash fails everything that waits and everything after it until the tab is navigated', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.browser.cdp['Runtime.evaluate'] = () => new Promise(() => {});
  const running = lab.begin('evaluate', { ...mine, expression: '1', await_promise: true, return_by_value: true, timeout_ms: 1000 });
  await settled();
  await lab.cdpEvent(mine.tab_id, 'Inspector.targetCrashed', {});
  assert.equal(running.outcome().failed.reason, 'page_crashed');
  assert.deepEqual(lab.events('tab_lost'), [{ session_id: mine.session_id, tab_id: mine.tab_id, cause: 'crashed' }]);
  assert.equal((await lab.call('page', { ...mine, ...STATE })).failed.reason, 'page_crashed');
  await lab.ok('cdp', { ...mine, method: 'Page.navigate', params: { url: 'https://a.test/' } });
  await lab.cdpEvent(mine.tab_id, 'Page.frameNavigated', { frame: { id: `main-${mine.tab_id}` } });
  await lab.ok('page', { ...mine, ...STATE });
});

test('a closed tab fails what waits in it', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('tab_create', { session_id: mine.session_id, active: false });
  lab.browser.cdp['Runtime.evaluate'] = () => new Promise(() => {});
  const running = lab.begin('evaluate', { ...mine, expression: '1', await_promise: true, return_by_value: true, timeout_ms: 1000 });
  await settled();
  lab.worker.closeTab(mine.tab_id);
  await settled();
  assert.equal(running.outcome().failed.reason, 'tab_closed');
});

test('a tab on a page that no extension may touch is refused with a way out', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.worker.forbidPage(mine.tab_id, 'chrome://settings');
  await settled();
  const { failed } = await lab.call('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
  assert.deepEqual([failed.code, failed.reason], ['permission_denied', 'tab_forbidden']);
  lab.browser.tabs.get(mine.tab_id).url = 'https://a.test/';
  await lab.ok('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
});

test('a page cannot lock its session out of the tab: navigating leads it away', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.worker.forbidPage(mine.tab_id, 'chrome-extension://invalid/');
  await settled();
  await lab.ok('cdp', { ...mine, method: 'Page.navigate', params: { url: 'https://a.test/' } });
  assert.equal(lab.browser.calls.at(-1)?.method, 'Page.navigate');
});

test('a page of this extension is never touched, though Chrome would let us', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const own = 'chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/popup.html';
  const run = () => lab.call('evaluate', { ...mine, expression: '1', await_promise: true, return_by_value: true, timeout_ms: 1000 });
  assert.ok('ok' in await run());
  lab.browser.tabs.get(mine.tab_id).url = own;
  await lab.cdpEvent(mine.tab_id, 'Page.frameNavigated', { frame: { id: `main-${mine.tab_id}`, url: own } });
  assert.equal(lab.browser.attached.size, 0);
  assert.equal((await run()).failed.reason, 'tab_forbidden');
  assert.equal(lab.browser.attached.size, 0);
});

test('a navigation leads out of a page that keeps the debugger and refuses every call, as a warning about a certificate does', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('subscribe', { ...mine, events: [] });
  const tab = lab.browser.tabs.get(mine.tab_id);
  tab.url = 'https://expired.test/';
  lab.browser.cdp['Page.navigate'] = () => {
    if (tab.url !== 'about:blank') throw new Error('Cannot attach to this target.');
    return { frameId: 'M', loaderId: 'L' };
  };
  assert.deepEqual(await lab.ok('cdp', { ...mine, method: 'Page.navigate', params: { url: 'https://a.test/' } }), { frameId: 'M', loaderId: 'L' });
  lab.browser.cdp['Page.navigate'] = () => { throw new Error('Cannot attach to this target.'); };
  const refused = await lab.call('cdp', { ...mine, method: 'Page.navigate', params: { url: 'https://a.test/' } });
  assert.equal(refused.failed.reason, 'tab_forbidden', 'once and not for ever');
});

test('frames keep their numbers and new ones get new numbers, over a restart too', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  /** @param {string[]} ids */
  const show = (ids) => {
    lab.browser.cdp['Page.getFrameTree'] = () => ({
      frameTree: { frame: { id: 'main', url: 'https://a.test/' }, childFrames: ids.map((id) => ({ frame: { id, parentId: 'main', url: `https://${id}.test/`, urlFragment: '#x' } })) },
    });
  };
  const numbers = async () => (await lab.ok('frames', mine)).frames.map((/** @type {any} */ frame) => frame.frame);
  show(['a', 'b']);
  assert.deepEqual(await numbers(), [0, 1, 2]);
  await lab.cdpEvent(mine.tab_id, 'Page.frameDetached', { frameId: 'a', reason: 'remove' });
  await lab.restart();
  show(['b', 'c']);
  assert.deepEqual(await numbers(), [0, 2, 3]);
  lab.browser.cdp['Page.createIsolatedWorld'] = () => {
    throw new Error(JSON.stringify({ code: -32602, message: 'No frame for given id found' }));
  };
  assert.equal((await lab.call('page', { ...mine, ...STATE, frame: 1 })).failed.reason, 'frame_not_found');
  assert.equal((await lab.call('frame_quad', { ...mine, frame: 0 })).failed.reason, 'frame_not_found');
  assert.equal((await lab.ok('frames', mine)).frames[1].url, 'https://b.test/#x');
});

test('only subscribed events of own tabs are told', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('subscribe', { ...mine, events: ['Page.lifecycleEvent'] });
  await lab.cdpEvent(mine.tab_id, 'Page.lifecycleEvent', { name: 'load' });
  await lab.cdpEvent(mine.tab_id, 'Page.frameNavigated', { frame: { id: 'x' } });
  await lab.cdpEvent(lab.browser.userTab.id, 'Page.lifecycleEvent', { name: 'load' });
  assert.deepEqual(lab.events('cdp'), [{ tab_id: mine.tab_id, method: 'Page.lifecycleEvent', params: { name: 'load' } }]);
  await lab.ok('subscribe', { ...mine, events: [] });
  await lab.cdpEvent(mine.tab_id, 'Page.lifecycleEvent', { name: 'load' });
  assert.equal(lab.events('cdp').length, 1);
});

test('a flush answers behind the events that came before', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('subscribe', { ...mine, events: ['Page.lifecycleEvent'] });
  lab.browser.cdp['Page.getNavigationHistory'] = (_params, tabId) => {
    lab.worker.fire('debugger.onEvent', { tabId }, 'Page.lifecycleEvent', { name: 'load' });
    return { currentIndex: 0, entries: [{ id: 1, url: 'https://a.test/' }] };
  };
  assert.deepEqual(await lab.ok('flush', mine), {});
  assert.deepEqual(lab.port.sent.slice(-2).map((message) => Object.keys(message)[0]), ['event', 'reply']);
  lab.browser.cdp['Page.getNavigationHistory'] = () => {
    throw new Error(JSON.stringify({ code: -32000, message: 'Not attached to an active page' }));
  };
  assert.deepEqual(await lab.ok('flush', mine), {});
});

test('a flush answers behind the tab that was opened before, however long its storing takes', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const { session } = lab.worker.chrome.storage;
  const set = session.set;
  let store = () => {};
  session.set = (/** @type {any} */ values) => new Promise((resolve) => { store = () => resolve(set.call(session, values)); });
  const popup = lab.browser.addTab({ windowId: lab.browser.userWindow.id, url: 'https://b.test/', openerTabId: mine.tab_id });
  lab.worker.fire('tabs.onCreated', popup);
  const flush = lab.begin('flush', mine);
  await settled();
  assert.equal(flush.outcome(), null);
  store();
  await settled();
  assert.deepEqual(flush.outcome(), { ok: { opened: [{ tab_id: popup.id, url: 'https://b.test/' }] } });
  const order = lab.port.sent.map((message) => (message.reply?.id === flush.id ? 'reply' : Object.keys(message.event ?? {})[0]));
  assert.ok(order.indexOf('tab_opened') >= 0 && order.indexOf('tab_opened') < order.indexOf('reply'), order.join());
});

test('a dialog that would keep a tab open is left when the tab is closed', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
  await lab.cdpEvent(mine.tab_id, 'Page.javascriptDialogOpening', { type: 'alert' });
  await lab.ok('session_stop', { session_id: mine.session_id });
  assert.equal(count(lab, 'Page.handleJavaScriptDialog'), 1);
});
