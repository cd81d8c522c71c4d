// @ts-check
/**
 * The texts of the page in the user's language. They are in `en.json`, `de.json` and `ar.json`, nested by the part of the page. A text may contain
 * `{name}` for a value; a text with forms (`one`, `other`, …) is selected by the value `count` with the language's rules for plurals.
 * @typedef {string | {[key: string]: Text}} Text
 */

/** The languages of the page, each with its own name. To add one, write its file and add it here. */
export const LANGUAGES = new Map([['en', 'English'], ['de', 'Deutsch'], ['ar', 'العربية']]);
const RIGHT_TO_LEFT = new Set(['ar']);

/** @type {Text} */
let texts = {};
let current = 'en';
let wanted = 'en';
/**
 * Three values, each of which is made at its first use: the tag for numbers and dates, the rules of the language for plurals, and the formats by
 * their options. The first use of `Intl` takes a tenth of the start-up time of the page, and to make a format takes far longer than to use it.
 * @type {string | null}
 */
let knownLocale = null;
/** @type {Intl.PluralRules | null} */
let plurals = null;
/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();
/** Whole numbers below this limit are written as digits alone in each language, so they need no format. */
const PLAIN = 1000;

/**
 * Returns the language to use: the fixed choice of the user, otherwise the first language that the user prefers and the page has.
 * @param {string | null} choice a language of the page; any other value means automatic
 * @param {readonly string[]} preferred language tags such as `de-AT`, the most preferred one first
 * @returns {{language: string, locale: string}} `locale` is the tag for numbers and dates
 */
export function chooseLanguage(choice, preferred) {
  const known = [choice ?? '', ...preferred].find((tag) => LANGUAGES.has(base(tag)));
  if (!known) return { language: 'en', locale: 'en' };
  const language = base(known);
  return { language, locale: preferred.find((tag) => base(tag) === language) ?? language };
}

/** @param {string} tag */
function base(tag) {
  return tag.toLowerCase().replace(/[-_].*$/, '');
}

/**
 * Uses these texts from now on.
 * @param {Text} document the content of a file of texts
 * @param {string} language
 * @param {string} [tag] the tag for numbers and dates
 */
export function useTexts(document, language, tag = language) {
  texts = document;
  current = language;
  wanted = tag;
  knownLocale = plurals = null;
}

function locale() {
  if (knownLocale !== null) return knownLocale;
  try {
    // All digits of the page are Latin, also in Arabic, because the running times of media are written with them.
    return (knownLocale = new Intl.Locale(wanted, { numberingSystem: 'latn' }).toString());
  } catch {
    return (knownLocale = current); // The browser offered a tag that is none.
  }
}

/**
 * Loads the texts of a language. If that fails, the texts in use stay, and the function throws the error.
 * @param {{language: string, locale: string}} choice
 * @param {URL} folder the folder with the texts
 * @param {(address: URL) => Promise<Response>} fetcher
 */
export async function loadTexts({ language, locale: tag }, folder, fetcher = (address) => fetch(address)) {
  const answer = await fetcher(new URL(`${language}.json`, folder));
  if (!answer.ok) throw new Error(`no texts for ${language}: status ${answer.status}`);
  useTexts(await answer.json(), language, tag);
}

/** The language of the page's texts, such as `de`. */
export const language = () => current;

/** The direction in which the language is written. */
export const direction = () => (RIGHT_TO_LEFT.has(current) ? 'rtl' : 'ltr');

/**
 * Returns a text in the user's language. A key without a text is a bug (a test finds it); the result is then the key itself.
 * @param {string} key the path of the text, as `queue.removed`
 * @param {Record<string, string | number>} [values] the values to insert; numbers are formatted
 * @returns {string}
 */
export function t(key, values = {}) {
  let text = key.split('.').reduce((/** @type {any} */ part, name) => part?.[name], texts);
  if (typeof text === 'object') text = text[(plurals ??= new Intl.PluralRules(locale())).select(Number(values.count))] ?? text.other;
  if (typeof text !== 'string') return key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    return typeof value === 'number' ? number(value) : value === undefined ? whole : isolated(value);
  });
}

/**
 * Isolates a text that contains words of the other direction, or characters that change the direction, so that it does not reorder the words around
 * it.
 * @param {string} text
 */
function isolated(text) {
  const other = direction() === 'rtl' ? /[\p{Script=Latin}\u202a-\u202e]/u : /[\u0590-\u08ff\ufb1d-\ufefc\u202a-\u202e]/;
  return other.test(text) ? `\u2068${text}\u2069` : text;
}

/**
 * Formats a number, as `1,024` or `1.024`.
 * @param {number} value
 * @param {Intl.NumberFormatOptions} [options]
 */
export function number(value, options) {
  if (!options && Number.isInteger(value) && value >= 0 && value < PLAIN) return String(value);
  options ??= { maximumFractionDigits: 3 };
  const key = JSON.stringify([locale(), options]);
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new Intl.NumberFormat(locale(), options)));
  return format.format(value);
}

/**
 * Formats a date or a time of day.
 * @param {Date | number} value a date, or milliseconds since 1970
 * @param {Intl.DateTimeFormatOptions} options
 */
export function date(value, options = { dateStyle: 'medium', timeStyle: 'short' }) {
  return new Intl.DateTimeFormat(locale(), options).format(value);
}

/**
 * Joins the parts of an enumeration, as `a, b and c`.
 * @param {string[]} parts
 * @param {Intl.ListFormatOptions} [options]
 */
export function list(parts, options) {
  return new Intl.ListFormat(locale(), options).format(parts);
}

/**
 * Writes the texts of the elements that index.html contains. The attribute `data-t` has the key of the element's text, `data-t-label` the key of its
 * accessible name, and `data-t-placeholder` the key of its placeholder.
 * @param {ParentNode} root
 */
export function translate(root) {
  for (const element of root.querySelectorAll('[data-t]')) element.textContent = t(element.getAttribute('data-t') ?? '');
  for (const [name, target] of [['data-t-label', 'aria-label'], ['data-t-placeholder', 'placeholder']]) {
    for (const element of root.querySelectorAll(`[${name}]`)) element.setAttribute(target ?? '', t(element.getAttribute(name ?? '') ?? ''));
  }
}
