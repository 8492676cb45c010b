// What the host holds in a tab: a drag's data never leaves the kernel, only the page's own goes back, and a lost host holds nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';

const DATA = { items: [{ mimeType: 'text/plain', data: 'card-7' }], files: ['/etc/passwd'], dragOperationsMask: 1 };

/** @param {Lab} lab */
const sent = (lab) => lab.browser.calls.filter(({ method }) => method.startsWith('Input.')).map(({ method, params }) => ({ method, ...params }));

/** A lab with a session and ways to send input. */
async function begin() {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const cdp = (/** @type {string} */ method, /** @type {object} */ params) => lab.call('cdp', { ...mine, method, params });
  return { lab, mine, cdp, drop: () => cdp('Input.dispatchDragEvent', { type: 'drop', x: 1, y: 2 }) };
}

test('a drag event carries what the page dragged, without files, and the host never sees it', async () => {
  const { lab, mine, cdp, drop } = await begin();
  await lab.ok('subscribe', { ...mine, events: ['Input.dragIntercepted'] });
  await cdp('Input.setInterceptDrags', { enabled: true });
  await lab.cdpEvent(mine.tab_id, 'Input.dragIntercepted', { data: DATA });
  assert.deepEqual(lab.events('cdp'), [{ tab_id: mine.tab_id, method: 'Input.dragIntercepted', params: {} }]);
  assert.ok('ok' in await drop());
  assert.deepEqual(sent(lab).at(-1), { method: 'Input.dispatchDragEvent', type: 'drop', x: 1, y: 2, data: { items: DATA.items, dragOperationsMask: 1 } });
  assert.equal((await drop()).failed.reason, 'no_drag', 'what was dropped is gone');
});

test('nothing passes as a drag that the page did not begin while drags were intercepted, in this tab and document', async () => {
  const { lab, mine, cdp, drop } = await begin();
  assert.equal((await drop()).failed.reason, 'no_drag');
  await lab.cdpEvent(mine.tab_id, 'Input.dragIntercepted', { data: DATA });
  assert.equal((await drop()).failed.reason, 'no_drag');
  await cdp('Input.setInterceptDrags', { enabled: true });
  await lab.cdpEvent(mine.tab_id, 'Input.dragIntercepted', { data: DATA });
  const other = await lab.session();
  assert.equal((await lab.call('cdp', { ...other, method: 'Input.dispatchDragEvent', params: { type: 'drop', x: 1, y: 2 } })).failed.reason, 'no_drag');
  await lab.cdpEvent(mine.tab_id, 'Page.frameNavigated', { frame: { id: `main-${mine.tab_id}`, url: 'https://b.test/' } });
  assert.equal((await drop()).failed.reason, 'no_drag');
  await lab.cdpEvent(mine.tab_id, 'Input.dragIntercepted', { data: DATA });
  await cdp('Input.setInterceptDrags', { enabled: false });
  assert.equal((await drop()).failed.reason, 'no_drag');
  const forged = await lab.call('cdp', { ...mine, method: 'Input.dispatchDragEvent', params: { type: 'drop', x: 1, y: 2, data: DATA } });
  assert.equal(forged.failed.reason, 'argument_not_allowed');
});

test('a lost host leaves no button pressed, nothing dragged and nothing intercepted', async () => {
  const { lab, mine, cdp } = await begin();
  await cdp('Input.setInterceptDrags', { enabled: true });
  await cdp('Input.dispatchMouseEvent', { type: 'mousePressed', x: 5, y: 6, button: 'left', buttons: 1, clickCount: 1 });
  await cdp('Input.dispatchMouseEvent', { type: 'mouseReleased', x: 5, y: 6, button: 'none', buttons: 1 });
  await lab.cdpEvent(mine.tab_id, 'Input.dragIntercepted', { data: DATA });
  const before = sent(lab).length;
  lab.port.onDisconnect.fire();
  await settled();
  assert.deepEqual(sent(lab).slice(before).map(({ method, type, enabled }) => [method, type ?? enabled]), [
    ['Input.dispatchDragEvent', 'dragCancel'], ['Input.dispatchMouseEvent', 'mouseReleased'], ['Input.setInterceptDrags', false],
  ]);
});
