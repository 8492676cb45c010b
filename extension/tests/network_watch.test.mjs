// Reports of requests: on while somebody holds them, off again however that ends, and what of them the host is told.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';

/** `on` or `off` for each switch of a tab's reports, with the frame's process where it is one. @param {Lab} lab */
const switches = (lab) => lab.browser.calls.filter(({ method }) => method.startsWith('Network.'))
  .map(({ method, sessionId }) => [method === 'Network.enable' ? 'on' : 'off', ...(sessionId === undefined ? [] : [sessionId])].join(' '));

/** A lab with a session whose tab is attached. */
async function begin() {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('subscribe', { ...mine, events: [] });
  return { lab, mine };
}

test('nothing is reported of a tab in which nobody asked', async () => {
  const { lab, mine } = await begin();
  await lab.ok('page', { ...mine, frame: 0, function: 'document_state', args: {} });
  await lab.ok('cdp', { ...mine, method: 'Page.captureScreenshot', params: {} });
  assert.deepEqual(switches(lab), []);
});

test('the first hold switches on and the last release off, by cancellation, in every process of the tab', async () => {
  const { lab, mine } = await begin();
  lab.worker.fire('debugger.onEvent', { tabId: mine.tab_id }, 'Target.attachedToTarget', {
    sessionId: 'S1', targetInfo: { targetId: 'F1', type: 'iframe', url: 'https://b.test/' },
  });
  const [first, second] = [lab.begin('network_watch', mine), lab.begin('network_watch', mine)];
  await settled();
  assert.deepEqual(switches(lab), ['on', 'on S1']);
  lab.worker.fire('debugger.onEvent', { tabId: mine.tab_id }, 'Target.attachedToTarget', {
    sessionId: 'S2', targetInfo: { targetId: 'F2', type: 'iframe', url: 'https://c.test/' },
  });
  await settled();
  assert.deepEqual(switches(lab).slice(2), ['on S2'], 'a frame that comes later is reported too');
  lab.send({ cancel: { id: first.id } });
  await settled();
  assert.equal(switches(lab).length, 3, 'another one still holds');
  lab.send({ cancel: { id: second.id } });
  await settled();
  assert.deepEqual(switches(lab).slice(3), ['off', 'off S1', 'off S2']);
  assert.deepEqual([first.outcome(), second.outcome()], [null, null]);
});

test('a lost host and the end of a session give up what they held', async () => {
  const { lab, mine } = await begin();
  lab.begin('network_watch', mine);
  await settled();
  lab.worker.loseHost();
  await settled();
  assert.deepEqual(switches(lab), ['on', 'off']);
  await lab.browser.advance(5000);
  lab.welcome();
  lab.begin('network_watch', mine);
  await settled();
  await lab.ok('session_stop', { session_id: mine.session_id });
  assert.deepEqual(switches(lab).slice(2, 3), ['on']);
  assert.equal(lab.browser.attached.has(mine.tab_id), false);
});

test('waiting for quiet holds for as long as it waits', async () => {
  const { lab, mine } = await begin();
  const waiting = lab.begin('network_quiet', { ...mine, quiet_ms: 500, timeout_ms: 9000 });
  await lab.browser.advance(499);
  assert.equal(waiting.outcome(), null);
  assert.deepEqual(switches(lab), ['on']);
  await lab.browser.advance(1);
  assert.deepEqual(waiting.outcome(), { ok: { is_quiet: true, under_way: 0 } });
  assert.deepEqual(switches(lab), ['on', 'off']);
});

test('a sign of a request that was still on its way from earlier reports does not count: its end may have gone unreported', async () => {
  const { lab, mine } = await begin();
  const event = (/** @type {string} */ method, /** @type {object} */ params) => lab.cdpEvent(mine.tab_id, method, params);
  let answer = () => {};
  lab.browser.cdp['Network.enable'] = () => new Promise((resolve) => { answer = () => resolve({}); });
  const waiting = lab.begin('network_quiet', { ...mine, quiet_ms: 500, timeout_ms: 900 });
  await settled();
  await event('Network.responseReceived', { requestId: 'late', loaderId: 'L' });
  answer();
  await settled();
  await event('Network.dataReceived', { requestId: 'now' });
  await event('Network.loadingFinished', { requestId: 'now' });
  await lab.browser.advance(900);
  assert.deepEqual(waiting.outcome(), { ok: { is_quiet: true, under_way: 0 } });
});

test('a tab that is attached again is reported again, and a new worker begins with nothing', async () => {
  const { lab, mine } = await begin();
  lab.begin('network_watch', mine);
  await settled();
  lab.browser.attached.delete(mine.tab_id);
  lab.worker.fire('debugger.onDetach', { tabId: mine.tab_id }, 'target_closed');
  await settled();
  assert.deepEqual(switches(lab), ['on', 'on']);
  await lab.restart();
  await lab.ok('subscribe', { ...mine, events: [] });
  assert.deepEqual(switches(lab).slice(2), ['off'], 'the tab was left attached by a worker that wanted reports');
});

test('what input sets off is followed from before the input until it rests, and the next wait for quiet knows of it', async () => {
  const { lab, mine } = await begin();
  const event = (/** @type {string} */ method, /** @type {object} */ params) => lab.cdpEvent(mine.tab_id, method, params);
  const key = { type: 'keyDown', key: 'a' };
  await lab.ok('cdp', { ...mine, method: 'Input.dispatchKeyEvent', params: key });
  await lab.ok('cdp', { ...mine, method: 'Input.dispatchKeyEvent', params: { ...key, type: 'keyUp' } });
  const order = lab.browser.calls.map(({ method }) => method).filter((method) => /^(Network|Input)/.test(method));
  assert.deepEqual(order, ['Network.enable', 'Input.dispatchKeyEvent', 'Input.dispatchKeyEvent']);
  await event('Network.requestWillBeSent', { requestId: 'r', loaderId: 'L' });
  await lab.browser.advance(3000);
  assert.deepEqual(await lab.ok('network_quiet', { ...mine, quiet_ms: 500, timeout_ms: 0 }), { is_quiet: false, under_way: 1 });
  assert.deepEqual(switches(lab), ['on']);
  await event('Network.loadingFinished', { requestId: 'r' });
  await lab.browser.advance(500);
  assert.deepEqual(switches(lab), ['on', 'off']);
  await lab.ok('cdp', { ...mine, method: 'Input.insertText', params: { text: 'x' } });
  await event('Network.requestWillBeSent', { requestId: 'endless', loaderId: 'L' });
  await lab.browser.advance(10_000);
  assert.deepEqual(switches(lab), ['on', 'off', 'on', 'off'], 'what never rests is not followed for ever');
});

test('the host is told who sent a document on and what became of it, and nothing of any other request', async () => {
  const { lab, mine } = await begin();
  const event = (/** @type {string} */ method, /** @type {object} */ params) => lab.cdpEvent(mine.tab_id, method, params);
  const document = { requestId: 'L1', loaderId: 'L1', frameId: 'M', type: 'Document' };
  const secret = { headers: { Cookie: 'secret' }, postData: 'secret' };
  await event('Network.requestWillBeSent', { ...document, request: { url: 'https://a.test/', ...secret } });
  assert.deepEqual(lab.events('document_request'), [], 'nobody asked yet');
  lab.begin('network_watch', mine);
  await settled();
  await event('Network.requestWillBeSent', { ...document, request: { url: 'https://a.test/', ...secret } });
  await event('Network.requestWillBeSent', {
    ...document, request: { url: 'https://b.test/', ...secret }, redirectResponse: { url: 'https://a.test/', status: 302, ...secret },
  });
  await event('Network.responseReceived', { ...document, response: { status: 204, ...secret } });
  await event('Network.requestWillBeSent', { ...document, requestId: 'r', type: 'Fetch', request: { url: 'https://a.test/api', ...secret } });
  await event('Network.loadingFailed', { requestId: 'r', type: 'Fetch', errorText: 'net::ERR_FAILED' });
  await event('Network.loadingFailed', { requestId: 'L1', type: 'Document', errorText: 'net::ERR_ABORTED' });
  const told = { tab_id: mine.tab_id, frame_id: 'M', loader_id: 'L1' };
  assert.deepEqual(lab.events('document_request'), [
    { ...told, step: { asked: { url: 'https://a.test/' } } },
    { ...told, step: { sent_on: { url: 'https://a.test/', status: 302 } } },
    { ...told, step: { answered: { status: 204 } } },
    { ...told, step: { failed: { net_error: 'net::ERR_ABORTED' } } },
  ]);
});
