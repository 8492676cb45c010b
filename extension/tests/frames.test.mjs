// Frames that cannot be asked keep nothing back: not the list, not the other frames, not the tab once they are gone.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';

const EXTENSION = 'chrome-extension://abcdefghijklmnopabcdefghijklmnop/menu.html';
const STATE = { function: 'document_state', args: {} };

/**
 * A tab with two frames in processes of their own, S1 and S2; `hanging` ones never answer.
 * @param {Set<string>} hanging
 */
async function twoProcesses(hanging) {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const { cdp } = lab.browser;
  const main = { frame: { id: 'main', url: 'https://a.test/' }, childFrames: [{ frame: { id: 'F0', parentId: 'main', url: '' } }] };
  cdp['Page.getFrameTree'] = (_params, _tabId, sessionId) => {
    if (sessionId !== undefined && hanging.has(sessionId)) return new Promise(() => {});
    const frame = { id: `F-${sessionId}`, parentId: 'main', url: `https://${sessionId}.test/` };
    return { frameTree: sessionId === undefined ? main : { frame, childFrames: [{ frame: { id: `${frame.id}-inner`, parentId: frame.id, url: 'about:srcdoc' } }] } };
  };
  // As Chrome does, the same world each time.
  cdp['Page.createIsolatedWorld'] = ({ frameId }) => ({ executionContextId: ['main', 'F-S1', 'F-S2'].indexOf(frameId) + 1 });
  cdp['DOM.getFrameOwner'] = () => ({ backendNodeId: 5 });
  cdp['DOM.resolveNode'] = () => ({ object: { objectId: 'owner' } });
  cdp['Runtime.callFunctionOn'] = ({ functionDeclaration }) =>
    ({ result: { value: functionDeclaration.includes('refOf') ? { ref: 3, next_ref: 4 } : { ok: {}, next_ref: 3 } } });
  await lab.ok('subscribe', { ...mine, events: [] });
  for (const sessionId of ['S1', 'S2']) {
    const targetInfo = { targetId: `F-${sessionId}`, type: 'iframe', parentFrameId: 'main', url: `https://${sessionId}.test/` };
    await lab.cdpEvent(mine.tab_id, 'Target.attachedToTarget', { sessionId, targetInfo });
  }
  return { lab, mine };
}

test('a frame whose document has not come is told as loading, with its element', async () => {
  const { lab, mine } = await twoProcesses(new Set());
  const { frames } = await lab.ok('frames', mine);
  assert.deepEqual(frames[1], { frame: 1, parent: 0, url: '', obstacle: 'loading', owner_ref: 3 });
  assert.equal(frames.length, 6);
  assert.ok(!('obstacle' in frames[2]));
});

test('a process that hangs keeps nothing back and is not asked twice', async () => {
  const hanging = new Set(['S1']);
  const { lab, mine } = await twoProcesses(hanging);
  const first = lab.begin('frames', mine);
  await lab.browser.advance(499);
  assert.equal(first.outcome(), null, 'it gets its time');
  await lab.browser.advance(2);
  const { frames } = first.outcome().ok;
  const busy = frames.find((/** @type {any} */ frame) => frame.url === 'https://S1.test/');
  assert.equal(busy.obstacle, 'busy');
  assert.equal(busy.owner_ref, 3, 'its element is in a process that answers');
  assert.equal(frames.length, 5, 'the other process told its two frames');
  const asked = () => lab.browser.calls.filter(({ method, sessionId }) => method === 'Page.getFrameTree' && sessionId === 'S1').length;
  assert.equal(asked(), 1);
  const second = lab.begin('frames', mine);
  await lab.browser.advance(31);
  assert.equal(second.outcome().ok.frames.length, 5);
  assert.equal(asked(), 1);
  // The process ends; what it owed is over.
  await lab.cdpEvent(mine.tab_id, 'Target.detachedFromTarget', { sessionId: 'S1' });
  assert.equal((await lab.ok('frames', mine)).frames.length, 4);
});

test('a document that hangs costs its own frames their elements and no others', async () => {
  const { lab, mine } = await twoProcesses(new Set());
  const answer = lab.browser.cdp['Runtime.callFunctionOn'];
  lab.browser.cdp['Runtime.callFunctionOn'] = (params, tabId, sessionId) =>
    (sessionId === 'S1' ? new Promise(() => {}) : answer?.(params, tabId, sessionId));
  const asked = lab.begin('frames', mine);
  await lab.browser.advance(501);
  /** @type {{ url: string, owner_ref?: number, parent?: number }[]} */
  const frames = asked.outcome().ok.frames;
  assert.deepEqual(frames.map(({ owner_ref }) => owner_ref), [undefined, 3, 3, undefined, 3, 3]);
});

test('a page of another extension is told and not looked into', async () => {
  const { lab, mine } = await twoProcesses(new Set());
  await lab.cdpEvent(mine.tab_id, 'Target.targetInfoChanged', { targetInfo: { targetId: 'F-S1', url: EXTENSION } });
  lab.browser.calls.length = 0;
  const { frames } = await lab.ok('frames', mine);
  const foreign = frames.find((/** @type {any} */ frame) => frame.url === EXTENSION);
  assert.deepEqual([foreign.obstacle, foreign.owner_ref], ['foreign', 3]);
  const { failed } = await lab.call('page', { ...mine, frame: foreign.frame, ...STATE });
  assert.equal(failed.reason, 'frame_forbidden');
  assert.equal((await lab.call('shadow_roots', { ...mine, frame: foreign.frame })).failed.reason, 'frame_forbidden');
  assert.deepEqual(lab.browser.calls.filter(({ sessionId }) => sessionId === 'S1'), []);
});

test('a frame whose process ended is not found', async () => {
  const { lab, mine } = await twoProcesses(new Set());
  const { frames } = await lab.ok('frames', mine);
  const gone = frames.find((/** @type {any} */ frame) => frame.url === 'https://S2.test/').frame;
  await lab.ok('page', { ...mine, frame: gone, ...STATE });
  await lab.cdpEvent(mine.tab_id, 'Target.detachedFromTarget', { sessionId: 'S2' });
  lab.browser.cdp['Runtime.callFunctionOn'] = (_params, _tabId, sessionId) => {
    if (sessionId === 'S2') throw new Error(JSON.stringify({ message: 'Session with given id not found.' }));
  };
  lab.browser.cdp['Page.createIsolatedWorld'] = () => {
    throw new Error(JSON.stringify({ message: 'No frame for given id found' }));
  };
  assert.equal((await lab.call('page', { ...mine, frame: gone, ...STATE })).failed.reason, 'frame_not_found');
});

test('another extension\'s frame that comes into a tab ends what runs there and says whose it is', async () => {
  const { lab, mine } = await twoProcesses(new Set(['main']));
  lab.browser.cdp['Runtime.callFunctionOn'] = () => new Promise(() => {});
  const running = lab.begin('page', { ...mine, frame: 0, ...STATE });
  await lab.cdpEvent(mine.tab_id, 'Page.frameRequestedNavigation', { frameId: 'F9', url: EXTENSION });
  lab.worker.addForeignFrame(mine.tab_id);
  await settled();
  const { failed } = running.outcome();
  assert.equal(failed.reason, 'frame_forbidden');
  assert.deepEqual(failed.data.extension_ids, ['abcdefghijklmnopabcdefghijklmnop']);
  assert.deepEqual(lab.events('tab_lost').map(({ cause }) => cause), ['foreign_frame']);
});

test('a tab that the browser takes for a moment only is had back without a word', async () => {
  const { lab, mine } = await twoProcesses(new Set());
  lab.browser.cdp['Runtime.callFunctionOn'] = () => new Promise(() => {});
  const running = lab.begin('page', { ...mine, frame: 0, ...STATE });
  await settled();
  lab.browser.attached.delete(mine.tab_id);
  lab.worker.fire('debugger.onDetach', { tabId: mine.tab_id }, 'target_closed');
  await settled();
  assert.equal(running.outcome().failed.reason, 'tab_detached');
  assert.ok(lab.browser.attached.has(mine.tab_id));
  assert.deepEqual(lab.events('tab_lost'), []);
});

test('a tab with another extension\'s frame in it is refused by name, left by a navigation, and used again without it', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.browser.targets = [
    { type: 'other', url: EXTENSION }, { type: 'worker', url: 'chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba/worker.js' },
    { type: 'other', url: 'https://ad.test/' },
  ];
  lab.worker.addForeignFrame(mine.tab_id);
  await settled();
  const { failed } = await lab.call('page', { ...mine, frame: 0, ...STATE });
  assert.equal(failed.reason, 'frame_forbidden');
  assert.match(failed.message, /`abcdefghijklmnopabcdefghijklmnop`/);
  lab.browser.foreign.clear();
  await lab.ok('page', { ...mine, frame: 0, ...STATE });
  lab.worker.addForeignFrame(mine.tab_id);
  await settled();
  await lab.ok('cdp', { ...mine, method: 'Page.navigate', params: { url: 'https://b.test/' } });
  assert.equal(lab.browser.calls.at(-1)?.method, 'Page.navigate');
});
