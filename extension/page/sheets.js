// What the page's style sheets could do, read once per sheet: which elements may have text from CSS, whether contents may be
// skipped or clipped or text pushed out, and which rules show something while the pointer is over something else.
// Only a filter: computed style decides. A sheet that cannot be read (another site's, without CORS) is taken to do
// everything, so nothing is missed; reading it never throws out of here and never changes a sheet.

/**
 * A rule that shows one thing while the pointer is over another.
 * @typedef {object} HoverRule
 * @property {string} trigger selector of what is pointed at
 * @property {string} revealed selector of what is shown then
 */

/**
 * @typedef {object} SheetFacts
 * @property {Set<string>} generatedKeys `.class`, `#id`, tag or `*` of elements that a rule may give text
 * @property {boolean} skipsContents some rule sets `content-visibility`
 * @property {boolean} clips some rule sets `clip` or `clip-path`
 * @property {boolean} indents some rule sets `text-indent`
 * @property {HoverRule[]} hovers
 */

/**
 * What holds for all sheets of the trees that were met in a pass.
 * @typedef {SheetFacts & { roots: Set<Document | ShadowRoot>, byClasses: Map<string, boolean> }} PageSheets
 */

/**
 * What some style attribute sets besides.
 * @typedef {Pick<SheetFacts, 'skipsContents' | 'clips' | 'indents'>} AttributeFacts
 */

/** Facts by sheet, with the rules they were read from. @type {WeakMap<CSSStyleSheet, { count: number, last: CSSRule | undefined, facts: SheetFacts }>} */
const factsBySheet = new WeakMap();

/** @type {SheetFacts} */
const anything = { generatedKeys: new Set(['*']), skipsContents: true, clips: true, indents: true, hovers: [] };

/** Rules of one sheet that are looked at for hover surfaces; more would cost more than they tell. */
const mostHoverRules = 200;

/**
 * The sheets' facts of this pass, the document's included.
 * @returns {PageSheets}
 */
function emptySheets() {
  /** @type {PageSheets} */
  const sheets = { generatedKeys: new Set(), skipsContents: false, clips: false, indents: false, hovers: [], roots: new Set(), byClasses: new Map() };
  learnSheets(sheets, document);
  return sheets;
}

/**
 * Looks through the attributes of the whole document: worth it for a pass over many elements only.
 * @returns {AttributeFacts}
 */
function factsOfAttributes() {
  const isAnywhere = (/** @type {string} */ selector) => document.querySelector(selector) !== null;
  return {
    skipsContents: isAnywhere('[style*="content-visibility"], [hidden="until-found" i]'),
    clips: isAnywhere('[style*="clip"]'),
    indents: isAnywhere('[style*="text-indent"]'),
  };
}

/**
 * Adds the sheets of a tree, once.
 * @param {PageSheets} sheets
 * @param {Document | ShadowRoot} root
 */
function learnSheets(sheets, root) {
  if (sheets.roots.has(root)) return;
  sheets.roots.add(root);
  for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) {
    const facts = factsOfSheet(sheet);
    for (const key of facts.generatedKeys) sheets.generatedKeys.add(key);
    sheets.skipsContents ||= facts.skipsContents;
    sheets.clips ||= facts.clips;
    sheets.indents ||= facts.indents;
    if (root === document) sheets.hovers.push(...facts.hovers);
  }
  sheets.byClasses.clear();
}

/**
 * Whether a rule may give the element text before or after its contents.
 * @param {PageSheets} sheets
 * @param {Element} element
 * @returns {boolean}
 */
function mayHaveGeneratedText(sheets, element) {
  const keys = sheets.generatedKeys;
  const tag = element.localName;
  // The browser itself puts the marks around a quotation.
  if (tag === 'q') return true;
  if (keys.size === 0) return false;
  if (keys.has('*') || keys.has(tag)) return true;
  if (!element.hasAttributes()) return false;
  const id = element.getAttribute('id');
  if (id !== null && keys.has(`#${id}`)) return true;
  const classes = element.getAttribute('class');
  if (classes === null) return false;
  let verdict = sheets.byClasses.get(classes);
  if (verdict === undefined) {
    verdict = classes.split(/\s+/).some((name) => keys.has(`.${name}`));
    sheets.byClasses.set(classes, verdict);
  }
  return verdict;
}

/**
 * @param {CSSStyleSheet} sheet
 * @returns {SheetFacts}
 */
function factsOfSheet(sheet) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return anything;
  }
  const last = rules[rules.length - 1];
  const known = factsBySheet.get(sheet);
  if (known !== undefined && known.count === rules.length && known.last === last) return known.facts;
  /** @type {SheetFacts} */
  const facts = { generatedKeys: new Set(), skipsContents: false, clips: false, indents: false, hovers: [] };
  readRules(rules, [], facts);
  factsBySheet.set(sheet, { count: rules.length, last, facts });
  return facts;
}

/**
 * @param {CSSRuleList} rules
 * @param {string[]} aroundKeys keys of the style rule that these are nested in
 * @param {SheetFacts} facts
 */
function readRules(rules, aroundKeys, facts) {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) {
      readStyleRule(rule, aroundKeys, facts);
    } else if (rule instanceof CSSImportRule) {
      const inner = rule.styleSheet === null ? null : factsOfSheet(rule.styleSheet);
      if (inner !== null) mergeFacts(facts, inner);
    } else if (rule instanceof CSSGroupingRule) {
      readRules(rule.cssRules, aroundKeys, facts);
    }
  }
}

/**
 * @param {SheetFacts} facts @param {SheetFacts} more
 */
function mergeFacts(facts, more) {
  for (const key of more.generatedKeys) facts.generatedKeys.add(key);
  facts.skipsContents ||= more.skipsContents;
  facts.clips ||= more.clips;
  facts.indents ||= more.indents;
  facts.hovers.push(...more.hovers);
}

/**
 * @param {CSSStyleRule} rule
 * @param {string[]} aroundKeys
 * @param {SheetFacts} facts
 */
function readStyleRule(rule, aroundKeys, facts) {
  const { selectorText: selector, style } = rule;
  const isNested = aroundKeys.length > 0;
  if (/:(?:before|after)/.test(selector) && saysSomething(style.content)) {
    for (const part of splitSelector(selector)) {
      if (/:(?:before|after)\s*$/.test(part)) for (const key of lastKeys(part, aroundKeys)) facts.generatedKeys.add(key);
    }
  }
  if (!facts.skipsContents && style.contentVisibility !== '') facts.skipsContents = true;
  if (!facts.clips && (style.clipPath !== '' || style.clip !== '')) facts.clips = true;
  if (!facts.indents && style.textIndent !== '') facts.indents = true;
  if (!isNested && facts.hovers.length < mostHoverRules && selector.includes(':hover') && showsSomething(style)) readHover(selector, facts.hovers);
  if (rule.cssRules.length > 0) {
    const keys = splitSelector(selector).flatMap((part) => lastKeys(part, aroundKeys));
    readRules(rule.cssRules, keys, facts);
  }
}

/**
 * A `content` that may be text that people read, not only a symbol of some font.
 * @param {string} content as declared
 * @returns {boolean}
 */
function saysSomething(content) {
  if (content === '' || content === 'none' || content === 'normal' || content === '""') return false;
  return !/^"[^"]*"$/.test(content) || content.slice(1, -1).replace(privateUse, '').trim() !== '';
}

/**
 * @param {CSSStyleDeclaration} style of a rule
 * @returns {boolean}
 */
function showsSomething({ display, visibility, opacity }) {
  return (display !== '' && display !== 'none') || visibility === 'visible' || (opacity !== '' && Number(opacity) > 0);
}

/**
 * The parts of a selector list; commas inside brackets do not split.
 * @param {string} selector
 * @returns {string[]}
 */
function splitSelector(selector) {
  if (!selector.includes(',')) return [selector.trim()];
  /** @type {string[]} */
  const parts = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < selector.length; at++) {
    const character = selector[at];
    if (character === '(' || character === '[') depth++;
    else if (character === ')' || character === ']') depth--;
    else if (character === ',' && depth === 0) {
      parts.push(selector.slice(start, at).trim());
      start = at + 1;
    }
  }
  parts.push(selector.slice(start).trim());
  return parts;
}

/**
 * One key that every element matched by the selector has: a class, an id or a tag of its last compound.
 * @param {string} selector without commas at its top level
 * @param {string[]} aroundKeys for selectors that end in `&` or in nothing
 * @returns {string[]}
 */
function lastKeys(selector, aroundKeys) {
  const bare = selector.replace(/::?(?:before|after)\s*$/, '');
  const last = /[^\s>+~]*$/.exec(bare.replace(/\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\]/g, ''))?.[0] ?? '';
  // Escaped names are rare and would have to be read as CSS does: such a rule may be about anything.
  if (last.includes('\\')) return ['*'];
  const named = /[.#][\w\u{80}-\u{10ffff}-]+/u.exec(last)?.[0] ?? /^[a-z][\w-]*/i.exec(last)?.[0].toLowerCase();
  if (named !== undefined) return [named];
  const isAround = last === '' || last.startsWith('&') || last.startsWith(':');
  return isAround && aroundKeys.length > 0 ? aroundKeys : ['*'];
}

/**
 * @param {string} selector
 * @param {HoverRule[]} hovers
 */
function readHover(selector, hovers) {
  for (const part of splitSelector(selector)) {
    const found = /^(.*?[^\s>+~(]*):hover(?![\w-])([^\s>+~]*)([\s>+~]+.+)$/.exec(part);
    if (found === null || /::/.test(part)) continue;
    const [, before = '', after = '', rest = ''] = found;
    const trigger = before + after === '' ? '*' : before + after;
    hovers.push({ trigger, revealed: trigger + rest.replaceAll(':hover', '') });
  }
}
