// The files that the Rust tests read too: what is well formed there is decoded here, and what is refused there is refused here.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { ERROR_CODES, REASONS } from '../kernel/codes.js';
import { CALL_NAMES, CDP_EVENTS, decode, PAGE_FUNCTIONS, PROTOCOL_VERSION, WireError } from '../kernel/wire.js';
import { checkPageCall } from '../kernel/policy/page_table.js';

const protocol = new URL('../../protocol/', import.meta.url);
const golden = new URL('golden/', protocol);

/** @param {URL} folder @param {string} start */
const files = (folder, start) => readdirSync(folder).filter((name) => name.startsWith(start) && name.endsWith('.json'));
/** @param {string} name */
const source = (name) => readFileSync(new URL(`src/${name}`, protocol), 'utf8');

/**
 * The texts of a list that failure.rs declares.
 * @param {string} list
 */
function declared(list) {
  const body = source('failure.rs').split(`    ${list} {`)[1]?.split('\n    }')[0] ?? '';
  return [...body.matchAll(/^ {8}\w+ = "(\w+)"/gm)].map((match) => match[1]);
}

test('every message that a host may send is decoded', () => {
  const names = files(golden, 'to_kernel.');
  assert.ok(names.length >= 30, 'the golden files are there');
  for (const name of names) {
    const message = decode(JSON.parse(readFileSync(new URL(name, golden), 'utf8')));
    assert.notEqual(message.kind, 'bad_request', name);
    if (message.kind === 'request' && message.call.name === 'page') checkPageCall(message.call.args.function, message.call.args.args);
  }
});

test('every hostile message is refused', () => {
  const bad = new URL('bad/', golden);
  const names = files(bad, 'to_kernel.');
  assert.ok(names.length >= 40, 'the hostile files are there');
  for (const name of names) {
    const text = readFileSync(new URL(name, bad), 'utf8');
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      continue;
    }
    try {
      assert.equal(decode(message).kind, 'bad_request', name);
    } catch (error) {
      assert.ok(error instanceof WireError, `${name}: ${error}`);
    }
  }
});

test('every call and page function has a golden file and no other is known', () => {
  const calls = new Set();
  const functions = new Set();
  for (const name of files(golden, 'to_kernel.request.')) {
    const { request } = JSON.parse(readFileSync(new URL(name, golden), 'utf8'));
    calls.add(Object.keys(request.call)[0]);
    if (request.call.page) functions.add(request.call.page.function);
  }
  assert.deepEqual([...calls].sort(), [...CALL_NAMES].sort());
  assert.deepEqual([...functions].sort(), [...PAGE_FUNCTIONS].sort());
});

test('codes, reasons, events and the version are those of the Rust side', () => {
  assert.deepEqual([...ERROR_CODES], declared('ErrorCode'));
  assert.deepEqual([...REASONS], declared('Reason'));
  const events = [...source('kernel.rs').matchAll(/#\[serde\(rename = "([A-Z]\w+\.\w+)"\)\]/g)].map((match) => match[1]);
  assert.deepEqual([...CDP_EVENTS].sort(), events.sort());
  assert.match(source('lib.rs'), new RegExp(`PROTOCOL_VERSION: u32 = ${PROTOCOL_VERSION};`));
});
