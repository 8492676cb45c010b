// Claimed downloads until the host has their files: stored, so that whatever goes away in between (host, worker, browser), the next worker
// cancels what is under way and deletes what nobody took. Deletes only files in the folder that was made for them; the emptied folders,
// which no extension can remove, are told to the host. What the browser knows nothing of any more is left alone.

/** @import { Surroundings } from './types.js' */

import { arrayOf, bool, integer, object, text } from './shape.js';

const KEY = 'left_downloads';
const MOST = 200;
const entryShape = object({ id: integer(0, Number.MAX_SAFE_INTEGER), folder: text(1, 100), is_over: bool }, { path: text(0, 8192) });
const storedShape = arrayOf(entryShape, MOST);

/** `path`: the folder as the system names it; `is_over`: nothing is in it any more. @typedef {{ id: number, folder: string, is_over: boolean, path?: string }} Entry */

export class LeftDownloads {
  /** @type {Surroundings} */
  #around;
  /** @type {Map<number, Entry>} */
  #entries = new Map();
  /** Settles when what was left over is ended. @type {Promise<unknown>} */
  #ended = Promise.resolve();

  /** @param {Surroundings} around */
  constructor(around) {
    this.#around = around;
  }

  /** Ends what an earlier worker claimed. */
  async load() {
    const stored = (await this.#around.chrome.storage.local.get(KEY))[KEY];
    if (!storedShape.accepts(stored)) return;
    this.#entries = new Map(stored.map((entry) => [entry.id, /** @type {Entry} */ (entry)]));
    this.#ended = Promise.allSettled(stored.filter(({ is_over }) => !is_over).map(({ id }) => this.end(id)));
  }

  /**
   * @param {number} id
   * @param {string} folder
   */
  add(id, folder) {
    this.#entries.set(id, { id, folder, is_over: false });
    for (const oldest of this.#entries.keys()) if (this.#entries.size > MOST) this.#entries.delete(oldest);
    return this.#save();
  }

  /**
   * The browser says where a file is.
   * @param {number} id
   * @param {string} filename
   */
  saw(id, filename) {
    const entry = this.#entries.get(id);
    const path = entry === undefined ? null : folderOf(filename, entry.folder);
    if (entry === undefined || path === null || entry.path === path) return;
    entry.path = path;
    void this.#save();
  }

  /** @param {number} id */
  forget(id) {
    this.#entries.delete(id);
    return this.#save();
  }

  /**
   * Cancels a download, or deletes its file where it is in its own folder.
   * @param {number} id
   */
  async end(id) {
    const { downloads } = this.#around.chrome;
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    await downloads.cancel(id).catch(() => {});
    const [item] = await downloads.search({ id }).catch(() => []);
    if (item !== undefined) this.saw(id, item.filename);
    if (item?.state === 'complete' && folderOf(item.filename, entry.folder) !== null) await downloads.removeFile(id).catch(() => {});
    if (entry.path === undefined) this.#entries.delete(id);
    else entry.is_over = true;
    await this.#save();
  }

  /**
   * The folders that were emptied; given once.
   * @returns {Promise<string[]>}
   */
  async take() {
    await this.#ended;
    /** @type {string[]} */
    const folders = [];
    for (const { id, is_over, path } of this.#entries.values()) {
      if (!is_over || path === undefined) continue;
      folders.push(path);
      this.#entries.delete(id);
    }
    if (folders.length > 0) await this.#save();
    return folders;
  }

  #save() {
    return this.#around.chrome.storage.local.set({ [KEY]: [...this.#entries.values()] }).catch(() => {});
  }
}

/**
 * The folder of a file, if it is the one that was made for it.
 * @param {string} filename
 * @param {string} folder
 * @returns {string | null}
 */
function folderOf(filename, folder) {
  const name = filename.split(/[\\/]/).at(-1) ?? '';
  const path = filename.slice(0, -name.length - 1);
  return path.split(/[\\/]/).at(-1) === folder ? path : null;
}
