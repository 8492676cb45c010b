// Messages longer than their wire: cutting what goes to the host, joining what comes from it.
// Refuses parts out of order, of two messages at once, or adding up to more than a bound; keeps nothing of a broken message.
// Both sides do it alike: the texts of all parts joined are the JSON of the message (protocol/src/codec.rs).

/** @import { Part } from './types.js' */

import { WireError } from './wire.js';

/** Longest joined message, in UTF-16 units. */
const JOINED_LIMIT = 256 * 1024 * 1024;

/** Longest piece: a UTF-16 unit takes at most 3 bytes in UTF-8, or 2 where JSON escapes it again, so a part stays under 64 MiB. */
export const PIECE_UNITS = 16 * 1024 * 1024;

/** Joins the parts that the host sends, one message at a time. */
export class Joiner {
  /** @type {{ stream: number, next: number, texts: string[], length: number } | null} */
  #open = null;

  /**
   * Takes the next part.
   * @param {Part} part
   * @returns {string | null} the message's JSON with the last part
   * @throws {WireError}
   */
  push(part) {
    const open = this.#open ?? { stream: part.stream, next: 0, texts: [], length: 0 };
    this.#open = null;
    if (part.stream !== open.stream || part.index !== open.next) throw new WireError('parts that do not fit together');
    open.length += part.text.length;
    if (open.length > JOINED_LIMIT) throw new WireError('parts that add up to too much');
    open.texts.push(part.text);
    open.next += 1;
    if (part.is_last) return open.texts.join('');
    this.#open = open;
    return null;
  }
}

/**
 * Cuts a message's JSON, never inside a character.
 * @param {string} json
 * @param {number} stream which split message this is
 * @param {number} [pieceUnits]
 * @returns {Generator<Part>}
 */
export function* cut(json, stream, pieceUnits = PIECE_UNITS) {
  let start = 0;
  for (let index = 0; start < json.length; index += 1) {
    let end = Math.min(start + pieceUnits, json.length);
    const last = json.charCodeAt(end - 1);
    if (end < json.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    yield { stream, index, is_last: end === json.length, text: json.slice(start, end) };
    start = end;
  }
}
