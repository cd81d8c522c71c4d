// @ts-check
import { describeFormat, formatTime } from '../format.js';
import { t } from '../lang/lang.js';
import { h } from './dom.js';

/** The largest number of tags, and the largest length of a value, that are shown. */
const TAGS = 60;
const LENGTH = 500;
/** The tags that are not listed, because the facts have them under their own names. */
const NAMED = new Set(['title', 'artist', 'album']);

/**
 * Returns the terms and values of the facts of a medium. Facts without a value are left out.
 * @param {any} item an item with its details
 * @param {[name: string, value: string | string[] | undefined][]} more facts that are shown before the tags
 */
export function factsOf({ title, artist, album, duration, format, url, metadata = [] }, more) {
  /** @type {Map<string, string[]>} */
  const tags = new Map();
  for (const { key, value } of metadata) {
    if (!NAMED.has(key.toLowerCase())) tags.set(key, [...tags.get(key) ?? [], String(value)]);
  }
  const rows = [
    [t('now.details.title'), title], [t('now.details.artist'), artist], [t('now.details.album'), album],
    [t('now.details.duration'), duration === undefined ? '' : formatTime(duration)], [t('now.details.format'), describeFormat(format)],
    ...more, [t('now.details.address'), url], ...[...tags].slice(0, TAGS).map(([key, values]) => [key.replaceAll('_', ' '), values.slice(0, TAGS)]),
  ];
  return rows.flatMap(([name, value]) => (value
    ? [h('dt', { dir: 'auto' }, name), ...[value].flat().map((text) => h('dd', { dir: 'auto' }, text.slice(0, LENGTH)))] : []));
}
