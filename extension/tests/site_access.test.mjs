// Site rules through the whole kernel: what a rule closes is refused before the browser hears of it, and the user is asked where a
// rule says so.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CDP_METHODS, useOfCdp } from '../kernel/policy/cdp_table.js';
import { useOfPage } from '../kernel/policy/page_table.js';
import { PAGE_FUNCTIONS } from '../kernel/wire.js';
import { settled } from './fake_chrome.mjs';
import { consentTab, Lab, press } from './harness.mjs';

const AGENT = { program: 'agent-cli', pid: 7, path: '/opt/agent-cli' };

/** Calls that touch the page of a tab, and those that do not. */
const READING = {
  tab_select: {}, frames: {}, frame_quad: { frame: 0 }, shadow_roots: { frame: 0 }, network_quiet: { quiet_ms: 1, timeout_ms: 1 },
  cdp: { method: 'Page.captureScreenshot', params: {} }, page: { frame: 0, function: 'observe', args: { budget_ms: 100 } },
};
const ACTING = {
  evaluate: { expression: '1', await_promise: true, return_by_value: true, timeout_ms: 100 },
  cdp: { method: 'Input.insertText', params: { text: 'x' } }, page: { frame: 0, function: 'focus', args: { timeout_ms: 1 } },
};
const FREE = { subscribe: { events: [] }, flush: {}, cdp: { method: 'Page.navigate', params: { url: 'https://free.test/' } } };

/** @param {Lab} lab @param {Record<string, string>} rules @param {'local' | 'managed'} [area] */
function setRules(lab, rules, area = 'local') {
  const newValue = Object.entries(rules).map(([pattern, access]) => ({ pattern, access }));
  lab.browser[area].values['site_rules'] = newValue;
  lab.worker.fire('storage.onChanged', { site_rules: { newValue } }, area);
}

/** The tab shows another document. @param {Lab} lab @param {number} tabId @param {string} url */
async function goes(lab, tabId, url) {
  lab.browser.tabs.get(tabId).url = url;
  await lab.cdpEvent(tabId, 'Page.frameNavigated', { frame: { id: `main-${tabId}`, url, securityOrigin: '' } });
}

/** A session whose tab shows an address. @param {Record<string, string>} rules @param {string} url */
async function at(rules, url) {
  const lab = await new Lab().start();
  const mine = await lab.session({ agent: AGENT });
  await lab.ok('subscribe', { ...mine, events: ['Page.javascriptDialogOpening'] });
  setRules(lab, rules);
  await goes(lab, mine.tab_id, url);
  lab.browser.calls.length = 0;
  return { lab, mine };
}

/** @param {Lab} lab @param {object} mine @param {[string, object]} call */
async function reasonOf(lab, mine, [name, rest]) {
  const outcome = await lab.call(name, { ...mine, ...rest });
  return outcome?.failed?.reason ?? null;
}

const goTo = (/** @type {string} */ url) => /** @type {[string, object]} */ (['cdp', { method: 'Page.navigate', params: { url } }]);
const look = /** @type {[string, object]} */ (['page', READING.page]);

test('a blocked site is refused before the browser hears of it', async () => {
  const { lab, mine } = await at({ 'bank.test': 'block' }, 'https://a.test/');
  const { failed } = await lab.call('cdp', { ...mine, method: 'Page.navigate', params: { url: 'https://my.bank.test/x' } });
  assert.deepEqual([failed.code, failed.reason], ['permission_denied', 'site_blocked']);
  assert.match(failed.message, /`https:\/\/my\.bank\.test`.*a rule of the user: `bank\.test: block`/);
  const created = await lab.call('tab_create', { session_id: mine.session_id, url: 'https://bank.test/', active: true });
  assert.equal(created.failed.reason, 'site_blocked');
  const entries = [{ id: 1, url: 'https://bank.test/' }, { id: 2, url: 'https://a.test/' }];
  lab.browser.cdp['Page.getNavigationHistory'] = () => ({ currentIndex: 1, entries });
  assert.equal(await reasonOf(lab, mine, ['history_step', { delta: -1 }]), 'site_blocked');
  assert.deepEqual(lab.browser.calls.map(({ method }) => method), ['Page.getNavigationHistory']);
});

test('a tab on a blocked site answers nothing, and can be led away and closed', async () => {
  const { lab, mine } = await at({ 'bank.test': 'block' }, 'https://bank.test/');
  for (const call of [...Object.entries(READING), ...Object.entries(ACTING)]) assert.equal(await reasonOf(lab, mine, call), 'site_blocked', call[0]);
  assert.deepEqual(lab.browser.calls, []);
  for (const call of Object.entries(FREE)) assert.equal(await reasonOf(lab, mine, call), null, call[0]);
  assert.equal((await lab.ok('tab_list', { session_id: mine.session_id, scope: 'agent' })).tabs[0].title, '');
  await goes(lab, mine.tab_id, 'https://free.test/');
  assert.equal(await reasonOf(lab, mine, look), null);
  await goes(lab, mine.tab_id, 'https://bank.test/');
  assert.equal(await reasonOf(lab, mine, ['tab_close', {}]), null);
});

test('a rule counts from the moment it is made, also one of a policy, and is named with its maker', async () => {
  const { lab, mine } = await at({}, 'https://a.test/');
  assert.equal(await reasonOf(lab, mine, look), null);
  setRules(lab, { '*': 'block', 'a.test': 'allow' });
  assert.equal(await reasonOf(lab, mine, look), null);
  setRules(lab, { 'https://a.test': 'block' }, 'managed');
  const { failed } = await lab.call('page', { ...mine, ...READING.page });
  assert.match(failed.message, /a policy of the administrator: `https:\/\/a\.test: block`/);
  setRules(lab, {}, 'managed');
  assert.equal(await reasonOf(lab, mine, look), null);
});

test('a site that may only be read is looked at and not touched', async () => {
  const { lab, mine } = await at({ 'a.test': 'read_only' }, 'https://a.test/');
  for (const call of Object.entries(READING)) assert.notEqual(await reasonOf(lab, mine, call), 'site_read_only', call[0]);
  for (const call of Object.entries(ACTING)) assert.equal(await reasonOf(lab, mine, call), 'site_read_only', call[0]);
  assert.equal(await reasonOf(lab, mine, goTo('https://a.test/other')), null);
});

test('every method and page function says what it does to a site', () => {
  const uses = (/** @type {readonly string[]} */ names, /** @type {(name: string) => string} */ useOf, /** @type {string} */ use) => names.filter((name) => useOf(name) === use).sort();
  const ofCdp = (/** @type {string} */ method) => useOfCdp(method, { accept: true, enabled: true, type: '' });
  assert.deepEqual(uses(CDP_METHODS, ofCdp, 'free'), ['Emulation.setFocusEmulationEnabled', 'Page.navigate', 'Page.stopLoading']);
  assert.deepEqual(uses(CDP_METHODS, ofCdp, 'read'), ['Page.captureScreenshot', 'Page.getLayoutMetrics']);
  assert.equal(useOfCdp('Page.handleJavaScriptDialog', { accept: false }), 'read');
  for (const [type, use] of [['mousePressed', 'act'], ['mouseMoved', 'act'], ['mouseReleased', 'free'], ['mouseWheel', 'read']]) {
    assert.equal(useOfCdp('Input.dispatchMouseEvent', { type }), use, type);
  }
  for (const [type, use] of [['keyDown', 'act'], ['char', 'act'], ['rawKeyDown', 'act'], ['keyUp', 'free']]) assert.equal(useOfCdp('Input.dispatchKeyEvent', { type }), use, type);
  for (const [type, use] of [['dragEnter', 'act'], ['drop', 'act'], ['dragCancel', 'free']]) assert.equal(useOfCdp('Input.dispatchDragEvent', { type }), use, type);
  assert.equal(useOfCdp('Unknown.method', {}), 'act');
  assert.deepEqual(uses(PAGE_FUNCTIONS, useOfPage, 'free'), ['outcome', 'probe']);
  assert.deepEqual(uses(PAGE_FUNCTIONS, useOfPage, 'act'),
    ['check_begin', 'check_end', 'fill_begin', 'fill_end', 'focus', 'prepare', 'select', 'type_begin', 'type_end']);
});

test('the user is asked once for a site until the tab leaves it', async () => {
  const { lab, mine } = await at({ 'shop.test': 'ask' }, 'https://a.test/');
  const first = lab.begin('cdp', { ...mine, method: 'Page.navigate', params: { url: 'https://shop.test/' } });
  await settled();
  assert.equal(first.outcome(), null, 'it waits');
  assert.deepEqual(lab.browser.calls, []);
  const question = await press(lab, true);
  assert.deepEqual([question.kind, question.site, question.agent, question.choices], ['site', 'https://shop.test', AGENT, ['once', 'session', 'site']]);
  assert.ok('ok' in first.outcome());
  await goes(lab, mine.tab_id, 'https://shop.test/');
  for (const call of [...Object.entries(READING), ...Object.entries(ACTING)]) assert.equal(consentTab(lab), undefined, String(await reasonOf(lab, mine, call)));
  await goes(lab, mine.tab_id, 'https://shop.test/other');
  assert.equal(await reasonOf(lab, mine, look), null, 'it is the same site');
  await lab.restart();
  assert.equal(await reasonOf(lab, mine, look), null, 'a new worker knows the answer');
  await goes(lab, mine.tab_id, 'https://a.test/');
  await goes(lab, mine.tab_id, 'https://shop.test/');
  const again = lab.begin('page', { ...mine, ...READING.page });
  await settled();
  assert.equal(again.outcome(), null, 'it left the site, so the user is asked again');
  await press(lab, false);
  assert.deepEqual([again.outcome().failed.code, again.outcome().failed.reason], ['permission_denied', 'site_not_allowed']);
  assert.equal(await reasonOf(lab, mine, look), 'site_not_allowed', 'the no counts as long');
  assert.equal(consentTab(lab), undefined);
  assert.equal(await reasonOf(lab, mine, goTo('https://a.test/')), null, 'the way out is free');
});

test('calls that need the same answer wait for one question, whoever of them leaves', async () => {
  const { lab, mine } = await at({ 'shop.test': 'ask' }, 'https://shop.test/');
  const calls = [0, 1].map(() => lab.begin('page', { ...mine, ...READING.page }));
  await settled();
  await press(lab, true);
  for (const call of calls) assert.ok('ok' in call.outcome());
  assert.equal(consentTab(lab), undefined, 'no second question');
  await goes(lab, mine.tab_id, 'https://a.test/');
  await goes(lab, mine.tab_id, 'https://shop.test/');
  const [left, stays] = [0, 1].map(() => lab.begin('page', { ...mine, ...READING.page }));
  await settled();
  lab.send({ cancel: { id: left?.id } });
  await settled();
  await press(lab, true);
  assert.equal(left?.outcome(), null);
  assert.ok('ok' in stays?.outcome(), 'the other one has its answer');
});

test('an answer for the session counts in its other tabs, one for site and program in other sessions', async () => {
  const { lab, mine } = await at({ 'shop.test': 'ask', 'mail.test': 'ask' }, 'https://shop.test/');
  const asked = lab.begin('page', { ...mine, ...READING.page });
  await settled();
  await press(lab, true, 'session');
  assert.ok('ok' in asked.outcome());
  const other = await lab.ok('tab_create', { session_id: mine.session_id, url: 'https://shop.test/', active: true });
  await goes(lab, other.tab_id, 'https://shop.test/');
  assert.equal(await reasonOf(lab, { ...mine, tab_id: other.tab_id }, look), null);
  const mail = lab.begin('tab_create', { session_id: mine.session_id, url: 'https://mail.test/', active: true });
  await settled();
  await press(lab, true, 'site');
  assert.ok('ok' in mail.outcome());
  const next = await lab.session({ agent: AGENT });
  assert.equal(await reasonOf(lab, next, goTo('https://mail.test/')), null);
  assert.equal(await reasonOf(lab, await lab.session(), goTo('https://shop.test/')), null, 'nobody answers yet');
  assert.notEqual(consentTab(lab), undefined, 'another session is asked');
});

test('a page replaced by one of a closed site while it was read tells nothing', async () => {
  const { lab, mine } = await at({ 'bank.test': 'block' }, 'https://a.test/');
  /** @type {(value: unknown) => void} */
  let answer = () => {};
  lab.browser.cdp['Page.captureScreenshot'] = () => new Promise((resolve) => { answer = resolve; });
  const shot = lab.begin('cdp', { ...mine, ...READING.cdp });
  await settled();
  await goes(lab, mine.tab_id, 'https://bank.test/');
  answer({ data: 'pixels' });
  await settled();
  assert.equal(shot.outcome().failed.reason, 'site_blocked');
});

test('what a closed site says in a dialog is not told', async () => {
  const { lab, mine } = await at({ 'bank.test': 'block', 'shop.test': 'ask' }, 'https://bank.test/');
  const opens = (/** @type {string} */ url) => lab.cdpEvent(mine.tab_id, 'Page.javascriptDialogOpening', { url, type: 'alert', message: 'balance', defaultPrompt: '1' });
  const said = () => lab.events('cdp').at(-1).params.message;
  await opens('https://bank.test/');
  assert.equal(said(), '');
  await goes(lab, mine.tab_id, 'https://a.test/');
  await opens('https://shop.test/');
  assert.equal(said(), '', 'a frame of it');
  await opens('https://a.test/');
  assert.equal(said(), 'balance');
});

/** A tree with frames below the main one. @param {any[]} frames */
const tree = (...frames) => (/** @type {unknown} */ _params, /** @type {number} */ tabId) => ({
  frameTree: { frame: { id: `main-${tabId}`, url: 'https://a.test/' }, childFrames: frames.map((frame) => ({ frame: { parentId: `main-${tabId}`, ...frame } })) },
});

test('a frame of a closed site is told of and not looked into', async () => {
  const { lab, mine } = await at({ 'bank.test': 'block', 'shop.test': 'ask', 'read.test': 'read_only' }, 'https://a.test/');
  lab.browser.cdp['Page.getFrameTree'] = tree(
    { id: 'bank', url: 'https://bank.test/secret?x' }, { id: 'shop', url: 'https://shop.test/cart' }, { id: 'read', url: 'https://read.test/' },
    { id: 'open', url: 'https://b.test/x' }, { id: 'made', url: 'about:blank', securityOrigin: 'https://bank.test' }, { id: 'blank', url: 'about:blank', securityOrigin: '://' },
  );
  const { frames } = await lab.ok('frames', mine);
  assert.deepEqual(frames.map((/** @type {any} */ frame) => [frame.url, frame.obstacle]), [
    ['https://a.test/', undefined], ['https://bank.test', 'blocked'], ['https://shop.test', 'unasked'], ['https://read.test/', undefined],
    ['https://b.test/x', undefined], ['', 'blocked'], ['about:blank', undefined],
  ]);
  const into = (/** @type {number} */ frame, /** @type {object} */ rest = READING.page) => reasonOf(lab, mine, ['page', { ...rest, frame }]);
  assert.equal(await into(1), 'site_blocked');
  assert.equal(await into(5), 'site_blocked');
  assert.equal(await into(3), null);
  assert.equal(await into(3, ACTING.page), 'site_read_only');
  assert.equal(await into(4, ACTING.page), null);
  assert.equal(await reasonOf(lab, mine, ['evaluate', { ...ACTING.evaluate, frame: 1 }]), 'site_blocked');
  assert.equal(await reasonOf(lab, mine, ['frame_quad', { frame: 1 }]), 'site_blocked');
  const shop = lab.begin('page', { ...mine, ...READING.page, frame: 2 });
  await settled();
  await press(lab, true);
  assert.ok('ok' in shop.outcome());
  assert.equal((await lab.ok('frames', mine)).frames[2].obstacle, undefined, 'after the yes it is open');
  await lab.cdpEvent(mine.tab_id, 'Page.frameNavigated', { frame: { id: 'open', parentId: `main-${mine.tab_id}`, url: 'https://bank.test/', securityOrigin: 'https://bank.test' } });
  assert.equal(await into(4), 'site_blocked', 'the frame went there');
});

test('a new worker looks a frame up before it lets anybody in', async () => {
  const { lab, mine } = await at({ 'bank.test': 'block' }, 'https://a.test/');
  lab.browser.cdp['Page.getFrameTree'] = tree({ id: 'one', url: 'https://b.test/' }, { id: 'two', url: 'https://b.test/' });
  await lab.ok('frames', mine);
  lab.browser.cdp['Page.getFrameTree'] = tree({ id: 'one', url: 'https://bank.test/' });
  await lab.restart();
  assert.equal(await reasonOf(lab, mine, ['page', { ...READING.page, frame: 1 }]), 'site_blocked');
  assert.equal(await reasonOf(lab, mine, ['page', { ...READING.page, frame: 2 }]), 'frame_not_found');
  assert.equal(await reasonOf(lab, mine, ['page', { ...READING.page, frame: 9 }]), 'frame_not_found');
});

test('the user\'s tabs on blocked sites are neither listed nor asked for, and no others where the user wants that', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session({ agent: AGENT });
  /** @type {any} */
  const userTab = lab.browser.userTab;
  const listed = async () => (await lab.ok('tab_list', { session_id: mine.session_id, scope: 'all' })).tabs.map((/** @type {any} */ tab) => tab.tab_id);
  assert.deepEqual((await listed()).sort(), [userTab.id, mine.tab_id].sort());
  const front = async () => (await lab.ok('profile', {})).front_title;
  assert.equal(await front(), userTab.title);
  setRules(lab, { 'bank.test': 'block' });
  assert.deepEqual(await listed(), [mine.tab_id]);
  assert.equal(await front(), undefined, 'nor does the browser go by its title');
  userTab.url = 'https://a.test/';
  userTab.pendingUrl = 'https://bank.test/';
  assert.deepEqual(await listed(), [mine.tab_id]);
  const { failed } = await lab.call('tab_borrow', { session_id: mine.session_id, tab_id: userTab.id, agent: AGENT });
  assert.deepEqual([failed.code, failed.reason, consentTab(lab)], ['permission_denied', 'site_blocked', undefined]);
  assert.ok(!failed.message.includes('bank'), failed.message);
  delete userTab.pendingUrl;
  assert.equal((await listed()).length, 2);
  lab.worker.fire('storage.onChanged', { list_user_tabs: { newValue: false } }, 'local');
  assert.deepEqual(await listed(), [mine.tab_id]);
});

test('a tab that was borrowed with a yes for its site is not asked for again', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session({ agent: AGENT });
  setRules(lab, { 'bank.test': 'ask' });
  const asked = lab.begin('tab_borrow', { session_id: mine.session_id, tab_id: lab.browser.userTab.id, agent: AGENT });
  await settled();
  await press(lab, true);
  assert.ok('ok' in asked.outcome());
  assert.equal(await reasonOf(lab, { ...mine, tab_id: lab.browser.userTab.id }, look), null);
});

test('a tab that a page opens into a blocked site is closed to the agent before it is there', async () => {
  const { lab, mine } = await at({ 'bank.test': 'block' }, 'https://a.test/');
  const window = lab.browser.tabs.get(mine.tab_id).windowId;
  /** @type {any} */
  const popup = lab.browser.addTab({ windowId: window, url: '', openerTabId: mine.tab_id });
  popup.pendingUrl = 'https://bank.test/';
  lab.worker.fire('tabs.onCreated', popup);
  await settled();
  assert.equal(await reasonOf(lab, { ...mine, tab_id: popup.id }, look), 'site_blocked');
  delete popup.pendingUrl;
  popup.url = 'https://a.test/';
  lab.worker.fire('tabs.onUpdated', popup.id, { url: popup.url }, popup);
  await settled();
  assert.equal(await reasonOf(lab, { ...mine, tab_id: popup.id }, look), null, 'it ended elsewhere');
});

test('a question about a site outlives the command that led to it, not its session', async () => {
  const { lab, mine } = await at({ 'shop.test': 'ask' }, 'https://shop.test/');
  const asked = lab.begin('page', { ...mine, ...READING.page });
  await settled();
  assert.deepEqual(lab.events('asking'), [{ session_id: mine.session_id, is_open: true }]);
  lab.send({ cancel: { id: asked.id } });
  await settled();
  assert.notEqual(consentTab(lab), undefined, 'the user still has time');
  await press(lab, true);
  assert.deepEqual(lab.events('asking').at(-1), { session_id: mine.session_id, is_open: false });
  assert.ok('ok' in await lab.call('page', { ...mine, ...READING.page }), 'the next command finds the answer');
  const other = await lab.session();
  await goes(lab, other.tab_id, 'https://shop.test/');
  lab.begin('page', { ...other, ...READING.page });
  await settled();
  assert.notEqual(consentTab(lab), undefined);
  await lab.ok('session_stop', { session_id: other.session_id });
  await settled();
  assert.equal(consentTab(lab), undefined);
});
