// What all pages of ui/ do alike: finding their elements, filling in texts, showing words of others, asking the kernel.
// Words of others (titles, names, programs) become text, never markup, and cannot turn the direction of what stands around
// them, fill a page, or look like several lines. Decides nothing; an answer of the kernel is `unknown` until a page looked at it.

/** The language that the texts are in, which need not be the browser's. */
export const language = text('language');
const browserLanguage = chrome.i18n.getUILanguage();
/** For numbers and times: the browser's, with its region, when it is the language of the texts. */
export const locale = browserLanguage.split('-')[0] === language.split('-')[0] ? browserLanguage : language;

/** Controls that change how what follows is read, and breaks of lines. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff]+/g;

/**
 * The one element that a selector means.
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} kind
 * @param {ParentNode} [parent]
 * @returns {T}
 */
export function element(selector, kind, parent = document) {
  const found = parent.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`${location.pathname} has no ${selector}`);
  return found;
}

/**
 * A text of `_locales/`; '' when there is none.
 * @param {string} key
 * @param {string | string[]} [words]
 */
export function text(key, words) {
  return chrome.i18n.getMessage(key, words);
}

/**
 * Fills in the texts that never change: `data-text` is an element's, `data-label` its name for screen readers.
 * @param {ParentNode} parent
 */
export function fillTexts(parent) {
  for (const target of parent.querySelectorAll('[data-text]')) {
    if (target instanceof HTMLElement) showMarked(target, text(target.dataset['text'] ?? ''));
  }
  for (const target of parent.querySelectorAll('[data-label]')) {
    if (target instanceof HTMLElement) target.setAttribute('aria-label', text(target.dataset['label'] ?? ''));
  }
}

/** Begins a page: its language and its fixed texts. */
export function begin() {
  document.documentElement.lang = language;
  document.title = text('extension_name');
  fillTexts(document);
}

/**
 * Sets an element's text, with what stands between backticks as code; leaves it alone when it is already there, so
 * that a screen reader does not read it again. Safe for what comes from outside: only text nodes are made.
 * @param {HTMLElement} target
 * @param {string} content
 */
export function showMarked(target, content) {
  if (target.dataset['shown'] === content) return;
  target.dataset['shown'] = content;
  target.replaceChildren(...content.split('`').map((piece, index) => {
    if (index % 2 === 0) return piece;
    const code = document.createElement('code');
    code.textContent = piece;
    return code;
  }));
}

/**
 * Sets an element's text as it is, backticks included.
 * @param {HTMLElement} target
 * @param {string} content
 */
export function show(target, content) {
  if (target.textContent !== content) target.textContent = content;
}

/**
 * Words of others on one line, without controls and not longer than this; what is left out is at the end.
 * @param {string} words
 * @param {number} [longest] characters
 */
export function plain(words, longest = 120) {
  const clean = words.replace(CONTROLS, ' ').replace(/\s+/g, ' ').trim();
  const characters = [...clean];
  return characters.length <= longest ? clean : `${characters.slice(0, longest - 1).join('')}…`;
}

/**
 * A path on one line: what is left out is in its middle, as its end says the most.
 * @param {string} path
 * @param {number} [longest] characters
 */
export function plainPath(path, longest = 120) {
  const characters = [...plain(path, Infinity)];
  if (characters.length <= longest) return characters.join('');
  const start = Math.floor(longest / 3);
  return `${characters.slice(0, start).join('')}…${characters.slice(start + 1 - longest).join('')}`;
}

/**
 * Words of others for the middle of a sentence of ours: with a direction of their own.
 * @param {string} words
 * @param {number} [longest] characters
 */
export function isolated(words, longest = 60) {
  return `\u2068${plain(words, longest)}\u2069`;
}

/**
 * Shows that a button was pressed and has to wait; not by `disabled`, which would drop the keyboard focus.
 * @param {HTMLButtonElement} button
 * @param {boolean} isBusy
 */
export function setBusy(button, isBusy) {
  button.setAttribute('aria-disabled', String(isBusy));
}

/** @param {HTMLButtonElement} button */
export function isBusy(button) {
  return button.getAttribute('aria-disabled') === 'true';
}

/**
 * Asks the kernel; its answer, or undefined when there is no worker to answer.
 * @param {object} request
 * @returns {Promise<unknown>}
 */
export async function send(request) {
  try {
    return await chrome.runtime.sendMessage(request);
  } catch {
    return undefined;
  }
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Asks the kernel what a window of ours is for. The window can be there a moment before the kernel knows its number, so a null is
 * asked again a few times.
 * @template T
 * @param {() => Promise<T | null>} ask
 */
export async function whatFor(ask) {
  let answer = await ask();
  for (let tries = 0; answer === null && tries < 20; tries += 1) {
    await new Promise((resolve) => { setTimeout(() => resolve(undefined), 50); });
    answer = await ask();
  }
  return answer;
}
