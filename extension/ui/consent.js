// The consent window: shows one question of the kernel and sends the answer that the user pressed.
// Decides nothing and knows nothing but the question; without one (a window left over, opened by hand) it closes itself. Titles
// and names come from others and become text, never markup. Allow is not the focused button and takes no press in the first
// moment, so that a key or click meant for something else is no yes; the kernel holds to that as well.

import { begin, element, isolated, isRecord, plain, plainPath, send, setBusy, show, text, whatFor } from './page.js';

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

/** Who cannot see the time left is told once, when this much is left. */
const TOLD_AT_SECONDS = 15;

const main = element('main', HTMLElement);
const allow = element('#allow', HTMLButtonElement);
const deny = element('#deny', HTMLButtonElement);
const left = element('#left', HTMLElement);

/** @param {unknown} question @returns {question is Question} */
function isQuestion(question) {
  return isRecord(question) && typeof question['id'] === 'number' && Array.isArray(question['choices']);
}

/** @param {object} message @returns {Promise<Question | null>} */
async function ask(message) {
  const answer = await send(message);
  return isRecord(answer) && isQuestion(answer['question']) ? answer['question'] : null;
}

/**
 * Fills in a row of the question; one with nothing in it is left out.
 * @param {string} selector
 * @param {string} content
 */
function fill(selector, content) {
  const place = element(selector, HTMLElement);
  show(place, content);
  const row = place.closest('div');
  if (row !== null) row.hidden = content === '';
}

/**
 * Every file on a line of its own; of a long name the middle is left out.
 * @param {string} subject a file a line
 */
function fillFiles(subject) {
  fill('#subject', plain(subject, 200));
  element('#subject', HTMLElement).replaceChildren(...subject.split('\n').map((file) => {
    const line = document.createElement('bdi');
    line.className = 'file';
    line.textContent = plainPath(file, 120);
    return line;
  }));
}

/** @param {Question} question */
function showQuestion(question) {
  const { agent, site, subject, session, choices, kind } = question;
  const program = isolated(agent?.program ?? text('unknown_program'), 40);
  document.title = text(`ask_${kind}`, [program]);
  show(element('#title', HTMLElement), document.title);
  show(element('#subject-name', HTMLElement), text(`subject_${kind}`));
  if (kind === 'upload') fillFiles(subject);
  else fill('#subject', plain(subject, 200));
  // Never shortened: which site it is can stand at its end.
  fill('#site', plain(site, Infinity));
  fill('#program', plain(agent?.program ?? text('unknown_program')));
  const path = element('#path', HTMLElement);
  show(path, plainPath(agent?.path ?? '', 160));
  path.hidden = agent?.path === undefined;
  show(element('#process', HTMLElement), agent === undefined ? '' : text('process', [String(agent.pid)]));
  fill('#session', plain(session, 60));
  show(element('#meaning', HTMLElement), text(`meaning_${kind}`));
  for (const radio of document.querySelectorAll('input')) {
    const label = radio.closest('label');
    if (label === null) continue;
    label.hidden = !choices.includes(radio.value);
    const words = text(`remember_${radio.value}_${kind}`) || text(`remember_${radio.value}`);
    show(element('span', HTMLElement, label), words);
  }
  element('fieldset', HTMLElement).hidden = choices.length < 2;
  main.hidden = false;
  element('#title', HTMLElement).focus();
}

/** @param {Question} question */
function keepTime({ deadline_ms, armed_ms }) {
  const now = Date.now();
  const seconds = Math.max(0, Math.ceil((deadline_ms - now) / 1000));
  const words = text('seconds_left', [String(seconds)]);
  show(left, words);
  if (seconds === TOLD_AT_SECONDS) show(element('#said', HTMLElement), words);
  setBusy(allow, now < armed_ms);
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

begin();
const asked = await whatFor(() => ask({ type: 'consent_state' }));
if (asked === null) {
  window.close();
} else {
  showQuestion(asked);
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
