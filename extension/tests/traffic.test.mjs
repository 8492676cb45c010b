// The count of a tab's requests: what begins and ends, redirects, documents that take theirs along, what began unseen, and the wait
// for quiet.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Traffic } from '../kernel/traffic.js';

/** Time that only moves when a timer is waited for. */
function clock() {
  let time = 1000;
  return {
    now: () => time,
    setTimer: (/** @type {() => void} */ run, /** @type {number} */ delayMs) => {
      queueMicrotask(() => { time += delayMs; run(); });
      return 1;
    },
    clearTimer() {},
  };
}

/** @param {ReturnType<typeof clock>} time @param {Traffic} traffic @param {number} quietMs @param {number} timeoutMs */
const quiet = (time, traffic, quietMs, timeoutMs) => traffic.quiet(/** @type {never} */ (time), quietMs, timeoutMs);

test('a redirect is the same request, and its end is quiet a while later', async () => {
  const [time, traffic] = [clock(), new Traffic()];
  const request = { requestId: 'r1', loaderId: 'L1' };
  traffic.note('Network.requestWillBeSent', request, time.now(), true);
  traffic.note('Network.requestWillBeSent', request, time.now(), true);
  assert.deepEqual(await quiet(time, traffic, 500, 2000), { is_quiet: false, under_way: 1 });
  traffic.note('Network.loadingFinished', request, time.now(), true);
  const ended = time.now();
  assert.deepEqual(await quiet(time, traffic, 500, 2000), { is_quiet: true, under_way: 0 });
  assert.equal(time.now() - ended, 500);
});

test('another document ends the requests of the one before, but not its own', async () => {
  const [time, traffic] = [clock(), new Traffic()];
  traffic.note('Network.requestWillBeSent', { requestId: 'old', loaderId: 'L1' }, 0, true);
  traffic.note('Network.requestWillBeSent', { requestId: 'L2', loaderId: 'L2' }, 0, true);
  traffic.documentChanged({ frame: { loaderId: 'L2' } });
  traffic.noteStage({ name: 'networkIdle', loaderId: 'L2' });
  assert.deepEqual(await quiet(time, traffic, 0, 0), { is_quiet: false, under_way: 1 });
});

test('malformed events change nothing', async () => {
  const [time, traffic] = [clock(), new Traffic()];
  traffic.note('Network.requestWillBeSent', { requestId: 7 }, time.now(), true);
  traffic.note('Network.webSocketCreated', { requestId: 'w' }, time.now(), true);
  assert.deepEqual(await quiet(time, traffic, 500, 0), { is_quiet: true, under_way: 0 });
});

test('a request that began unseen counts from its first answer on, and its end is an end', async () => {
  const [time, traffic] = [clock(), new Traffic()];
  traffic.begin(time.now());
  traffic.note('Network.dataReceived', { requestId: 'unseen' }, time.now(), true);
  assert.deepEqual(await quiet(time, traffic, 500, 2000), { is_quiet: false, under_way: 1 });
  traffic.note('Network.loadingFinished', { requestId: 'unseen' }, time.now(), true);
  traffic.note('Network.loadingFailed', { requestId: 'another' }, time.now(), true);
  const ended = time.now();
  assert.deepEqual(await quiet(time, traffic, 500, 2000), { is_quiet: true, under_way: 0 });
  assert.equal(time.now() - ended, 500);
});

test('quiet is counted from the moment requests are reported', async () => {
  const [time, traffic] = [clock(), new Traffic()];
  const began = time.now();
  traffic.begin(began);
  assert.deepEqual(await quiet(time, traffic, 500, 2000), { is_quiet: true, under_way: 0 });
  assert.equal(time.now() - began, 500);
});

test('a document that is loading is not at rest before the browser says so, unless it came whole from memory', async () => {
  const [time, traffic] = [clock(), new Traffic()];
  traffic.documentChanged({ frame: { loaderId: 'L1' } });
  traffic.noteStage({ name: 'networkIdle', loaderId: 'L0' });
  traffic.noteStage({ name: 'networkAlmostIdle', loaderId: 'L1' });
  assert.deepEqual(await quiet(time, traffic, 500, 1000), { is_quiet: false, under_way: 1 });
  traffic.noteStage({ name: 'networkIdle', loaderId: 'L1' });
  assert.deepEqual(await quiet(time, traffic, 500, 1000), { is_quiet: true, under_way: 0 });
  traffic.documentChanged({ frame: { loaderId: 'L0' }, type: 'BackForwardCacheRestore' });
  assert.deepEqual(await quiet(time, traffic, 500, 1000), { is_quiet: true, under_way: 0 });
});
