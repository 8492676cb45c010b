// Who we are, for the hello: this profile's extension, the browser, the name the user gave it, the sessions that are open.
// The instance id is made up once and kept; it says nothing about the user or the machine.

/** @import { Surroundings } from './types.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { Settings } from './settings.js' */

import { PROTOCOL_VERSION } from './wire.js';

/** Product names by the brand in `navigator.userAgentData`, the most specific first: forks also call themselves Chromium. */
const BRANDS = /** @type {const} */ ([
  ['Microsoft Edge', 'Edge'], ['Brave', 'Brave'], ['Opera', 'Opera'], ['Vivaldi', 'Vivaldi'], ['Google Chrome', 'Chrome'],
  ['Chromium', 'Chromium'],
]);

/**
 * The browser by its list of brands.
 * @param {{ brand: string, version: string }[]} brands
 * @returns {{ name: string, version: string }}
 */
export function browserOf(brands) {
  for (const [brand, name] of BRANDS) {
    const found = brands.find((entry) => entry.brand === brand);
    if (found !== undefined) return { name, version: found.version };
  }
  return { name: brands[0]?.brand ?? 'unknown', version: brands[0]?.version ?? '0' };
}

/**
 * The hello of a new port.
 * @param {Surroundings} around
 * @param {Ownership} ownership
 * @param {Settings} settings
 * @returns {Promise<object>}
 */
export async function hello(around, ownership, settings) {
  const { storage, runtime } = around.chrome;
  const [{ instance_id }, browser] = await Promise.all([
    storage.local.get('instance_id'), around.describeBrowser(), ownership.load(), settings.load(),
  ]);
  const { label } = settings.values;
  return {
    protocol: PROTOCOL_VERSION,
    extension_version: runtime.getManifest().version,
    instance_id: typeof instance_id === 'string' ? instance_id : await newInstanceId(around),
    browser_name: browser.name,
    browser_version: browser.version,
    ...(label === '' ? {} : { label }),
    sessions: ownership.sessions().map((session) => ownership.record(session)),
    ...(ownership.ended().length === 0 ? {} : { ended: ownership.ended().map(({ sessionId, cause }) => ({ session_id: sessionId, cause })) }),
  };
}

/** @param {Surroundings} around */
async function newInstanceId(around) {
  const instance_id = around.randomUUID();
  await around.chrome.storage.local.set({ instance_id });
  return instance_id;
}
