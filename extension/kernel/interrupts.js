// How the user takes control back besides the popup: a key, the button of a notification, and a tab dragged out of its group.
// Each ends the session at once, as Stop does; what was dragged out stays open and is the user's. Stops nothing on its own:
// moves that bsk makes itself are not taken for the user's, and a tab that is only on its way counts when it has come to rest.

/** @import { Session, Surroundings } from './types.js' */
/** @import { Ownership } from './ownership.js' */
/** @import { Sessions } from './sessions.js' */
/** @import { TabGroups } from './tab_groups.js' */

import { titleOf } from './ownership.js';

/** A tab or group that is dragged to another window is without a group on its way. */
const AT_REST_MS = 300;
const NOTIFICATION = 'working-';
/** The command in the manifest. */
const STOP_ALL = 'stop-all';

export class Interrupts {
  /** @type {Surroundings} */
  #around;
  /** @type {Ownership} */
  #ownership;
  /** @type {Sessions} */
  #sessions;
  /** @type {TabGroups} */
  #groups;

  /**
   * @param {Surroundings} around
   * @param {{ ownership: Ownership, sessions: Sessions, groups: TabGroups }} parts
   */
  constructor(around, { ownership, sessions, groups }) {
    this.#around = around;
    this.#ownership = ownership;
    this.#sessions = sessions;
    this.#groups = groups;
  }

  /** Ends every session. */
  async stopAll() {
    await Promise.all(this.#ownership.sessions().map((session) => this.#sessions.end(session, 'user')));
  }

  /**
   * `chrome.commands.onCommand`.
   * @param {string} name
   */
  async command(name) {
    if (name === STOP_ALL) await this.stopAll();
  }

  /**
   * The session has borrowed a tab or given one back: as long as it has one, a notification says so and has a Stop.
   * @param {Session} session
   * @param {chrome.tabs.Tab | null} tab that was borrowed
   */
  borrowed(session, tab) {
    const { i18n, notifications, runtime } = this.#around.chrome;
    if (tab === null) {
      const isInUse = this.#ownership.claimsOf(session.sessionId).some(({ home }) => home !== undefined);
      if (!isInUse) this.sessionEnded(session.sessionId);
      return;
    }
    notifications.create(`${NOTIFICATION}${session.sessionId}`, {
      type: 'basic', iconUrl: runtime.getURL('icons/128.png'), silent: true,
      title: i18n.getMessage('in_use', [session.agent?.program ?? i18n.getMessage('unknown_program')]),
      message: tab.title ?? '', contextMessage: titleOf(session), buttons: [{ title: i18n.getMessage('stop') }],
    }).catch(() => {
      // The tab group shows it, with or without a notification.
    });
  }

  /** @param {string} sessionId */
  sessionEnded(sessionId) {
    this.#around.chrome.notifications.clear(`${NOTIFICATION}${sessionId}`).catch(() => {});
  }

  /**
   * `chrome.notifications.onButtonClicked`; the one button is Stop.
   * @param {string} notificationId
   */
  async buttonClicked(notificationId) {
    if (!notificationId.startsWith(NOTIFICATION)) return;
    const session = this.#ownership.session(notificationId.slice(NOTIFICATION.length));
    if (session !== undefined) await this.#sessions.end(session, 'user');
  }

  /**
   * `chrome.tabs.onUpdated` with another group.
   * @param {number} tabId
   * @param {number} groupId
   */
  groupChanged(tabId, groupId) {
    const session = this.#sessionOf(tabId);
    if (session === undefined || groupId === session.groupId || !this.#groups.isMember(tabId)) return;
    this.#around.setTimer(() => void this.#cameToRest(tabId), AT_REST_MS);
  }

  /** @param {number} tabId */
  async #cameToRest(tabId) {
    const tab = await this.#around.chrome.tabs.get(tabId).catch(() => null);
    const session = this.#sessionOf(tabId);
    if (tab === null || session === undefined || tab.groupId === session.groupId || !this.#groups.isMember(tabId)) return;
    await this.#sessions.takeOut(session, tabId);
  }

  /** @param {number} tabId */
  #sessionOf(tabId) {
    return this.#ownership.session(this.#ownership.claim(tabId)?.sessionId ?? '');
  }
}
