// Site rules: what the user and the administrator allow agents on which sites. Reads patterns, finds the rule that counts and
// says what it allows; knows no tab and asks nobody. Rules of a policy are asked first, and the user's only where none of those
// fits; among each the most specific one counts. Refuses patterns that mean no site: a rule that cannot be read never opens one.

/** @typedef {'allow' | 'read_only' | 'ask' | 'block'} Access */
/** @typedef {'user' | 'policy'} Setter who made a rule */
/** @typedef {{ pattern: string, access: Access }} SiteRule as it is stored and shown */
/** @typedef {SiteRule & { by: Setter, specificity: number, fits: (site: Site) => boolean }} Rule ready to be asked */
/** @typedef {{ origin: string, host: string }} Site the origin without the dot that a host may end with */
/** @typedef {{ access: Access, rule: Rule | null, origin: string }} Ruling `origin` is '' for what has no site */
/** @typedef {{ policy: readonly Rule[], user: readonly Rule[] }} SiteRules */

/** From what allows most to what allows least. */
export const ACCESSES = /** @type {const} */ (['allow', 'ask', 'read_only', 'block']);

/** @type {Ruling} */
const NO_SITE = Object.freeze({ access: 'allow', rule: null, origin: '' });
const ANY = 0;
/** Hosts are read as those of a web address. */
const ANY_SCHEME = 'http:';
/** Above the length of every host, which has at most 253 characters. */
const ORIGIN = 10_000;

/**
 * @param {URL} url
 * @returns {Site | null}
 */
function ofWeb({ protocol, hostname, port }) {
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  const host = hostname.replace(/\.$/, '');
  return { host, origin: `${protocol}//${host}${port === '' ? '' : `:${port}`}` };
}

/**
 * The site of an address; of a blob the site that made it. Null for addresses of no site, such as about:blank or `data:`.
 * @param {string} url
 * @returns {Site | null}
 */
export function siteOf(url) {
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  const { origin } = parsed;
  return parsed.protocol === 'blob:' && URL.canParse(origin) ? ofWeb(new URL(origin)) : ofWeb(parsed);
}

/**
 * A host as browsers write it: lower case, punycode, one spelling for each IP address, no dot at the end.
 * @param {string} text
 * @returns {string | null} null when it is none
 */
function hostOf(text) {
  if (!/^[^\s/:@?#*%\\[\]]+$/.test(text) && !/^\[[0-9a-f:.]+\]$/i.test(text)) return null;
  const url = `${ANY_SCHEME}//${text}/`;
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
  return host === '' ? null : host;
}

/** @param {string} host */
function isAddress(host) {
  return host.startsWith('[') || /^[\d.]+$/.test(host);
}

/**
 * @param {string} pattern
 * @returns {Pick<Rule, 'specificity' | 'fits'> | null} null when it means no site
 */
function read(pattern) {
  if (pattern === '*') return { specificity: ANY, fits: () => true };
  if (/^https?:\/\//i.test(pattern)) {
    // Only an origin: no path, no name and password, no star.
    if (!/^https?:\/\/[^\s/@?#*%\\]+\/?$/i.test(pattern) || !URL.canParse(pattern)) return null;
    const origin = ofWeb(new URL(pattern))?.origin;
    return { specificity: ORIGIN, fits: (site) => site.origin === origin };
  }
  const isOnlyBelow = pattern.startsWith('*.');
  const host = hostOf(isOnlyBelow ? pattern.slice(2) : pattern);
  if (host === null || (isOnlyBelow && isAddress(host))) return null;
  const below = `.${host}`;
  return isOnlyBelow
    // A little more specific than the host with all below it.
    ? { specificity: host.length + 0.5, fits: (site) => site.host.endsWith(below) }
    : { specificity: host.length, fits: (site) => site.host === host || site.host.endsWith(below) };
}

/**
 * What is wrong with a pattern, or null.
 * @param {string} pattern
 * @returns {string | null}
 */
export function patternProblem(pattern) {
  return read(pattern) === null
    ? `\`${pattern.slice(0, 100)}\` is no site: write \`example.com\`, \`*.example.com\`, \`https://example.com:8443\` or \`*\``
    : null;
}

/**
 * Rules ready to be asked, the most specific one first; of two as specific the one that allows less.
 * @param {readonly SiteRule[]} rules
 * @param {Setter} by
 * @returns {Rule[]} without those whose pattern means no site
 */
export function rulesOf(rules, by) {
  const known = rules.flatMap(({ pattern, access }) => {
    const meant = read(pattern);
    return meant === null ? [] : [{ pattern, access, by, ...meant }];
  });
  return known.sort((a, b) => b.specificity - a.specificity || ACCESSES.indexOf(b.access) - ACCESSES.indexOf(a.access));
}

/**
 * What may be done at an address.
 * @param {string} url
 * @param {SiteRules} rules
 * @returns {Ruling}
 */
export function accessOf(url, rules) {
  if (rules.policy.length === 0 && rules.user.length === 0) return NO_SITE;
  const site = siteOf(url);
  if (site === null) return NO_SITE;
  const rule = rules.policy.find(({ fits }) => fits(site)) ?? rules.user.find(({ fits }) => fits(site)) ?? null;
  return { access: rule?.access ?? 'allow', rule, origin: site.origin };
}

/**
 * The one of two rulings that allows less.
 * @param {Ruling} a
 * @param {Ruling} b
 * @returns {Ruling}
 */
export function stricter(a, b) {
  return ACCESSES.indexOf(b.access) > ACCESSES.indexOf(a.access) ? b : a;
}
