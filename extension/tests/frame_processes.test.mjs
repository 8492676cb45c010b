// Frames in processes of their own: which session reaches which frame, and where their places end up.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FrameProcesses } from '../kernel/frame_processes.js';
import { quadWithin } from '../kernel/frames.js';

const attached = (/** @type {string} */ sessionId, /** @type {string} */ targetId, type = 'iframe') => ({ sessionId, targetInfo: { targetId, type } });

test('a frame is reached through the session that the browser attached for it, until that is gone', () => {
  const processes = new FrameProcesses();
  assert.equal(processes.attached(attached('S1', 'F1')), 'S1');
  processes.learn('F2', 'S1');
  assert.equal(processes.sessionOf('F1'), 'S1');
  assert.equal(processes.sessionOf('F2'), 'S1');
  assert.equal(processes.rootOf('S1')?.frameId, 'F1');
  assert.deepEqual(processes.sessions(), ['S1']);
  processes.detached({ sessionId: 'S1' });
  assert.equal(processes.sessionOf('F1'), undefined);
  assert.equal(processes.sessionOf('F2'), undefined);
  assert.deepEqual(processes.sessions(), []);
});

test('a frame that came back to the tab\'s own process is reached through the tab', () => {
  const processes = new FrameProcesses();
  processes.attached(attached('S1', 'F1'));
  processes.learn('F1', undefined);
  assert.equal(processes.sessionOf('F1'), undefined);
});

test('what is no frame and what is malformed is not taken', () => {
  const processes = new FrameProcesses();
  assert.equal(processes.attached(attached('S1', 'W', 'worker')), null);
  assert.equal(processes.attached({ sessionId: 7, targetInfo: { targetId: 'F', type: 'iframe' } }), null);
  assert.equal(processes.attached({ sessionId: 'S' }), null);
  processes.detached({});
  assert.deepEqual(processes.sessions(), []);
});

test('what the browser tells of a process is kept, so that one that hangs need not be asked', () => {
  const processes = new FrameProcesses();
  processes.attached({ sessionId: 'S1', targetInfo: { targetId: 'F1', type: 'iframe', parentFrameId: 'main', url: '' } });
  assert.deepEqual(processes.rootOf('S1'), { frameId: 'F1', parentId: 'main', url: '' });
  assert.ok(!processes.isForeign('S1'));
  processes.changed({ targetInfo: { targetId: 'F1', url: 'https://ad.test/' } });
  processes.changed({ targetInfo: { targetId: 'F9', url: 'https://other.test/' } });
  processes.changed({});
  assert.equal(processes.rootOf('S1')?.url, 'https://ad.test/');
  processes.changed({ targetInfo: { targetId: 'F1', url: 'chrome-extension://abcdefghijklmnop/menu.html' } });
  assert.ok(processes.isForeign('S1'));
});

test('a place within a scaled frame comes out in the viewport around it', () => {
  const around = { quad: [10, 20, 310, 20, 310, 220, 10, 220], width: 600, height: 400 };
  assert.deepEqual(quadWithin([0, 0, 600, 0, 600, 400, 0, 400], around), around.quad);
  assert.deepEqual(quadWithin([60, 40, 120, 40, 120, 80, 60, 80], around), [40, 40, 70, 40, 70, 60, 40, 60]);
});
