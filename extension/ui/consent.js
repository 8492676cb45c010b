// The consent window: shows one question of the kernel and sends the answer that the user pressed.
// Decides nothing and knows nothing but the question; without one (a window left over, opened by hand) it closes itself. Titles
// and names come from others and become text, never markup. Allow is not the focused button and takes no press in the first
// moment, so that a key or click meant for something else is no yes; the kernel holds to that as well.

/**
 * @typedef {object} Question
 * @property {number} id
 * @property {string} kind
 * @property {string} session
 * @property {{ program: string, pid: number, path?: string }} [agent]
 * @property {string} site
 * @property {string} subject
 * @property {string[]} choices
 * @property {number} deadline_ms
 * @property {number} armed_ms
 */

const main = element('main', HTMLElement);
const allow = element('#allow', HTMLButtonElement);
const deny = element('#deny', HTMLButtonElement);
const left = element('#left', HTMLElement);

/**
 * The one element of consent.html that a selector means.
 * @template {HTMLElement} T
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T}
 */
function element(selector, kind) {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`consent.html has no ${selector}`);
  return found;
}

/**
 * A text of `_locales/`.
 * @param {string} key
 * @param {string[]} [words]
 */
function text(key, words) {
  return chrome.i18n.getMessage(key, words);
}

/** @param {object} message @returns {Promise<Question | null>} */
async function ask(message) {
  const answer = await chrome.runtime.sendMessage(message).catch(() => null);
  return answer?.question ?? null;
}

/** @param {Question} question */
function show(question) {
  const { agent, site, subject, session, choices, kind } = question;
  const program = agent?.program ?? text('unknown_program');
  document.title = text(`ask_${kind}`, [program]);
  element('#title', HTMLElement).textContent = document.title;
  element('#subject-name', HTMLElement).textContent = text(kind === 'site' ? 'asked_rule' : 'asked_tab');
  element('#remember-site', HTMLElement).textContent = text(`remember_site_${kind}`) || text('remember_site');
  element('#subject', HTMLElement).textContent = subject;
  element('#site', HTMLElement).textContent = site;
  element('#program', HTMLElement).textContent = agent?.path ?? program;
  element('#process', HTMLElement).textContent = agent === undefined ? '' : text('process', [String(agent.pid)]);
  element('#session', HTMLElement).textContent = session;
  // What a question is not about has no line.
  for (const [name, value] of [['subject', subject], ['site', site], ['session', session]]) {
    const line = element(`#${name}-name`, HTMLElement);
    line.hidden = value === '';
    if (line.nextElementSibling instanceof HTMLElement) line.nextElementSibling.hidden = line.hidden;
  }
  element('#meaning', HTMLElement).textContent = text(`meaning_${kind}`);
  for (const radio of document.querySelectorAll('input')) {
    const label = radio.closest('label');
    if (label !== null) label.hidden = !choices.includes(radio.value);
  }
  main.hidden = false;
  element('#title', HTMLElement).focus();
}

/** @param {Question} question */
function keepTime({ deadline_ms, armed_ms }) {
  const now = Date.now();
  left.textContent = text('seconds_left', [String(Math.max(0, Math.ceil((deadline_ms - now) / 1000)))]);
  allow.setAttribute('aria-disabled', String(now < armed_ms));
}

/**
 * @param {Question} question
 * @param {boolean} isAllowed
 */
function answer(question, isAllowed) {
  const lasting = document.querySelector('input:checked');
  void ask({
    type: 'consent_answer', id: question.id, is_allowed: isAllowed, lasting: lasting instanceof HTMLInputElement ? lasting.value : 'once',
  });
}

document.documentElement.lang = text('language');
for (const target of document.querySelectorAll('[data-text]')) {
  if (target instanceof HTMLElement) target.textContent = text(target.dataset['text'] ?? '');
}
// The window can be there a moment before the kernel knows its number.
let question = await ask({ type: 'consent_state' });
for (let tries = 0; question === null && tries < 20; tries += 1) {
  await new Promise((resolve) => { setTimeout(() => resolve(undefined), 50); });
  question = await ask({ type: 'consent_state' });
}
if (question === null) {
  window.close();
} else {
  const asked = question;
  show(asked);
  keepTime(asked);
  setInterval(() => keepTime(asked), 250);
  allow.addEventListener('click', () => {
    if (Date.now() >= asked.armed_ms) answer(asked, true);
  });
  deny.addEventListener('click', () => answer(asked, false));
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') answer(asked, false);
  });
}
