// Downloads: whose a download is, where it goes, how it ends, and that nobody else's is touched.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';

const URL = 'https://a.test/file';
const TAKE = { begin_ms: 5000, timeout_ms: 20_000 };

let nextId = 1;

/**
 * A download begins in the browser, which asks for its name. Gives what it was told, once it was: `own` is a folder of ours.
 * @param {Lab} lab
 * @param {{ [key: string]: unknown, suggested?: string }} [more]
 */
function begins(lab, { suggested = 'a b.txt', ...more } = {}) {
  const item = { id: nextId++, url: URL, finalUrl: '', state: 'in_progress', filename: '', danger: 'safe', fileSize: 5, bytesReceived: 3, totalBytes: 5, startTime: '2026-11-30T12:00:00Z', ...more };
  const named = { item, where: /** @type {string | null} */ (null) };
  lab.browser.downloads.set(item.id, item);
  lab.worker.fire('downloads.onCreated', { ...item });
  const suggest = (/** @type {{ filename: string } | undefined} */ suggestion) => {
    assert.equal(named.where, null, 'told once');
    named.where = suggestion === undefined ? 'theirs' : suggestion.filename;
  };
  const [isAsync] = lab.worker.fire('downloads.onDeterminingFilename', { ...item, filename: suggested }, suggest) ?? [];
  if (isAsync === undefined) named.where = 'theirs';
  return named;
}

/** It ends where it was told to go. @param {Lab} lab @param {{ item: any, where: string | null }} named @param {object} [more] */
async function completes(lab, { item, where }, more = {}) {
  Object.assign(item, { state: 'complete', filename: `/home/ada/Downloads/${where}`, ...more });
  lab.worker.fire('downloads.onChanged', { id: item.id, filename: { current: item.filename } });
  lab.worker.fire('downloads.onChanged', { id: item.id, state: { current: 'complete' } });
  await settled();
}

/** A session that waits for a download. @param {Lab} lab */
async function waiting(lab) {
  const mine = await lab.session();
  await lab.ok('download_open', { ...mine, frame: 0, timeout_ms: 60_000 });
  const { session_id } = mine;
  const announce = (url = URL) => lab.cdpEvent(mine.tab_id, 'Page.downloadWillBegin', { url });
  return { mine, session_id, announce, taking: () => lab.begin('download_take', { session_id, ...TAKE }) };
}

test('a download of the tab goes into a folder of its own and is told with its end', async () => {
  const lab = await new Lab().start();
  const { session_id, announce, taking } = await waiting(lab);
  await announce();
  const named = begins(lab);
  const taken = taking();
  assert.equal(named.where, null, 'another one may begin');
  await lab.browser.advance(300);
  assert.match(named.where ?? '', /^bsk-[0-9a-f]{32}\/a b\.txt$/);
  assert.deepEqual(await lab.ok('download_progress', { session_id }), { received_bytes: 3, total_bytes: 5 });
  await completes(lab, named, { mime: 'text/plain' });
  assert.deepEqual(taken.outcome(), { ok: {
    path: `/home/ada/Downloads/${named.where}`, is_own_place: true, suggested_filename: 'a b.txt', byte_size: 5, mime: 'text/plain',
    danger: 'safe', url: URL, began_at_ms: Date.parse('2026-11-30T12:00:00Z'),
  } });
  await lab.ok('download_close', { session_id, is_kept: true });
  assert.deepEqual(lab.browser.ended, [], 'the file is the host\'s');
  assert.deepEqual(await lab.ok('download_folders', {}), { folders: [] });
});

test('names that the browser would not take are others in our folder, and told as they are', async () => {
  const lab = await new Lab().start();
  /** @type {[string, string][]} */
  const names = [['nul.txt', '_nul.txt'], [`${'é'.repeat(125)}x.txt`, `${'é'.repeat(48)}.txt`], ['a'.repeat(60), 'a'.repeat(48)]];
  for (const [name, inFolder] of names) {
    const { announce, taking } = await waiting(lab);
    await announce();
    const named = begins(lab, { suggested: name });
    const taken = taking();
    await lab.browser.advance(300);
    assert.equal(named.where?.split('/')[1], inFolder);
    await completes(lab, named);
    assert.equal(taken.outcome().ok.suggested_filename, name);
  }
});

test('of everybody else nothing is claimed, and nothing is kept waiting', async () => {
  const lab = await new Lab().start();
  assert.equal(begins(lab).where, 'theirs', 'nobody waits');
  const { session_id, announce } = await waiting(lab);
  assert.equal(begins(lab, { byExtensionId: 'x' }).where, 'theirs');
  const users = begins(lab, { url: 'https://user.test/' });
  await lab.browser.advance(1000);
  assert.equal(users.where, 'theirs');
  await announce('https://other.test/');
  const other = begins(lab);
  await lab.ok('download_close', { session_id, is_kept: false });
  assert.equal(other.where, 'theirs');
  assert.deepEqual(lab.browser.ended, []);
});

test('two downloads of a click are claimed neither', async () => {
  const lab = await new Lab().start();
  const { session_id, announce, taking } = await waiting(lab);
  const taken = taking();
  await announce();
  const first = begins(lab);
  await announce('https://a.test/second');
  const second = begins(lab, { url: 'https://a.test/second' });
  await settled();
  assert.deepEqual([first.where, second.where], ['theirs', 'theirs']);
  const { failed } = taken.outcome();
  assert.deepEqual([failed.reason, failed.data.effect_state], ['download_capture_failed', 'committed']);
  await lab.ok('download_close', { session_id, is_kept: false });
  assert.deepEqual(lab.browser.ended, [], 'they go on');
});

test('of a tab that the page opens the address counts that it goes to; left empty, it is closed', async () => {
  const lab = await new Lab().start();
  const { mine, taking } = await waiting(lab);
  const tab = lab.browser.addTab({ windowId: lab.browser.userWindow.id, url: '', openerTabId: mine.tab_id });
  lab.worker.fire('tabs.onCreated', tab);
  await settled();
  lab.worker.fire('webNavigation.onBeforeNavigate', { tabId: lab.browser.userTab.id, url: 'https://user.test/' });
  lab.worker.fire('webNavigation.onBeforeNavigate', { tabId: tab.id, url: URL });
  const users = begins(lab, { url: 'https://user.test/' });
  const named = begins(lab, { finalUrl: 'https://a.test/redirected' });
  const taken = taking();
  await lab.browser.advance(300);
  assert.match(named.where ?? '', /^bsk-/);
  await completes(lab, named);
  assert.equal(taken.outcome().ok.url, 'https://a.test/redirected');
  assert.equal(lab.browser.tabs.has(tab.id), false);
  await lab.browser.advance(1000);
  assert.equal(users.where, 'theirs');
});

test('a PDF that the click shows is downloaded; one in a page, one of a form and one of another tab are not', async () => {
  const lab = await new Lab().start();
  const { mine, taking } = await waiting(lab);
  const shows = (/** @type {number} */ tabId, /** @type {string[]} */ urls, transitionType = 'link') => {
    for (const [frameId, url] of urls.entries()) lab.worker.fire('webNavigation.onCommitted', { tabId, frameId, url, transitionType });
  };
  const viewer = 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html';
  shows(mine.tab_id, ['https://a.test/page', viewer, 'https://a.test/embedded.pdf']);
  shows(mine.tab_id, [URL, viewer, URL], 'form_submit');
  shows(lab.browser.userTab.id, [URL, viewer, URL]);
  assert.deepEqual(lab.browser.asked, []);
  shows(mine.tab_id, [URL, viewer, URL]);
  assert.deepEqual(lab.browser.asked, [URL]);
  const named = begins(lab, { byExtensionId: 'mkanjamcijbnmjcfflodkihinjackdpc' });
  const taken = taking();
  await lab.browser.advance(300);
  await completes(lab, named);
  assert.equal(taken.outcome().ok.is_own_place, true);
});

test('what takes too long, or is given up, is cancelled and its folder told to the next host', async () => {
  const lab = await new Lab().start();
  const { session_id, announce, taking } = await waiting(lab);
  await announce();
  const named = begins(lab);
  const taken = taking();
  await lab.browser.advance(300);
  lab.worker.fire('downloads.onChanged', { id: named.item.id, filename: { current: `/home/ada/Downloads/${named.where}` } });
  await lab.browser.advance(20_000);
  const { failed } = taken.outcome();
  assert.deepEqual([failed.reason, failed.data.effect_state], ['transfer_timeout', 'none']);
  assert.deepEqual(lab.browser.ended, [['cancel', named.item.id]]);
  await lab.ok('download_close', { session_id, is_kept: false });
  const folder = `/home/ada/Downloads/${named.where?.split('/')[0]}`;
  assert.deepEqual(await lab.ok('download_folders', {}), { folders: [folder] });
  assert.deepEqual(await lab.ok('download_folders', {}), { folders: [] }, 'once');
});

test('an end that comes together with the cancel counts', async () => {
  const lab = await new Lab().start();
  const { announce, taking } = await waiting(lab);
  await announce();
  const named = begins(lab);
  const taken = taking();
  await lab.browser.advance(300);
  lab.worker.chrome.downloads.cancel = async () => { await completes(lab, named); };
  await lab.browser.advance(20_000);
  assert.equal(taken.outcome().ok.byte_size, 5);
});

test('a file that nobody took is deleted, by a next worker, too; one that is elsewhere never is', async () => {
  const lab = await new Lab().start();
  const { announce } = await waiting(lab);
  await announce();
  const named = begins(lab);
  await lab.browser.advance(300);
  await completes(lab, named);
  await lab.restart();
  await settled();
  assert.deepEqual(lab.browser.ended.filter(([how]) => how === 'delete'), [['delete', named.item.id]]);
  lab.browser.ended.length = 0;
  const { session_id, announce: again } = await waiting(lab);
  await again();
  const moved = begins(lab);
  await lab.browser.advance(300);
  await completes(lab, { ...moved, where: 'other/x.bin' });
  await lab.ok('download_close', { session_id, is_kept: false });
  assert.deepEqual(lab.browser.ended.filter(([how]) => how === 'delete'), []);
});

test('the setting blocks before anything is clicked, or asks once the name is known', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.browser.local.set({ downloads: 'block' });
  lab.worker.fire('storage.onChanged', { downloads: { newValue: 'block' } }, 'local');
  await settled();
  const { failed } = await lab.call('download_open', { ...mine, frame: 0, timeout_ms: 60_000 });
  assert.deepEqual([failed.code, failed.reason], ['permission_denied', 'downloads_blocked']);
  const { failed: closed } = await lab.call('download_take', { session_id: mine.session_id, ...TAKE });
  assert.equal(closed.reason, 'download_not_open');
});
