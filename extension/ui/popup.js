// The popup: whether the bsk program is connected and why not, which sessions are open, and Stop for each and for all.
// It decides nothing: it asks the service worker for the state, shows it, and sends what the user pressed. Names and
// details come from outside and become text, never markup. Rows are kept by session, so a refresh moves no focus.

/**
 * @typedef {'host_not_found' | 'host_forbidden' | 'host_exited' | 'host_refused' | 'version_skew'} Cause
 * @typedef {{ state: 'connected' | 'connecting' | 'disconnected', cause?: Cause, detail?: string }} Connection
 * @typedef {{ session_id: string, name?: string, tab_count: number, created_at_ms: number }} SessionLine
 * @typedef {{ connection: Connection, sessions: SessionLine[], version: string }} PopupState
 * @typedef {{ type: 'state' } | { type: 'reconnect' } | { type: 'stop', session_id: string } | { type: 'stop_all' }} Request
 * @typedef {{ row: HTMLElement, title: HTMLElement, facts: HTMLElement, stop: HTMLButtonElement, line: SessionLine }} Row
 */

/** How long a new attempt may take before the popup says so; a quick failure then changes nothing on the page. */
const CONNECTING_SHOWN_AFTER_MS = 300;

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

/** The language that the texts are in, which need not be the browser's. */
const language = text('language');
const browserLanguage = chrome.i18n.getUILanguage();
const locale = browserLanguage.split('-')[0] === language.split('-')[0] ? browserLanguage : language;
const plural = new Intl.PluralRules(locale);
const timeOfDay = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const dayAndTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });

/** The rows on the page, by session id. @type {Map<string, Row>} */
const rows = new Map();
/** Sessions whose Stop was pressed. @type {Set<string>} */
const stopping = new Set();
/** Counts questions, so that a late answer never replaces a newer one. */
let asked = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let connectingTimer;

/**
 * The one element of popup.html that a selector means.
 * @template {HTMLElement} T
 * @param {string} selector
 * @param {new () => T} kind
 * @param {ParentNode} [parent]
 * @returns {T}
 */
function element(selector, kind, parent = document) {
  const found = parent.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`popup.html has no ${selector}`);
  return found;
}

/**
 * A text of `_locales/`.
 * @param {string} key
 * @param {string} [substitution]
 */
function text(key, substitution) {
  return chrome.i18n.getMessage(key, substitution);
}

/**
 * Fills in the texts that never change.
 * @param {ParentNode} parent
 */
function fillTexts(parent) {
  for (const target of parent.querySelectorAll('[data-text]')) {
    if (target instanceof HTMLElement) target.textContent = text(target.dataset['text'] ?? '');
  }
}

/**
 * Sets an element's text, with what stands between backticks as code; leaves it alone when it is already there, so
 * that a screen reader does not read it again. Safe for what comes from outside: only text nodes are made.
 * @param {HTMLElement} target
 * @param {string} content
 */
function show(target, content) {
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
function showPlain(target, content) {
  if (target.textContent !== content) target.textContent = content;
}

/**
 * Shows that a button was pressed and has to wait; not by `disabled`, which would drop the keyboard focus.
 * @param {HTMLButtonElement} button
 * @param {boolean} isBusy
 */
function setBusy(button, isBusy) {
  button.setAttribute('aria-disabled', String(isBusy));
}

/** @param {HTMLButtonElement} button */
function isBusy(button) {
  return button.getAttribute('aria-disabled') === 'true';
}

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
  show(connectionText, reason);
  const detail = connection.state === 'disconnected' ? connection.detail ?? '' : '';
  show(connectionDetail, detail);
  connectionDetail.hidden = detail === '';
  setBusy(reconnect, connection.state === 'connecting');
  const keepsFocus = connection.state === 'connecting' && document.activeElement === reconnect;
  reconnect.hidden = connection.state !== 'disconnected' && !keepsFocus;
  main.hidden = false;
}

/** @param {Connection} connection */
function renderConnection(connection) {
  clearTimeout(connectingTimer);
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

/** @param {SessionLine} line */
function factsOf(line) {
  const tabs = text(`tabs_${plural.select(line.tab_count)}`, String(line.tab_count))
    || text('tabs_other', String(line.tab_count));
  const id = line.name === undefined ? [] : [line.session_id];
  return [...id, tabs, timeSince(line.created_at_ms)].map((fact) => fact.replaceAll(' ', '\u00a0')).join(' · ');
}

/** @param {SessionLine} line @returns {Row} */
function newRow(line) {
  const copy = document.importNode(sessionTemplate.content, true);
  fillTexts(copy);
  /** @type {Row} */
  const row = {
    row: element('li', HTMLElement, copy),
    title: element('.session-title', HTMLElement, copy),
    facts: element('.session-facts', HTMLElement, copy),
    stop: element('.stop', HTMLButtonElement, copy),
    line,
  };
  row.stop.addEventListener('click', () => void stop([row], { type: 'stop', session_id: line.session_id }));
  return row;
}

/** @param {Row} row */
function renderRow({ line, title, facts, stop }) {
  const isStopping = stopping.has(line.session_id);
  showPlain(title, line.name ?? line.session_id);
  showPlain(facts, factsOf(line));
  showPlain(stop, text(isStopping ? 'stopping' : 'stop'));
  stop.setAttribute('aria-label', isStopping ? text('stopping') : text('stop_session', line.name ?? line.session_id));
  setBusy(stop, isStopping);
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
  sessionsBox.hidden = false;
  noSessions.hidden = lines.length > 0;
  stopAll.hidden = lines.length < 2;
  if (hadFocus) (sessionList.querySelector('button') ?? sessionsTitle).focus();
}

/**
 * Sends a message to the service worker; its answer, or undefined when there is no worker to answer.
 * @param {Request} request
 * @returns {Promise<unknown>}
 */
async function send(request) {
  try {
    return await chrome.runtime.sendMessage(request);
  } catch {
    return undefined;
  }
}

/** @param {unknown} answer @returns {answer is PopupState} */
function isState(answer) {
  return typeof answer === 'object' && answer !== null && 'connection' in answer && 'sessions' in answer
    && Array.isArray(answer.sessions);
}

/** Asks for the state and shows it. @returns {Promise<PopupState | null>} */
async function refresh() {
  asked += 1;
  const question = asked;
  const answer = await send({ type: 'state' });
  if (question !== asked) return null;
  if (!isState(answer)) {
    clearTimeout(connectingTimer);
    showConnection({ state: 'disconnected' }, text('cause_no_answer'));
    sessionsBox.hidden = true;
    return null;
  }
  version.textContent = answer.version;
  renderConnection(answer.connection);
  renderSessions(answer.sessions);
  return answer;
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

/** @param {unknown} message */
function isStateChanged(message) {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'state_changed';
}

chrome.runtime.onMessage.addListener((message) => {
  if (isStateChanged(message)) void refresh();
});

reconnect.addEventListener('click', async () => {
  if (isBusy(reconnect)) return;
  setBusy(reconnect, true);
  await send({ type: 'reconnect' });
  await refresh();
});

stopAll.addEventListener('click', () => void stop([...rows.values()], { type: 'stop_all' }));

document.documentElement.lang = language;
document.title = text('extension_name');
fillTexts(document);
const first = await refresh();
if (first !== null && first.connection.state !== 'connected') {
  await send({ type: 'reconnect' });
  await refresh();
}
