// Which rule counts for which address: a table, since every line of it is a promise to the user.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accessOf, patternProblem, rulesOf, siteOf } from '../kernel/policy/site_rules.js';

/** @typedef {import('../kernel/policy/site_rules.js').Access} Access */

/**
 * @param {Record<string, Access>} user
 * @param {Record<string, Access>} [policy]
 */
function rules(user, policy = {}) {
  const list = (/** @type {Record<string, Access>} */ from) => Object.entries(from).map(([pattern, access]) => ({ pattern, access }));
  return { user: rulesOf(list(user), 'user'), policy: rulesOf(list(policy), 'policy') };
}

/** Pattern, addresses it fits, addresses it does not. @type {[string, string[], string[]][]} */
const FITS = [
  ['example.com',
    ['https://example.com/', 'http://example.com:8080/a?b#c', 'https://a.b.example.com/', 'https://EXAMPLE.com./x', 'blob:https://example.com/1-2',
      'https://user:word@example.com/', 'https://example.com%2e/'],
    ['https://notexample.com/', 'https://example.com.evil.test/', 'https://example.co/', 'https://evil.test/example.com', 'https://example.com@evil.test/',
      'https://xample.com/', 'about:blank', 'about:srcdoc', 'data:text/html,example.com', 'blob:null/1-2', '', 'no address']],
  ['EXAMPLE.com.', ['https://example.com/', 'https://a.example.com./'], ['https://notexample.com/']],
  ['*.example.com', ['https://a.example.com/', 'http://b.a.example.com:1/'], ['https://example.com/', 'https://notexample.com/']],
  ['https://example.com:8443', ['https://example.com:8443/x', 'https://EXAMPLE.com.:8443/', 'blob:https://example.com:8443/1'],
    ['https://example.com/', 'http://example.com:8443/', 'https://a.example.com:8443/']],
  ['https://example.com/', ['https://example.com/', 'https://example.com:443/a'], ['http://example.com/', 'https://example.com:8443/']],
  ['http://example.com:80', ['http://example.com/'], ['https://example.com/']],
  ['bücher.example', ['https://bücher.example/', 'https://xn--bcher-kva.example/', 'https://a.BÜCHER.example/'], ['https://bucher.example/']],
  ['xn--bcher-kva.example', ['https://bücher.example/'], ['https://bucher.example/']],
  ['127.0.0.1', ['http://127.0.0.1:81/', 'http://2130706433/', 'http://0x7f.1/'], ['http://127.0.0.11/', 'http://1.127.0.0.10/', 'http://localhost/']],
  ['[::1]', ['http://[::1]:8080/', 'http://[0:0:0:0:0:0:0:1]/'], ['http://[::2]/', 'http://127.0.0.1/']],
  ['localhost', ['http://localhost:3000/', 'http://app.localhost/'], ['http://127.0.0.1/', 'http://notlocalhost/']],
  ['com', ['https://example.com/'], ['https://example.org/']],
  ['*', ['https://example.com/', 'http://127.0.0.1:1/', 'blob:https://a.test/1'], ['about:blank', 'data:text/html,x', 'chrome-error://chromewebdata/']],
];

test('a pattern fits what it says and nothing else', () => {
  for (const [pattern, fitting, others] of FITS) {
    assert.equal(patternProblem(pattern), null, pattern);
    for (const url of fitting) assert.equal(accessOf(url, rules({ [pattern]: 'block' })).access, 'block', `${pattern} and ${url}`);
    for (const url of others) assert.equal(accessOf(url, rules({ [pattern]: 'block' })).access, 'allow', `${pattern} and ${url}`);
  }
});

test('a pattern that means no site is refused', () => {
  for (const pattern of [
    '', ' ', '*.', '**', '*example.com', 'a.*.com', 'example.com/path', 'https://example.com/path', 'https://', 'https://*.example.com', 'ftp://example.com',
    'example.com:8443', 'https://a:b@example.com', 'https://example.com?x', 'https://example.com#x', 'exa mple.com', '.', '*.127.0.0.1', '*.[::1]',
    'a..b%', '[::1', 'javascript:', 'file:///etc', 'a\\b', '1.2.3.4.5', '256.1.1.1', 'https://exa mple.com', 'a@b',
  ]) {
    assert.notEqual(patternProblem(pattern), null, pattern);
    assert.deepEqual(rulesOf([{ pattern, access: 'allow' }], 'user'), []);
  }
});

/** Rules of the user, rules of the policy, address, what counts, whose rule. @type {[Record<string, Access>, Record<string, Access>, string, Access, string | undefined][]} */
const PRECEDENCE = [
  [{}, {}, 'https://a.test/', 'allow', undefined],
  [{ '*': 'block', 'a.test': 'allow' }, {}, 'https://a.test/', 'allow', 'a.test'],
  [{ '*': 'block', 'a.test': 'allow' }, {}, 'https://b.test/', 'block', '*'],
  [{ 'a.test': 'block', 'x.a.test': 'ask' }, {}, 'https://y.x.a.test/', 'ask', 'x.a.test'],
  [{ 'a.test': 'block', '*.a.test': 'read_only' }, {}, 'https://x.a.test/', 'read_only', '*.a.test'],
  [{ 'a.test': 'block', '*.a.test': 'read_only' }, {}, 'https://a.test/', 'block', 'a.test'],
  [{ 'a.test': 'block', 'https://a.test': 'allow' }, {}, 'https://a.test/', 'allow', 'https://a.test'],
  [{ 'a.test': 'block', 'https://a.test': 'allow' }, {}, 'http://a.test/', 'block', 'a.test'],
  [{ 'https://a.test': 'allow' }, { '*': 'read_only' }, 'https://a.test/', 'read_only', '*'],
  [{ 'a.test': 'block' }, { 'b.test': 'block' }, 'https://a.test/', 'block', 'a.test'],
  [{ 'a.test': 'block' }, { 'a.test': 'allow' }, 'https://a.test/', 'allow', 'a.test'],
  [{ 'A.test': 'allow', 'a.test': 'block' }, {}, 'https://a.test/', 'block', 'a.test'],
  [{ 'a.test': 'block', 'A.test': 'ask' }, {}, 'https://a.test/', 'block', 'a.test'],
];

test('the most specific rule counts, those of a policy first, and of two alike the stricter one', () => {
  for (const [user, policy, url, access, pattern] of PRECEDENCE) {
    const ruling = accessOf(url, rules(user, policy));
    assert.deepEqual([ruling.access, ruling.rule?.pattern], [access, pattern], `${JSON.stringify([user, policy])} at ${url}`);
  }
});

test('a site is an origin as the browser writes it', () => {
  assert.deepEqual(siteOf('https://EXAMPLE.com.:443/x'), { host: 'example.com', origin: 'https://example.com' });
  assert.deepEqual(siteOf('blob:http://127.0.0.1:81/2'), { host: '127.0.0.1', origin: 'http://127.0.0.1:81' });
  for (const url of ['about:blank', 'data:,x', 'blob:null/1', 'file:///x', 'chrome://version/', '', 'x']) assert.equal(siteOf(url), null, url);
});
