// @ts-check
import { describeFormat, formatRate } from '../format.js';
import { number, t } from '../lang/lang.js';
import { mediaOf } from '../media.js';
import { h } from './dom.js';
import { factsOf } from './facts.js';
/** @typedef {import('../remote.js').Remote} Remote */

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

  function render() {
    const { state } = remote.store;
    const item = state?.currentItem;
    const { details } = media;
    const path = /** @type {any} */ (state)?.signalPath;
    const steps = state ? describeSignal(state, path) : [];
    const key = JSON.stringify([item, details?.metadata, path, steps]);
    if (!item || key === shown) return;
    shown = key;
    facts.replaceChildren(...factsOf({ ...item, metadata: details?.metadata }, [
      [t('now.details.signal'), path && [t(`now.signal.${path.verdict}`), ...steps]], [t('now.details.device'), describeFormat(path?.device)],
    ]));
  }
  return { element, render };
}
