// What the popup may ask, and that nobody else may.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FakeBrowser, settled } from './fake_chrome.mjs';
import { answerTo, ID, Lab } from './harness.mjs';

const POPUP = { id: ID, url: `chrome-extension://${ID}/ui/popup.html` };

/** @param {Lab} lab @param {unknown} message @param {object} [sender] */
const ask = (lab, message, sender = POPUP) => answerTo(lab, message, sender);

test('the popup sees the connection and the sessions and can stop them', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session({ name: 'one' });
  const other = await lab.session();
  const state = await ask(lab, { type: 'state' });
  assert.deepEqual(state.connection, { state: 'connected' });
  assert.deepEqual(state.sessions.map((/** @type {any} */ session) => [session.session_id, session.name, session.tab_count]),
    [[mine.session_id, 'one', 1], [other.session_id, undefined, 1]]);
  assert.equal(state.version, '0.1.0');
  assert.equal((await ask(lab, { type: 'stop', session_id: mine.session_id })).sessions.length, 1);
  assert.deepEqual(lab.events('session_ended'), [{ session_id: mine.session_id, cause: 'user' }]);
  assert.equal((await ask(lab, { type: 'stop_all' })).sessions.length, 0);
  assert.ok(lab.browser.broadcasts.some((message) => message.type === 'state_changed'));
});

test('the popup sees each session\'s program, tabs and last command, and which tabs are borrowed', async () => {
  const lab = await new Lab().start();
  const agent = { program: 'planner', pid: 4711, path: '/opt/planner' };
  const mine = await lab.session({ agent });
  const line = async () => (await ask(lab, { type: 'state' })).sessions[0];
  Object.assign(lab.browser.tabs.get(mine.tab_id), { title: '<b>Tea</b>', url: 'https://shop.test:8443/tea?secret=1' });
  const before = await line();
  assert.deepEqual(before.agent, agent);
  assert.deepEqual(before.tabs, [{ tab_id: mine.tab_id, title: '<b>Tea</b>', site: 'shop.test:8443', is_borrowed: false }]);
  assert.equal(before.last_command, undefined);
  assert.equal((await ask(lab, { type: 'state' })).host_version, '0.1.0');
  lab.send({ note: { session_id: mine.session_id, command: 'wait-for' } });
  assert.deepEqual((await line()).last_command, { name: 'wait-for', at_ms: lab.browser.now });
  lab.send({ note: { session_id: 'none', command: 'click' } });
  await lab.ok('session_stop', { session_id: mine.session_id });
  assert.deepEqual((await ask(lab, { type: 'state' })).sessions, []);
  assert.ok(!JSON.stringify([lab.browser.local.values, lab.browser.session.values]).includes('wait-for'), 'nothing of it is stored');
});

test('commands are told to an open popup, a few together, and to nobody else', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.browser.advance(1000);
  const told = () => lab.browser.broadcasts.filter(({ type }) => type === 'state_changed').length;
  const note = () => lab.send({ note: { session_id: mine.session_id, command: 'click' } });
  const before = told();
  note();
  await lab.browser.advance(1000);
  assert.equal(told(), before, 'nobody has looked');
  await ask(lab, { type: 'state' });
  for (let count = 0; count < 5; count += 1) note();
  await lab.browser.advance(1000);
  assert.equal(told(), before + 1);
});

test('a malformed note closes the port', async () => {
  for (const note of [{ session_id: 'quwe' }, { session_id: 'quwe', command: '' }, { session_id: 'quwe', command: '<b>' }, { session_id: 'Q', command: 'click' }]) {
    const lab = await new Lab().start();
    lab.send({ note });
    assert.equal(lab.port.isOpen, false, JSON.stringify(note));
  }
});

test('a stop by the user fails what runs', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.browser.cdp['Runtime.evaluate'] = () => new Promise(() => {});
  const running = lab.begin('evaluate', { ...mine, expression: '1', await_promise: true, return_by_value: true, timeout_ms: 1000 });
  await settled();
  await ask(lab, { type: 'stop', session_id: mine.session_id });
  assert.deepEqual([running.outcome().failed.code, running.outcome().failed.reason], ['user_aborted', 'session_ended']);
});

test('anyone else gets no answer and stops nothing', async () => {
  const lab = await new Lab().start();
  await lab.session();
  for (const sender of [
    {}, { id: 'other', url: POPUP.url }, { id: ID, url: 'https://a.test/' }, { id: ID }, { ...POPUP, tab: { id: 1 } },
    { id: ID, url: `chrome-extension://${ID}/kernel/main.js` }, { id: ID, url: `https://a.test/?chrome-extension://${ID}/ui/` },
  ]) {
    assert.equal(await ask(lab, { type: 'stop_all' }, sender), undefined, JSON.stringify(sender));
  }
  for (const message of [null, 'stop_all', {}, { type: 'stop' }, { type: 'state', x: 1 }, { type: 'eval' }]) {
    assert.equal(await ask(lab, message), null, JSON.stringify(message));
  }
  assert.equal((await ask(lab, { type: 'state' })).sessions.length, 1);
});

test('the cause of a missing connection is told in the words of the browser', async () => {
  for (const [text, cause] of [
    ['Specified native messaging host not found.', 'host_not_found'],
    ['Access to the specified native messaging host is forbidden.', 'host_forbidden'],
    ['Native host has exited.', 'host_exited'],
  ]) {
    const browser = new FakeBrowser();
    browser.hostError = text ?? null;
    const lab = await new Lab(browser).start({ isWelcome: false });
    assert.deepEqual((await ask(lab, { type: 'state' })).connection, { state: 'disconnected', cause, detail: text });
  }
});

test('looking at the state connects at most once a second, asking for it at once', async () => {
  const browser = new FakeBrowser();
  browser.hostError = 'Native host has exited.';
  const lab = await new Lab(browser).start({ isWelcome: false });
  for (let look = 0; look < 5; look += 1) await ask(lab, { type: 'state' });
  assert.equal(browser.ports.length, 1);
  await ask(lab, { type: 'reconnect' });
  assert.equal(browser.ports.length, 2);
  await browser.advance(60_000);
  browser.now += 1500;
  const before = browser.ports.length;
  await ask(lab, { type: 'state' });
  assert.equal(browser.ports.length, before + 1);
});

test('a refusing host is shown with its reason', async () => {
  for (const [code, cause] of [['version_too_old', 'version_skew'], ['permission_denied', 'host_refused']]) {
    const lab = await new Lab().start({ isWelcome: false });
    lab.send({ refuse: { failure: { code, message: 'no', hint: 'update' } } });
    assert.deepEqual((await ask(lab, { type: 'state' })).connection, { state: 'disconnected', cause, detail: 'no; update' });
  }
});
