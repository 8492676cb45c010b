// The connection: hello and welcome, back-off, hostile hosts, long messages.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FakeBrowser, settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';
import { cut, Joiner } from '../kernel/parts.js';

test('the hello says who we are, and the instance id is kept', async () => {
  const lab = await new Lab().start();
  const { hello } = lab;
  assert.deepEqual(Object.keys(hello).sort(), ['browser_name', 'browser_version', 'extension_version', 'instance_id', 'protocol', 'sessions']);
  await lab.restart();
  assert.equal(lab.hello.instance_id, hello.instance_id);
});

test('a missing host is tried again after 0.25 s, doubling to 5 s, and a welcome resets that', async () => {
  const browser = new FakeBrowser();
  browser.hostError = 'Specified native messaging host not found.';
  const lab = await new Lab(browser).start({ isWelcome: false });
  for (const delay of [250, 500, 1000, 2000, 4000, 5000, 5000]) {
    const before = browser.ports.length;
    await browser.advance(delay - 1);
    assert.equal(browser.ports.length, before, `${delay} ms`);
    await browser.advance(1);
    assert.equal(browser.ports.length, before + 1, `${delay} ms`);
  }
  browser.hostError = null;
  await browser.advance(5000);
  lab.welcome();
  lab.worker.loseHost();
  const before = browser.ports.length;
  await browser.advance(250);
  assert.equal(browser.ports.length, before + 1);
});

test('an alarm, a start-up and the user coming back connect at once', async () => {
  const browser = new FakeBrowser();
  browser.hostError = 'Native host has exited.';
  const lab = await new Lab(browser).start({ isWelcome: false });
  await browser.advance(20_000);
  for (const [event, ...args] of /** @type {[string, ...unknown[]][]} */ ([
    ['alarms.onAlarm', { name: 'tick' }], ['runtime.onStartup'], ['runtime.onInstalled', {}], ['idle.onStateChanged', 'active'],
  ])) {
    const before = browser.ports.length;
    lab.worker.fire(event, ...args);
    await settled();
    assert.equal(browser.ports.length, before + 1, event);
  }
});

test('a host that never welcomes us is given up', async () => {
  const lab = await new Lab().start({ isWelcome: false });
  await lab.browser.advance(10_000);
  assert.equal(lab.browser.ports[0]?.isOpen, false);
  await lab.browser.advance(250);
  assert.equal(lab.browser.ports.length, 2);
});

test('a message that no correct host sends closes the port and nothing of it is done', async () => {
  for (const message of [
    null, 7, 'ping', [], {}, { ping: {}, cancel: { id: 1 } }, { ping: { x: 1 } }, { request: { call: { session_start: {} } } },
    { request: { id: -1, call: {} } }, { welcome: { host_version: '1' } }, { constructor: {} }, { hello: {} },
    { part: { stream: 1, index: 1, is_last: true, text: '{"ping":{}}' } }, { part: { stream: 1, index: 0, is_last: true, text: '{' } },
    { part: { stream: 1, index: 0, is_last: true, text: '{"part":{"stream":1,"index":0,"is_last":true,"text":"{}"}}' } },
  ]) {
    const lab = await new Lab().start();
    const { port } = lab;
    lab.send(message);
    await settled();
    assert.equal(port.isOpen, false, JSON.stringify(message));
    assert.deepEqual(port.sent.map((sent) => Object.keys(sent)[0]), ['hello'], JSON.stringify(message));
  }
});

test('a request before the welcome closes the port', async () => {
  const lab = await new Lab().start({ isWelcome: false });
  lab.send({ request: { id: 1, call: { session_start: { focus: false, idle_ms: 1 } } } });
  await settled();
  assert.equal(lab.port.isOpen, false);
  assert.equal(lab.browser.windows.size, 1);
});

test('an id in use closes the port', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.browser.cdp['Page.stopLoading'] = () => new Promise(() => {});
  const call = { cdp: { ...mine, method: 'Page.stopLoading', params: {} } };
  lab.send({ request: { id: 77, call } });
  lab.send({ request: { id: 77, call } });
  assert.equal(lab.port.isOpen, false);
});

test('requests that are not well formed get a reply', async () => {
  const lab = await new Lab().start();
  assert.equal((await lab.call('cookies_read', {})).failed.code, 'unknown_method');
  assert.equal((await lab.call('constructor', {})).failed.code, 'unknown_method');
  assert.equal((await lab.call('session_start', { focus: 1, idle_ms: 1 })).failed.code, 'invalid_params');
  assert.equal((await lab.call('session_start', { focus: true, idle_ms: 1, width: 99 })).failed.code, 'invalid_params');
  assert.equal((await lab.call('session_start', { focus: true, idle_ms: 1, name: '' })).failed.code, 'invalid_params');
  assert.ok(lab.port.isOpen);
});

test('a ping gets a pong and a cancelled request no reply', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  lab.send({ ping: {} });
  assert.deepEqual(lab.port.sent.at(-1), { pong: {} });
  const request = lab.begin('cdp', { ...mine, method: 'Page.stopLoading', params: {} });
  lab.send({ cancel: { id: request.id } });
  await settled();
  assert.equal(request.outcome(), null);
});

test('requests for one tab reach the debugger in the order they came', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('page', { ...mine, frame: 0, function: 'document_state', args: {} });
  lab.browser.calls.length = 0;
  lab.begin('cdp', { ...mine, method: 'Input.dispatchMouseEvent', params: { type: 'mousePressed', x: 1, y: 1 } });
  lab.begin('page', { ...mine, frame: 0, function: 'probe', args: { timeout_ms: 1 } });
  lab.begin('cdp', { ...mine, method: 'Input.insertText', params: { text: 'x' } });
  assert.deepEqual(
    lab.browser.calls.map(({ method }) => method),
    ['Network.enable', 'Input.dispatchMouseEvent', 'Runtime.callFunctionOn', 'Input.insertText'],
  );
});

test('an answer that is too long for one message goes in parts', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const data = '"\\é😀'.repeat(8_000_000);
  lab.browser.cdp['Page.captureScreenshot'] = () => ({ data });
  lab.port.limit = 40_000_000;
  const request = lab.begin('cdp', { ...mine, method: 'Page.captureScreenshot', params: {} });
  await settled();
  assert.equal(request.outcome(), null);
  const joiner = new Joiner();
  const parts = lab.port.sent.flatMap((message) => message.part ?? []);
  assert.ok(parts.length > 1);
  const json = parts.map((part) => joiner.push(part)).at(-1);
  assert.equal(JSON.parse(json ?? '').reply.outcome.ok.data, data);
});

test('parts are never cut inside a character and never longer than a message carries', () => {
  const parts = [...cut('a😀b😀', 3, 2)];
  assert.deepEqual(parts.map(({ text }) => text), ['a', '😀', 'b', '😀']);
  assert.deepEqual(parts.map(({ index, is_last }) => [index, is_last]), [[0, false], [1, false], [2, false], [3, true]]);
});

test('a long request comes in parts', async () => {
  const lab = await new Lab().start();
  const json = JSON.stringify({ request: { id: 500, call: { session_start: { focus: false, idle_ms: 1000 } } } });
  for (const part of cut(json, 9, 10)) lab.send({ part });
  await settled();
  assert.ok(lab.port.sent.find((message) => message.reply?.id === 500)?.reply.outcome.ok);
});
