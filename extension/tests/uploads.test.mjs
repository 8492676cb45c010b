// Uploads: only staged files, only in an upload that is open and allowed, into one file input; choosers are the user's again whatever ends it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkStaged, isStaged } from '../kernel/policy/staged_path.js';
import { settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';

const ID = '0123456789abcdef'.repeat(2);
const PATH = `/home/ada/.bsk/staging/${ID}/0/a.txt`;
const FILES = [{ path: PATH, name: 'a.txt', size: 5 }];
const INTERCEPT = 'Page.setInterceptFileChooserDialog';

/** A page whose inputs take everything. @param {Lab} lab */
function takingPage(lab) {
  const page = { begun: { ok: { not_accepted: [] } }, ended: /** @type {object} */ ({ ok: {} }) };
  lab.browser.cdp['Runtime.callFunctionOn'] = (params) => {
    const text = params.functionDeclaration;
    if (text.includes('beginFiles')) return { result: { value: page.begun } };
    if (text.includes('endFiles')) return { result: { value: page.ended } };
    if (text.includes('elementOf')) return { result: { objectId: 'named' } };
    return { result: { value: { ok: {}, next_ref: 1 } } };
  };
  lab.browser.cdp['DOM.resolveNode'] = ({ backendNodeId }) => ({ object: { objectId: `node-${backendNodeId}` } });
  return page;
}

/** @param {Lab} lab @param {string} method */
const sent = (lab, method) => lab.browser.calls.filter((call) => call.method === method);
/** Whether choosers of a tab are kept back now. @param {Lab} lab @param {number} tabId */
const isKept = (lab, tabId) => sent(lab, INTERCEPT).findLast((call) => call.tabId === tabId)?.params.enabled ?? false;
/** @param {object} tab */
const opening = (tab) => ({ ...tab, frame: 0, files: FILES, timeout_ms: 60_000 });

test('only the form of a staged path under its own name is one', () => {
  const win = `C:\\Users\\ada\\.bsk\\staging\\${ID}\\19\\a.txt`;
  for (const path of [PATH, win, `\\\\?\\${win}`]) assert.ok(isStaged({ path, name: 'a.txt', size: 1 }), path);
  const wrong = [
    '/etc/passwd', 'a.txt', `staging/${ID}/0/a.txt`, `/staging/${ID}/a.txt`, `/staging/${ID}/0/0/a.txt`, `/staging/${ID}/20/a.txt`,
    `/staging/${ID.toUpperCase()}/0/a.txt`, `/staging/${ID}x/0/a.txt`, `/x/../staging/${ID}/0/a.txt`, `/./staging/${ID}/0/a.txt`,
    `/staging/${ID}/0/b.txt`, `/staging/${ID}/0/a.txt/`, `/staging/${ID}/0/a.txt\0`, `//staging/${ID}/0/a.txt`, `file:///staging/${ID}/0/a.txt`,
    `/staging/${ID}/0/../a.txt`, `\\\\server\\share\\staging\\${ID}\\0\\a.txt`,
  ];
  for (const path of wrong) assert.ok(!isStaged({ path, name: 'a.txt', size: 1 }), path);
  for (const name of ['..', '.', '']) assert.ok(!isStaged({ path: `/staging/${ID}/0/${name}`, name, size: 1 }), name);
  assert.throws(() => checkStaged([]), /no files/);
  assert.throws(() => checkStaged([...FILES, ...FILES]), /twice/);
});

test('a chooser that the page opens is kept back, answered with the files, and choosers are free again', async () => {
  const lab = await new Lab().start();
  takingPage(lab);
  const mine = await lab.session();
  await lab.ok('upload_open', opening(mine));
  assert.equal(isKept(lab, mine.tab_id), false, 'not before there is something to click');
  await lab.ok('upload_arm', mine);
  assert.equal(isKept(lab, mine.tab_id), true);
  const waiting = lab.begin('upload_chooser', { ...mine, timeout_ms: 5000 });
  await settled();
  assert.equal(waiting.outcome(), null);
  await lab.cdpEvent(mine.tab_id, 'Page.fileChooserOpened', { frameId: `main-${mine.tab_id}`, backendNodeId: 42, mode: 'selectSingle' });
  assert.deepEqual(waiting.outcome(), { ok: {} });
  await lab.cdpEvent(mine.tab_id, 'Page.fileChooserOpened', { frameId: `main-${mine.tab_id}`, backendNodeId: 43, mode: 'selectSingle' });
  assert.deepEqual(await lab.ok('upload_take', mine), { not_accepted: [], is_verified: true });
  assert.deepEqual(sent(lab, 'DOM.setFileInputFiles').map(({ params }) => params), [{ files: [PATH], objectId: 'node-42' }], 'the first one, once');
  assert.equal(isKept(lab, mine.tab_id), false);
  assert.equal((await lab.call('upload_take', mine)).failed.reason, 'upload_not_open');
});

test('without an open upload of this very tab nothing is given to a page', async () => {
  const lab = await new Lab().start();
  takingPage(lab);
  const mine = await lab.session();
  const other = await lab.session();
  const second = await lab.ok('tab_create', { session_id: mine.session_id, active: false });
  await lab.ok('upload_open', opening(mine));
  assert.equal((await lab.call('upload_open', opening(mine))).failed.reason, 'session_busy');
  for (const tab of [other, { session_id: mine.session_id, tab_id: second.tab_id }]) {
    for (const [name, more] of Object.entries({
      upload_arm: {}, upload_chooser: { timeout_ms: 1 }, upload_take: { input: { frame: 0, ref: 1 } }, upload_drag: { frame: 0, step: 'drop', x: 1, y: 1 },
    })) assert.equal((await lab.call(name, { ...tab, ...more })).failed.reason, 'upload_not_open', name);
  }
  for (const path of ['/etc/passwd', `${PATH}/../../../../../etc/passwd`]) {
    assert.equal((await lab.call('upload_open', { ...opening(other), files: [{ path, name: 'a.txt', size: 5 }] })).failed.reason, 'argument_not_allowed');
  }
  assert.deepEqual(sent(lab, 'DOM.setFileInputFiles'), []);
  assert.deepEqual(sent(lab, 'Input.dispatchDragEvent'), []);
});

test('whatever ends an upload, choosers are free and a drag is taken back', async () => {
  /** @type {[string, (lab: Lab, tab: { session_id: string, tab_id: number }) => unknown][]} */
  const ends = [
    ['close', (lab, tab) => lab.ok('upload_close', tab)],
    ['time', (lab) => lab.browser.advance(61_000)],
    ['host', (lab) => lab.worker.loseHost()],
    ['session', (lab, { session_id }) => lab.ok('session_stop', { session_id })],
    ['no chooser', async (lab, tab) => {
      const waiting = lab.begin('upload_chooser', { ...tab, timeout_ms: 1000 });
      await lab.browser.advance(1100);
      assert.equal(waiting.outcome().failed.reason, 'file_input_not_activated');
    }],
    ['a picker for people', async (lab, tab) => {
      await lab.cdpEvent(tab.tab_id, 'Page.fileChooserOpened', { frameId: `main-${tab.tab_id}`, mode: 'selectSingle' });
      assert.match((await lab.call('upload_chooser', { ...tab, timeout_ms: 1000 })).failed.message, /showOpenFilePicker/);
    }],
    ['a refused input', async (lab, tab) => {
      const failed = { code: 'invalid_params', reason: 'files_not_accepted', message: 'one' };
      Object.assign(takingPage(lab), { begun: { error: failed } });
      assert.equal((await lab.call('upload_take', { ...tab, input: { frame: 0, ref: 3 } })).failed.reason, 'files_not_accepted');
      assert.deepEqual(sent(lab, 'DOM.setFileInputFiles'), []);
    }],
  ];
  for (const [name, end] of ends) {
    const lab = await new Lab().start();
    takingPage(lab);
    const mine = await lab.session({ idle_ms: 600_000 });
    await lab.ok('upload_open', opening(mine));
    await lab.ok('upload_arm', mine);
    await lab.ok('upload_drag', { ...mine, frame: 0, step: 'enter', x: 3, y: 4 });
    await end(lab, mine);
    await settled();
    assert.equal(isKept(lab, mine.tab_id), false, name);
    const [, cancel] = sent(lab, 'Input.dispatchDragEvent');
    assert.deepEqual([cancel?.params.type, cancel?.params.data.files], ['dragCancel', [PATH]], name);
    assert.deepEqual(lab.browser.session.values['upload_tabs'], [], name);
  }
});

test('a worker that starts again ends what was left', async () => {
  const lab = await new Lab().start();
  takingPage(lab);
  const mine = await lab.session();
  await lab.ok('upload_open', opening(mine));
  await lab.ok('upload_arm', mine);
  assert.equal(isKept(lab, mine.tab_id), true);
  await lab.restart();
  await settled();
  assert.equal(isKept(lab, mine.tab_id), false);
  assert.equal((await lab.call('upload_take', mine)).failed.reason, 'upload_not_open');
});

test('settings count: block refuses, ask asks with names, sizes and site, and a no closes the upload', async () => {
  const lab = await new Lab().start();
  takingPage(lab);
  const mine = await lab.session();
  const setting = async (/** @type {string} */ newValue) => {
    lab.worker.fire('storage.onChanged', { uploads: { newValue } }, 'local');
    await settled();
  };
  await setting('block');
  assert.equal((await lab.call('upload_open', opening(mine))).failed.reason, 'uploads_blocked');
  await setting('ask');
  await lab.cdpEvent(mine.tab_id, 'Page.frameNavigated', { frame: { id: `main-${mine.tab_id}`, url: 'https://shop.test/x' } });
  const asked = lab.begin('upload_open', opening(mine));
  await settled();
  const [notification] = [...lab.browser.notifications.values()].filter(({ title }) => title.startsWith('ask_upload'));
  assert.equal(notification.message, 'a.txt (5 B)\nhttps://shop.test');
  const [id] = [...lab.browser.notifications.keys()].filter((key) => key.startsWith('consent-'));
  lab.worker.fire('notifications.onButtonClicked', id, 1);
  await settled();
  assert.equal(asked.outcome().failed.reason, 'upload_not_allowed');
  assert.equal((await lab.call('upload_arm', mine)).failed.reason, 'upload_not_open');
  // A setting that changes meanwhile counts, too.
  await setting('allow');
  await lab.ok('upload_open', opening(mine));
  await setting('block');
  assert.equal((await lab.call('upload_take', { ...mine, input: { frame: 0, ref: 1 } })).failed.reason, 'uploads_blocked');
  assert.deepEqual(sent(lab, 'DOM.setFileInputFiles'), []);
});

test('frames in processes of their own are kept from showing choosers, also those that come later', async () => {
  const lab = await new Lab().start();
  takingPage(lab);
  const mine = await lab.session();
  const attach = (/** @type {string} */ sessionId) => lab.cdpEvent(mine.tab_id, 'Target.attachedToTarget', {
    sessionId, targetInfo: { type: 'iframe', targetId: `frame-${sessionId}`, parentFrameId: `main-${mine.tab_id}`, url: 'https://b.test/' },
  });
  await lab.ok('subscribe', { ...mine, events: [] });
  await attach('early');
  await lab.ok('upload_open', opening(mine));
  await lab.ok('upload_arm', mine);
  await attach('late');
  assert.deepEqual(sent(lab, INTERCEPT).filter(({ params }) => params.enabled).map(({ sessionId }) => sessionId), [undefined, 'early', 'late']);
  lab.worker.fire('debugger.onEvent', { tabId: mine.tab_id, sessionId: 'late' }, 'Page.fileChooserOpened', { frameId: 'frame-late', backendNodeId: 7 });
  await settled();
  await lab.ok('upload_take', mine);
  assert.equal(sent(lab, 'DOM.setFileInputFiles')[0]?.sessionId, 'late');
  assert.deepEqual(sent(lab, INTERCEPT).slice(-3).map(({ params, sessionId }) => [params.enabled, sessionId]), [[false, undefined], [false, 'early'], [false, 'late']]);
});

test('the browser\'s refusal of files as such names the switch that the user has', async () => {
  const lab = await new Lab().start();
  takingPage(lab);
  lab.browser.cdp['DOM.setFileInputFiles'] = () => { throw new Error('{"code":-32000,"message":"Not allowed"}'); };
  const mine = await lab.session();
  await lab.ok('upload_open', opening(mine));
  const { failed } = await lab.call('upload_take', { ...mine, input: { frame: 0, ref: 1 } });
  assert.deepEqual([failed.reason, failed.data.effect_state], ['file_access_off', 'none']);
  assert.match(failed.hint, /Allow access to file URLs/);
});
