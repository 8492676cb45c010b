// A worker that dies at any call of the browser, and what the next worker, a reloaded extension or a restored browser makes of it:
// every tab of the user is there once, no window of ours without its session, and the list of sessions is true.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';

const AGENT = { program: 'agent-cli', pid: 7, path: '/opt/agent-cli' };
const OF_USER = ['https://bank.test/', 'https://b.test/', 'https://c.test/', 'https://d.test/'];
const EMPTY = 'chrome://newtab/';

/** @typedef {{ session_id: string, tab_id: number }} Mine */
/** @typedef {{ lab: Lab, tabs: number[], mine: Mine | null }} Stage */

/**
 * A user with three tabs in one window and one in another, who lets the agent borrow each without being asked.
 * @param {boolean} hasSession
 * @returns {Promise<Stage>}
 */
async function stage(hasSession) {
  const lab = await new Lab().start();
  const { browser } = lab;
  browser.local.values['answers'] = OF_USER.map((url) => ({ kind: 'borrow', program: AGENT.path, site: new URL(url).origin, is_allowed: true, at_ms: 0 }));
  const { userWindow, userTab } = browser;
  const tabs = [userTab, ...OF_USER.slice(1, 3).map((url) => browser.addTab({ windowId: userWindow.id, url }))];
  tabs.push(browser.addTab({ windowId: browser.addWindow('normal').id, url: 'https://d.test/', active: true }));
  const mine = hasSession ? await lab.session() : null;
  if (mine !== null) {
    await browser.advance(10);
    const extra = await lab.ok('tab_create', { session_id: mine.session_id, active: false });
    await lab.cdpEvent(extra.tab_id, 'Page.frameNavigated', { frame: { id: 'x', url: 'https://agent.test/' } });
    const tab = browser.tabs.get(extra.tab_id);
    tab.url = 'https://agent.test/';
    lab.worker.fire('tabs.onUpdated', tab.id, { url: tab.url }, tab);
    await settled();
  }
  return { lab, tabs: tabs.map(({ id }) => id), mine };
}

/** @param {Stage} on @param {number} which */
async function borrow({ lab, tabs, mine }, which) {
  return lab.call('tab_borrow', { session_id: mine?.session_id, tab_id: tabs[which], agent: AGENT });
}

/** @type {Record<string, { hasSession: boolean, before: (on: Stage) => Promise<unknown>, act: (on: Stage) => Promise<unknown> }>} */
const ACTS = {
  'starting a session': {
    hasSession: false, before: async () => {}, act: ({ lab }) => lab.call('session_start', { focus: false, idle_ms: 300_000, name: 'work' }),
  },
  'borrowing a tab': { hasSession: true, before: async () => {}, act: (on) => borrow(on, 1) },
  'borrowing the last tab of a window': { hasSession: true, before: async () => {}, act: (on) => borrow(on, 3) },
  'returning a tab': {
    hasSession: true, before: (on) => borrow(on, 1),
    act: ({ lab, mine, tabs }) => lab.call('tab_return', { session_id: mine?.session_id, tab_id: tabs[1] }),
  },
  'opening a tab': { hasSession: true, before: async () => {}, act: ({ lab, mine }) => lab.call('tab_create', { session_id: mine?.session_id, active: true }) },
  'stopping a session with borrowed tabs': {
    hasSession: true, before: async (on) => { for (const which of [0, 1, 3]) await borrow(on, which); },
    act: ({ lab, mine }) => lab.call('session_stop', { session_id: mine?.session_id }),
  },
  'the end of an Agent Window with a borrowed tab': {
    hasSession: true, before: (on) => borrow(on, 1),
    act: async ({ lab, mine }) => {
      lab.worker.closeWindow(lab.browser.tabs.get(mine?.tab_id ?? -1).windowId);
      await settled();
    },
  },
};

/** What comes after the death of a worker. @type {Record<string, (lab: Lab) => Promise<unknown>>} */
const AFTER = {
  'another worker': (lab) => lab.restart(),
  'a reloaded extension': (lab) => {
    lab.browser.session.values = {};
    return lab.restart();
  },
  'a restored browser': (lab) => {
    lab.browser.crash()();
    return lab.restart();
  },
  'a browser that is restored late': async (lab) => {
    const restore = lab.browser.crash();
    await lab.restart();
    await lab.browser.advance(60_000);
    const before = new Set(lab.browser.tabs.keys());
    restore();
    for (const tab of lab.browser.tabs.values()) if (!before.has(tab.id)) lab.worker.fire('tabs.onCreated', tab);
    lab.worker.fire('tabGroups.onUpdated', {});
    await lab.browser.advance(1000);
  },
};

/** @param {Lab} lab @param {string} when */
function check(lab, when) {
  const { browser } = lab;
  const open = [...browser.tabs.values()];
  const urls = open.map(({ url }) => url);
  for (const url of OF_USER) assert.equal(urls.filter((other) => other === url).length, 1, `${when}: ${url} in ${urls}`);
  const sessions = lab.hello.sessions;
  const claimed = new Set(sessions.flatMap((/** @type {any} */ { tab_ids }) => tab_ids));
  for (const tab of open) {
    assert.ok(claimed.has(tab.id) || OF_USER.includes(tab.url) || tab.url === EMPTY, `${when}: ${tab.url} is left of ${urls}`);
    const isInOurs = sessions.some((/** @type {any} */ { agent_window_id }) => agent_window_id === tab.windowId);
    assert.equal(isInOurs, claimed.has(tab.id), `${when}: ${tab.url} is in the wrong window`);
  }
  for (const { agent_window_id, tab_ids } of sessions) {
    assert.ok(browser.windows.has(agent_window_id), `${when}: a session without its window`);
    assert.ok(tab_ids.every((/** @type {number} */ id) => browser.tabs.has(id)), `${when}: a session with a tab that is gone`);
  }
}

for (const [name, { hasSession, before, act }] of Object.entries(ACTS)) {
  for (const [after, recover] of Object.entries(AFTER)) {
    // A tab that the user closed with its window is in no window that could be restored.
    if (name.startsWith('the end') && after !== 'another worker') continue;
    test(`${name}, cut off at every call by the worker's death, then ${after}`, async () => {
      let deaths = 0;
      for (const isCarriedOut of [false, true]) {
        for (let call = 1; ; call += 1) {
          const on = await stage(hasSession);
          await before(on);
          const { lab } = on;
          const { worker } = lab;
          worker.fatal = { call: worker.calls + call, isCarriedOut };
          await act(on);
          await lab.browser.advance(10);
          const hasDied = worker.isDead;
          worker.fatal.call = Infinity;
          await recover(lab);
          const when = `${isCarriedOut ? 'after' : 'before'} call ${call}`;
          check(lab, when);
          for (const { session_id } of lab.hello.sessions) await lab.ok('session_stop', { session_id });
          await lab.restart();
          check(lab, `${when}, all stopped`);
          assert.deepEqual(lab.hello.sessions, [], when);
          if (!hasDied) break;
          deaths += 1;
        }
      }
      assert.ok(deaths >= 4, `${deaths} deaths`);
    });
  }
}
