// Tabs that pages open: followed to the address they are sent to, for a bounded time, and told once.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Lab } from './harness.mjs';

/** A lab whose page has opened a tab. @param {object} [tab] what the tab shows at first */
async function begin(tab = {}) {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const windowId = lab.browser.tabs.get(mine.tab_id).windowId;
  /** @type {{ id: number, url: string, status?: string, pendingUrl?: string }} */
  const popup = lab.browser.addTab({ windowId, url: '', openerTabId: mine.tab_id });
  Object.assign(popup, tab);
  lab.worker.fire('tabs.onCreated', popup);
  const flush = (opened_ms = 9000) => lab.begin('flush', { ...mine, opened_ms });
  const shows = (/** @type {string} */ url) => {
    Object.assign(popup, { url, status: 'complete' });
    delete popup.pendingUrl;
    lab.worker.fire('tabs.onUpdated', popup.id, { url }, popup);
  };
  const told = (/** @type {string} */ url) => ({ ok: { opened: [{ tab_id: popup.id, url }] } });
  return { lab, mine, popup, flush, shows, told };
}

test('an empty tab that is sent somewhere a moment later is told with that address, once', async () => {
  const { lab, flush, shows, told } = await begin();
  const flushed = flush();
  shows('about:blank');
  await lab.browser.advance(150);
  assert.equal(flushed.outcome(), null);
  shows('https://a.test/next');
  await lab.browser.advance(0);
  assert.deepEqual(flushed.outcome(), told('https://a.test/next'));
  const again = flush();
  await lab.browser.advance(0);
  assert.deepEqual(again.outcome(), { ok: {} });
  assert.equal(lab.worker.events['tabs.onUpdated']?.listeners.length, 1, 'only the kernel itself still listens');
});

test('a tab that stays empty costs 400 ms and no more', async () => {
  const { lab, flush, shows, told } = await begin();
  shows('about:blank');
  const flushed = flush();
  await lab.browser.advance(399);
  assert.equal(flushed.outcome(), null);
  await lab.browser.advance(1);
  assert.deepEqual(flushed.outcome(), told('about:blank'));
});

test('a tab that loads is waited for, at most five seconds, and no longer than the host has', async () => {
  const loading = { status: 'loading', pendingUrl: 'https://slow.test/' };
  const { lab, flush, told } = await begin(loading);
  const flushed = flush();
  await lab.browser.advance(4999);
  assert.equal(flushed.outcome(), null);
  await lab.browser.advance(101);
  assert.deepEqual(flushed.outcome(), told('https://slow.test/'));
  const other = await begin(loading);
  const hurried = other.flush(1000);
  await other.lab.browser.advance(1000);
  assert.deepEqual(hurried.outcome(), other.told('https://slow.test/'));
});

test('a load that comes to nothing is noticed, and a tab that closes is told with what it was loading', async () => {
  const { lab, popup, flush, told } = await begin({ status: 'loading', pendingUrl: 'https://a.test/204' });
  const flushed = flush();
  await lab.browser.advance(1000);
  assert.equal(flushed.outcome(), null);
  popup.status = 'complete';
  await lab.browser.advance(100);
  assert.deepEqual(flushed.outcome(), told('https://a.test/204'));
  const file = await begin({ status: 'loading', pendingUrl: 'https://a.test/file' });
  const waiting = file.flush();
  await file.lab.browser.advance(10);
  file.lab.worker.closeTab(file.popup.id);
  await file.lab.browser.advance(0);
  assert.deepEqual(waiting.outcome(), file.told('https://a.test/file'));
});

test('a tab that another tab opened holds nothing up', async () => {
  const { lab, mine } = await begin();
  const other = await lab.ok('tab_create', { session_id: mine.session_id, active: false });
  const flushed = lab.begin('flush', { ...mine, tab_id: other.tab_id, opened_ms: 9000 });
  await lab.browser.advance(0);
  assert.deepEqual(flushed.outcome(), { ok: {} });
});
