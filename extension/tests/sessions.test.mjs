// Sessions and their tabs: what opens, what joins, what closes and what stays.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';

test('a session has a window, a tab in a group of its name, and is durable when it is told', async () => {
  const lab = await new Lab().start();
  const record = await lab.ok('session_start', { focus: false, idle_ms: 1000, name: 'flights', width: 900, height: 700 });
  assert.match(record.session_id, /^[a-z]{4}$/);
  assert.deepEqual(record.tab_ids, [record.active_tab_id]);
  assert.equal(record.name, 'flights');
  assert.deepEqual([...lab.browser.groups.values()].map(({ title }) => title), ['flights']);
  const stored = /** @type {any} */ (lab.browser.session.values['ownership']);
  assert.equal(stored.sessions[0].sessionId, record.session_id);
  const kinds = lab.port.sent.map((message) => Object.keys(message)[0]);
  assert.deepEqual(kinds, ['hello', 'event', 'reply'], 'the change is told before the reply');
});

test('stopping closes the tabs of the session and leaves those the user opened', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const windowId = lab.browser.tabs.get(mine.tab_id).windowId;
  const ofUser = lab.browser.addTab({ windowId, url: 'chrome://newtab/', openerTabId: mine.tab_id });
  lab.worker.fire('tabs.onCreated', ofUser);
  await lab.ok('tab_create', { session_id: mine.session_id, active: true, url: 'https://a.test' });
  const stopped = await lab.ok('session_stop', { session_id: mine.session_id });
  assert.deepEqual(stopped, { session_id: mine.session_id, returned_tab_ids: [], return_failures: [] });
  assert.deepEqual([...lab.browser.tabs.keys()], [lab.browser.userTab.id, ofUser.id]);
  assert.deepEqual(lab.events('session_ended'), [{ session_id: mine.session_id, cause: 'stopped' }]);
});

test('a tab that the user dragged to a window of his own stays open', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('tab_create', { session_id: mine.session_id, active: false });
  lab.browser.tabs.get(mine.tab_id).windowId = lab.browser.userWindow.id;
  await lab.ok('session_stop', { session_id: mine.session_id });
  assert.ok(lab.browser.tabs.has(mine.tab_id));
});

test('a tab that a page of the session opened joins it, also in a popup window', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const popup = lab.browser.addTab({ windowId: lab.browser.addWindow('popup').id, url: 'https://b.test/', active: true, openerTabId: mine.tab_id });
  lab.worker.fire('tabs.onCreated', popup);
  await settled();
  assert.deepEqual(lab.events('tab_opened'), [{ session_id: mine.session_id, tab_id: popup.id, opener_tab_id: mine.tab_id }]);
  assert.equal(lab.events('session_changed').at(-1).active_tab_id, popup.id);
  await lab.ok('session_stop', { session_id: mine.session_id });
  assert.ok(!lab.browser.tabs.has(popup.id));
});

test('a tab that a page of the user opened joins nothing', async () => {
  const lab = await new Lab().start();
  await lab.session();
  const tab = lab.browser.addTab({ windowId: lab.browser.userWindow.id, url: 'https://b.test/', openerTabId: lab.browser.userTab.id });
  lab.worker.fire('tabs.onCreated', tab);
  await settled();
  assert.deepEqual(lab.events('tab_opened'), []);
});

test('tabs are listed by owner, those of the user by address and title only', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const { tabs } = await lab.ok('tab_list', { session_id: mine.session_id, scope: 'all' });
  assert.deepEqual(tabs.map((/** @type {any} */ tab) => [tab.tab_id, tab.owner, tab.active]), [
    [lab.browser.userTab.id, 'user', true], [mine.tab_id, 'agent', true],
  ]);
  assert.deepEqual(Object.keys(tabs[0]).sort(), ['active', 'owner', 'tab_id', 'title', 'url', 'window_id']);
  assert.equal((await lab.ok('tab_list', { session_id: mine.session_id, scope: 'agent' })).tabs.length, 1);
});

test('selecting and creating tabs move the active tab, closing gives it back', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const created = await lab.ok('tab_create', { session_id: mine.session_id, active: true, url: 'https://a.test' });
  assert.equal(created.url, 'https://a.test/');
  assert.equal(lab.events('session_changed').at(-1).active_tab_id, created.tab_id);
  await lab.ok('tab_select', mine);
  assert.equal(lab.events('session_changed').at(-1).active_tab_id, mine.tab_id);
  await lab.ok('tab_close', mine);
  assert.deepEqual(lab.events('session_changed').at(-1).tab_ids, [created.tab_id]);
  assert.deepEqual(lab.events('tab_lost'), [{ session_id: mine.session_id, tab_id: mine.tab_id, cause: 'closed' }]);
});

test('closing the last tab keeps the Agent Window with an empty one', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('tab_close', mine);
  assert.deepEqual(lab.events('session_ended'), []);
  const record = lab.events('session_changed').at(-1);
  assert.equal(record.tab_ids.length, 1);
  assert.equal(record.active_tab_id, record.tab_ids[0]);
});

test('closing the Agent Window ends the session and fails what runs in it', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.browser.cdp['Runtime.evaluate'] = () => new Promise(() => {});
  const running = lab.begin('evaluate', { ...mine, expression: '1', await_promise: true, return_by_value: true, timeout_ms: 1000 });
  await settled();
  lab.worker.closeTab(mine.tab_id);
  await settled();
  assert.deepEqual(lab.events('session_ended'), [{ session_id: mine.session_id, cause: 'window_closed' }]);
  assert.equal(running.outcome().failed.reason, 'session_ended');
});

test('a session ends after its idle time, not before and not while a command runs', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session({ idle_ms: 10_000 });
  await lab.browser.advance(9_000);
  await lab.ok('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
  await lab.browser.advance(9_000);
  assert.deepEqual(lab.events('session_ended'), []);
  /** @type {(value: unknown) => void} */
  let finish = () => {};
  lab.browser.cdp['Runtime.evaluate'] = () => new Promise((resolve) => {
    finish = resolve;
  });
  lab.begin('evaluate', { ...mine, expression: '1', await_promise: true, return_by_value: true, timeout_ms: 60_000 });
  await lab.browser.advance(30_000);
  assert.deepEqual(lab.events('session_ended'), []);
  finish({});
  await lab.browser.advance(11_000);
  assert.deepEqual(lab.events('session_ended'), [{ session_id: mine.session_id, cause: 'idle' }]);
  assert.ok(!lab.browser.tabs.has(mine.tab_id));
});

test('a command costs no storage write', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
  const { writes } = lab.browser.session;
  for (let round = 0; round < 20; round += 1) await lab.ok('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
  assert.equal(lab.browser.session.writes, writes);
});
