// The popup: whether the bsk program is connected and why not, which sessions are open, what each does where, and Stop for
// each and for all; the name of this browser and its switch. It decides nothing: it asks the kernel, shows the answer, and
// sends what the user pressed. Words of others become text, never markup. Rows are kept by session: a refresh moves no focus.

/** @import { Known } from './settings.js' */

import {
  begin, element, fillTexts, isBusy, isolated, isRecord, locale, plain, plainPath, send, setBusy, show, showMarked, text,
} from './page.js';
import { readSettings, setSetting } from './settings.js';

/**
 * @typedef {'host_not_found' | 'host_forbidden' | 'host_exited' | 'host_refused' | 'version_skew' | 'switched_off'} Cause
 * @typedef {{ state: 'connected' | 'connecting' | 'disconnected', cause?: Cause, detail?: string }} Connection
 * @typedef {{ tab_id: number, title: string, site: string, is_borrowed: boolean }} TabLine
 * @typedef {object} SessionLine
 * @property {string} session_id
 * @property {string} [name]
 * @property {number} tab_count
 * @property {number} created_at_ms
 * @property {{ program: string, pid: number, path?: string }} [agent]
 * @property {TabLine[]} tabs
 * @property {{ name: string, at_ms: number }} [last_command]
 * @typedef {{ connection: Connection, sessions: SessionLine[], version: string, host_version?: string }} PopupState
 * @typedef {{ type: 'state' } | { type: 'reconnect' } | { type: 'stop', session_id: string } | { type: 'stop_all' }} Request
 * @typedef {object} Row
 * @property {HTMLElement} row
 * @property {HTMLElement} title
 * @property {HTMLElement} agent
 * @property {HTMLElement} facts
 * @property {HTMLButtonElement} stop
 * @property {HTMLDetailsElement} details
 * @property {HTMLElement} summary
 * @property {HTMLElement} tabs
 * @property {SessionLine} line
 */

/** How long a new attempt may take before the popup says so; a quick failure then changes nothing on the page. */
const CONNECTING_SHOWN_AFTER_MS = 300;
/** With more tabs than this, a session's list of them begins closed. */
const TABS_SHOWN = 3;
/** A command as new as this began just now. */
const JUST_NOW_MS = 3000;

const main = element('main', HTMLElement);
const version = element('#version', HTMLElement);
const connectionBox = element('#connection', HTMLElement);
const connectionTitle = element('#connection-title', HTMLElement);
const connectionText = element('#connection-text', HTMLElement);
const connectionDetail = element('#connection-detail', HTMLElement);
const reconnect = element('#reconnect', HTMLButtonElement);
const sessionsBox = element('#sessions', HTMLElement);
const sessionsTitle = element('#sessions-title', HTMLElement);
const stopAll = element('#stop-all', HTMLButtonElement);
const noSessions = element('#no-sessions', HTMLElement);
const sessionList = element('#session-list', HTMLElement);
const sessionTemplate = element('#session', HTMLTemplateElement);
const tabTemplate = element('#tab', HTMLTemplateElement);
const enabledBox = element('#switch', HTMLElement);
const enabled = element('#enabled', HTMLInputElement);
const labelBox = element('#label-row', HTMLElement);
const label = element('#label', HTMLInputElement);
const said = element('#said', HTMLElement);

const plural = new Intl.PluralRules(locale);
const timeOfDay = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const dayAndTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const ago = new Intl.RelativeTimeFormat(locale, { style: 'short' });

/** The rows on the page, by session id. @type {Map<string, Row>} */
const rows = new Map();
/** Sessions whose Stop was pressed. @type {Set<string>} */
const stopping = new Set();
/** Counts questions, so that a late answer never replaces a newer one. */
let asked = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let connectingTimer;

/** @param {Connection} connection @returns {string} */
function reasonKey(connection) {
  switch (connection.state) {
    case 'connected': return 'connected_text';
    case 'connecting': return 'connecting_text';
    case 'disconnected': return `cause_${connection.cause ?? 'unknown'}`;
  }
}

/** @param {Connection} connection @param {string} reason */
function showConnection(connection, reason) {
  connectionBox.dataset['state'] = connection.state;
  show(connectionTitle, text(connection.state));
  showMarked(connectionText, reason);
  const detail = connection.state === 'disconnected' ? plain(connection.detail ?? '', 400) : '';
  showMarked(connectionDetail, detail);
  connectionDetail.hidden = detail === '';
  setBusy(reconnect, connection.state === 'connecting');
  const keepsFocus = connection.state === 'connecting' && document.activeElement === reconnect;
  reconnect.hidden = connection.state !== 'disconnected' && !keepsFocus;
  main.hidden = false;
}

/** The user switched all of it off: what the connection is then means nothing. */
function showOff() {
  connectionBox.dataset['state'] = 'off';
  show(connectionTitle, text('switched_off'));
  showMarked(connectionText, text('switched_off_text'));
  connectionDetail.hidden = true;
  reconnect.hidden = true;
  main.hidden = false;
}

/** @param {Connection} connection @param {Known | null} known */
function renderConnection(connection, known) {
  clearTimeout(connectingTimer);
  const isOff = known?.settings.enabled === false || connection.cause === 'switched_off';
  sessionsBox.hidden = isOff && rows.size === 0;
  if (isOff) {
    showOff();
    return;
  }
  const reason = text(reasonKey(connection)) || text('cause_unknown');
  if (connection.state === 'connecting' && connectionBox.dataset['state'] === 'disconnected') {
    connectingTimer = setTimeout(() => showConnection(connection, reason), CONNECTING_SHOWN_AFTER_MS);
  } else {
    showConnection(connection, reason);
  }
}

/** @param {number} atMs */
function timeSince(atMs) {
  const then = new Date(atMs);
  const isToday = then.toDateString() === new Date().toDateString();
  return text('since', (isToday ? timeOfDay : dayAndTime).format(then));
}

/** @param {number} atMs */
function timeAgo(atMs) {
  const seconds = Math.round((Date.now() - atMs) / 1000);
  if (seconds * 1000 <= JUST_NOW_MS) return text('just_now');
  if (seconds < 60) return ago.format(-seconds, 'second');
  return seconds < 3600 ? ago.format(-Math.floor(seconds / 60), 'minute') : ago.format(-Math.floor(seconds / 3600), 'hour');
}

/** @param {SessionLine} line */
function factsOf(line) {
  const id = line.name === undefined ? [] : [line.session_id];
  const last = line.last_command;
  const command = last === undefined ? [] : [`\`${last.name}\` ${timeAgo(last.at_ms)}`];
  return [...command, timeSince(line.created_at_ms), ...id].map((fact) => fact.replaceAll(' ', '\u00a0')).join(' · ');
}

/** @param {SessionLine} line */
function nameOf(line) {
  return plain(line.name ?? '', 60) || line.session_id;
}

/** @param {SessionLine} line @returns {Row} */
function newRow(line) {
  const copy = document.importNode(sessionTemplate.content, true);
  fillTexts(copy);
  /** @type {Row} */
  const row = {
    row: element('li', HTMLElement, copy),
    title: element('.session-title', HTMLElement, copy),
    agent: element('.agent', HTMLElement, copy),
    facts: element('.facts', HTMLElement, copy),
    stop: element('.stop', HTMLButtonElement, copy),
    details: element('details', HTMLDetailsElement, copy),
    summary: element('summary', HTMLElement, copy),
    tabs: element('.tabs', HTMLElement, copy),
    line,
  };
  row.title.dir = 'auto';
  row.details.open = line.tabs.length <= TABS_SHOWN;
  row.stop.addEventListener('click', () => void stop([row], { type: 'stop', session_id: line.session_id }));
  return row;
}

/** @param {Row} row */
function renderRow({ line, title, agent, facts, stop, details, summary, tabs }) {
  const isStopping = stopping.has(line.session_id);
  show(title, nameOf(line));
  agent.hidden = line.agent === undefined;
  if (line.agent !== undefined) {
    show(agent, text('agent', [isolated(line.agent.program, 40), String(line.agent.pid)]));
    agent.title = plainPath(line.agent.path ?? '', 400);
  }
  showMarked(facts, factsOf(line));
  show(stop, text(isStopping ? 'stopping' : 'stop'));
  stop.setAttribute('aria-label', isStopping ? text('stopping') : text('stop_session', isolated(nameOf(line))));
  setBusy(stop, isStopping);
  const count = line.tabs.length;
  details.hidden = count === 0;
  show(summary, text(`tabs_${plural.select(count)}`, String(count)) || text('tabs_other', String(count)));
  const drawn = JSON.stringify(line.tabs);
  if (tabs.dataset['drawn'] === drawn) return;
  tabs.dataset['drawn'] = drawn;
  tabs.replaceChildren(...line.tabs.map(tabItem));
}

/** @param {TabLine} tab */
function tabItem({ title, site, is_borrowed }) {
  const copy = document.importNode(tabTemplate.content, true);
  fillTexts(copy);
  show(element('.tab-title', HTMLElement, copy), plain(title, 80) || text('no_title'));
  show(element('.tab-site', HTMLElement, copy), plain(site, 260));
  element('.borrowed', HTMLElement, copy).hidden = !is_borrowed;
  return copy;
}

/** @param {SessionLine[]} sessions */
function renderSessions(sessions) {
  const lines = [...sessions].sort((a, b) =>
    a.created_at_ms - b.created_at_ms || (a.session_id < b.session_id ? -1 : 1));
  const open = new Set(lines.map((line) => line.session_id));
  let hadFocus = false;
  for (const [sessionId, row] of rows) {
    if (open.has(sessionId)) continue;
    hadFocus ||= row.row.contains(document.activeElement);
    row.row.remove();
    rows.delete(sessionId);
    stopping.delete(sessionId);
  }
  lines.forEach((line, place) => {
    const row = rows.get(line.session_id) ?? newRow(line);
    row.line = line;
    rows.set(line.session_id, row);
    renderRow(row);
    const there = sessionList.children[place];
    if (there !== row.row) sessionList.insertBefore(row.row, there ?? null);
  });
  hadFocus ||= lines.length < 2 && document.activeElement === stopAll;
  noSessions.hidden = lines.length > 0;
  stopAll.hidden = lines.length < 2;
  if (hadFocus) (sessionList.querySelector('button') ?? sessionsTitle).focus();
}

/** @param {Known | null} known */
function renderSettings(known) {
  enabledBox.hidden = known === null;
  labelBox.hidden = known === null;
  if (known === null) return;
  const { settings, managed } = known;
  enabled.checked = settings.enabled;
  enabled.disabled = managed.has('enabled');
  show(element('#switch-text', HTMLElement), text(settings.enabled ? 'on' : 'off'));
  label.disabled = managed.has('label');
  element('#managed', HTMLElement).hidden = !enabled.disabled && !label.disabled;
  if (document.activeElement !== label) label.value = settings.label;
}

/** @param {unknown} answer @returns {answer is PopupState} */
function isState(answer) {
  return isRecord(answer) && isRecord(answer['connection']) && Array.isArray(answer['sessions']);
}

/** Asks for the state and shows it. @returns {Promise<PopupState | null>} null when there is none or it is switched off */
async function refresh() {
  asked += 1;
  const question = asked;
  const [answer, known] = await Promise.all([send({ type: 'state' }), readSettings()]);
  if (question !== asked) return null;
  renderSettings(known);
  if (!isState(answer)) {
    clearTimeout(connectingTimer);
    showConnection({ state: 'disconnected' }, text('cause_no_answer'));
    sessionsBox.hidden = true;
    return null;
  }
  show(version, answer.host_version === undefined
    ? text('version_extension', plain(answer.version, 20))
    : text('versions', [plain(answer.version, 20), plain(answer.host_version, 20)]));
  renderSessions(answer.sessions);
  renderConnection(answer.connection, known);
  return known?.settings.enabled === false ? null : answer;
}

/**
 * Asks for the end of sessions; a session that is still there after the answer can be stopped again.
 * @param {Row[]} stopped
 * @param {Request} request
 */
async function stop(stopped, request) {
  const waiting = stopped.filter((row) => !isBusy(row.stop));
  if (waiting.length === 0) return;
  for (const row of waiting) {
    stopping.add(row.line.session_id);
    renderRow(row);
  }
  await send(request);
  for (const row of waiting) stopping.delete(row.line.session_id);
  await refresh();
}

async function saveLabel() {
  const known = await setSetting('label', label.value.trim());
  show(said, text(known?.settings.label === label.value.trim() ? 'saved' : 'not_saved'));
  renderSettings(known);
}

chrome.runtime.onMessage.addListener((message) => {
  if (isRecord(message) && message['type'] === 'state_changed') void refresh();
});

reconnect.addEventListener('click', async () => {
  if (isBusy(reconnect)) return;
  setBusy(reconnect, true);
  await send({ type: 'reconnect' });
  await refresh();
});
stopAll.addEventListener('click', () => void stop([...rows.values()], { type: 'stop_all' }));
enabled.addEventListener('change', async () => {
  await setSetting('enabled', enabled.checked);
  await refresh();
});
label.addEventListener('change', () => void saveLabel());
element('#settings', HTMLButtonElement).addEventListener('click', () => {
  void chrome.runtime.openOptionsPage().then(() => window.close());
});
setInterval(() => {
  for (const { facts, line } of rows.values()) showMarked(facts, factsOf(line));
}, 1000);

begin();
const first = await refresh();
if (first !== null && first.connection.state !== 'connected') {
  await send({ type: 'reconnect' });
  await refresh();
}
