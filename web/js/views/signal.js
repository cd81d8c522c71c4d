// @ts-check
import { describeFormat, formatRate, formatTime } from '../format.js';
import { list as joined, number, t } from '../lang/lang.js';
import { mediaOf } from '../media.js';
import { h } from './dom.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The largest number of tags, and the largest length of a value, that the sheet shows. */
const TAGS = 60;
const LENGTH = 500;
/** The tags that the sheet shows anyway. */
const SHOWN = new Set(['title', 'artist', 'album']);

/** @param {number} hertz */
const kilohertz = (hertz) => `${number(hertz / 1000)} kHz`;

/**
 * The texts of the steps of `signalPath`, by their kinds. The page words the speed and the volume itself, because they have other texts while paused
 * or muted.
 * @type {{[kind: string]: (step: any) => string}}
 */
const STEPS = {
  mix: ({ from, to }) => t('now.signal.mixed', { from, count: to }),
  resample: ({ to }) => t('now.signal.resampled', { rate: kilohertz(to) }),
  loudness: ({ gain }) => t('now.signal.gain', { gain: `${number(gain, { maximumFractionDigits: 1, signDisplay: 'always' })} dB` }),
  crossfade: ({ seconds }) => t('now.chip.crossfade', { count: seconds }),
  serverMix: ({ to }) => t('now.signal.serverMixed', { count: to }),
  serverResample: ({ to }) => t('now.signal.serverResampled', { rate: kilohertz(to) }),
  round: ({ to }) => t('now.signal.rounded', { count: to }),
};

/**
 * Returns what is done to the audio between the medium and the device, in words.
 * @param {any} state
 * @param {any} path the member `signalPath` of the state; undefined while the item or the output is not open
 * @returns {string[]}
 */
export function describeSignal(state, path) {
  const steps = [];
  const rate = state.rate || state.defaultRate;
  if (path?.source.isLossless === false) steps.push(t('now.signal.lossy'));
  for (const step of path?.steps ?? []) {
    const describe = STEPS[step.kind];
    if (describe) steps.push(describe(step));
  }
  if (Math.abs(rate) !== 1) {
    steps.push(t(state.audioTimePitchAlgorithm === 'varispeed' ? 'now.signal.tape' : 'now.signal.stretched', { rate: formatRate(rate) }));
  }
  if (state.volume !== 1) steps.push(t('now.signal.volume', { volume: number(state.volume, { style: 'percent' }) }));
  return steps;
}

/**
 * The sheet of the details of the current item: its tags, its format, and what is done to its audio.
 * @param {Remote} remote
 * @returns {import('./choices.js').Control}
 */
export function detailsSheet(remote) {
  const media = mediaOf(remote);
  const facts = h('dl', { class: 'facts' });
  // It has the focus, so that keys scroll it.
  const element = h('div', { role: 'group', tabindex: 0, 'aria-label': t('now.details.heading') }, facts);
  let shown = '';
  void media.loadDetails();

  /** @param {string} name @param {string | undefined} value @param {string[]} others @returns {Node[]} */
  const row = (name, value, ...others) => (value
    ? [h('dt', { dir: 'auto' }, name), ...[value, ...others].map((text) => h('dd', { dir: 'auto' }, text.slice(0, LENGTH)))] : []);

  function render() {
    const { state } = remote.store;
    const item = state?.currentItem;
    const { details } = media;
    const path = /** @type {any} */ (state)?.signalPath;
    const steps = state ? describeSignal(state, path) : [];
    const key = JSON.stringify([item, details?.metadata, path, steps]);
    if (!item || key === shown) return;
    shown = key;
    facts.replaceChildren(
      ...row(t('now.details.title'), item.title), ...row(t('now.details.artist'), item.artist), ...row(t('now.details.album'), item.album),
      ...row(t('now.details.duration'), item.duration === undefined ? undefined : formatTime(item.duration)),
      ...row(t('now.details.format'), describeFormat(item.format)),
      ...row(t('now.details.signal'), path && t(`now.signal.${path.verdict}`), ...steps),
      ...row(t('now.details.device'), describeFormat(path?.device)),
      ...row(t('now.details.address'), item.url),
      ...(details?.metadata ?? []).filter(({ key: name }) => !SHOWN.has(name.toLowerCase())).slice(0, TAGS)
        .flatMap(({ key: name, value }) => row(name, value)),
    );
  }
  return { element, render };
}
