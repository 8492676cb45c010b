// What an action brings to the front goes back behind what the user had there; what the user brings forward stays.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';

/** A session, and what the kernel does about windows. */
async function begin() {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const window = lab.browser.tabs.get(mine.tab_id).windowId;
  /** @type {[number, object][]} */
  const updates = [];
  const { update } = lab.worker.chrome.windows;
  lab.worker.chrome.windows.update = async (/** @type {number} */ id, /** @type {object} */ changes) => {
    updates.push([id, changes]);
    return update(id, changes);
  };
  // As Chrome does: the window has the focus, then that is told.
  const focus = async (/** @type {number} */ id) => {
    for (const one of lab.browser.windows.values()) one.focused = one.id === id;
    lab.worker.fire('windows.onFocusChanged', id);
    await settled();
  };
  const press = () => lab.ok('cdp', { ...mine, method: 'Input.dispatchMouseEvent', params: { type: 'mousePressed', x: 1, y: 1, button: 'left' } });
  return { lab, mine, window, user: lab.browser.userWindow.id, updates, focus, press };
}

test('a window that input brought to the front goes back behind the one the user had there', async () => {
  const { window, user, updates, focus, press } = await begin();
  await focus(user);
  await press();
  await focus(window);
  assert.deepEqual(updates, [[user, { focused: true }]]);
});

test('no window on the way from one to another is no other program', async () => {
  const { lab, window, user, updates, focus, press } = await begin();
  await focus(user);
  await press();
  await focus(-1);
  await lab.browser.advance(20);
  await focus(window);
  assert.deepEqual(updates, [[user, { focused: true }]]);
});

test('with another program in front the window goes behind the next one', async () => {
  const { window, updates, focus, press } = await begin();
  await focus(-1);
  await press();
  await focus(window);
  assert.deepEqual(updates, [[window, { focused: false }]]);
});

test('what the user brings to the front stays there, and so do other windows', async () => {
  const { lab, window, user, updates, focus, press } = await begin();
  await focus(user);
  await press();
  await lab.browser.advance(1000);
  await focus(window);
  await press();
  await focus(user);
  await press();
  await focus(window);
  assert.deepEqual(updates, [], 'within one gesture the window that was in front at its start counts');
});

test('a session that asks for help may come to the front', async () => {
  const { lab, mine, window, user, updates, focus, press } = await begin();
  await focus(user);
  await press();
  lab.begin('help_request', { ...mine, prompt: 'Sign in', targets: [], timeout_ms: 1000 });
  await settled();
  updates.length = 0;
  await focus(window);
  assert.deepEqual(updates, []);
});
