// The tab group of a session: the visible sign of which tabs an agent may touch, named after the session.
// A sign only: nothing is decided by it, and a browser that cannot group tabs still works. Adds no tab to a session.

/** @import { Session, Surroundings } from './types.js' */
/** @import { Ownership } from './ownership.js' */

import { titleOf } from './ownership.js';

/** The colours of groups but grey, which the browser gives those of the user first. @type {`${chrome.tabGroups.Color}`[]} */
const COLORS = ['blue', 'green', 'purple', 'orange', 'cyan', 'pink', 'yellow', 'red'];

/**
 * The colour of the groups with a title: always the same, so that it is known again after a crash.
 * @param {string} title
 * @returns {`${chrome.tabGroups.Color}`}
 */
export function colorOf(title) {
  let sum = 0;
  for (const character of title) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return COLORS[sum % COLORS.length] ?? 'blue';
}

export class TabGroups {
  /** @type {Surroundings} */
  #around;
  /** @type {Ownership} */
  #ownership;
  /** Tabs that are in their session's group. @type {Set<number>} */
  #members = new Set();

  /**
   * @param {Surroundings} around
   * @param {Ownership} ownership
   */
  constructor(around, ownership) {
    this.#around = around;
    this.#ownership = ownership;
  }

  /** Learns which tabs an earlier worker put into groups, and draws the group of a session that has none yet. */
  async load() {
    for (const session of this.#ownership.sessions()) {
      const { groupId, windowId } = session;
      const inWindow = await this.#around.chrome.tabs.query({ windowId });
      for (const { id, groupId: itsGroup } of inWindow) {
        if (id === undefined) continue;
        if (groupId === undefined) {
          if (this.#ownership.claim(id)?.sessionId === session.sessionId) await this.add(session, id);
        } else if (itsGroup === groupId) {
          this.#members.add(id);
        }
      }
      if (groupId !== undefined) await this.#name(groupId, session).catch(() => {});
    }
  }

  /**
   * Whether the tab was put into its session's group.
   * @param {number} tabId
   */
  isMember(tabId) {
    return this.#members.has(tabId);
  }

  /** @param {number} tabId */
  forget(tabId) {
    this.#members.delete(tabId);
  }

  /**
   * Puts a tab of the Agent Window into the session's group, a new group when there is none (any more).
   * @param {Session} session
   * @param {number} tabId
   */
  async add(session, tabId) {
    try {
      if (session.groupId === undefined || !await this.#join(session.groupId, tabId)) await this.#begin(session, tabId);
      this.#members.add(tabId);
    } catch {
      // Popup windows have no groups, and the tab may be gone already.
    }
  }

  /**
   * @param {number} groupId
   * @param {number} tabId
   * @returns {Promise<boolean>}
   */
  #join(groupId, tabId) {
    return this.#around.chrome.tabs.group({ groupId, tabIds: [tabId] }).then(() => true, () => false);
  }

  /**
   * @param {Session} session
   * @param {number} tabId
   */
  async #begin(session, tabId) {
    const groupId = await this.#around.chrome.tabs.group({ tabIds: [tabId], createProperties: { windowId: session.windowId } });
    session.groupId = groupId;
    void this.#ownership.save();
    await this.#name(groupId, session);
  }

  /**
   * @param {number} groupId
   * @param {Session} session
   */
  async #name(groupId, session) {
    const title = titleOf(session);
    await this.#around.chrome.tabGroups.update(groupId, { title, color: colorOf(title) });
  }
}
