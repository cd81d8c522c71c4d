// @ts-check
import { realTimers } from './link/timers.js';
/** @typedef {import('./link/timers.js').Timers} Timers */
/** @typedef {import('./scrub.js').Band} Band */
/** @typedef {{duration: number, from: number, to: number, isComplete: boolean, minimum: number[], maximum: number[], rms: number[]}} Document */
/**
 * `count` bars of equal length; the first ones have heights.
 * @typedef {{from: number, to: number, count: number, heights: number[], isComplete: boolean}} Bars
 */

/** The pixels from the left edge of a bar to that of the next one, and the width of a bar. */
export const PITCH = 3;
export const BAR = 2;
/** The largest number of bars in one request. */
const MOST = 2000;
/**
 * The time for which the server may delay its answer until the analysis is complete, and the pause of the page after a failed request, in seconds.
 */
const WAIT = 2;
const RETRY = 3;
/** The number of failed requests after which the page shows no waveform for the item. */
const ATTEMPTS = 5;
/** The smallest level that is drawn with the full height. So the noise of an item that is quiet throughout is not drawn like music. */
const QUIET = 0.15;

/**
 * Returns the heights of the bars: between the peak and the mean power, because the peak alone is nearly constant in loud music.
 * @param {Document} document
 */
export function heightsOf({ minimum, maximum, rms }) {
  return maximum.map((high, index) => Math.min(1, 0.45 * Math.max(high, -(minimum[index] ?? 0)) + 0.8 * (rms[index] ?? 0)));
}

/**
 * Returns the factor by which heights are multiplied, so that the highest bar fills the height, unless it is lower than `QUIET`.
 * @param {number[]} heights
 */
export function scaleOf(heights) {
  return 1 / Math.max(QUIET, heights.reduce((most, height) => Math.max(most, height), 0));
}

/**
 * Returns the height of a drawn bar as a part of the full height: the height of the highest of `bars` in its range of media time.
 * @param {Bars} bars
 * @param {number} from @param {number} to the media time of the drawn bar, in seconds
 * @returns {number | undefined} undefined if it is not known (yet)
 */
export function heightIn(bars, from, to) {
  const length = (bars.to - bars.from) / bars.count;
  const first = Math.max(0, Math.floor((from - bars.from) / length + 1e-6));
  const last = Math.min(bars.count, Math.max(first + 1, Math.ceil((to - bars.from) / length - 1e-6)));
  if (to <= bars.from || from >= bars.to || first >= last) return undefined;
  let most;
  for (let index = first; index < last; index += 1) {
    const height = bars.heights[index];
    if (height !== undefined && (most === undefined || height > most)) most = height;
  }
  return most;
}

/**
 * Returns the x position of a media time, in pixels from the left edge; it may be outside the width.
 * @param {number} time @param {Band} band @param {number} width
 */
export function xOf(time, { from, to }, width) {
  return to > from ? ((time - from) / (to - from)) * width : 0;
}

/**
 * Returns the media time at an x position.
 * @param {number} x pixels from the left edge @param {Band} band @param {number} width
 */
export function timeAt(x, { from, to }, width) {
  return from + (Math.min(Math.max(0, x), width) / Math.max(1, width)) * (to - from);
}

/**
 * The waveform of the current item: an overview, and for a zoomed scrub the details of a band. Both are requested again until they are complete.
 */
export class Waveform {
  #load;
  #changed;
  #timers;
  #id = '';
  #key = '';
  /** @type {Bars | null} */
  #overview = null;
  /** @type {Bars | null} */
  #details = null;
  /** The number of the newest requests, by the kind of the bars; a response to an older one is ignored. */
  #era = { overview: 0, details: 0 };

  /**
   * @param {object} how
   * @param {(arguments_: {id: string, from?: number, to?: number, points: number, wait: number}) => Promise<Document>} how.load
   * @param {() => void} how.changed
   * @param {(error: unknown) => boolean} how.isFinal whether a repetition of the failed request would fail too
   * @param {Timers} [how.timers]
   */
  constructor({ load, changed, isFinal, timers = realTimers }) {
    this.#load = load;
    this.#changed = changed;
    this.#isFinal = isFinal;
    this.#timers = timers;
  }
  #isFinal;

  get overview() {
    return this.#overview;
  }
  get details() {
    return this.#details;
  }

  /**
   * Shows the waveform of an item in a width.
   * @param {string} id the item, with the epoch of the server; empty for none
   * @param {string} itemId
   * @param {number} width pixels
   */
  show(id, itemId, width) {
    const points = Math.min(MOST, Math.floor(width / PITCH));
    const key = `${id} ${points}`;
    if (key === this.#key) return;
    this.#key = key;
    // The bars of another width stay until those of the new width have arrived.
    if (id !== this.#id) this.#overview = null;
    this.#id = id;
    this.#details = null;
    this.#era.details += 1;
    const era = (this.#era.overview += 1);
    this.#changed();
    if (id && points > 0) void this.#read('overview', era, { id: itemId, points, wait: WAIT }, 0);
  }

  /**
   * Requests the details of a band; null drops them.
   * @param {string} itemId
   * @param {Band | null} band
   * @param {number} width pixels
   */
  zoom(itemId, band, width) {
    const era = (this.#era.details += 1);
    this.#details = null;
    if (!band || !this.#overview) return;
    const [from, to] = [Math.max(0, band.from), Math.min(this.#overview.to, band.to)];
    const points = Math.round((width / PITCH) * ((to - from) / (band.to - band.from)));
    if (points >= 1) void this.#read('details', era, { id: itemId, from, to, points: Math.min(MOST, points), wait: WAIT }, 0);
  }

  /**
   * @param {'overview' | 'details'} kind
   * @param {number} era
   * @param {{id: string, from?: number, to?: number, points: number, wait: number}} what
   * @param {number} failures
   */
  async #read(kind, era, what, failures) {
    try {
      const document = await this.#load(what);
      if (era !== this.#era[kind]) return;
      const bars = { from: document.from, to: document.to, count: what.points, heights: heightsOf(document), isComplete: document.isComplete };
      if (kind === 'overview') this.#overview = bars;
      else this.#details = bars;
      this.#changed();
      if (!document.isComplete) void this.#read(kind, era, what, 0);
    } catch (error) {
      if (era !== this.#era[kind] || this.#isFinal(error) || failures >= ATTEMPTS) return;
      this.#timers.start(() => era === this.#era[kind] && void this.#read(kind, era, what, failures + 1), RETRY);
    }
  }
}
