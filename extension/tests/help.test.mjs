// Help: the session is its user's until the press in the very window that asks; then it goes on, and nothing is left drawn or open.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { ID, Lab, ownTabs, say as sayFrom } from './harness.mjs';

const TARGETS = [{ frame: 0, ref: 3, role: 'textbox', name: 'Code' }, { frame: 0, ref: 4, role: 'button', name: 'Send' }];

/** The open help windows' tabs. @param {Lab} lab */
const helpTabs = (lab) => ownTabs(lab, 'help');

/**
 * What the kernel answers to a message of the help window.
 * @param {Lab} lab @param {object} message @param {any} [tab] the tab that sends it
 * @returns {Promise<any>}
 */
const say = (lab, message, tab = helpTabs(lab)[0]) => sayFrom(lab, message, tab);

/** A kernel whose pages have elements that the overlay can draw. */
async function drawingLab() {
  const lab = await new Lab().start();
  let node = 0;
  Object.assign(lab.browser.cdp, {
    'Runtime.callFunctionOn': (/** @type {any} */ { functionDeclaration }) => (functionDeclaration.includes('elementOf')
      ? { result: { objectId: `object-${++node}` } } : { result: { value: { ok: {}, next_ref: 1 } } }),
    'DOM.requestNode': () => ({ nodeId: ++node }),
  });
  return lab;
}

/** A session that asks for help. @param {Lab} lab @param {object} [more] */
async function asking(lab, more = {}) {
  const mine = await lab.session({ name: 'flights' });
  lab.browser.calls.length = 0;
  const asked = lab.begin('help_request', { ...mine, prompt: 'Type\n  the code', targets: [], timeout_ms: 300_000, ...more });
  await settled();
  return { mine, asked };
}

/** @param {Lab} lab @param {string} answer @param {string} [note] */
async function press(lab, answer, note = '') {
  const { help } = await say(lab, { type: 'help_state' });
  return say(lab, { type: 'help_answer', id: help.id, answer, note });
}

/** The overlay's calls, by method without its domain. @param {Lab} lab */
const drawn = (lab) => lab.browser.calls.filter(({ method }) => method.startsWith('Overlay.'));

test('the window beside the raised Agent Window says who asks for what, and Done brings the note', async () => {
  const lab = await new Lab().start();
  const { mine, asked } = await asking(lab, { title: 'Bank', agent: { program: 'agent-cli', pid: 7 }, targets: TARGETS });
  const agentWindow = lab.browser.windows.get(lab.browser.tabs.get(mine.tab_id).windowId);
  assert.equal(agentWindow.focused, true);
  const { help } = await say(lab, { type: 'help_state' });
  assert.deepEqual([help.title, help.prompt, help.program, help.session], ['Bank', 'Type\n  the code', 'agent-cli', 'flights']);
  assert.deepEqual(help.targets, [{ role: 'textbox', name: 'Code' }, { role: 'button', name: 'Send' }]);
  assert.equal(help.deadline_ms, lab.browser.now + 300_000);
  assert.equal([...lab.browser.notifications.values()][0].buttons.length, 2);
  await press(lab, 'done', 'it is 17');
  assert.deepEqual(asked.outcome(), { ok: { outcome: 'continued', note: 'it is 17' } });
  assert.deepEqual([helpTabs(lab).length, lab.browser.notifications.size], [0, 0]);
});

test('Cancel, a closed window and the notification end it, an empty note is none', async () => {
  const lab = await new Lab().start();
  const { mine, asked } = await asking(lab);
  await press(lab, 'cancel', ' \n');
  assert.deepEqual(asked.outcome(), { ok: { outcome: 'cancelled' } });
  const again = () => lab.begin('help_request', { ...mine, prompt: 'p', targets: [], timeout_ms: 1000 });
  const closed = again();
  await settled();
  lab.worker.closeTab(helpTabs(lab)[0].id);
  await settled();
  assert.deepEqual(closed.outcome(), { ok: { outcome: 'cancelled' } });
  const notified = again();
  await settled();
  lab.worker.fire('notifications.onButtonClicked', [...lab.browser.notifications.keys()][0], 0);
  await settled();
  assert.deepEqual(notified.outcome(), { ok: { outcome: 'continued' } });
  assert.equal(helpTabs(lab).length, 0);
});

test('while it is open the session can look and not act, also in what is sent in the same breath; others go on', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const other = await lab.session();
  const tab = { ...mine };
  const asked = lab.begin('help_request', { ...tab, prompt: 'p', targets: [], timeout_ms: 1000 });
  const early = lab.begin('cdp', { ...tab, method: 'Input.insertText', params: { text: 'x' } });
  await settled();
  assert.equal(early.outcome().failed.reason, 'user_in_control', 'before the window is there');
  const cdp = (/** @type {string} */ method, params = {}) => /** @type {[string, object]} */ (['cdp', { ...tab, method, params }]);
  const page = (/** @type {string} */ name, args = {}) => /** @type {[string, object]} */ (['page', { ...tab, frame: 0, function: name, args }]);
  const { session_id } = mine;
  /** @type {[string, object][]} */
  const acts = [
    cdp('Input.insertText', { text: 'x' }), cdp('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 1, y: 1 }), cdp('Page.reload'),
    cdp('Page.navigate', { url: 'https://a.test/' }), cdp('Page.handleJavaScriptDialog', { accept: true }), cdp('Page.stopLoading'),
    page('focus', { timeout_ms: 1 }), page('scroll_text', { text: 'a', timeout_ms: 1 }),
    page('fill_begin', { target: { ref: 1 }, value: 'x', append: false, timeout_ms: 1 }),
    ['fill', { ...tab, frame: 0, target: { ref: 1 }, value: 'x', append: false, timeout_ms: 1, edit_ms: 1 }],
    ['evaluate', { ...tab, expression: '1', await_promise: true, return_by_value: true, timeout_ms: 100 }],
    ['download_open', { ...tab, frame: 0, timeout_ms: 100 }], ['download_take', { session_id, begin_ms: 1, timeout_ms: 1 }],
    ['history_step', { ...tab, delta: -1 }], ['tab_create', { session_id, active: true }], ['tab_close', tab], ['tab_select', tab],
    ['tab_return', tab], ['tab_borrow', { session_id, tab_id: lab.browser.userTab.id }], ['window_resize', { session_id, width: 500, height: 500 }],
    ['help_request', { ...tab, prompt: 'p', targets: [], timeout_ms: 1000 }],
  ];
  for (const [name, args] of acts) {
    const { failed } = await lab.call(name, args);
    assert.deepEqual([failed?.code, failed?.reason], ['permission_denied', 'user_in_control'], JSON.stringify([name, args]));
  }
  assert.equal(lab.browser.calls.filter(({ method }) => method.startsWith('Input.')).length, 0);
  await lab.ok('page', { ...tab, frame: 0, function: 'observe', args: { budget_ms: 1 } });
  await lab.ok('cdp', { ...tab, method: 'Page.captureScreenshot', params: {} });
  await lab.ok('tab_list', { session_id, scope: 'all' });
  await lab.ok('cdp', { ...other, method: 'Input.insertText', params: { text: 'x' } });
  assert.equal(asked.outcome(), null, 'none of this ends it');
  await press(lab, 'done');
  await lab.ok('cdp', { ...tab, method: 'Input.insertText', params: { text: 'x' } });
});

test('a message of another window, another page or with another number ends nothing', async () => {
  const lab = await new Lab().start();
  const { asked } = await asking(lab);
  const { help } = await say(lab, { type: 'help_state' });
  const done = { type: 'help_answer', id: help.id, answer: 'done', note: '' };
  const [tab] = helpTabs(lab);
  for (const other of [
    { ...tab, id: tab.id + 1000 }, { ...tab, windowId: lab.browser.userWindow.id }, { ...tab, url: 'https://evil.test/ui/help.html' },
    { ...tab, url: `chrome-extension://${ID}/ui/consent.html` },
  ]) assert.deepEqual(await say(lab, done, other), { help: null });
  await say(lab, { ...done, id: help.id + 1 });
  await say(lab, { ...done, note: 'x'.repeat(4001) });
  await say(lab, { ...done, answer: 'completed' });
  lab.worker.fire('notifications.onButtonClicked', 'help-999', 0);
  await settled();
  assert.equal(asked.outcome(), null);
});

test('two sessions are helped at once, each in its own window', async () => {
  const lab = await new Lab().start();
  const first = await asking(lab, { prompt: 'first' });
  const second = await asking(lab, { prompt: 'second' });
  const [one, two] = helpTabs(lab);
  assert.equal((await say(lab, { type: 'help_state' }, one)).help.prompt, 'first');
  const { help } = await say(lab, { type: 'help_state' }, two);
  assert.equal(help.prompt, 'second');
  assert.notEqual((await say(lab, { type: 'help_answer', id: help.id, answer: 'done', note: '' }, one)).help, null, 'not of this window');
  await say(lab, { type: 'help_answer', id: help.id, answer: 'done', note: '' }, two);
  assert.deepEqual([first.asked.outcome(), second.asked.outcome()], [null, { ok: { outcome: 'continued' } }]);
});

test('a caller that left, a host that is gone, the session and the tab take the window along', async () => {
  const lab = await new Lab().start();
  const { mine, asked } = await asking(lab);
  lab.send({ cancel: { id: asked.id } });
  assert.equal((await lab.call('cdp', { ...mine, method: 'Input.insertText', params: { text: 'x' } })).failed, undefined);
  assert.deepEqual([helpTabs(lab).length, lab.browser.notifications.size], [0, 0]);
  const closing = await lab.ok('tab_create', { session_id: mine.session_id, active: true });
  const inTab = lab.begin('help_request', { ...mine, tab_id: closing.tab_id, prompt: 'p', targets: [], timeout_ms: 1000 });
  await settled();
  lab.worker.closeTab(closing.tab_id);
  await settled();
  assert.equal(inTab.outcome().failed.reason, 'tab_closed');
  assert.equal(helpTabs(lab).length, 0);
  const stopped = lab.begin('help_request', { ...mine, prompt: 'p', targets: [], timeout_ms: 1000 });
  await settled();
  await lab.ok('session_stop', { session_id: mine.session_id });
  assert.equal(stopped.outcome().failed.reason, 'session_ended');
  assert.equal(helpTabs(lab).length, 0);
  await asking(lab);
  lab.worker.loseHost();
  await settled();
  assert.equal(helpTabs(lab).length, 0);
});

test('a window that opens when nobody waits any more is closed again', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const asked = lab.begin('help_request', { ...mine, prompt: 'p', targets: [], timeout_ms: 1000 });
  lab.send({ cancel: { id: asked.id } });
  await settled();
  assert.deepEqual([helpTabs(lab).length, lab.browser.notifications.size], [0, 0]);
});

test('a restarted worker closes the window and clears what was drawn', async () => {
  const lab = await drawingLab();
  const { mine } = await asking(lab, { targets: TARGETS });
  await lab.restart();
  assert.equal(helpTabs(lab).length, 0);
  assert.deepEqual(drawn(lab).at(-1), { tabId: mine.tab_id, method: 'Overlay.disable', params: undefined });
  await lab.ok('cdp', { ...mine, method: 'Input.insertText', params: { text: 'x' } });
});

test('a place that the browser refuses is followed by the next', async () => {
  const lab = await new Lab().start();
  /** @type {(number | undefined)[]} */
  const tried = [];
  const { create } = lab.worker.chrome.windows;
  lab.worker.chrome.windows.create = async (/** @type {any} */ options) => {
    if (options.type === 'popup') tried.push(options.left);
    if (options.type === 'popup' && options.left !== undefined) throw new Error('Invalid value for bounds.');
    return create(options);
  };
  const { asked } = await asking(lab);
  assert.deepEqual(tried, [808, -388, 396, undefined]);
  assert.equal(helpTabs(lab).length, 1);
  lab.worker.chrome.windows.create = async () => { throw new Error('no window'); };
  await press(lab, 'done');
  assert.deepEqual(asked.outcome(), { ok: { outcome: 'continued' } });
});

test('a browser that shows no window is a failure, and the session acts again', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.worker.chrome.windows.create = async () => { throw new Error('no window'); };
  const { failed } = await lab.call('help_request', { ...mine, prompt: 'p', targets: [], timeout_ms: 1000 });
  assert.equal(failed.reason, 'consent_not_shown');
  await lab.ok('cdp', { ...mine, method: 'Input.insertText', params: { text: 'x' } });
});

test('targets are framed together and filled in turn, hidden from pictures, and cleared in the end', async () => {
  const lab = await drawingLab();
  const { mine } = await asking(lab, { targets: TARGETS });
  const framed = () => drawn(lab).filter(({ method }) => method.endsWith('setShowContainerQueryOverlays')).map(({ params }) => params.containerQueryHighlightConfigs.length);
  const filled = () => drawn(lab).filter(({ method }) => method.endsWith('highlightNode')).map(({ params }) => params.objectId);
  assert.deepEqual(framed(), [2]);
  assert.equal(filled().length, 1);
  const scrolled = lab.browser.calls.filter(({ method }) => method === 'DOM.scrollIntoViewIfNeeded');
  assert.deepEqual(scrolled.map(({ params }) => params.objectId), [filled()[0]], 'to the first alone');
  await lab.browser.advance(3100);
  assert.deepEqual([filled().length, new Set(filled()).size], [3, 2]);
  await lab.ok('cdp', { ...mine, method: 'Page.captureScreenshot', params: {} });
  const methods = lab.browser.calls.map(({ method }) => method);
  const shot = methods.indexOf('Page.captureScreenshot');
  assert.ok(methods.slice(0, shot).lastIndexOf('Overlay.hideHighlight') > methods.slice(0, shot).lastIndexOf('Overlay.highlightNode'));
  assert.deepEqual(framed(), [2, 0, 2]);
  await press(lab, 'done');
  assert.equal(drawn(lab).at(-1)?.method, 'Overlay.disable');
  lab.browser.calls.length = 0;
  await lab.browser.advance(10_000);
  assert.deepEqual(drawn(lab), []);
});

test('a new document shows again what is there once, by role and name', async () => {
  const lab = await drawingLab();
  const { mine } = await asking(lab, { targets: TARGETS });
  const element = lab.browser.cdp['Runtime.callFunctionOn'];
  lab.browser.cdp['Runtime.callFunctionOn'] = (params, tabId) => {
    const [name, args] = params.arguments.map((/** @type {any} */ { value }) => value);
    if (name !== 'query') return element?.(params, tabId);
    const total = args.query.name === 'Code' ? 1 : 2;
    return { result: { value: { ok: { total, matches: Array(total).fill({ ref: 9, role: '', name: '', context: '' }), nearest: [] }, next_ref: 10 } } };
  };
  lab.browser.calls.length = 0;
  await lab.cdpEvent(mine.tab_id, 'Page.frameNavigated', { frame: { id: 'other', url: 'https://b.test/' } });
  await settled();
  const asked = lab.browser.calls.filter(({ params }) => params?.functionDeclaration?.includes('elementOf')).map(({ params }) => params.arguments[0].value);
  assert.deepEqual(asked, [9, 4], 'the one found anew, the other as before, which the new document does not know');
  assert.equal(lab.browser.calls.filter(({ method }) => method === 'DOM.scrollIntoViewIfNeeded').length, 0, 'the user scrolls now');
});

test('a tab that the user stopped debugging is not attached for drawing', async () => {
  const lab = await drawingLab();
  const { mine, asked } = await asking(lab, { targets: TARGETS });
  lab.browser.attached.delete(mine.tab_id);
  lab.worker.fire('debugger.onDetach', { tabId: mine.tab_id }, 'canceled_by_user');
  await lab.browser.advance(5000);
  await press(lab, 'done');
  assert.ok(!lab.browser.attached.has(mine.tab_id));
  assert.deepEqual(asked.outcome(), { ok: { outcome: 'continued' } });
});
