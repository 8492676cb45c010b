// The settings: what the user chose, and what the administrator decided for this browser, which wins. Read once and kept up to
// date by the browser, so that the guard is answered from memory. Whoever reads here reads what counts.
// Fails closed: a value that cannot be read counts as the one that allows least, and a text says so. Refuses to change what a
// policy sets, and to store a value that means nothing.

/** @import { JsonObject, Shape, Surroundings } from './types.js' */
/** @import { SiteRule, SiteRules } from './policy/site_rules.js' */

import { ACCESSES, patternProblem, rulesOf } from './policy/site_rules.js';
import { arrayOf, bool, isObject, object, oneOf, shape as shapeOf, text } from './shape.js';

/** @typedef {'allow' | 'ask' | 'block'} Transfer */
/**
 * @typedef {object} Values
 * @property {boolean} enabled
 * @property {string} label
 * @property {boolean} evaluate_enabled
 * @property {Transfer} uploads
 * @property {Transfer} downloads
 * @property {boolean} ask_sessions
 * @property {boolean} list_user_tabs
 * @property {SiteRule[]} site_rules of the policy, then of the user
 */
/** @typedef {keyof Values} Key */
/** @typedef {'local' | 'managed'} Area */

const LONGEST_LABEL = 40;
const MOST_RULES = 5000;

/** @type {Shape<Transfer>} */
const transfer = oneOf(['allow', 'ask', 'block']);
/** @type {Shape<string>} */
const pattern = shapeOf((value, path) => (typeof value === 'string' ? patternProblem(value) : text().problem(value, path)));
/** @type {Shape<SiteRule>} */
const rule = object({ pattern, access: oneOf(ACCESSES) });

/** What a value must be, what counts without one and what counts for one that cannot be read. @type {{ [K in Key]: { shape: Shape<Values[K]>, unset: Values[K], strictest: Values[K] } }} */
const SETTINGS = {
  enabled: { shape: bool, unset: true, strictest: false },
  label: { shape: text(0, LONGEST_LABEL), unset: '', strictest: '' },
  evaluate_enabled: { shape: bool, unset: true, strictest: false },
  uploads: { shape: transfer, unset: 'allow', strictest: 'block' },
  downloads: { shape: transfer, unset: 'allow', strictest: 'block' },
  ask_sessions: { shape: bool, unset: false, strictest: true },
  list_user_tabs: { shape: bool, unset: true, strictest: false },
  site_rules: { shape: arrayOf(rule, MOST_RULES), unset: [], strictest: [{ pattern: '*', access: 'block' }] },
};
/** Every setting, for the test that compares with the schema for administrators. */
export const KEYS = /** @type {Key[]} */ (Object.keys(SETTINGS));

export class Settings {
  /** @type {Surroundings} */
  #around;
  /** @type {() => void} */
  #changed;
  /** @type {Promise<void> | null} */
  #loading = null;
  #isLoaded = false;
  /** As stored; only keys that are there. @type {Record<Area, JsonObject>} */
  #stored = { local: {}, managed: {} };
  /** @type {Values} */
  #values;
  /** @type {SiteRules} */
  #rules = { policy: [], user: [] };
  /** @type {string[]} */
  #problems = [];

  /**
   * @param {Surroundings} around
   * @param {() => void} changed a value that counts may be another one now
   */
  constructor(around, changed) {
    this.#around = around;
    this.#changed = changed;
    this.#values = this.#read();
  }

  /**
   * Reads what is stored, once.
   * @returns {Promise<void>}
   */
  load() {
    this.#loading ??= (async () => {
      const { storage } = this.#around.chrome;
      const [local, managed] = await Promise.all([
        storage.local.get(KEYS),
        // Browsers without policies refuse the read.
        storage.managed.get(KEYS).catch(() => ({})),
      ]);
      this.#stored = { local, managed };
      this.#values = this.#read();
      this.#isLoaded = true;
    })();
    return this.#loading;
  }

  /** What counts. */
  get values() {
    return this.#values;
  }

  /** The site rules, ready to be asked. */
  get rules() {
    return this.#rules;
  }

  /**
   * Whether a policy sets this.
   * @param {Key} key
   */
  isManaged(key) {
    return Object.hasOwn(this.#stored.managed, key);
  }

  /** For the options page. @returns {{ settings: Values, managed: Key[], problems: string[] }} */
  view() {
    return { settings: this.#values, managed: KEYS.filter((key) => this.isManaged(key)), problems: this.#problems };
  }

  /**
   * `chrome.storage.onChanged`.
   * @param {Record<string, chrome.storage.StorageChange>} changes
   * @param {string} area
   */
  async storageChanged(changes, area) {
    if ((area !== 'local' && area !== 'managed') || !KEYS.some((key) => Object.hasOwn(changes, key))) return;
    // A change that comes while the rest is read is the newer one; after that it counts at once.
    if (!this.#isLoaded) await this.load();
    this.#take(changes, area);
  }

  /**
   * @param {Record<string, chrome.storage.StorageChange>} changes
   * @param {Area} area
   */
  #take(changes, area) {
    const stored = { ...this.#stored[area] };
    for (const key of KEYS) {
      const change = changes[key];
      if (change === undefined) continue;
      if (change.newValue === undefined) delete stored[key];
      else stored[key] = change.newValue;
    }
    this.#stored = { ...this.#stored, [area]: stored };
    this.#values = this.#read();
    this.#changed();
  }

  /**
   * Changes a setting of the user.
   * @param {string} key
   * @param {unknown} value
   * @returns {Promise<boolean>} false when it was refused
   */
  async set(key, value) {
    await this.load();
    const known = KEYS.find((one) => one === key);
    if (known === undefined || this.isManaged(known) || !SETTINGS[known].shape.accepts(value)) return false;
    await this.#around.chrome.storage.local.set({ [known]: value });
    // The answer to this message must know; the browser's own news of it comes when it comes.
    this.#take({ [known]: { newValue: value } }, 'local');
    return true;
  }

  /** @returns {Values} */
  #read() {
    this.#problems = [];
    const policy = this.#rulesIn('managed');
    const user = this.#rulesIn('local');
    this.#rules = { policy: rulesOf(policy, 'policy'), user: rulesOf(user, 'user') };
    return {
      enabled: this.#one('enabled'),
      label: this.#one('label'),
      evaluate_enabled: this.#one('evaluate_enabled'),
      uploads: this.#one('uploads'),
      downloads: this.#one('downloads'),
      ask_sessions: this.#one('ask_sessions'),
      list_user_tabs: this.#one('list_user_tabs'),
      site_rules: [...policy, ...user],
    };
  }

  /**
   * @template {Key} K
   * @param {K} key
   * @returns {Values[K]}
   */
  #one(key) {
    const { shape, unset, strictest } = SETTINGS[key];
    const area = this.isManaged(key) ? 'managed' : 'local';
    if (!Object.hasOwn(this.#stored[area], key)) return unset;
    const value = this.#stored[area][key];
    if (shape.accepts(value)) return value;
    this.#tell(area, shape.problem(value, key) ?? '', `\`${String(strictest)}\` counts`);
    return strictest;
  }

  /**
   * The rules of one area, each read for itself: one that cannot be read opens nothing and hides no other.
   * @param {Area} area
   * @returns {SiteRule[]}
   */
  #rulesIn(area) {
    const value = this.#stored[area]['site_rules'];
    if (value === undefined) return [];
    const { strictest } = SETTINGS.site_rules;
    if (!Array.isArray(value) || value.length > MOST_RULES) {
      this.#tell(area, '`site_rules` must be a list', 'every site is blocked');
      return strictest;
    }
    return value.flatMap((/** @type {unknown} */ one, index) => {
      if (rule.accepts(one)) return [one];
      const problem = rule.problem(one, `site_rules[${index}]`) ?? '';
      if (isObject(one) && pattern.accepts(one['pattern'])) {
        this.#tell(area, problem, `\`${one['pattern']}\` is blocked`);
        return [{ pattern: one['pattern'], access: /** @type {const} */ ('block') }];
      }
      this.#tell(area, problem, 'every site without a rule of its own is blocked');
      return strictest;
    });
  }

  /**
   * @param {Area} area
   * @param {string} problem
   * @param {string} consequence
   */
  #tell(area, problem, consequence) {
    this.#problems.push(`${area === 'managed' ? 'policy' : 'stored setting'}: ${problem}; ${consequence}`);
  }
}
