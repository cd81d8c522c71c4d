import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { chooseLanguage, date, direction, language, LANGUAGES, list, loadTexts, number, t, useTexts } from '../../web/js/lang/lang.js';
import './fakes.mjs';

const web = new URL('../../web/', import.meta.url);
const read = (path) => readFileSync(new URL(path, web), 'utf8');
const documents = new Map([...LANGUAGES.keys()].map((name) => [name, JSON.parse(read(`js/lang/${name}.json`))]));
const sources = readdirSync(new URL('js/', web), { recursive: true }).filter((name) => name.endsWith('.js'));
const categories = new Set(['zero', 'one', 'two', 'few', 'many', 'other']);
const isPlural = (value) => typeof value === 'object' && Object.keys(value).every((name) => categories.has(name));

/** Returns the texts of a document by their keys. */
function flatten(document, path = '') {
  return Object.entries(document).flatMap(([name, value]) => {
    const key = path ? `${path}.${name}` : name;
    return typeof value === 'string' || (isPlural(value) && Object.keys(value).length > 0) ? [[key, value]] : flatten(value, key);
  });
}
const placeholders = (text) => [...new Set(JSON.stringify(text).match(/\{\w+\}/g) ?? [])].sort();
/** Returns a script without its comments, and without the errors that only developers read. */
const codeOf = (path) => read(`js/${path}`).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, '').replace(/new (Type)?Error\([^;]*/g, '');

/** The sentences about failures: the player's own are English, so English has none. */
const isFailure = ([key]) => key.startsWith('shell.failure.');

test('all languages have the same texts, with the same placeholders', () => {
  const english = new Map(flatten(documents.get('en')));
  for (const [name, document] of documents) {
    const texts = new Map(flatten(document).filter((one) => !isFailure(one)));
    assert.deepEqual([...texts.keys()].sort(), [...english.keys()].sort(), name);
    for (const [key, text] of texts) assert.deepEqual(placeholders(text), placeholders(english.get(key)), `${name}: ${key}`);
  }
});

test('each reason of a failure that the contract names has a sentence, except in English', () => {
  const contract = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8');
  const namesOf = (schema) => contract.match(new RegExp(`^    ${schema}:[^]*?enum: \\[(.*)\\]`, 'm'))[1].split(', ');
  const [codes, reasons] = ['FailureCode', 'FailureReason'].map(namesOf);
  for (const [name, document] of documents) {
    const keys = flatten(document).filter(isFailure).map(([key]) => key.split('.').at(-1));
    assert.deepEqual(reasons.filter((reason) => keys.includes(reason)), name === 'en' ? [] : reasons, name);
    assert.deepEqual(keys.filter((key) => ![...codes, ...reasons].includes(key)), [], name);
  }
});

test('a text with plurals has the form “other”, and if it has more forms all that its language has, except for zero', () => {
  for (const [name, document] of documents) {
    const forms = new Intl.PluralRules(name).resolvedOptions().pluralCategories;
    const isComplete = (text) => {
      const lacking = forms.filter((form) => form !== 'zero' && !(form in text));
      return 'other' in text && Object.keys(text).every((form) => forms.includes(form)) && (Object.keys(text).length === 1 || lacking.length === 0);
    };
    const lacking = flatten(document).filter(([, text]) => typeof text === 'object' && !isComplete(text));
    assert.deepEqual(lacking.map(([key]) => key), [], name);
  }
});

test('every text that a script or the page names exists, and every text is named', () => {
  const keys = flatten(documents.get('en')).map(([key]) => key);
  const named = new Set();
  const prefixes = [];
  for (const path of sources) {
    for (const [, key] of codeOf(path).matchAll(/'((?:shell|link|queue|library|now|extra)\.[\w.]+)'/g)) named.add(key);
    for (const [, prefix] of codeOf(path).matchAll(/`((?:shell|link|queue|library|now|extra)\.[\w.]*)\$\{/g)) prefixes.push(prefix);
  }
  for (const [, key] of read('index.html').matchAll(/data-t(?:-\w+)?="([^"]+)"/g)) named.add(key);
  const known = new Set(keys);
  assert.deepEqual([...named].filter((key) => !known.has(key)), [], 'missing texts');
  assert.deepEqual(keys.filter((key) => !named.has(key) && !prefixes.some((prefix) => key.startsWith(prefix))), [], 'unused texts');
});

test('no script has a text of its own', () => {
  // Names of keys, of things that are not translated, and of fields of HTTP.
  const names = /^(Files|Arrow\w*|NFKD|Page\w*|Home|End|Escape|Enter|Tab|Delete|Backspace|ContextMenu|Shift|F\d+|(GET|HEAD|PUT|POST|PATCH|DELETE)( .*)?|[A-Z]|Tonearm.*|English|Deutsch|Content-Type|Accept|ETag|If-Match|Idempotency-Key|Retry-After|Refusal|Unreachable|Location)$/;
  const found = [];
  for (const path of sources.filter((name) => !['format.js', 'views/icons.js'].includes(name) && !name.startsWith('lang/'))) {
    const literals = [...codeOf(path).matchAll(/'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/g)].map((found) => found[1] ?? found[2].replace(/\$\{[^}]*\}/g, ''));
    const texts = literals.filter((text) => (/^\p{Lu}/u.test(text) || /\p{L}{2,}[.…!?]?$/u.test(text) && /\p{L} \p{L}/u.test(text) && /[.…!?“”]/.test(text)) && !names.test(text));
    found.push(...texts.map((text) => `${path}: ${text}`));
  }
  assert.deepEqual(found, []);
});

test('the page has no text of its own, except its name and the text for browsers without scripts', () => {
  const page = read('index.html').replace(/<!--[\s\S]*?-->|<head>[\s\S]*?<\/head>|<noscript>[\s\S]*?<\/noscript>|<svg[\s\S]*?<\/svg>/g, '');
  assert.deepEqual([...page.matchAll(/>([^<]*\p{L}[^<]*)</gu)].map(([, text]) => text.trim()), ['Tonearm']);
  assert.deepEqual([...page.matchAll(/ (?:aria-label|title|placeholder|alt)="([^"]*\p{L}[^"]*)"/gu)].map(([, text]) => text), []);
});

test('the chosen language is used, otherwise the first preferred one that the page has, otherwise English', () => {
  assert.deepEqual(chooseLanguage('ar', ['de-AT', 'en']), { language: 'ar', locale: 'ar' });
  assert.deepEqual(chooseLanguage(null, ['fr-FR', 'de-AT', 'en']), { language: 'de', locale: 'de-AT' });
  assert.deepEqual(chooseLanguage('auto', ['fr', 'EN_us']), { language: 'en', locale: 'EN_us' });
  assert.deepEqual(chooseLanguage('xx', []), { language: 'en', locale: 'en' });
});

test('a plural is selected by the rules of the language, and its number is written in it', () => {
  const texts = { files: { one: 'one file', other: '{count} files' } };
  useTexts(texts, 'en');
  assert.deepEqual([1, 2, 1000].map((count) => t('files', { count })), ['one file', '2 files', '1,000 files']);
  useTexts({ files: { zero: 'z', one: 'o', two: 't', few: 'f{count}', many: 'm{count}', other: 'x{count}' } }, 'ar');
  assert.deepEqual([0, 1, 2, 3, 11, 100].map((count) => t('files', { count })), ['z', 'o', 't', 'f3', 'm11', 'x100']);
});

test('a missing text is shown as its key, and a missing value as its name', () => {
  useTexts({ a: { b: 'x {y}' } }, 'en');
  assert.equal(t('a.c'), 'a.c');
  assert.equal(t('a.b.c'), 'a.b.c');
  assert.equal(t('a.b'), 'x {y}');
});

test('values are inserted as they are: neither markup nor placeholders in them are read', () => {
  useTexts({ a: '{x} and {y}' }, 'en');
  assert.equal(t('a', { x: '{y} $& <b>', y: '2' }), '{y} $& <b> and 2');
});

test('a value of the other direction is isolated from the words around it', () => {
  useTexts({ a: 'by {name}' }, 'en');
  assert.equal(t('a', { name: 'Salt' }), 'by Salt');
  assert.equal(t('a', { name: 'ليل' }), 'by \u2068ليل\u2069');
  useTexts({ a: '{name}' }, 'ar');
  assert.equal(t('a', { name: 'Salt' }), '\u2068Salt\u2069');
  assert.equal(t('a', { name: 'ليل' }), 'ليل');
});

test('numbers, dates and enumerations have the form of the language, with Latin digits', () => {
  useTexts({}, 'de');
  assert.equal(number(1234.5), '1.234,5');
  assert.equal(list(['a', 'b', 'c']), 'a, b und c');
  assert.equal(date(new Date(2026, 4, 3, 12), { dateStyle: 'short' }), '03.05.26');
  assert.equal(direction(), 'ltr');
  useTexts({}, 'ar');
  assert.match(number(1234.5), /^[\d.,٬٫]+$/);
  assert.match(date(0), /\d/);
  assert.equal(direction(), 'rtl');
});

test('a tag that is none does not break the page', () => {
  useTexts({ a: 'b' }, 'en', 'en-!');
  assert.equal(t('a'), 'b');
  assert.equal(number(1.5), '1.5');
});

test('texts are loaded by the name of the language, and if that fails the present ones stay', async () => {
  const asked = [];
  await loadTexts({ language: 'de', locale: 'de-AT' }, new URL('http://player.local/lang/'), async (address) => {
    asked.push(address.href);
    return { ok: true, json: async () => ({ a: 'ja' }) };
  });
  assert.deepEqual(asked, ['http://player.local/lang/de.json']);
  assert.deepEqual([language(), t('a')], ['de', 'ja']);
  await assert.rejects(loadTexts({ language: 'ar', locale: 'ar' }, new URL('http://player.local/lang/'), async () => ({ ok: false, status: 503 })), /503/);
  assert.deepEqual([language(), t('a')], ['de', 'ja']);
});
