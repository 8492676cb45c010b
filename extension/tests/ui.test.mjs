// What the pages of ui/ say and take: every text exists in both languages with the same words in it, none is left over, and
// patterns of sites are read as the options page promises.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { bySpecificity, readPattern } from '../ui/pattern.js';

const root = new URL('../', import.meta.url);
/** @param {string} path */
const read = (path) => readFileSync(new URL(path, root), 'utf8');
/** @param {string} language @returns {Record<string, { message: string, placeholders?: object }>} */
const texts = (language) => JSON.parse(read(`_locales/${language}/messages.json`));
const sources = ['ui', 'kernel'].flatMap((folder) => readdirSync(new URL(`${folder}/`, root))
  .filter((name) => /\.(js|html)$/.test(name)).map((name) => read(`${folder}/${name}`)));

test('every text that a page names exists, in both languages with the same placeholders', () => {
  const [english, chinese] = [texts('en'), texts('zh_CN')];
  assert.deepEqual(Object.keys(english).sort(), Object.keys(chinese).sort());
  for (const [key, { placeholders }] of Object.entries(english)) {
    const names = (/** @type {object | undefined} */ all) => Object.keys(all ?? {}).sort();
    assert.deepEqual(names(chinese[key]?.placeholders), names(placeholders), key);
  }
  const named = sources.flatMap((source) => [
    ...source.matchAll(/data-(?:text|label)="(\w+)"/g), ...source.matchAll(/(?:text|getMessage)\('(\w+)'/g),
    ...source.matchAll(/problem: '(\w+)'/g), ...source.matchAll(/title: '(\w+)'/g),
  ].map((match) => match[1] ?? ''));
  assert.ok(named.length > 60);
  for (const key of named) assert.ok(key in english, key);
});

test('no text is left over', () => {
  const all = sources.join('\n') + read('manifest.json');
  const families = [...all.matchAll(/[`'](\w+_)\$\{/g)].map((match) => match[1] ?? '');
  const endings = [...all.matchAll(/`\$\{\w+\}(_\w+)`/g)].map((match) => match[1] ?? '');
  for (const key of Object.keys(texts('en'))) {
    const isNamed = new RegExp(`\\b${key}\\b|__MSG_${key}__`).test(all) || families.some((family) => key.startsWith(family))
      || endings.some((ending) => key.endsWith(ending));
    assert.ok(isNamed, `\`${key}\` is used nowhere`);
  }
});

test('a pattern is read as the options page explains it', () => {
  for (const [written, pattern] of [
    ['example.com', 'example.com'], [' Example.COM ', 'example.com'], ['*.example.com', '*.example.com'], ['*', '*'],
    ['https://example.com:8443', 'https://example.com:8443'], ['HTTPS://Example.com/', 'https://example.com'], ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'], ['[::1]', '[::1]'], ['bücher.example', 'xn--bcher-kva.example'],
  ]) {
    assert.deepEqual(readPattern(written ?? ''), { pattern }, written);
  }
  for (const [written, problem] of [
    ['', 'empty'], ['  ', 'empty'], ['example.com/a', 'path'], ['https://example.com/a', 'path'], ['https://example.com?x', 'path'],
    ['https://me@example.com', 'path'], ['example.com:80', 'port'], ['ex*.com', 'star'], ['*.*.com', 'star'], ['https://*.example.com', 'star'],
    ['**', 'star'], ['chrome://settings', 'scheme'], ['file:///tmp', 'scheme'], ['a b', 'invalid'], ['a..b', 'invalid'], ['.example.com', 'invalid'],
    ['example.com.', 'invalid'], ['me@example.com', 'invalid'], ['*.', 'invalid'], ['https://', 'invalid'], ['a%20b', 'invalid'], ['*.127.0.0.1', 'invalid'], ['[::1', 'invalid'],
  ]) {
    assert.deepEqual(readPattern(written ?? ''), { problem: `pattern_${problem}` }, written);
  }
});

test('what counts first comes first', () => {
  const sorted = ['*', 'com', 'https://a.com', 'a.b.example.com', '*.example.com', 'example.com'].sort(bySpecificity);
  assert.deepEqual(sorted, ['https://a.com', 'a.b.example.com', '*.example.com', 'example.com', 'com', '*']);
});
