// The settings as pages of ui/ see them: asked of the kernel, which alone keeps and checks them. What a managed policy set is
// shown and cannot be changed here; the kernel refuses it as well. Refuses an answer that is not of the agreed form.

import { isRecord, send } from './page.js';

/**
 * @typedef {'allow' | 'ask' | 'block'} Choice
 * @typedef {'allow' | 'read_only' | 'ask' | 'block'} Access
 * @typedef {{ pattern: string, access: Access }} SiteRule
 * @typedef {{ kind: string, program: string, site: string, is_allowed: boolean, at_ms: number }} Answer
 * @typedef {object} Settings
 * @property {boolean} enabled
 * @property {string} label
 * @property {boolean} evaluate_enabled
 * @property {Choice} uploads
 * @property {Choice} downloads
 * @property {boolean} ask_sessions
 * @property {boolean} list_user_tabs
 * @property {SiteRule[]} site_rules
 * @property {Answer[]} answers
 * @typedef {object} Known
 * @property {Settings} settings as they count
 * @property {Set<string>} managed the keys that a policy set
 * @property {string[]} problems
 */

const CHOICES = ['allow', 'ask', 'block'];
/** In the order that they are offered. */
export const ACCESSES = /** @type {const} */ (['allow', 'read_only', 'ask', 'block']);

/** @param {unknown} rule @returns {rule is SiteRule} */
function isRule(rule) {
  return isRecord(rule) && typeof rule['pattern'] === 'string' && ACCESSES.some((access) => access === rule['access']);
}

/** @param {unknown} answer @returns {answer is Answer} */
function isAnswer(answer) {
  return isRecord(answer) && ['kind', 'program', 'site'].every((key) => typeof answer[key] === 'string')
    && typeof answer['is_allowed'] === 'boolean' && typeof answer['at_ms'] === 'number';
}

/** @param {unknown} settings @returns {settings is Settings} */
function isSettings(settings) {
  return isRecord(settings)
    && ['enabled', 'evaluate_enabled', 'ask_sessions', 'list_user_tabs'].every((key) => typeof settings[key] === 'boolean')
    && typeof settings['label'] === 'string'
    && [settings['uploads'], settings['downloads']].every((choice) => CHOICES.some((known) => known === choice))
    && Array.isArray(settings['site_rules']) && settings['site_rules'].every(isRule)
    && Array.isArray(settings['answers']) && settings['answers'].every(isAnswer);
}

/** @param {unknown} list @returns {string[]} */
function texts(list) {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

/**
 * @param {object} request
 * @returns {Promise<Known | null>} null when the kernel gives no such answer
 */
async function ask(request) {
  const answer = await send(request);
  if (!isRecord(answer) || !isSettings(answer['settings'])) return null;
  return { settings: answer['settings'], managed: new Set(texts(answer['managed'])), problems: texts(answer['problems']) };
}

/** The settings as they are now. */
export function readSettings() {
  return ask({ type: 'settings' });
}

/**
 * Sets one; the answer says what came of it.
 * @param {keyof Settings} key
 * @param {unknown} value
 */
export function setSetting(key, value) {
  return ask({ type: 'set', key, value });
}

/**
 * Forgets a remembered answer.
 * @param {number} index its place in `answers`
 */
export function forgetAnswer(index) {
  return ask({ type: 'forget_answer', index });
}
