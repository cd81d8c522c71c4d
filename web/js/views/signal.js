// @ts-check
import { formatRate } from '../format.js';
import { list as joined, number, t } from '../lang/lang.js';
import { mediaOf } from '../media.js';
import { h } from './dom.js';
import { factsOf } from './facts.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Returns what is done to the audio between the medium and the output, in words.
 * @param {any} state
 * @param {any} path the member `signalPath` of the state; undefined while the item or the output is not open
 * @returns {string[]}
 */
export function describeSignal(state, path) {
  const steps = [];
  const rate = state.rate || state.defaultRate;
  const { source, output, loudnessGain, isResampled, isMixedDown } = path ?? {};
  if (isResampled) steps.push(t('now.signal.resampled', { rate: `${number(output.sampleRate / 1000)} kHz` }));
  if (isMixedDown) steps.push(t('now.signal.mixed', { from: source.channels, count: output.channels }));
  if (loudnessGain) steps.push(t('now.signal.gain', { gain: `${number(loudnessGain, { maximumFractionDigits: 1, signDisplay: 'always' })} dB` }));
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
    const signal = steps.length > 0 ? joined(steps) : path && t('now.signal.untouched');
    facts.replaceChildren(...factsOf({ ...item, metadata: details?.metadata }, [[t('now.details.signal'), signal]]));
  }
  return { element, render };
}
