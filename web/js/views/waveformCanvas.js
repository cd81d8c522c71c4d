// @ts-check
import { BAR, heightIn, PITCH, scaleOf, xOf } from '../waveform.js';
/** @typedef {import('../waveform.js').Bars} Bars */
/** @typedef {import('../scrub.js').Band} Band */
/**
 * @typedef {object} Picture  What the waveform shows, except the position.
 * @property {Band} band
 * @property {Bars | null} overview
 * @property {Bars | null} details
 * @property {number[]} marks the starts of the chapters, in seconds
 * @property {{start: number, end?: number} | null} loop the repeated part; without an end only its start is drawn
 * @property {{start: number, end?: number}[]} loaded the loaded ranges; empty if everything is available
 */

/** The height of a bar of silence, or of an unknown level, and of the marks and the loaded ranges at the bottom, in pixels. */
const FLOOR = 3;
const FOOT = 6;

/**
 * Draws a waveform. Everything but the position is drawn in two layers, as played and as not played. So a new position only copies the strip between
 * the old and the new one.
 * @param {HTMLCanvasElement} canvas its style gives the colours: `color` for the played part, `caret-color` for the rest, `text-decoration-color` for
 *   marks
 */
export function makeWaveformCanvas(canvas) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const layers = [document.createElement('canvas'), document.createElement('canvas')];
  let [width, height, scale] = [0, 0, 1];
  /** The x position of the drawn playhead, in pixels; negative if nothing is drawn. */
  let drawn = -1;
  /** @type {Band} */
  let band = { from: 0, to: 1 };
  let colours = { played: '', rest: '', mark: '' };

  /** Reads the colours of the style, after the theme or the tint has changed. */
  function readColours() {
    const style = getComputedStyle(canvas);
    colours = { played: style.color, rest: style.caretColor, mark: style.textDecorationColor };
  }

  /** @param {number} newWidth @param {number} newHeight pixels */
  function resize(newWidth, newHeight) {
    [width, height, scale] = [newWidth, newHeight, Math.max(1, window.devicePixelRatio)];
    for (const each of [canvas, ...layers]) {
      each.width = Math.round(width * scale);
      each.height = Math.round(height * scale);
    }
    drawn = -1;
  }

  /** Draws both layers. @param {Picture} picture */
  function paint(picture) {
    band = picture.band;
    layers.forEach((layer, index) => paintLayer(/** @type {CanvasRenderingContext2D} */ (layer.getContext('2d')), picture, index === 0));
    drawn = -1;
  }

  /** @param {CanvasRenderingContext2D} to @param {Picture} picture @param {boolean} isPlayed */
  function paintLayer(to, { overview, details, marks, loop, loaded }, isPlayed) {
    to.setTransform(scale, 0, 0, scale, 0, 0);
    to.clearRect(0, 0, width, height);
    const x = (/** @type {number} */ time) => xOf(time, band, width);
    if (loop) {
      to.fillStyle = colours.played;
      to.globalAlpha = 0.18;
      if (loop.end !== undefined) to.fillRect(x(loop.start), 0, x(loop.end) - x(loop.start), height);
      to.globalAlpha = 1;
      for (const edge of [loop.start, loop.end]) if (edge !== undefined) to.fillRect(x(edge) - 1, 0, 2, height);
    }
    to.fillStyle = isPlayed ? colours.played : colours.rest;
    const [middle, most] = [(height - FOOT) / 2, height - FOOT];
    const factor = overview ? scaleOf(overview.heights) : 1;
    const second = (band.to - band.from) / Math.max(1, width);
    const end = Math.min(width, x(overview?.to ?? band.to));
    to.beginPath();
    for (let left = 0; left + BAR <= end; left += PITCH) {
      const [from, until] = [band.from + left * second, band.from + (left + PITCH) * second];
      if (until <= 0) continue;
      const level = (details && heightIn(details, from, until)) ?? (overview && heightIn(overview, from, until)) ?? 0;
      const tall = Math.max(FLOOR, Math.min(1, level * factor) * most);
      to.rect(left, middle - tall / 2, BAR, tall);
    }
    to.fill();
    to.fillStyle = colours.mark;
    for (const mark of marks) if (mark > 0) to.fillRect(x(mark) - 1, height - FOOT - 4, 2, FOOT + 4);
    to.globalAlpha = 0.6;
    for (const { start, end: until } of loaded) to.fillRect(x(start), height - 2, x(until ?? band.to) - x(start), 2);
    to.globalAlpha = 1;
  }

  /**
   * Draws a position: the strip from the last drawn one, and the playhead.
   * @param {number} time seconds
   * @param {boolean} isHeld whether a pointer holds the playhead
   */
  function move(time, isHeld) {
    if (width === 0) return;
    const position = xOf(time, band, width);
    const [low, high] = drawn < 0 ? [0, width] : [Math.min(drawn, position) - 4, Math.max(drawn, position) + 4];
    context.setTransform(1, 0, 0, 1, 0, 0);
    copy(layers[0], low, Math.min(position, high));
    copy(layers[1], Math.max(position, low), high);
    context.fillStyle = colours.played;
    const thick = (isHeld ? 4 : 2) * scale;
    context.fillRect(Math.round(Math.min(Math.max(0, position * scale - thick / 2), width * scale - thick)), 0, thick, height * scale);
    drawn = Math.min(Math.max(0, position), width);
  }

  /** @param {HTMLCanvasElement | undefined} layer @param {number} from @param {number} to x positions, in pixels */
  function copy(layer, from, to) {
    const [left, right] = [Math.max(0, Math.floor(from * scale)), Math.min(canvas.width, Math.floor(to * scale))];
    if (!layer || right <= left) return;
    context.clearRect(left, 0, right - left, canvas.height);
    context.drawImage(layer, left, 0, right - left, canvas.height, left, 0, right - left, canvas.height);
  }

  return { readColours, resize, paint, move };
}
