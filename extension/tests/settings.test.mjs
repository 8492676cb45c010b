// The settings: what counts, who may change what, and that what cannot be read closes rather than opens. And the two that reach
// beyond a tab: the switch, and asking before a session.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { guard } from '../kernel/guard.js';
import { KEYS } from '../kernel/settings.js';
import { settled } from './fake_chrome.mjs';
import { answerTo, consentTab, ID, Lab, press } from './harness.mjs';

const OPTIONS = { id: ID, url: `chrome-extension://${ID}/ui/options.html` };
const POPUP = { id: ID, url: `chrome-extension://${ID}/ui/popup.html` };
const AGENT = { program: 'agent-cli', pid: 7, path: '/opt/agent-cli' };
const DEFAULTS = {
  enabled: true, label: '', evaluate_enabled: true, uploads: 'allow', downloads: 'allow', ask_sessions: false, list_user_tabs: true,
  site_rules: [], answers: [],
};

/** @param {Lab} lab @param {unknown} message @param {object} [sender] */
const ask = (lab, message, sender = OPTIONS) => answerTo(lab, message, sender);

/** @param {Record<string, unknown>} managed @param {Record<string, unknown>} [local] */
async function stored(managed, local = {}) {
  const lab = new Lab();
  lab.browser.managed.values = managed;
  lab.browser.local.values = local;
  return lab.start({ isWelcome: managed['enabled'] === undefined && local['enabled'] === undefined });
}

test('the options page sees what counts and changes it', async () => {
  const lab = await new Lab().start();
  assert.deepEqual(await ask(lab, { type: 'settings' }), { settings: DEFAULTS, managed: [], problems: [] });
  const rules = [{ pattern: 'bank.test', access: 'block' }];
  /** @type {Record<string, unknown>} */
  const changes = { label: 'work', evaluate_enabled: false, uploads: 'ask', downloads: 'block', ask_sessions: true, list_user_tabs: false, site_rules: rules };
  for (const [key, value] of Object.entries(changes)) {
    assert.deepEqual((await ask(lab, { type: 'set', key, value }, POPUP)).settings[key], value, key);
    assert.deepEqual(lab.browser.local.values[key], value, key);
  }
  assert.deepEqual((await ask(lab, { type: 'settings' })).settings, { ...DEFAULTS, ...changes });
});

test('what means nothing is not stored', async () => {
  const lab = await new Lab().start();
  for (const [key, value] of /** @type {[string, unknown][]} */ ([
    ['enabled', 'yes'], ['enabled', null], ['enabled', undefined], ['label', 'x'.repeat(41)], ['label', 1], ['uploads', 'maybe'], ['site_rules', {}],
    ['site_rules', [{ pattern: 'a.test' }]], ['site_rules', [{ pattern: 'a.test', access: 'allow', by: 'policy' }]],
    ['site_rules', [{ pattern: 'a.test/path', access: 'block' }]], ['site_rules', [{ pattern: 'a.test', access: 'open' }]],
    ['answers', []], ['instance_id', 'x'], ['agent_windows', []], ['toString', true], ['__proto__', true], ['own_windows', []],
  ])) {
    const { settings } = await ask(lab, { type: 'set', key, value });
    assert.deepEqual(settings, DEFAULTS, `${key}: ${JSON.stringify(value)}`);
  }
  assert.deepEqual(Object.keys(lab.browser.local.values).filter((key) => KEYS.some((known) => known === key)), []);
});

test('nobody but the popup and the options page sees or changes a setting', async () => {
  const lab = await new Lab().start();
  const tab = lab.browser.userTab;
  for (const sender of [
    {}, { ...OPTIONS, id: 'other' }, { ...OPTIONS, tab, frameId: 0 }, { ...POPUP, tab, frameId: 0 }, { id: ID, url: 'https://a.test/' },
    { id: ID, url: `chrome-extension://${ID}/ui/consent.html` }, { id: ID, url: `chrome-extension://${ID}/ui/options.html.evil` },
    { id: ID, url: `https://a.test/?chrome-extension://${ID}/ui/options.html` }, { id: ID, url: `chrome-extension://${ID}/kernel/main.js` }, { id: ID },
  ]) {
    assert.equal(await ask(lab, { type: 'settings' }, sender), undefined, JSON.stringify(sender));
    assert.equal(await ask(lab, { type: 'set', key: 'evaluate_enabled', value: false }, sender), undefined);
  }
  assert.ok(!('evaluate_enabled' in lab.browser.local.values));
  const page = { ...OPTIONS, url: `${OPTIONS.url}?section=sites#top` };
  assert.ok('settings' in await ask(lab, { type: 'settings' }, page));
});

test('a policy wins, is shown as such and cannot be changed', async () => {
  const lab = await stored({ evaluate_enabled: false, label: 'managed', site_rules: [{ pattern: 'bank.test', access: 'block' }] },
    { evaluate_enabled: true, label: 'mine', site_rules: [{ pattern: 'shop.test', access: 'ask' }] });
  assert.equal(lab.hello.label, 'managed');
  for (const message of [{ type: 'settings' }, { type: 'set', key: 'evaluate_enabled', value: true }, { type: 'set', key: 'site_rules', value: [] }]) {
    const { settings, managed, problems } = await ask(lab, message);
    assert.deepEqual([settings.evaluate_enabled, settings.label, managed, problems], [false, 'managed', ['label', 'evaluate_enabled', 'site_rules'], []]);
    assert.deepEqual(settings.site_rules.map((/** @type {any} */ rule) => rule.pattern), ['bank.test', 'shop.test']);
  }
  assert.equal((await ask(lab, { type: 'set', key: 'ask_sessions', value: true })).settings.ask_sessions, true, 'the rest is the user\'s');
});

test('a value that cannot be read counts as the strictest, and a text says so', async () => {
  const wrong = { enabled: 'no', label: 5, evaluate_enabled: 'false', uploads: 'maybe', downloads: null, ask_sessions: 0, list_user_tabs: 'x', site_rules: 'bank.test' };
  for (const area of ['managed', 'local']) {
    const lab = await (area === 'managed' ? stored(wrong) : stored({}, wrong));
    const { settings, problems } = await ask(lab, { type: 'settings' });
    assert.deepEqual(settings, {
      enabled: false, label: '', evaluate_enabled: false, uploads: 'block', downloads: 'block', ask_sessions: true, list_user_tabs: false,
      site_rules: [{ pattern: '*', access: 'block' }], answers: [],
    }, area);
    assert.equal(problems.length, KEYS.length);
    for (const key of KEYS) assert.ok(problems.some((/** @type {string} */ problem) => problem.includes(key)), key);
    assert.equal(lab.browser.ports.length, 0, 'switched off is what `enabled` means then');
  }
});

test('a rule that cannot be read blocks what it may have meant and hides no other', async () => {
  const site_rules = [{ pattern: 'a.test', access: 'allow' }, { pattern: 'b.test', access: 'open' }, { pattern: 'c.test/x', access: 'allow' }, 7];
  const lab = await stored({ site_rules });
  const mine = await lab.session();
  const { problems } = await ask(lab, { type: 'settings' });
  assert.equal(problems.length, 3, String(problems));
  for (const [url, reason] of [['https://a.test/', null], ['https://b.test/', 'site_blocked'], ['https://c.test/', 'site_blocked'], ['https://d.test/', 'site_blocked']]) {
    const outcome = await lab.call('cdp', { ...mine, method: 'Page.navigate', params: { url } });
    assert.equal(outcome.failed?.reason ?? null, reason, String(url));
  }
});

test('an administrator can set every key, and reads so in the schema', () => {
  const { properties } = JSON.parse(readFileSync(new URL('../managed_schema.json', import.meta.url), 'utf8'));
  assert.deepEqual(Object.keys(properties).sort(), [...KEYS].sort());
  const manifest = JSON.parse(readFileSync(new URL('../manifest.json', import.meta.url), 'utf8'));
  assert.equal(manifest.storage.managed_schema, 'managed_schema.json');
});

test('switched off, the port closes, sessions end as by the user and nothing connects until on', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const { port } = lab;
  assert.equal((await ask(lab, { type: 'set', key: 'enabled', value: false })).settings.enabled, false);
  await settled();
  assert.deepEqual(port.sent.flatMap((message) => message.event?.session_ended ?? []), [{ session_id: mine.session_id, cause: 'user' }]);
  assert.equal(port.isOpen, false);
  assert.ok(!lab.browser.tabs.has(mine.tab_id));
  assert.deepEqual((await ask(lab, { type: 'state' }, POPUP)).connection, { state: 'disconnected', cause: 'switched_off' });
  await ask(lab, { type: 'reconnect' }, POPUP);
  lab.worker.fire('alarms.onAlarm', { name: 'tick' });
  lab.worker.fire('runtime.onStartup');
  await lab.browser.advance(60_000);
  assert.equal(lab.browser.ports.length, 1, 'no new connection');
  await ask(lab, { type: 'set', key: 'enabled', value: true });
  assert.equal(lab.browser.ports.length, 2, 'at once');
  lab.welcome();
  assert.deepEqual((await ask(lab, { type: 'state' }, POPUP)).connection, { state: 'connected' });
  await lab.session();
});

test('a worker that starts switched off connects to nothing and ends what an earlier one left', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.browser.local.values['enabled'] = false;
  lab.worker.die();
  lab.worker = lab.browser.worker();
  await lab.start({ isWelcome: false });
  assert.equal(lab.browser.ports.length, 1);
  assert.ok(!lab.browser.tabs.has(mine.tab_id));
});

test('a call that arrives when the switch is off is refused, and says who switched it off', () => {
  for (const [isManaged, who] of [[true, /policy/], [false, /the user/]]) {
    /** @type {any} */
    const known = { settings: { values: { enabled: false }, isManaged: () => isManaged } };
    assert.throws(() => guard({ name: 'session_start', args: { focus: false, idle_ms: 1000 } }, known), (/** @type {any} */ refusal) => {
      assert.deepEqual([refusal.code, refusal.reason], ['permission_denied', 'switched_off']);
      assert.match(refusal.message, /** @type {RegExp} */ (who));
      return true;
    });
  }
});

test('a session whose window opens while the switch is turned leaves nothing behind', async () => {
  const lab = await new Lab().start();
  const start = lab.begin('session_start', { focus: false, idle_ms: 1000 });
  lab.worker.fire('storage.onChanged', { enabled: { newValue: false } }, 'local');
  await settled();
  assert.equal(start.outcome().failed.reason, 'switched_off');
  assert.deepEqual([...lab.browser.tabs.keys()], [lab.browser.userTab.id]);
});

test('where the user wants it, a program asks before its session begins, once or for good', async () => {
  const lab = await stored({}, { ask_sessions: true });
  const begin = () => lab.begin('session_start', { focus: false, idle_ms: 300_000, name: 'flights', agent: AGENT });
  const first = begin();
  await settled();
  assert.equal(first.outcome(), null);
  const question = await press(lab, false);
  assert.deepEqual([question.kind, question.site, question.subject, question.session, question.choices], ['session', '', '', 'flights', ['once', 'site']]);
  assert.deepEqual([first.outcome().failed.code, first.outcome().failed.reason], ['permission_denied', 'consent_denied']);
  const second = begin();
  await settled();
  await press(lab, true, 'site');
  assert.ok('ok' in second.outcome());
  const third = begin();
  await settled();
  assert.ok('ok' in third.outcome(), 'the program is known now');
  const other = lab.begin('session_start', { focus: false, idle_ms: 300_000, agent: { program: 'other', pid: 8 } });
  await settled();
  assert.equal(other.outcome(), null, 'another one is asked about');
  await lab.browser.advance(61_000);
  assert.equal(other.outcome().failed.reason, 'consent_timed_out');
  const { settings } = await ask(lab, { type: 'settings' });
  assert.deepEqual(settings.answers.map((/** @type {any} */ one) => [one.kind, one.program, one.site, one.is_allowed]), [['session', AGENT.path, '', true]]);
  assert.equal((await ask(lab, { type: 'forget_answer', index: 1 })).settings.answers.length, 1, 'there is no such answer');
  assert.deepEqual((await ask(lab, { type: 'forget_answer', index: 0 })).settings.answers, []);
  const again = begin();
  await settled();
  assert.equal(again.outcome(), null, 'forgotten, so asked');
});
