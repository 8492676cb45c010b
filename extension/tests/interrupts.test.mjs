// The user takes control back: by a key, by the notification's button, by dragging a tab out of its group; and is noticed at work.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';

/** A session with a request that never ends. @param {Lab} lab */
async function busy(lab) {
  const mine = await lab.session();
  await settled();
  lab.browser.cdp['Runtime.evaluate'] = () => new Promise(() => {});
  const running = lab.begin('evaluate', { ...mine, expression: '1', await_promise: true, return_by_value: true, timeout_ms: 1000 });
  await settled();
  return { mine, running };
}

test('the keyboard command ends every session and what runs in it', async () => {
  const lab = await new Lab().start();
  const { mine, running } = await busy(lab);
  lab.worker.fire('commands.onCommand', 'another');
  await settled();
  assert.equal(running.outcome(), null);
  lab.worker.fire('commands.onCommand', 'stop-all');
  await settled();
  assert.deepEqual(lab.events('session_ended'), [{ session_id: mine.session_id, cause: 'user' }]);
  assert.equal(running.outcome().failed.code, 'user_aborted');
});

test('the button of the notification ends its session only', async () => {
  const lab = await new Lab().start();
  const { mine } = await busy(lab);
  await lab.session();
  lab.worker.fire('notifications.onButtonClicked', 'working-none', 0);
  lab.worker.fire('notifications.onButtonClicked', `working-${mine.session_id}`, 0);
  await settled();
  assert.deepEqual(lab.events('session_ended'), [{ session_id: mine.session_id, cause: 'user' }]);
});

test('a tab dragged out of its group ends the session and stays open', async () => {
  const lab = await new Lab().start();
  const { mine, running } = await busy(lab);
  const tab = lab.browser.tabs.get(mine.tab_id);
  tab.groupId = -1;
  lab.worker.fire('tabs.onUpdated', mine.tab_id, { groupId: -1 }, tab);
  await lab.browser.advance(400);
  assert.equal(running.outcome().failed.code, 'user_aborted');
  assert.ok(lab.browser.tabs.has(mine.tab_id));
  assert.ok(!lab.browser.attached.has(mine.tab_id));
});

test('a tab that is without its group on the way only, or never was in it, ends nothing', async () => {
  const lab = await new Lab().start();
  const { mine } = await busy(lab);
  const tab = lab.browser.tabs.get(mine.tab_id);
  const { groupId } = tab;
  tab.groupId = -1;
  lab.worker.fire('tabs.onUpdated', mine.tab_id, { groupId: -1 }, tab);
  tab.groupId = groupId;
  const popup = lab.browser.addTab({ windowId: lab.browser.addWindow('popup').id, url: 'https://b.test/', openerTabId: mine.tab_id });
  lab.worker.fire('tabs.onCreated', popup);
  lab.worker.fire('tabs.onUpdated', popup.id, { groupId: -1 }, popup);
  await lab.browser.advance(400);
  assert.deepEqual(lab.events('session_ended'), []);
});

test('a new worker knows which tabs are in their groups', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await settled();
  await lab.restart();
  const tab = lab.browser.tabs.get(mine.tab_id);
  tab.groupId = -1;
  lab.worker.fire('tabs.onUpdated', mine.tab_id, { groupId: -1 }, tab);
  await lab.browser.advance(400);
  assert.deepEqual(lab.events('session_ended'), [{ session_id: mine.session_id, cause: 'user' }]);
});

test('a press that was not ours is told, ours and those right after are not', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await settled();
  const pressed = (/** @type {number} */ atMs) => lab.cdpEvent(mine.tab_id, 'Runtime.bindingCalled', { name: 'bskUserInput', payload: String(atMs) });
  await lab.ok('cdp', { ...mine, method: 'Input.dispatchMouseEvent', params: { type: 'mousePressed', x: 1, y: 1, button: 'left' } });
  await pressed(lab.browser.now);
  assert.deepEqual(lab.events('user_acted'), []);
  await lab.browser.advance(10_000);
  await pressed(lab.browser.now);
  await pressed(lab.browser.now + 100);
  await lab.cdpEvent(mine.tab_id, 'Runtime.bindingCalled', { name: 'other', payload: String(lab.browser.now + 5000) });
  await pressed(Number.NaN);
  assert.deepEqual(lab.events('user_acted'), [{ session_id: mine.session_id, tab_id: mine.tab_id }]);
});
