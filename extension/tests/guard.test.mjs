// Invariant 2 through the whole kernel: what a hostile host asks about tabs that are not its own never reaches the browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Lab } from './harness.mjs';

/** Every call that names a tab, with arguments that would be fine on an own tab. */
const TAB_CALLS = {
  tab_close: {}, tab_select: {}, tab_return: {}, subscribe: { events: ['Page.lifecycleEvent'] }, frames: {}, flush: {}, frame_quad: { frame: 1 },
  shadow_roots: { frame: 0 }, help_request: { prompt: 'p', targets: [], timeout_ms: 100 },
  upload_open: { frame: 0, files: [{ path: `/h/.bsk/staging/${'a'.repeat(32)}/0/x`, name: 'x', size: 1 }], timeout_ms: 100 },
  upload_arm: {}, upload_chooser: { timeout_ms: 10 }, upload_take: {}, upload_drag: { frame: 0, step: 'enter', x: 1, y: 1 }, upload_close: {},
  download_open: { frame: 0, timeout_ms: 100 },
  cdp: { method: 'Page.captureScreenshot', params: {} }, page: { frame: 0, function: 'document_state', args: {} },
  fill: { frame: 0, target: { ref: 1 }, value: 'x', append: false, timeout_ms: 100, edit_ms: 100 },
  evaluate: { expression: '1', await_promise: true, return_by_value: true, timeout_ms: 100 }, history_step: { delta: -1 },
};
const SESSION_CALLS = {
  session_stop: {}, tab_list: { scope: 'all' }, tab_create: { active: true }, window_resize: { width: 500, height: 500 },
  download_take: { begin_ms: 1, timeout_ms: 1 }, download_progress: {}, download_close: { is_kept: false },
};

test('the tabs of the user and of other sessions cannot be touched', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const other = await lab.session();
  lab.browser.calls.length = 0;
  for (const [name, rest] of Object.entries(TAB_CALLS)) {
    for (const tab_id of [lab.browser.userTab.id, other.tab_id]) {
      const { failed } = await lab.call(name, { session_id: mine.session_id, tab_id, ...rest });
      assert.equal(failed.code, 'permission_denied', name);
      assert.equal(failed.reason, 'tab_not_owned', name);
      assert.match(failed.hint, /only tabs opened or borrowed in a session can be touched/);
    }
  }
  assert.deepEqual(lab.browser.calls, []);
  assert.ok(!lab.browser.attached.has(lab.browser.userTab.id));
  assert.ok(lab.browser.tabs.has(lab.browser.userTab.id));
});

test('tabs and sessions that do not exist are not found', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  for (const [name, rest] of Object.entries(TAB_CALLS)) {
    const { failed } = await lab.call(name, { session_id: mine.session_id, tab_id: 9, ...rest });
    assert.deepEqual([failed.code, failed.reason], ['not_found', 'tab_not_found'], name);
  }
  for (const [name, rest] of Object.entries({ ...TAB_CALLS, ...SESSION_CALLS })) {
    const tab = name in TAB_CALLS ? { tab_id: mine.tab_id } : {};
    const { failed } = await lab.call(name, { session_id: 'zzzzz', ...tab, ...rest });
    assert.deepEqual([failed.code, failed.reason], ['not_found', 'session_not_found'], name);
  }
});

test('a stopped session gets nothing any more', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('session_stop', { session_id: mine.session_id });
  const { failed } = await lab.call('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
  assert.equal(failed.reason, 'session_not_found');
});

test('methods, arguments and addresses outside the tables never reach the browser', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.browser.calls.length = 0;
  /** @type {[string, object, string][]} */
  const hostile = [
    ['cdp', { method: 'Storage.getCookies', params: {} }, 'method_not_allowed'],
    ['cdp', { method: 'Page.navigate', params: { url: 'https://a.test/', referrer: 'x' } }, 'argument_not_allowed'],
    ['cdp', { method: 'Page.navigate', params: { url: 'file:///etc/passwd' } }, 'url_not_allowed'],
    ['page', { frame: 0, function: 'observe', args: { budget_ms: 1, code: 'x' } }, 'argument_not_allowed'],
  ];
  for (const [name, rest, reason] of hostile) {
    assert.equal((await lab.call(name, { ...mine, ...rest })).failed.reason, reason);
  }
  const tabs = lab.browser.tabs.size;
  const { failed } = await lab.call('tab_create', { session_id: mine.session_id, active: true, url: 'chrome://settings' });
  assert.equal(failed.reason, 'url_not_allowed');
  assert.equal(lab.browser.tabs.size, tabs);
  assert.deepEqual(lab.browser.calls, []);
});

test('history goes only to pages that may be opened by address', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.browser.cdp['Page.getNavigationHistory'] = () => ({
    currentIndex: 1,
    entries: [{ id: 1, url: 'file:///etc/passwd' }, { id: 2, url: 'https://a.test/' }, { id: 3, url: 'https://b.test/' }],
  });
  assert.equal((await lab.call('history_step', { ...mine, delta: -1 })).failed.reason, 'url_not_allowed');
  assert.equal((await lab.call('history_step', { ...mine, delta: 2 })).failed.reason, 'no_history_entry');
  assert.deepEqual(await lab.ok('history_step', { ...mine, delta: 1 }), { from_url: 'https://a.test/', to_url: 'https://b.test/' });
  const steps = lab.browser.calls.filter(({ method }) => method === 'Page.navigateToHistoryEntry');
  assert.deepEqual(steps.map(({ params }) => params), [{ entryId: 3 }]);
});

test('evaluate is refused when the user or a policy switched it off', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const run = () => lab.call('evaluate', { ...mine, ...TAB_CALLS.evaluate });
  assert.ok('ok' in await run());
  lab.worker.fire('storage.onChanged', { evaluate_enabled: { newValue: false } }, 'local');
  assert.equal((await run()).failed.reason, 'evaluate_off');
  lab.worker.fire('storage.onChanged', { evaluate_enabled: { newValue: true } }, 'local');
  assert.ok('ok' in await run());
  lab.browser.managed.values = { evaluate_enabled: false };
  await lab.restart();
  assert.equal((await run()).failed.reason, 'evaluate_off');
});

test('a tab taken back by the user stays untouched', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
  lab.browser.attached.delete(mine.tab_id);
  lab.worker.fire('debugger.onDetach', { tabId: mine.tab_id }, 'canceled_by_user');
  const { failed } = await lab.call('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
  assert.deepEqual([failed.code, failed.reason], ['user_aborted', 'tab_detached']);
  assert.equal(lab.browser.attached.size, 0);
  assert.deepEqual(lab.events('tab_lost'), [{ session_id: mine.session_id, tab_id: mine.tab_id, cause: 'detached' }]);
});
