// Closed shadow roots: what the library names is examined, what is closed is handed to it, and everything is let go of.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Lab } from './harness.mjs';

/**
 * A browser whose library names elements; `closed` of them hold a closed root.
 * @param {Lab} lab
 * @param {number} count
 * @param {number[]} closed
 */
function withCandidates(lab, count, closed) {
  const { cdp } = lab.browser;
  /** @type {string[]} */
  const adopted = [];
  cdp['Runtime.callFunctionOn'] = ({ functionDeclaration, arguments: args }) => {
    if (functionDeclaration.includes('shadowCandidates')) return { result: { type: 'object', objectId: 'list' } };
    if (!functionDeclaration.includes('adoptShadowRoot')) return { result: { value: { ok: {}, next_ref: 1 } } };
    adopted.push(...args.map((/** @type {any} */ arg) => arg.objectId));
    return { result: { value: args.length } };
  };
  cdp['Runtime.getProperties'] = () => ({
    result: [
      ...Array.from({ length: count }, (_, index) => ({ name: String(index), enumerable: true, value: { objectId: `element-${index}` } })),
      { name: 'length', enumerable: false, value: { value: count } },
    ],
  });
  cdp['DOM.describeNode'] = ({ objectId }) => {
    const index = Number(objectId.split('-')[1]);
    if (index === 3) throw new Error(JSON.stringify({ message: 'Could not find node with given id' }));
    const type = closed.includes(index) ? 'closed' : 'user-agent';
    return { node: { shadowRoots: [{ backendNodeId: 1000 + index, shadowRootType: type }] } };
  };
  cdp['DOM.resolveNode'] = ({ backendNodeId }) => ({ object: { objectId: `root-${backendNodeId}` } });
  return adopted;
}

test('closed roots go to the page library and a count to the host', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const adopted = withCandidates(lab, 6, [1, 3, 5]);
  assert.deepEqual(await lab.ok('shadow_roots', { ...mine, frame: 0 }), { found: 2 });
  assert.deepEqual(adopted, ['root-1001', 'root-1005']);
  assert.deepEqual(lab.browser.calls.at(-1)?.method, 'Runtime.releaseObjectGroup');
  const handedOut = lab.browser.calls.filter(({ method, params }) => method === 'DOM.resolveNode' || params?.functionDeclaration?.includes('Candidates'));
  const group = lab.browser.calls.at(-1)?.params.objectGroup;
  assert.ok(handedOut.length === 3 && handedOut.every(({ params }) => params.objectGroup === group), 'all that is handed out is let go of');
});

test('nothing is adopted where nothing is closed, and never more than 200 elements are examined', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  const adopted = withCandidates(lab, 300, [250]);
  assert.deepEqual(await lab.ok('shadow_roots', { ...mine, frame: 0 }), { found: 0 });
  assert.equal(lab.browser.calls.filter(({ method }) => method === 'DOM.describeNode').length, 200);
  assert.deepEqual(adopted, []);
});

test('a frame that does not exist has no shadow roots to open', async () => {
  const lab = await new Lab().start();
  const mine = await lab.session();
  assert.equal((await lab.call('shadow_roots', { ...mine, frame: 7 })).failed.reason, 'frame_not_found');
});
