// Consent and borrowing: only the user's yes, from the very window that asks, moves a tab, and it comes back to its place.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { consentTab, ID, Lab, press, say } from './harness.mjs';

const AGENT = { program: 'agent-cli', pid: 7, path: '/opt/agent-cli' };

/** A session that asks for the user's tab. @param {Lab} lab */
async function asking(lab) {
  const mine = await lab.session({ name: 'flights' });
  const { userTab } = lab.browser;
  const asked = lab.begin('tab_borrow', { session_id: mine.session_id, tab_id: userTab.id, agent: AGENT });
  await settled();
  return { mine, userTab, asked };
}

test('the question names tab, site, session and program, in a window and a notification with two buttons', async () => {
  const lab = await new Lab().start();
  const { asked } = await asking(lab);
  const { question } = await say(lab, { type: 'consent_state' });
  assert.deepEqual([question.subject, question.site, question.session, question.agent], ['https://bank.test/', 'https://bank.test', 'flights', AGENT]);
  assert.deepEqual(question.choices, ['once', 'session', 'site']);
  const [notification] = [...lab.browser.notifications.values()];
  assert.equal(notification.buttons.length, 2);
  assert.equal(asked.outcome(), null);
  assert.equal(lab.browser.userTab.windowId, lab.browser.userWindow.id);
});

test('a yes moves the tab into the Agent Window, and it comes back to its place', async () => {
  const lab = await new Lab().start();
  const after = lab.browser.addTab({ windowId: lab.browser.userWindow.id, url: 'https://c.test/' });
  const { mine, userTab, asked } = await asking(lab);
  await press(lab, true);
  assert.equal(asked.outcome().ok.owner, 'agent');
  assert.equal(userTab.windowId, lab.browser.tabs.get(mine.tab_id).windowId);
  assert.equal(consentTab(lab), undefined, 'the window is gone');
  assert.deepEqual([...lab.browser.notifications.keys()], [`working-${mine.session_id}`]);
  assert.equal(lab.events('session_changed').at(-1).active_tab_id, userTab.id);
  const returned = await lab.ok('tab_return', { session_id: mine.session_id, tab_id: userTab.id });
  assert.deepEqual(returned, { tab_id: userTab.id, window_id: lab.browser.userWindow.id });
  assert.deepEqual([userTab.index, after.index], [0, 1]);
  assert.equal(lab.browser.notifications.size, 0);
  assert.ok(!lab.browser.attached.has(userTab.id));
  assert.equal((await lab.call('cdp', { session_id: mine.session_id, tab_id: userTab.id, method: 'Page.stopLoading', params: {} })).failed.reason, 'tab_not_owned');
});

test('no, no answer, a closed window and a caller that left move nothing', async () => {
  const lab = await new Lab().start();
  const { mine, userTab, asked } = await asking(lab);
  await press(lab, false);
  assert.deepEqual([asked.outcome().failed.code, asked.outcome().failed.reason], ['permission_denied', 'consent_denied']);
  const again = () => lab.begin('tab_borrow', { session_id: mine.session_id, tab_id: userTab.id, agent: AGENT });
  const late = again();
  await lab.browser.advance(59_000);
  assert.equal(late.outcome(), null);
  await lab.browser.advance(1_500);
  assert.equal(late.outcome().failed.reason, 'consent_timed_out');
  assert.equal(consentTab(lab), undefined);
  const closed = again();
  await settled();
  lab.worker.closeTab(consentTab(lab).id);
  await settled();
  assert.equal(closed.outcome().failed.reason, 'consent_denied');
  const given = again();
  await settled();
  lab.send({ cancel: { id: given.id } });
  await settled();
  assert.equal(consentTab(lab), undefined, 'nobody waits for the answer');
  assert.equal(userTab.windowId, lab.browser.userWindow.id);
  assert.ok(!lab.browser.attached.has(userTab.id));
});

test('a yes in the first moment, of another window, another page or an older question is none', async () => {
  const lab = await new Lab().start();
  const { asked } = await asking(lab);
  const { question } = await say(lab, { type: 'consent_state' });
  const yes = { type: 'consent_answer', id: question.id, is_allowed: true, lasting: 'once' };
  await say(lab, yes);
  assert.equal(asked.outcome(), null, 'too early to be meant');
  lab.worker.fire('notifications.onButtonClicked', [...lab.browser.notifications.keys()][0], 0);
  await settled();
  assert.equal(asked.outcome(), null, 'too early in the notification, too');
  await lab.browser.advance(600);
  const tab = consentTab(lab);
  for (const other of [
    { ...tab, id: tab.id + 1000 }, { ...tab, windowId: lab.browser.userWindow.id }, { ...tab, url: `chrome-extension://${ID}/ui/popup.html` },
    { ...tab, url: 'https://evil.test/' },
  ]) assert.deepEqual(await say(lab, yes, other), { question: null });
  await say(lab, { ...yes, id: question.id + 1 });
  assert.equal(asked.outcome(), null);
  lab.worker.fire('notifications.onButtonClicked', 'consent-999', 0);
  await settled();
  assert.equal(asked.outcome(), null);
  lab.worker.fire('notifications.onButtonClicked', [...lab.browser.notifications.keys()][0], 0);
  await settled();
  assert.equal(asked.outcome().ok.owner, 'agent', 'the notification has the same buttons');
});

test('an answer counts as long as the user chose and for nothing else', async () => {
  const lab = await new Lab().start();
  const { mine, userTab, asked } = await asking(lab);
  await press(lab, true, 'session');
  assert.ok('ok' in asked.outcome());
  await lab.ok('tab_return', { session_id: mine.session_id, tab_id: userTab.id });
  const again = await lab.call('tab_borrow', { session_id: mine.session_id, tab_id: userTab.id, agent: AGENT });
  assert.ok('ok' in again, 'the same site in the same session is not asked for again');
  await lab.ok('session_stop', { session_id: mine.session_id });
  const other = await lab.session();
  const elsewhere = lab.begin('tab_borrow', { session_id: other.session_id, tab_id: userTab.id, agent: AGENT });
  await settled();
  assert.notEqual(consentTab(lab), undefined, 'another session is');
  await press(lab, true, 'site');
  assert.ok('ok' in elsewhere.outcome());
  await lab.ok('session_stop', { session_id: other.session_id });
  const third = await lab.session();
  assert.ok('ok' in await lab.call('tab_borrow', { session_id: third.session_id, tab_id: userTab.id, agent: AGENT }), 'the site for this program');
  await lab.ok('tab_return', { session_id: third.session_id, tab_id: userTab.id });
  const stranger = lab.begin('tab_borrow', { session_id: third.session_id, tab_id: userTab.id, agent: { ...AGENT, path: '/opt/other' } });
  await settled();
  assert.notEqual(consentTab(lab), undefined, 'another program is asked about');
  await press(lab, false, 'site');
  assert.equal(stranger.outcome().failed.reason, 'consent_denied');
});

test('questions come one at a time', async () => {
  const lab = await new Lab().start();
  const second = lab.browser.addTab({ windowId: lab.browser.userWindow.id, url: 'https://c.test/' });
  const { mine, asked } = await asking(lab);
  const queued = lab.begin('tab_borrow', { session_id: mine.session_id, tab_id: second.id, agent: AGENT });
  await settled();
  assert.equal([...lab.browser.tabs.values()].filter((tab) => tab.url.endsWith('consent.html')).length, 1);
  await press(lab, false);
  await settled();
  assert.equal(asked.outcome().failed.reason, 'consent_denied');
  assert.equal((await say(lab, { type: 'consent_state' })).question.site, 'https://c.test');
  await press(lab, true);
  assert.ok('ok' in queued.outcome());
});

test('a tab that went to another site while the user was asked is not taken', async () => {
  const lab = await new Lab().start();
  const { userTab, asked } = await asking(lab);
  userTab.url = 'https://other.test/';
  await press(lab, true);
  assert.equal(asked.outcome().failed.reason, 'borrow_conflict');
  assert.equal(userTab.windowId, lab.browser.userWindow.id);
});

test('what may not be touched and what others have is refused without asking', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const other = await lab.session();
  const settings = lab.browser.addTab({ windowId: lab.browser.userWindow.id, url: 'chrome://settings/' });
  const secret = lab.browser.addTab({ windowId: lab.browser.addWindow('normal').id, url: 'https://p.test/' });
  lab.browser.windows.get(secret.windowId).incognito = true;
  for (const [tab_id, reason] of /** @type {[number, string][]} */ ([
    [settings.id, 'tab_forbidden'], [secret.id, 'tab_forbidden'], [other.tab_id, 'borrow_conflict'], [9, 'tab_not_found'],
  ])) assert.equal((await lab.call('tab_borrow', { session_id: mine.session_id, tab_id })).failed.reason, reason);
  assert.equal(consentTab(lab), undefined);
  assert.equal((await lab.call('tab_return', mine)).failed.reason, 'tab_not_borrowed');
});

test('ending a session gives back what it borrowed, or says why not', async () => {
  const lab = await new Lab().start();
  const { mine, userTab } = await asking(lab);
  await press(lab, true);
  assert.ok(!lab.browser.windows.has(lab.browser.userWindow.id), 'the window went with its last tab');
  const stopped = await lab.ok('session_stop', { session_id: mine.session_id });
  assert.deepEqual(stopped.returned_tab_ids, []);
  assert.equal(stopped.return_failures[0].tab_id, userTab.id);
  assert.match(stopped.return_failures[0].message, /a window of its own/);
  assert.ok(lab.browser.tabs.has(userTab.id));
  assert.ok(!lab.browser.tabs.has(mine.tab_id));
});

test('a borrowed tab is not closed by the agent, and comes back when the user closes the Agent Window', async () => {
  const lab = await new Lab().start();
  lab.browser.addTab({ windowId: lab.browser.userWindow.id, url: 'https://c.test/' });
  const { mine, userTab } = await asking(lab);
  await press(lab, true);
  assert.equal((await lab.call('tab_close', { session_id: mine.session_id, tab_id: userTab.id })).failed.reason, 'tab_not_owned');
  lab.worker.closeWindow(userTab.windowId);
  await settled();
  const again = [...lab.browser.tabs.values()].filter((tab) => tab.url === 'https://bank.test/');
  assert.deepEqual(again.map((tab) => tab.windowId), [lab.browser.userWindow.id]);
});

test('a new worker knows what is borrowed, and closes a question that nobody waits for', async () => {
  const lab = await new Lab().start();
  lab.browser.addTab({ windowId: lab.browser.userWindow.id, url: 'https://c.test/' });
  const { mine, userTab } = await asking(lab);
  await press(lab, true);
  lab.begin('tab_borrow', { session_id: mine.session_id, tab_id: [...lab.browser.tabs.values()].find((tab) => tab.url === 'https://c.test/').id });
  await settled();
  assert.notEqual(consentTab(lab), undefined);
  await lab.restart();
  assert.equal(consentTab(lab), undefined);
  const stopped = await lab.ok('session_stop', { session_id: mine.session_id });
  assert.deepEqual(stopped.returned_tab_ids, [userTab.id]);
  assert.deepEqual([userTab.windowId, userTab.index], [lab.browser.userWindow.id, 0]);
});

test('after an update of the extension what was borrowed is brought home and what was opened is closed', async () => {
  const lab = await new Lab().start();
  lab.browser.addTab({ windowId: lab.browser.userWindow.id, url: 'https://c.test/' });
  const { mine, userTab } = await asking(lab);
  await press(lab, true);
  lab.browser.session.values = {};
  await lab.restart();
  assert.deepEqual([userTab.windowId, userTab.index], [lab.browser.userWindow.id, 0]);
  assert.ok(!lab.browser.tabs.has(mine.tab_id));
});
