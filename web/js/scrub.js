// @ts-check
/**
 * The computations of a scrub: a pointer holds the playhead on the waveform and drags it. There are three levels: the further the pointer is above
 * or below its start, the slower the position follows, and the larger the waveform is drawn.
 *
 * @typedef {{x: number, y: number}} Point  in pixels
 * @typedef {{from: number, to: number}} Band  a range of media time, in seconds; it may begin before 0 and end after the end of the item
 * @typedef {{left: number, width: number}} Area  the waveform on the page, in pixels
 */

/** The vertical distances of the pointer from its start at which the second and the third level begin, in pixels. */
export const LEVELS = [48, 104];
/**
 * A level ends only after the pointer has come nearer to its start, by this distance in pixels, than the distance at which the level began. So an
 * unsteady finger does not switch between two levels.
 */
const STEADY = 10;
/** The slowest level moves the position by at most this time per pixel, in seconds, so that a finger reaches any position of a long item. */
const FINE = 0.2;
/** The largest distance of a released playhead from a chapter's start at which it snaps to that start, in pixels. */
export const SNAP = 6;

/**
 * Returns the factors of the three levels: 1, 1/4 and 1/16; in long items the last two are smaller.
 * @param {number} secondsPerPixel the media time of a pixel at the first level
 */
export function factors(secondsPerPixel) {
  const slowest = Math.min(1 / 16, FINE / Math.max(secondsPerPixel, 1e-9));
  return [1, Math.sqrt(slowest), slowest];
}

export class Scrub {
  #point;
  #startY;
  #area;
  #range;
  #factors;
  #level = 0;
  #time;
  /** @type {Band} */
  #band;

  /**
   * @param {object} start
   * @param {Point} start.point the pointer at the start
   * @param {number} start.time the position at the start, in seconds
   * @param {Area} start.area
   * @param {Band} start.range the whole range of the waveform
   */
  constructor({ point, time, area, range }) {
    this.#point = point;
    this.#startY = point.y;
    this.#area = area;
    this.#range = range;
    this.#time = time;
    this.#band = range;
    this.#factors = factors((range.to - range.from) / Math.max(1, area.width));
  }

  /** The position, in seconds. */
  get time() {
    return this.#time;
  }
  /** The level: 0 is the whole item, 1 and 2 are zoomed. */
  get level() {
    return this.#level;
  }
  /** The part of the item that the waveform shows at this level. */
  get band() {
    return this.#band;
  }
  /** The media time of a pixel at this level, in seconds. */
  get secondsPerPixel() {
    return ((this.#range.to - this.#range.from) / Math.max(1, this.#area.width)) * (this.#factors[this.#level] ?? 1);
  }

  /** @param {Point} point the pointer */
  move(point) {
    const level = levelAt(Math.abs(point.y - this.#startY), this.#level);
    if (level !== this.#level) {
      this.#level = level;
      this.#band = this.#bandAt(point);
    }
    this.#time = clamp(this.#time + (point.x - this.#point.x) * this.secondsPerPixel, this.#range);
    this.#point = point;
  }

  /**
   * Returns the position after the release: the start of a chapter if it is near, otherwise the position.
   * @param {number[]} starts the starts of the chapters, in seconds
   */
  released(starts) {
    const reach = SNAP * this.secondsPerPixel;
    const near = starts.filter((start) => Math.abs(start - this.#time) <= reach);
    return near.reduce((best, start) => (Math.abs(start - this.#time) < Math.abs(best - this.#time) ? start : best), near[0] ?? this.#time);
  }

  /** Returns the part of the item to show (the band), so that the position is drawn at the pointer. @param {Point} point */
  #bandAt(point) {
    if (this.#level === 0) return this.#range;
    const from = this.#time - Math.min(Math.max(0, point.x - this.#area.left), this.#area.width) * this.secondsPerPixel;
    return { from, to: from + this.#area.width * this.secondsPerPixel };
  }
}

/** @param {number} distance the vertical distance from the start, in pixels @param {number} before the level before */
function levelAt(distance, before) {
  return LEVELS.filter((begin, index) => distance >= begin - (before > index ? STEADY : 0)).length;
}

/** @param {number} time @param {Band} range */
function clamp(time, { from, to }) {
  return Math.min(Math.max(from, time), to);
}
