// What a site pattern of a rule may be, for a clear message while the user writes; the kernel checks again by its own rules.
// `example.com` is that host and all below it, `*.example.com` only those below, `https://example.com:8443` exactly that
// origin, `*` every site. Refuses paths, ports without a scheme and stars elsewhere: they would promise what no rule does.

/** @typedef {{ pattern: string } | { problem: string }} Read `problem` is the key of its message in `_locales/` */

/**
 * Reads what the user wrote and gives the pattern as the kernel knows it: lower case, names in ASCII.
 * @param {string} written
 * @returns {Read}
 */
export function readPattern(written) {
  const text = written.trim().toLowerCase();
  if (text === '') return { problem: 'pattern_empty' };
  if (text === '*') return { pattern: text };
  return /^[a-z][a-z0-9+.-]*:\/\//.test(text) ? readOrigin(text) : readHost(text);
}

/** @param {string} text @returns {Read} */
function readOrigin(text) {
  if (text.includes('*')) return { problem: 'pattern_star' };
  if (!URL.canParse(text)) return { problem: 'pattern_invalid' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: 'pattern_scheme' };
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return isBare ? { pattern: url.origin } : { problem: 'pattern_path' };
}

/** @param {string} text @returns {Read} */
function readHost(text) {
  const isBelow = text.startsWith('*.');
  const host = isBelow ? text.slice(2) : text;
  if (host.includes('*')) return { problem: 'pattern_star' };
  if (/[/?#]/.test(host)) return { problem: 'pattern_path' };
  if (/^[^:[]+:\d*$/.test(host)) return { problem: 'pattern_port' };
  // A special scheme needs no slashes to be read.
  const address = `http:${host}`;
  if (/[\s@\\%]/.test(host) || !URL.canParse(address)) return { problem: 'pattern_invalid' };
  const { hostname } = new URL(address);
  if (hostname === '' || /^\.|\.\.|\.$/.test(hostname)) return { problem: 'pattern_invalid' };
  if (isBelow && /^(\[|[\d.]+$)/.test(hostname)) return { problem: 'pattern_invalid' };
  return { pattern: isBelow ? `*.${hostname}` : hostname };
}

/**
 * Compares by precedence: the pattern that wins comes first.
 * @param {string} a
 * @param {string} b
 */
export function bySpecificity(a, b) {
  return rank(b) - rank(a) || hostOf(b).length - hostOf(a).length || (a < b ? -1 : Number(a > b));
}

/** @param {string} pattern */
function rank(pattern) {
  if (pattern.includes('/')) return 2;
  return pattern === '*' ? 0 : 1;
}

/** @param {string} pattern */
function hostOf(pattern) {
  return pattern.replace(/^\*\./, '');
}
