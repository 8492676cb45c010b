// The toolbar button: what it says of the connection, of work, and of the user being needed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FakeBrowser, settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';
import { faceOf } from '../kernel/badge.js';

/** @param {Lab} lab */
const face = ({ browser }) => [browser.face.text, browser.face.title];
const READY = ['', 'extension_name: badge_connected'];
const WORKING = ['●', 'extension_name: badge_working'];

/** A script that never ends, begun. @param {Lab} lab @param {{ session_id: string, tab_id: number }} mine */
function work(lab, mine) {
  /** @type {(value: object) => void} */
  let end = () => {};
  lab.browser.cdp['Runtime.evaluate'] = () => new Promise((resolve) => { end = resolve; });
  lab.begin('evaluate', { ...mine, expression: '1', await_promise: true, return_by_value: true, timeout_ms: 1000 });
  return { end: () => end({ result: { type: 'number', value: 1 } }) };
}

test('the user comes before a lost connection, and that before work', () => {
  const title = (/** @type {any} */ circumstances) => faceOf({ connection: { state: 'connected' }, isNeeded: false, isWorking: false, ...circumstances }).title;
  assert.equal(title({ isNeeded: true, isWorking: true, connection: { state: 'disconnected' } }), 'badge_needs_you');
  assert.equal(title({ isWorking: true, connection: { state: 'disconnected' } }), 'badge_disconnected');
  assert.equal(title({ isWorking: true }), 'badge_working');
  assert.equal(title({}), 'badge_connected');
  assert.equal(title({ connection: { state: 'disconnected', cause: 'switched_off' } }), 'switched_off', 'the user\'s own wish is no alarm');
  assert.equal(title({ connection: { state: 'connecting' } }), 'badge_connecting');
});

test('without a host it says so, and no longer once there is one', async () => {
  const browser = new FakeBrowser();
  browser.hostError = 'Native host has exited.';
  const lab = await new Lab(browser).start({ isWelcome: false });
  assert.deepEqual(face(lab), ['!', 'extension_name: badge_disconnected']);
  browser.hostError = null;
  await browser.advance(300);
  lab.welcome();
  assert.deepEqual(face(lab), READY);
});

test('work is shown once it takes longer than a moment, and at least for a second', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  assert.deepEqual(face(lab), READY);
  const long = work(lab, mine);
  await lab.browser.advance(299);
  assert.deepEqual(face(lab), READY);
  await lab.browser.advance(2);
  assert.deepEqual(face(lab), WORKING);
  long.end();
  await lab.browser.advance(900);
  assert.deepEqual(face(lab), WORKING);
  await lab.browser.advance(101);
  assert.deepEqual(face(lab), READY);
});

test('many short requests change nothing and set one timer', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.browser.advance(2000);
  const before = lab.browser.face.calls;
  for (let round = 0; round < 20; round += 1) {
    const timers = lab.browser.timers.length;
    const short = work(lab, mine);
    await settled();
    assert.ok(lab.browser.timers.length <= timers + 1);
    await lab.browser.advance(100);
    short.end();
    await settled();
  }
  await lab.browser.advance(5000);
  assert.equal(lab.browser.face.calls, before);
});

test('one piece of work right after another is one', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const before = () => lab.browser.face.calls;
  const first = work(lab, mine);
  await lab.browser.advance(1500);
  first.end();
  const second = work(lab, mine);
  const calls = before();
  await lab.browser.advance(1000);
  assert.deepEqual(face(lab), WORKING);
  second.end();
  await settled();
  assert.equal(before() - calls, 0);
});

test('a question says that the user is needed, until it is answered', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.begin('tab_borrow', { session_id: mine.session_id, tab_id: lab.browser.userTab.id });
  await settled();
  assert.deepEqual(face(lab), ['?', 'extension_name: badge_needs_you']);
  await lab.browser.advance(61_000);
  assert.deepEqual(face(lab), READY);
});

test('a new worker says anew what an earlier one may have left', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  work(lab, mine);
  await lab.browser.advance(400);
  assert.deepEqual(face(lab), WORKING);
  await lab.restart();
  assert.deepEqual(face(lab), READY);
});
