// @ts-check
import { mediaOf } from '../media.js';
import { xOf } from '../waveform.js';
import { h } from './dom.js';
import { makeWaveformCanvas } from './waveformCanvas.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('../scrub.js').Scrub} Scrub */
/** @typedef {import('../scrub.js').Band} Band */

/**
 * Draws the waveform of the current item under the slider of the position. A new position alone does not draw the layers again.
 * @param {Remote} remote
 * @param {HTMLElement} parent
 */
export function mountWaveform(remote, parent) {
  const media = mediaOf(remote);
  const canvas = h('canvas', { class: 'wave-canvas', 'aria-hidden': true });
  parent.append(canvas);
  const drawing = makeWaveformCanvas(canvas);
  /** The size of the canvas, in pixels. It is stored, because each reading from the browser would force a layout of the page. */
  let [width, height] = [0, 0];
  /** @type {Band} */
  let band = { from: 0, to: 1 };
  let level = 0;
  /** What the layers show. @type {unknown[]} */
  let drawn = [];
  /** The position that was drawn last. */
  let position = 0;
  let look = 0;
  /** @type {{start: number, end?: number} | null} */
  let loop = null;

  new ResizeObserver(([entry]) => {
    if (!entry) return;
    ({ width, height } = entry.contentRect);
    drawing.resize(width, height);
    look += 1;
    draw();
  }).observe(parent);
  /** Draws in the new colours, after the browser has computed the style. */
  const restyle = () => requestAnimationFrame(() => {
    look += 1;
    draw();
  });
  // The colours depend on the style of the root (the tint of the cover) and on a state of the body (the tone of the page).
  new MutationObserver(restyle).observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
  for (const query of ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)']) {
    matchMedia(query).addEventListener('change', restyle);
  }

  function draw() {
    const { overview, details } = media.waveform;
    const now = [look, band.from, band.to, overview, details, media.chapters, loop?.start, loop?.end, media.loaded];
    if (width === 0 || now.every((part, index) => part === drawn[index])) return;
    if (look !== drawn[0]) drawing.readColours();
    drawn = now;
    drawing.paint({ band, overview, details, marks: media.chapters.map(({ start }) => start), loop, loaded: media.loaded });
    drawing.move(position, level > 0);
  }

  return {
    /** Draws what has changed. @param {{start: number, end?: number} | null} newLoop */
    render(newLoop) {
      const { state } = remote.store;
      const id = media.range && state?.currentItem ? state.currentItem.id : '';
      media.waveform.show(id && `${state?.epoch} ${id}`, id, width);
      loop = newLoop;
      if (level === 0) band = media.extent ?? { from: 0, to: 1 };
      draw();
    },
    /** Shows the band of a scrub; null shows the whole item again. @param {Scrub | null} scrub */
    zoom(scrub) {
      const { level: newLevel = 0, band: newBand } = scrub ?? {};
      if (newLevel === level && (level === 0 || band === newBand)) return draw();
      level = newLevel;
      band = (level > 0 && newBand) || (media.extent ?? band);
      media.waveform.zoom(remote.store.state?.currentItem?.id ?? '', level > 0 ? band : null, width);
      draw();
    },
    /** @param {number} time seconds @param {boolean} isHeld */
    move(time, isHeld) {
      position = time;
      drawing.move(time, isHeld);
    },
    /** @param {number} time seconds */
    xOf: (time) => Math.min(Math.max(0, xOf(time, band, width)), width),
    /** The media time of a pixel, in seconds. */
    secondsPerPixel: () => (media.extent ? (band.to - band.from) / Math.max(1, width) : Infinity),
  };
}
