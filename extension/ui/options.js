// The options page: every setting, the rules for sites, and the answers that are remembered. It keeps nothing: each change goes
// to the kernel at once and what comes back is shown. What a policy set is shown, cannot be changed, and is said to be so.

/** @import { Access, Answer, Known, Settings, SiteRule } from './settings.js' */

import { begin, element, fillTexts, isolated, locale, plain, plainPath, show, showMarked, text } from './page.js';
import { bySpecificity, readPattern } from './pattern.js';
import { ACCESSES, forgetAnswer, readSettings, setSetting } from './settings.js';

const SAID_FOR_MS = 2500;

const all = element('#settings', HTMLElement);
const problems = element('#problems', HTMLElement);
const noAnswer = element('#no-answer', HTMLElement);
const label = element('#label', HTMLInputElement);
const rules = element('#rules', HTMLElement);
const add = element('#add', HTMLFormElement);
const answers = element('#answers', HTMLElement);
const said = element('#said', HTMLElement);
const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });

/** @type {Known | null} */
let current = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let saidTimer;

/**
 * A copy of a template's one element.
 * @param {string} id
 */
function copyOf(id) {
  const copy = document.importNode(element(`#${id}`, HTMLTemplateElement).content, true);
  fillTexts(copy);
  return element('*', HTMLElement, copy);
}

/** @param {string} words */
function say(words) {
  clearTimeout(saidTimer);
  show(said, words);
  saidTimer = setTimeout(() => show(said, ''), SAID_FOR_MS);
}

/**
 * Sets something and shows what came of it.
 * @param {keyof Settings} key
 * @param {unknown} value
 */
async function change(key, value) {
  const known = await setSetting(key, value);
  say(text(known !== null && JSON.stringify(known.settings[key]) === JSON.stringify(value) ? 'saved' : 'not_saved'));
  render(known ?? current);
}

/** @param {HTMLElement} place @param {'enabled' | 'evaluate_enabled' | 'ask_sessions' | 'list_user_tabs'} key */
function makeSwitch(place, key) {
  const row = copyOf('switch-row');
  const input = element('input', HTMLInputElement, row);
  const name = element('label', HTMLLabelElement, row);
  input.id = key;
  name.htmlFor = key;
  show(name, text(`${key}_label`));
  describe(row, input, key);
  input.addEventListener('change', () => void change(key, input.checked));
  place.replaceWith(row);
}

/** @param {HTMLElement} place @param {'uploads' | 'downloads'} key */
function makeChoice(place, key) {
  const row = copyOf('choice-row');
  show(element('legend', HTMLElement, row), text(`${key}_label`));
  describe(row, row, key);
  for (const input of row.querySelectorAll('input')) {
    input.name = key;
    input.addEventListener('change', () => void change(key, input.value));
  }
  place.replaceWith(row);
}

/** @param {HTMLElement} row @param {HTMLElement} control @param {string} key */
function describe(row, control, key) {
  const hint = element('.hint', HTMLElement, row);
  showMarked(hint, text(`${key}_hint`));
  hint.id = `${key}-hint`;
  control.setAttribute('aria-describedby', hint.id);
  element('.policy', HTMLElement, row).dataset['policy'] = key;
}

/** @param {HTMLSelectElement} select @param {Access} access */
function fillAccesses(select, access) {
  select.replaceChildren(...ACCESSES.map((one) => new Option(text(`access_${one}`), one, false, one === access)));
}

/** @param {HTMLElement} row @param {string} key '' when there is none */
function showProblem(row, key) {
  const problem = element('.problem', HTMLElement, row);
  const pattern = element('.pattern', HTMLInputElement, row);
  problem.hidden = key === '';
  showMarked(problem, text(key));
  problem.id ||= `problem-${crypto.randomUUID()}`;
  if (key === '') pattern.removeAttribute('aria-describedby');
  else pattern.setAttribute('aria-describedby', problem.id);
  pattern.setAttribute('aria-invalid', String(key !== ''));
}

/**
 * The rule that a row describes, or null after saying what is wrong with it.
 * @param {HTMLElement} row
 * @param {SiteRule | null} old the rule it replaces
 * @returns {SiteRule | null}
 */
function readRule(row, old) {
  const read = readPattern(element('.pattern', HTMLInputElement, row).value);
  const others = (current?.settings.site_rules ?? []).filter((rule) => rule !== old);
  const isTwice = 'pattern' in read && others.some((rule) => rule.pattern === read.pattern);
  const problem = 'problem' in read ? read.problem : isTwice ? 'pattern_twice' : '';
  showProblem(row, problem);
  const access = ACCESSES.find((one) => one === element('select', HTMLSelectElement, row).value);
  return 'pattern' in read && !isTwice && access !== undefined ? { pattern: read.pattern, access } : null;
}

/** @param {SiteRule} rule @returns {HTMLElement} */
function ruleItem(rule) {
  const row = copyOf('rule');
  const pattern = element('.pattern', HTMLInputElement, row);
  const select = element('select', HTMLSelectElement, row);
  const remove = element('button', HTMLButtonElement, row);
  const isFixed = current?.managed.has('site_rules') ?? false;
  pattern.value = rule.pattern;
  fillAccesses(select, rule.access);
  show(remove, text('remove'));
  remove.classList.add('ends');
  remove.setAttribute('aria-label', text('remove_rule', isolated(rule.pattern)));
  for (const control of [pattern, select, remove]) control.disabled = isFixed;
  const save = () => {
    const changed = readRule(row, rule);
    const list = current?.settings.site_rules ?? [];
    if (changed !== null) void change('site_rules', list.map((one) => (one === rule ? changed : one)));
  };
  pattern.addEventListener('change', save);
  select.addEventListener('change', save);
  pattern.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    pattern.value = rule.pattern;
    showProblem(row, '');
  });
  remove.addEventListener('click', () => void removeRule(rule));
  const item = document.createElement('li');
  item.append(row);
  return item;
}

/** @param {SiteRule} rule */
async function removeRule(rule) {
  const place = [...rules.querySelectorAll('button')].findIndex((button) => button === document.activeElement);
  await change('site_rules', (current?.settings.site_rules ?? []).filter((one) => one !== rule));
  focusNear(rules, place, element('#sites-title', HTMLElement));
}

/** @param {Answer} answer @param {number} index @returns {HTMLElement} */
function answerItem(answer, index) {
  const item = copyOf('answer');
  const { kind, is_allowed, program, site, at_ms } = answer;
  const what = text(`answer_${kind}`, isolated(site, 260)) || isolated(site, 260);
  show(element('.what', HTMLElement, item), text(is_allowed ? 'answer_allowed' : 'answer_denied', what));
  show(element('.program', HTMLElement, item), plainPath(program));
  show(element('.when', HTMLElement, item), date.format(at_ms));
  const remove = element('button', HTMLButtonElement, item);
  remove.setAttribute('aria-label', text('remove_answer', what));
  remove.addEventListener('click', async () => {
    const known = await forgetAnswer(index);
    say(text(known !== null && known.settings.answers.length < (current?.settings.answers.length ?? 0) ? 'saved' : 'not_saved'));
    render(known ?? current);
    focusNear(answers, index, element('#answers-title', HTMLElement));
  });
  return item;
}

/** The focus goes to what took a removed row's place. @param {HTMLElement} list @param {number} place @param {HTMLElement} otherwise */
function focusNear(list, place, otherwise) {
  const buttons = list.querySelectorAll('button');
  (buttons[Math.min(Math.max(place, 0), buttons.length - 1)] ?? otherwise).focus();
}

/**
 * Draws a list again when it is different, and keeps the focus at the same place in it.
 * @param {HTMLElement} list
 * @param {unknown} content
 * @param {() => HTMLElement[]} items
 */
function draw(list, content, items) {
  const drawn = JSON.stringify(content);
  if (list.dataset['drawn'] === drawn) return false;
  list.dataset['drawn'] = drawn;
  const controls = () => [...list.querySelectorAll('input, select, button')];
  const place = controls().findIndex((control) => control === document.activeElement);
  list.replaceChildren(...items());
  const again = place === -1 ? undefined : controls()[place];
  if (again instanceof HTMLElement) again.focus();
  return true;
}

/** @param {Known | null} known */
function render(known) {
  all.hidden = known === null;
  noAnswer.hidden = known !== null;
  showMarked(noAnswer, text('settings_no_answer'));
  if (known === null) return;
  const { settings, managed } = known;
  const before = current?.settings.site_rules;
  // Rows know their rule by identity: what did not change stays the same object.
  if (before !== undefined && JSON.stringify(before) === JSON.stringify(settings.site_rules)) settings.site_rules = before;
  current = known;
  problems.hidden = known.problems.length === 0;
  const list = element('ul', HTMLElement, problems);
  draw(list, known.problems, () => known.problems.map((problem) => {
    const item = document.createElement('li');
    showMarked(item, plain(problem, 400));
    item.dir = 'auto';
    return item;
  }));
  for (const note of document.querySelectorAll('[data-policy]')) {
    if (note instanceof HTMLElement) note.hidden = !managed.has(note.dataset['policy'] ?? '');
  }
  for (const key of /** @type {const} */ (['enabled', 'evaluate_enabled', 'ask_sessions', 'list_user_tabs'])) {
    const input = element(`#${key}`, HTMLInputElement);
    input.checked = settings[key];
    input.disabled = managed.has(key);
  }
  for (const key of /** @type {const} */ (['uploads', 'downloads'])) {
    for (const input of document.querySelectorAll(`input[name="${key}"]`)) {
      if (!(input instanceof HTMLInputElement)) continue;
      input.checked = input.value === settings[key];
      input.disabled = managed.has(key);
    }
  }
  label.disabled = managed.has('label');
  if (document.activeElement !== label) label.value = settings.label;
  // Rules of a policy come before the user's, in the order that the kernel gives.
  const sorted = managed.has('site_rules') ? settings.site_rules : [...settings.site_rules].sort((a, b) => bySpecificity(a.pattern, b.pattern));
  draw(rules, [settings.site_rules, managed.has('site_rules')], () => sorted.map(ruleItem));
  add.hidden = managed.has('site_rules');
  element('#no-rules', HTMLElement).hidden = sorted.length > 0;
  draw(answers, settings.answers, () => settings.answers.map(answerItem));
  element('#no-answers', HTMLElement).hidden = settings.answers.length > 0;
}

/** The row for a new rule. */
function makeAdd() {
  const row = copyOf('rule');
  const pattern = element('.pattern', HTMLInputElement, row);
  const button = element('button', HTMLButtonElement, row);
  button.type = 'submit';
  show(button, text('add_rule'));
  pattern.placeholder = 'example.com';
  fillAccesses(element('select', HTMLSelectElement, row), 'ask');
  add.append(row);
  pattern.addEventListener('input', () => showProblem(row, ''));
  add.addEventListener('submit', async (event) => {
    event.preventDefault();
    const rule = readRule(row, null);
    if (rule !== null) {
      await change('site_rules', [...current?.settings.site_rules ?? [], rule]);
      pattern.value = '';
    }
    pattern.focus();
  });
}

begin();
document.title = text('settings_title');
for (const key of /** @type {const} */ (['enabled', 'evaluate_enabled', 'ask_sessions', 'list_user_tabs'])) {
  makeSwitch(element(`[data-switch="${key}"]`, HTMLElement), key);
}
for (const key of /** @type {const} */ (['uploads', 'downloads'])) makeChoice(element(`[data-choice="${key}"]`, HTMLElement), key);
for (const access of ACCESSES) {
  const term = document.createElement('dt');
  const meaning = document.createElement('dd');
  show(term, text(`access_${access}`));
  show(meaning, text(`access_${access}_hint`));
  element('#accesses', HTMLElement).append(term, meaning);
}
makeAdd();
label.addEventListener('change', () => void change('label', label.value.trim()));
chrome.storage.onChanged.addListener(async () => render(await readSettings()));
// The box on the browser's page of extensions is no tab.
document.body.classList.toggle('embedded', await chrome.tabs.getCurrent().catch(() => undefined) === undefined);
render(await readSettings());
