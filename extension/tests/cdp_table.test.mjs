// Invariant 3: every entry of the table takes what it lists and refuses everything else.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Refusal } from '../kernel/codes.js';
import { CDP_METHODS, checkCdp } from '../kernel/policy/cdp_table.js';
import { checkPageCall } from '../kernel/policy/page_table.js';
import { allowedUrl } from '../kernel/policy/url_rule.js';

/** @param {() => void} run @returns {string | null} the reason it was refused for */
function refusedFor(run) {
  try {
    run();
    return null;
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error.reason;
  }
}

/** Parameters that pass, by method. @type {Record<string, Record<string, unknown>[]>} */
const GOOD = {
  'Page.navigate': [{ url: 'https://a.test/' }, { url: 'http://127.0.0.1:8080/x?y#z' }, { url: 'about:blank' }, { url: 'about:blank#bsk-quwe' }],
  'Page.reload': [{}, { ignoreCache: true }],
  'Page.stopLoading': [{}],
  'Page.handleJavaScriptDialog': [{ accept: true }, { accept: false, promptText: 'x' }],
  'Page.captureScreenshot': [
    {}, { format: 'webp', quality: 80, fromSurface: true, optimizeForSpeed: true, captureBeyondViewport: true },
    { format: 'png', clip: { x: 0, y: -1.5, width: 10, height: 10, scale: 1 } },
  ],
  'Page.getLayoutMetrics': [{}],
  'Input.dispatchMouseEvent': [
    { type: 'mousePressed', x: 1, y: 2.5, button: 'left', buttons: 1, clickCount: 2, modifiers: 8, pointerType: 'mouse' },
    { type: 'mouseWheel', x: 0, y: 0, deltaX: 0, deltaY: -120 },
  ],
  'Input.dispatchKeyEvent': [
    { type: 'keyDown', key: 'Enter', code: 'Enter', text: '\r', unmodifiedText: '\r', windowsVirtualKeyCode: 13, nativeVirtualKeyCode: 13, location: 0 },
    { type: 'rawKeyDown', key: 'a', code: 'KeyA', modifiers: 2, commands: ['selectAll'], autoRepeat: false, isKeypad: false },
    { type: 'rawKeyDown', key: 'ArrowLeft', code: 'ArrowLeft', modifiers: 9, commands: ['moveWordLeftAndModifySelection'], autoRepeat: true },
    { type: 'keyDown', key: '7', code: 'Numpad7', text: '7', unmodifiedText: '7', location: 3, isKeypad: true },
  ],
  'Input.insertText': [{ text: '你好' }],
  'Input.setInterceptDrags': [{ enabled: true }],
  'Input.dispatchDragEvent': [{ type: 'dragEnter', x: 1, y: 2.5, modifiers: 2 }, { type: 'dragCancel', x: 0, y: 0 }],
  'Emulation.setFocusEmulationEnabled': [{ enabled: false }],
};

test('what the table lists passes, and every entry is tried', () => {
  assert.deepEqual(Object.keys(GOOD).sort(), [...CDP_METHODS].sort());
  for (const [method, forms] of Object.entries(GOOD)) for (const params of forms) checkCdp(method, params);
});

test('an argument more, less or of another type does not pass', () => {
  const values = [null, undefined, Number.NaN, Infinity, -1e9, 'x'.repeat(65), [], {}, { x: 1 }, [1], true, 7.5];
  for (const [method, forms] of Object.entries(GOOD)) {
    for (const params of forms) {
      for (const stray of ['sessionId', 'constructor', 'transitionType', 'files', 'targetId', 'frameId', 'scriptToEvaluateOnLoad', 'toString']) {
        assert.equal(refusedFor(() => checkCdp(method, { ...params, [stray]: 'x' })), 'argument_not_allowed', `${method} ${stray}`);
      }
      assert.equal(refusedFor(() => checkCdp(method, JSON.parse('{"__proto__":{}}'))), 'argument_not_allowed');
      for (const [name, good] of Object.entries(params)) {
        for (const value of values) {
          if (typeof value === typeof good && (typeof value !== 'number' || Number.isFinite(value))) continue;
          if (typeof good === 'object' && Array.isArray(value) && value.length === 0 && Array.isArray(good)) continue;
          assert.notEqual(refusedFor(() => checkCdp(method, { ...params, [name]: value })), null, `${method} ${name}=${String(value)}`);
        }
      }
    }
  }
});

test('hostile values of allowed arguments do not pass', () => {
  /** @type {[string, Record<string, unknown>][]} */
  const hostile = [
    ['Page.captureScreenshot', { fromSurface: false }],
    ['Page.captureScreenshot', { format: 'svg' }],
    ['Page.captureScreenshot', { quality: 101 }],
    ['Page.captureScreenshot', { clip: { x: 0, y: 0, width: 1, height: 1 } }],
    ['Page.captureScreenshot', { clip: { x: 0, y: 0, width: Infinity, height: 1, scale: 1 } }],
    ['Input.dispatchMouseEvent', { type: 'mousePressed', x: Number.NaN, y: 0 }],
    ['Input.dispatchMouseEvent', { type: 'mousePressed', y: 0 }],
    ['Input.dispatchMouseEvent', { type: 'touchStart', x: 0, y: 0 }],
    ['Input.dispatchDragEvent', { type: 'drop', x: 0, y: 0, data: { items: [], files: ['/etc/passwd'], dragOperationsMask: 1 } }],
    ['Input.dispatchDragEvent', { type: 'drop', x: 0, y: 0, data: { items: [], dragOperationsMask: 1 } }],
    ['Input.dispatchDragEvent', { type: 'dragStart', x: 0, y: 0 }],
    ['Input.setInterceptDrags', { enabled: 1 }],
    ['Input.dispatchMouseEvent', { type: 'mousePressed', x: 0, y: 0, modifiers: 16 }],
    ['Input.dispatchKeyEvent', { type: 'keyDown', commands: ['paste'] }],
    ['Input.dispatchKeyEvent', { type: 'keyDown', commands: ['copy'] }],
    ['Input.dispatchKeyEvent', { type: 'keyDown', commands: ['selectAll', 'cut'] }],
    ['Input.dispatchKeyEvent', { type: 'keyDown', commands: ['insertText:x'] }],
    ['Input.insertText', { text: 7 }],
    ['Input.insertText', {}],
  ];
  for (const [method, params] of hostile) {
    assert.equal(refusedFor(() => checkCdp(method, params)), 'argument_not_allowed', `${method} ${JSON.stringify(params)}`);
  }
});

test('methods that reach other sites, tabs, files or code do not pass', () => {
  for (const method of [
    'Network.getAllCookies', 'Network.getCookies', 'Storage.getCookies', 'Storage.clearDataForOrigin', 'Target.createTarget',
    'Overlay.enable', 'Overlay.highlightNode', 'DOM.requestNode', 'DOM.scrollIntoViewIfNeeded', 'Target.attachToTarget', 'Target.setAutoAttach', 'Browser.getVersion', 'DOM.setFileInputFiles', 'Page.setDownloadBehavior',
    'Runtime.evaluate', 'Runtime.callFunctionOn', 'Page.addScriptToEvaluateOnNewDocument', 'Page.createIsolatedWorld',
    'Page.navigateToHistoryEntry', 'Page.printToPDF', 'page.navigate', 'Page.navigate ', '', 'constructor',
    '__proto__', 'Runtime.terminateExecution', 'Fetch.enable', 'IO.read', 'Debugger.enable',
  ]) {
    assert.equal(refusedFor(() => checkCdp(method, {})), 'method_not_allowed', method);
  }
});

test('only http, https and about:blank are opened', () => {
  for (const url of [
    'file:///etc/passwd', 'chrome://settings', 'chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/ui/popup.html',
    'javascript:alert(1)', ' javascript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'blob:https://a.test/1',
    'view-source:https://a.test/', 'filesystem:https://a.test/', 'about:settings', 'about:blank#x', 'about:blankx', 'about:srcdoc', 'ftp://a.test/',
    'FILE:///etc/passwd', 'devtools://devtools/bundled/x.html', 'ws://a.test/',
  ]) {
    assert.equal(refusedFor(() => allowedUrl(url)), 'url_not_allowed', url);
    assert.equal(refusedFor(() => checkCdp('Page.navigate', { url })), 'url_not_allowed', url);
  }
  for (const url of ['', 'a.test', '//a.test', 'http://', 'https://[', '\0']) {
    assert.equal(refusedFor(() => allowedUrl(url)), 'url_invalid', url);
  }
  assert.equal(allowedUrl(' HTTPS://A.test '), 'https://a.test/');
});

test('page functions take their own arguments only', () => {
  checkPageCall('prepare', { target: { ref: 3 }, timeout_ms: 100, arm: 'mousedown', at: { x: 1, y: 2 }, force: true });
  checkPageCall('focus', { timeout_ms: 0 });
  checkPageCall('type_begin', { target: { ref: 1 }, timeout_ms: 1 });
  checkPageCall('type_end', { value: 'a', timeout_ms: 1 });
  checkPageCall('check_begin', { target: { selector: '#c' }, checked: false, timeout_ms: 1 });
  checkPageCall('check_end', { checked: true, timeout_ms: 1 });
  /** @type {[string, Record<string, unknown>][]} */
  const hostile = [
    ['observe', { budget_ms: 1, root_ref: 0 }], ['observe', { budget_ms: 1, root_ref: 1.5 }], ['observe', {}], ['query', {}], ['query', { query: {} }],
    ['query', { query: { nth: 1 }, timeout_ms: 1 }], ['query', { query: { name: 1 }, timeout_ms: 1 }],
    ['observe', { budget_ms: 1, code: 'x' }], ['observe', { budget_ms: 1, form: 'raw' }], ['observe', { budget_ms: 1, links: 'yes' }], ['prepare', { timeout_ms: 1 }],
    ['prepare', { target: { ref: 1, selector: 'a' }, timeout_ms: 1 }], ['prepare', { target: { ref: 1 }, timeout_ms: 1, arm: 'click' }],
    ['prepare', { target: { ref: 1 }, timeout_ms: -1 }], ['probe', {}], ['check_end', { checked: 1, timeout_ms: 1 }],
    ['check_begin', { target: { ref: 1 }, timeout_ms: 1 }], ['type_begin', { timeout_ms: 1 }], ['type_end', { value: 1, timeout_ms: 1 }],
    ['fill_begin', { target: { ref: 1 }, value: 1, append: false, timeout_ms: 1 }],
    ['select', { target: { ref: 1 }, values: [1], labels: [], indexes: [], timeout_ms: 1 }], ['document_state', { x: 1 }], ['settle', {}],
  ];
  for (const [name, args] of hostile) assert.equal(refusedFor(() => checkPageCall(name, args)), 'argument_not_allowed', name);
  assert.equal(refusedFor(() => checkPageCall('constructor', {})), 'page_function_unknown');
});

test('the chords of the clipboard do not pass, by whatever name the key goes', () => {
  /** @type {Record<string, unknown>[]} */
  const chords = [
    { modifiers: 2, key: 'v' }, { modifiers: 2, code: 'KeyV' }, { modifiers: 4, windowsVirtualKeyCode: 86 },
    { modifiers: 2, nativeVirtualKeyCode: 86 }, { modifiers: 10, key: 'V' }, { modifiers: 3, key: 'c' },
    { modifiers: 2, key: 'x' }, { modifiers: 2, key: 'Insert' }, { modifiers: 8, key: 'Insert' },
    { modifiers: 8, windowsVirtualKeyCode: 45 }, { modifiers: 8, code: 'Delete' }, { key: 'Paste' }, { code: 'Copy' }, { key: 'Cut' },
  ];
  for (const chord of chords) {
    for (const type of ['keyDown', 'rawKeyDown', 'keyUp', 'char']) {
      assert.equal(refusedFor(() => checkCdp('Input.dispatchKeyEvent', { type, ...chord })), 'argument_not_allowed', JSON.stringify(chord));
    }
  }
});

test('keys that only look like the clipboard pass', () => {
  /** @type {Record<string, unknown>[]} */
  const keys = [
    { key: 'v', code: 'KeyV', windowsVirtualKeyCode: 86, text: 'v' }, { modifiers: 8, key: 'V', code: 'KeyV', text: 'V' },
    { modifiers: 2, key: 'a', code: 'KeyA' }, { modifiers: 2, key: 'z' }, { key: 'Delete', code: 'Delete' }, { modifiers: 1, key: 'c' },
  ];
  for (const key of keys) assert.equal(refusedFor(() => checkCdp('Input.dispatchKeyEvent', { type: 'keyDown', ...key })), null);
});
