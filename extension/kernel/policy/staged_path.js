// Which files may get into a page: only copies below a folder of ours, `…/staging/<32 hexadecimal digits>/<number>/<name>`, under
// the name that the user is told. Refuses every other path, also one that leads out of such a folder again (invariant 3). Knows the
// form and not the disk: what is in such a folder the host put there.

/** @import { StagedFile } from '../types.js' */

import { Refusal } from '../codes.js';

const STAGED = /^(?:\/|[A-Za-z]:[\\/]|\\\\\?\\[A-Za-z]:\\)(?:[^/\\]+[/\\])*staging[/\\][0-9a-f]{32}[/\\](?:\d|1\d)[/\\]([^/\\]+)$/;

/**
 * Whether a path is that of a staged file with this name.
 * @param {StagedFile} file
 * @returns {boolean}
 */
export function isStaged({ path, name }) {
  return STAGED.exec(path)?.[1] === name && !path.includes('\0') && !path.split(/[/\\]/).some((part) => part === '.' || part === '..');
}

/**
 * Lets files pass that are staged, each in a folder of its own, or throws.
 * @param {StagedFile[]} files
 * @throws {Refusal} `argument_not_allowed`
 */
export function checkStaged(files) {
  const refused = (/** @type {string} */ what) => new Refusal('permission_denied', 'argument_not_allowed', `\`upload_open\`: ${what}`,
    'the extension gives pages only files that were staged for them');
  if (files.length === 0) throw refused('no files');
  if (!files.every(isStaged)) throw refused('a file that is not staged');
  if (new Set(files.map(({ path }) => path)).size < files.length) throw refused('a file twice');
}
