// The tab group of a session: the visible sign of which tabs an agent may touch, named after the session.
// A sign only: nothing is decided by it, and a browser that cannot group tabs still works. Adds no tab to a session.

/** @import { Session, Surroundings } from './types.js' */
/** @import { Ownership } from './ownership.js' */

import { titleOf } from './ownership.js';

export const COLOR = 'blue';

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
    await this.#around.chrome.tabGroups.update(groupId, { title: titleOf(session), color: COLOR });
  }
}
