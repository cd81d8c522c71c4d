// @ts-check
import { Refusal } from './link/api.js';
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./link/timers.js').Timers} Timers */
/**
 * @typedef {{isSynchronized: boolean, language?: string, isTruncated: boolean, lines: {time?: number, text: string}[]}} Document
 * @typedef {{time: number, text: string}} Line  a line with the position at which it begins, in seconds
 * @typedef {object} Lyrics
 * @property {Line[]} lines the lines with times, in the order of their times; empty if the lyrics have no times
 * @property {string} text the whole text, if the lyrics have no times
 * @property {string} language the language as a tag of BCP 47; empty if it is unknown
 */

/** The text of a line between verses. */
export const REST = '♪';
/**
 * The time by which a line is shown before its own time, in seconds. A seek to a line may land slightly earlier, and must not show the line before
 * it.
 */
const EARLY = 0.05;
/**
 * The number of lines that the page shows at once, and the smallest number of them before and after the current line. Usual lyrics have fewer lines;
 * the transcript of a book has thousands.
 */
export const SHOWN = 204;
const MARGIN = 50;
/** The maximum number of requests for the lyrics of one item, if the server is busy, and the time between them, in seconds. */
const ATTEMPTS = 4;
const RETRY_INTERVAL = 5;

/**
 * Prepares lyrics for the page. Lines with the same time (a text and its translation) become one line, and consecutive lines without text become one
 * rest.
 * @param {Partial<Document> | undefined} document
 * @returns {Lyrics | null} null if there is no text
 */
export function prepare(document) {
  // A document of another program, such as a proxy, may have no lines.
  const { isSynchronized, language, lines } = document ?? {};
  if (!Array.isArray(lines) || !lines.some(({ text }) => text)) return null;
  const tag = languageTag(language);
  if (!isSynchronized) return { lines: [], text: lines.map(({ text }) => text).join('\n').trim(), language: tag };
  /** @type {Line[]} */
  const prepared = [];
  for (const { time = 0, text } of lines) {
    const last = prepared.at(-1);
    if (last?.time === time) {
      if (text) last.text = last.text === REST ? text : `${last.text}\n${text}`;
    } else if (text || last?.text !== REST) {
      prepared.push({ time, text: text || REST });
    }
  }
  return { lines: prepared, text: '', language: tag };
}

/** @param {string | undefined} language a code of ISO 639, usually of three letters as in a tag of a medium */
function languageTag(language) {
  try {
    return language ? new Intl.Locale(language).baseName : '';
  } catch {
    return '';
  }
}

/**
 * Returns the index of the line that is sung at a position; -1 before the first line.
 * @param {Line[]} lines
 * @param {number} position in seconds
 */
export function lineAt(lines, position) {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (/** @type {Line} */ (lines[middle]).time <= position + EARLY) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Returns the time until another line is current, in seconds; infinite if that does not happen.
 * @param {Line[]} lines
 * @param {number} position in seconds
 * @param {number} rate the rate of playback; negative in reverse
 */
export function untilNextLine(lines, position, rate) {
  const index = lineAt(lines, position);
  const next = rate === 0 ? undefined : lines[rate > 0 ? index + 1 : index];
  return next ? Math.max(0, (next.time - EARLY - position) / rate) : Infinity;
}

/**
 * Returns the part of long lyrics that the page shows, as the indexes of its first line and of the line after its last.
 * @param {number} count the number of lines
 * @param {number} current the index of the current line
 * @param {{from: number, to: number}} [shown] the part that is shown now; it stays while the current line is not near one of its ends
 */
export function partToShow(count, current, shown) {
  const isNearEnd = !shown || (shown.from > 0 && current < shown.from + MARGIN) || (shown.to < count && current >= shown.to - MARGIN);
  if (!isNearEnd) return shown;
  const from = Math.max(0, Math.min(current - SHOWN / 2, count - SHOWN));
  return { from, to: Math.min(count, from + SHOWN) };
}

/** The lyrics of the current item. They are requested once for each item, after the item is ready; a live stream has none. */
export class CurrentLyrics {
  #api;
  #timers;
  #changed;
  /** The epoch and the id of the item whose lyrics are known or requested; empty if there is no such item. */
  #key = '';
  /** @type {Lyrics | null} */
  #lyrics = null;
  #isRequested = false;
  #isLoading = false;
  #timer = 0;

  /**
   * @param {{api: {lyrics: (itemId: string) => Promise<Document>}, timers: Timers, changed: () => void}} parts `changed` is called after the lyrics
   *   have arrived
   */
  constructor({ api, timers, changed }) {
    this.#api = api;
    this.#timers = timers;
    this.#changed = changed;
  }

  /** The lyrics of the current item; null if it has none, or they are not known yet. */
  get value() {
    return this.#lyrics;
  }
  /** Whether it is not known yet whether the current item has lyrics. */
  get isLoading() {
    return this.#isLoading;
  }

  /** @param {PlayerState} state */
  stateArrived({ epoch, currentItem: item }) {
    const key = item && item.status !== 'failed' && !item.isLive ? `${epoch} ${item.id}` : '';
    if (key !== this.#key) {
      this.#timers.stop(this.#timer);
      this.#key = key;
      this.#lyrics = null;
      this.#isRequested = false;
      this.#isLoading = key !== '';
    }
    if (!item || !key || item.status !== 'readyToPlay' || this.#isRequested) return;
    this.#isRequested = true;
    void this.#load(key, item.id, 1);
  }

  /** @param {string} key @param {string} id @param {number} attempt */
  async #load(key, id, attempt) {
    /** @type {Lyrics | null} */
    let lyrics = null;
    try {
      lyrics = prepare(await this.#api.lyrics(id));
    } catch (error) {
      // Other errors than these two mean that the server is busy or not reachable.
      const isRefused = error instanceof Refusal && (error.status === 404 || error.status === 422);
      if (!isRefused && attempt < ATTEMPTS && key === this.#key) {
        this.#timer = this.#timers.start(() => void this.#load(key, id, attempt + 1), RETRY_INTERVAL);
        return;
      }
    }
    if (key !== this.#key) return;
    this.#lyrics = lyrics;
    this.#isLoading = false;
    this.#changed();
  }
}
