// Shapes: small values that accept exactly one form of JSON and say what is wrong with anything else.
// Everything that crosses a trust boundary (the host's messages, the policy tables, what storage gives back) is read
// through one. An object's shape refuses fields it does not list and null where a field may be left out; numbers must be
// finite. Nothing is converted or filled in.

/** @import { Fields, FromFields, JsonObject, Shape } from './types.js' */

/**
 * A shape from the function that finds its problems.
 * @template T
 * @param {(value: unknown, path: string) => string | null} problem
 * @returns {Shape<T>}
 */
export function shape(problem) {
  return {
    problem,
    /** @param {unknown} value @returns {value is T} */
    accepts(value) {
      return problem(value, '') === null;
    },
  };
}

/**
 * @param {string} path
 * @param {string} wanted
 * @returns {string}
 */
const wrong = (path, wanted) => `${path === '' ? 'the value' : `\`${path}\``} must be ${wanted}`;

/**
 * Whether the value is a JSON object: no array, no null.
 * @param {unknown} value
 * @returns {value is JsonObject}
 */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @type {Shape<boolean>} */
export const bool = shape((value, path) => (typeof value === 'boolean' ? null : wrong(path, 'true or false')));

/** @type {Shape<number>} */
export const finite = shape((value, path) =>
  typeof value === 'number' && Number.isFinite(value) ? null : wrong(path, 'a finite number'));

/** Any JSON object. @type {Shape<JsonObject>} */
export const anyObject = shape((value, path) => (isObject(value) ? null : wrong(path, 'an object')));

/** @type {Shape<{}>} */
export const empty = object({});

/**
 * An integer from `least` to `most`, both included.
 * @param {number} least
 * @param {number} most
 * @returns {Shape<number>}
 */
export function integer(least, most) {
  return shape((value, path) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? null : wrong(path, `an integer from ${least} to ${most}`));
}

/** What fits Rust's u32. */
export const u32 = integer(0, 0xffff_ffff);

/**
 * A text of `least` to `most` characters.
 * @param {number} [least]
 * @param {number} [most]
 * @returns {Shape<string>}
 */
export function text(least = 0, most = Infinity) {
  return shape((value, path) => {
    if (typeof value !== 'string') return wrong(path, 'a text');
    if (least === 0 && most === Infinity) return null;
    const length = [...value].length;
    return length >= least && length <= most ? null : wrong(path, `${least} to ${most} characters long`);
  });
}

/**
 * A text that the pattern matches; `wanted` says it in words.
 * @param {RegExp} pattern
 * @param {string} wanted
 * @returns {Shape<string>}
 */
export function matching(pattern, wanted) {
  return shape((value, path) => (typeof value === 'string' && pattern.test(value) ? null : wrong(path, wanted)));
}

/**
 * One of the listed texts.
 * @template {string} T
 * @param {readonly T[]} choices
 * @returns {Shape<T>}
 */
export function oneOf(choices) {
  return shape((value, path) =>
    choices.some((choice) => choice === value) ? null : wrong(path, `one of ${choices.map((c) => `\`${c}\``).join(', ')}`));
}

/**
 * An array of at most `most` values of one shape.
 * @template T
 * @param {Shape<T>} item
 * @param {number} [most]
 * @returns {Shape<T[]>}
 */
export function arrayOf(item, most = Infinity) {
  return shape((value, path) => {
    if (!Array.isArray(value)) return wrong(path, 'an array');
    if (value.length > most) return wrong(path, `an array of at most ${most}`);
    for (const [index, entry] of value.entries()) {
      const found = item.problem(entry, `${path}[${index}]`);
      if (found !== null) return found;
    }
    return null;
  });
}

/**
 * An object whose fields have any name and all the same shape.
 * @template T
 * @param {Shape<T>} item
 * @returns {Shape<Record<string, T>>}
 */
export function recordOf(item) {
  return shape((value, path) => {
    if (!isObject(value)) return wrong(path, 'an object');
    for (const [name, entry] of Object.entries(value)) {
      const found = item.problem(entry, path === '' ? name : `${path}.${name}`);
      if (found !== null) return found;
    }
    return null;
  });
}

/**
 * An object with exactly these fields; `optional` ones may be missing.
 * @template {Fields} R
 * @template {Fields} [O={}]
 * @param {R} required
 * @param {O} [optional]
 * @returns {Shape<FromFields<R, O>>}
 */
export function object(required, optional) {
  /** @type {Map<string, { field: Shape<unknown>, isRequired: boolean }>} */
  const fields = new Map();
  for (const [name, field] of Object.entries(required)) fields.set(name, { field, isRequired: true });
  for (const [name, field] of Object.entries(optional ?? {})) fields.set(name, { field, isRequired: false });
  return shape((value, path) => {
    if (!isObject(value)) return wrong(path, 'an object');
    const prefix = path === '' ? '' : `${path}.`;
    for (const name of Object.keys(value)) {
      if (!fields.has(name)) return `unknown field \`${prefix}${name}\``;
    }
    for (const [name, { field, isRequired }] of fields) {
      if (!Object.hasOwn(value, name)) {
        if (isRequired) return `missing field \`${prefix}${name}\``;
        continue;
      }
      const found = field.problem(value[name], `${prefix}${name}`);
      if (found !== null) return found;
    }
    return null;
  });
}

/**
 * Either of two shapes; the problem told is that of the first.
 * @template A, B
 * @param {Shape<A>} first
 * @param {Shape<B>} second
 * @returns {Shape<A | B>}
 */
export function either(first, second) {
  return shape((value, path) => (second.problem(value, path) === null ? null : first.problem(value, path)));
}
