// The service worker's entry: starts the kernel with the real browser around it.
// Holds no state and decides nothing. Its one statement runs synchronously when the worker starts, so that every listener is
// there before Chrome delivers the event that woke it.

import { browserOf } from './identity.js';
import { startKernel } from './kernel.js';

startKernel({
  chrome,
  readFile: async (path) => (await fetch(chrome.runtime.getURL(path))).text(),
  describeBrowser,
  now: () => Date.now(),
  randomUUID: () => crypto.randomUUID(),
  randomInt: (below) => Math.floor(Math.random() * below),
  setTimer: (run, delayMs) => setTimeout(run, delayMs),
  clearTimer: (timer) => clearTimeout(timer),
});

async function describeBrowser() {
  const hints = await navigator.userAgentData?.getHighEntropyValues(['fullVersionList']);
  return browserOf(hints?.fullVersionList ?? []);
}
