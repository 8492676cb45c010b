// The help window: shows what an agent asks its user to do, and sends Done or Cancel with the user's note.
// Decides nothing and knows nothing but the request; without one (a window left over, opened by hand) it closes itself. The prompt,
// the title and the names of elements come from others: they become text, never markup, and the prompt stands under the name of
// the program whose words it is. No button has the focus at first, so that a key meant for something else ends nothing.

import { begin, element, isolated, isRecord, plain, send, show, text, whatFor } from './page.js';

/**
 * @typedef {object} Help
 * @property {number} id
 * @property {string} [title]
 * @property {string} prompt
 * @property {string} program
 * @property {string} session
 * @property {{ role: string, name: string }[]} targets
 * @property {number} deadline_ms
 */

const main = element('main', HTMLElement);
const left = element('#left', HTMLElement);
const note = element('#note', HTMLTextAreaElement);

/** @param {unknown} help @returns {help is Help} */
function isHelp(help) {
  return isRecord(help) && typeof help['id'] === 'number' && typeof help['prompt'] === 'string' && Array.isArray(help['targets']);
}

/** @param {object} message @returns {Promise<Help | null>} */
async function ask(message) {
  const answer = await send(message);
  return isRecord(answer) && isHelp(answer['help']) ? answer['help'] : null;
}

/** @param {Help} help */
function showHelp({ title, prompt, program, session, targets }) {
  const who = isolated(program, 40);
  document.title = text('help_title', [who]);
  show(element('#title', HTMLElement), document.title);
  show(element('#whose', HTMLElement), text('help_words', [who, isolated(session, 40)]));
  show(element('#subject', HTMLElement), plain(title ?? '', 200));
  // The one text whose lines and spaces are kept; its box is all that it can fill.
  show(element('#prompt', HTMLElement), prompt);
  show(element('#meaning', HTMLElement), text('help_meaning'));
  element('#marked', HTMLElement).hidden = targets.length === 0;
  element('#targets', HTMLElement).replaceChildren(...targets.map(({ role, name }) => {
    const line = document.createElement('li');
    line.dir = 'auto';
    show(line, plain(name === '' ? role : name));
    return line;
  }));
  main.hidden = false;
  element('#title', HTMLElement).focus();
}

/** The time that is left, as `4:59`. @param {Help} help */
function keepTime({ deadline_ms }) {
  const seconds = Math.max(0, Math.ceil((deadline_ms - Date.now()) / 1000));
  show(left, text('help_left', [`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`]));
}

/** The browser takes places that are half on a screen; this one is to be seen whole. */
function stayOnScreen() {
  // Properties of screens that TypeScript's library does not have: https://w3c.github.io/window-management/
  const { availWidth, availHeight } = screen;
  const x = 'availLeft' in screen && typeof screen.availLeft === 'number' ? screen.availLeft : 0;
  const y = 'availTop' in screen && typeof screen.availTop === 'number' ? screen.availTop : 0;
  const wanted = [
    Math.max(x, Math.min(screenX, x + availWidth - outerWidth)), Math.max(y, Math.min(screenY, y + availHeight - outerHeight)),
  ];
  const [toX = screenX, toY = screenY] = wanted;
  if (toX !== screenX || toY !== screenY) moveTo(toX, toY);
}

/** @param {Help} help @param {'done' | 'cancel'} answer */
function end(help, answer) {
  void ask({ type: 'help_answer', id: help.id, answer, note: note.value });
}

begin();
const asked = await whatFor(() => ask({ type: 'help_state' }));
if (asked === null) {
  window.close();
} else {
  showHelp(asked);
  stayOnScreen();
  keepTime(asked);
  setInterval(() => keepTime(asked), 250);
  element('#done', HTMLButtonElement).addEventListener('click', () => end(asked, 'done'));
  element('#cancel', HTMLButtonElement).addEventListener('click', () => end(asked, 'cancel'));
}
