// Files: which file input a target means, whether it takes what is to be given to it, and whether it got that. The kernel alone
// hands files over, and only to what this file has looked at. Refuses inputs for folders, several files where one is taken and
// disabled inputs, each before anything changed; what `accept` does not list is told, as a chooser lets a person take it too.
// A page may empty its input as soon as it has read it, so what the input held at its events counts.

/** @typedef {{ name: string, size: number }} FileFacts */

/** What an input is to get and what it was seen with. @typedef {{ wanted: FileFacts[], seen: boolean, listening: AbortController }} FileWatch */

/** @type {WeakMap<HTMLInputElement, FileWatch>} */
const fileWatches = new WeakMap();

/**
 * @param {Element} element
 * @returns {element is HTMLInputElement}
 */
function isFileInput(element) {
  return element instanceof HTMLInputElement && element.type === 'file';
}

/**
 * `file_input`: see `PageFunctions`.
 * @param {Parameters<PageFunctions['file_input']>[0]} args
 * @returns {Promise<Answer<UsedElement & { input: number | null }>>}
 */
async function findFileInput({ target, timeout_ms }) {
  const found = await lookUntil(timeout_ms, () => resolveTarget(target));
  if ('error' in found) return found;
  const element = found.ok;
  const control = labelledControl(element);
  return { ok: { ...usedElement(element), input: isFileInput(control) ? refOf(control) : null } };
}

/**
 * Looks at the input that is about to get files, and at what it gets from now on. For the kernel alone.
 * @param {Element} element
 * @param {FileFacts[]} wanted
 * @returns {Answer<{ not_accepted: string[] }>}
 */
function beginFiles(element, wanted) {
  if (!isFileInput(element)) {
    return fail('cdp_failed', 'file_input_probe_failed', `\`${describe(element)}\` is no file input`, 'give the ref of a file input or of what opens its chooser');
  }
  if (element.matches(':disabled')) {
    return fail('cdp_failed', 'element_disabled', `\`${describe(element)}\` is disabled`, 'change what it depends on first');
  }
  if (element.webkitdirectory) {
    return fail('invalid_params', 'files_not_accepted', `\`${describe(element)}\` takes a whole folder, which bsk does not upload`,
      'look for an input that takes files, or let the user do it with `bsk request-help`');
  }
  if (wanted.length > 1 && !element.multiple) {
    return fail('invalid_params', 'files_not_accepted', `\`${describe(element)}\` takes one file, not ${wanted.length}`, 'give one `--file`, several times if need be');
  }
  fileWatches.get(element)?.listening.abort();
  /** @type {FileWatch} */
  const watch = { wanted, seen: false, listening: new AbortController() };
  fileWatches.set(element, watch);
  for (const type of ['input', 'change']) {
    element.addEventListener(type, () => { watch.seen ||= holdsFiles(element, wanted); }, { capture: true, signal: watch.listening.signal });
  }
  return { ok: { not_accepted: wanted.filter(({ name }) => !isListedByAccept(name, element.accept)).map(({ name }) => name) } };
}

/**
 * Whether the input got its files. For the kernel alone.
 * @param {Element} element
 * @returns {Answer<{}>}
 */
function endFiles(element) {
  const watch = isFileInput(element) ? fileWatches.get(element) : undefined;
  if (watch === undefined || !isFileInput(element)) {
    return fail('cdp_failed', 'file_input_probe_failed', 'the file input is gone', 'run `bsk observe` to see the page as it is now');
  }
  watch.listening.abort();
  fileWatches.delete(element);
  if (watch.seen || holdsFiles(element, watch.wanted)) return { ok: {} };
  return fail('cdp_failed', 'set_file_input_failed', `\`${describe(element)}\` holds other files than it was given`,
    'look at the page with `bsk observe` before you try again');
}

/**
 * @param {HTMLInputElement} input
 * @param {FileFacts[]} wanted
 * @returns {boolean}
 */
function holdsFiles(input, wanted) {
  return isSameFiles(input.files, wanted);
}

/**
 * @param {FileList | null} files
 * @param {FileFacts[]} wanted
 * @returns {boolean}
 */
function isSameFiles(files, wanted) {
  return files !== null && files.length === wanted.length
    && wanted.every(({ name, size }, place) => files[place]?.name === name && files[place]?.size === size);
}

/** Kinds of files by the ending of their names, as far as `accept` often names them by type. @type {Record<string, RegExp>} */
const ENDINGS = {
  'image/*': /\.(?:apng|avif|bmp|gif|heic|ico|jpe?g|png|svg|tiff?|webp)$/i,
  'audio/*': /\.(?:aac|flac|m4a|mp3|oga|ogg|opus|wav|weba)$/i,
  'video/*': /\.(?:avi|m4v|mkv|mov|mp4|mpe?g|ogv|webm)$/i,
  'text/*': /\.(?:css|csv|html?|js|md|txt|xml)$/i,
  'image/png': /\.png$/i, 'image/jpeg': /\.jpe?g$/i, 'image/gif': /\.gif$/i, 'image/webp': /\.webp$/i, 'image/svg+xml': /\.svg$/i,
  'application/pdf': /\.pdf$/i, 'application/zip': /\.zip$/i, 'application/json': /\.json$/i, 'text/csv': /\.csv$/i, 'text/plain': /\.txt$/i,
  'text/html': /\.html?$/i, 'text/xml': /\.xml$/i, 'application/xml': /\.xml$/i,
};

/**
 * Whether `accept` lists files of this name. A type that is not known here may mean it: then nothing is told.
 * @param {string} name
 * @param {string} accept
 * @returns {boolean}
 */
function isListedByAccept(name, accept) {
  const entries = accept.split(',').map((entry) => entry.trim().toLowerCase()).filter((entry) => entry !== '');
  if (entries.length === 0) return true;
  return entries.some((entry) => (entry.startsWith('.') ? name.toLowerCase().endsWith(entry)
    : !Object.hasOwn(ENDINGS, entry) || (ENDINGS[entry]?.test(name) ?? true)));
}
