// `fill`: the field made ready, typed into and read back in one call, and what is not typed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { settled } from './fake_chrome.mjs';
import { Lab } from './harness.mjs';

const ARGS = { frame: 0, target: { selector: '#i' }, value: 'Ada', append: false, timeout_ms: 5000, edit_ms: 3000 };

/**
 * A session whose page library answers `fill_begin` so, once it may.
 * @param {object} begun
 * @param {Promise<unknown>} [ready]
 */
async function field(begun, ready) {
  const lab = await new Lab().start();
  const mine = await lab.session();
  await lab.ok('page', { ...mine, frame: 0, function: 'document_state', args: {} });
  lab.browser.cdp['Runtime.callFunctionOn'] = async (/** @type {any} */ params) => {
    const [name, args] = params.arguments.map((/** @type {any} */ argument) => argument.value);
    if (name === 'fill_begin') await ready;
    const ok = name === 'fill_begin' ? begun : { read: args };
    return { result: { value: { ok, next_ref: 1 } } };
  };
  lab.browser.calls.length = 0;
  const steps = () => lab.browser.calls
    .filter(({ method }) => /^(?:Runtime\.callFunctionOn|Input\.|Page\.getNavigationHistory)/.test(method))
    .map(({ method, params }) => params?.arguments?.[0].value ?? params?.text ?? method);
  return { lab, mine, steps };
}

test('a field is made ready, typed into and read back without the host in between', async () => {
  const { lab, mine, steps } = await field({ done: false, is_secret: false });
  const answer = await lab.ok('fill', { ...mine, ...ARGS });
  assert.deepEqual(steps(), ['fill_begin', 'fill_end', 'Ada', 'Page.getNavigationHistory']);
  assert.deepEqual(answer, {
    begun: { done: false, is_secret: false }, ended: { read: { value: 'Ada', append: false, timeout_ms: 3000 } }, flushed: {},
  });
});

test('what the page library has set itself is not typed', async () => {
  const { lab, mine, steps } = await field({ done: true, is_secret: false });
  assert.ok('ended' in await lab.ok('fill', { ...mine, ...ARGS }));
  assert.deepEqual(steps(), ['fill_begin', 'fill_end', 'Page.getNavigationHistory']);
});

test('what takes keys is left to the host', async () => {
  for (const [begun, value] of /** @type {[object, string][]} */ ([[{ done: false, by_keys: true }, 'Ada'], [{ done: false }, '']])) {
    const { lab, mine, steps } = await field(begun);
    assert.deepEqual(await lab.ok('fill', { ...mine, ...ARGS, value }), { begun });
    assert.deepEqual(steps(), ['fill_begin']);
  }
});

test('nothing is typed once nobody waits, the session is over or the user has the control', async () => {
  /** @type {((lab: Lab, id: number, mine: any) => unknown)[]} */
  const ends = [
    (lab, id) => lab.send({ cancel: { id } }),
    (lab, _id, { session_id }) => lab.ok('session_stop', { session_id }),
    (lab, _id, mine) => lab.begin('help_request', { ...mine, prompt: 'p', targets: [], timeout_ms: 1000 }),
  ];
  for (const end of ends) {
    let isReady = () => {};
    const { lab, mine, steps } = await field({ done: false }, new Promise((resolve) => { isReady = () => resolve(undefined); }));
    const { id } = lab.begin('fill', { ...mine, ...ARGS });
    await settled();
    await end(lab, id, mine);
    isReady();
    await settled();
    assert.ok(!steps().includes('Ada') && !steps().includes('fill_end'), end.toString());
  }
});
