// The page library's files share one scope: what the type checker does not see there. And the reading guide is whole.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { PAGE_FILES } from '../kernel/page_calls.js';

const folder = new URL('../page/', import.meta.url);

test('no name is declared in two files', () => {
  /** @type {Map<string, string>} */
  const declaredIn = new Map();
  for (const file of PAGE_FILES) {
    const text = readFileSync(new URL(file, folder), 'utf8');
    for (const [, name = ''] of text.matchAll(/^(?:async )?(?:function\*?|const|let|class) (\w+)/gm)) {
      assert.equal(declaredIn.get(name), undefined, `\`${name}\` is declared in ${declaredIn.get(name)} and in ${file}`);
      declaredIn.set(name, file);
    }
  }
  assert.ok(declaredIn.size > 200);
});

test('every file of the folder is part of the library', () => {
  assert.deepEqual(readdirSync(folder).filter((file) => file.endsWith('.js')).sort(), [...PAGE_FILES].sort());
});

test('the reading guide names every file of the kernel, of the page library and of the pages', () => {
  const guide = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const kernel = readdirSync(new URL('../kernel/', import.meta.url)).filter((file) => file.endsWith('.js'));
  const pages = readdirSync(new URL('../ui/', import.meta.url)).filter((file) => file.endsWith('.js'));
  for (const file of [...kernel, ...PAGE_FILES, ...pages]) assert.ok(guide.includes(file), `extension/README.md does not name ${file}`);
});
