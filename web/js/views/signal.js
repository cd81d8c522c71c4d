// @ts-check
import { describeFormat, formatRate, formatVolume, kilohertz, unit } from '../format.js';
import { t } from '../lang/lang.js';
import { mediaOf } from '../media.js';
import { h } from './dom.js';
import { factsOf } from './facts.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The kinds of steps for which the page has a text. */
const KINDS = 'mix resample loudness headroom crossfade timeStretch volume serverMix serverResample round dither'.split(' ');

/**
 * Returns the steps that change the audio between the medium and the device, in words.
 * @param {any} path the member `signalPath` of the state
 * @param {number} speed the rate of playback
 * @returns {string[]}
 */
export function describeSignal({ source, steps, verdict }, speed) {
  const found = source.isLossless ? [] : [t('now.signal.lossy')];
  for (const { kind, from, to, gain, seconds, volume = 1, algorithm } of steps) {
    if (KINDS.includes(kind)) found.push(t(`now.signal.step_${algorithm === 'varispeed' ? algorithm : kind}`, {
      from, count: to ?? seconds, rate: to ? kilohertz(to) : formatRate(speed), volume: formatVolume(volume),
      gain: gain && unit(gain, 'dB', { maximumFractionDigits: 1, signDisplay: 'always' }),
    }));
  }
  if (verdict === 'bitPerfect' && !found[0]) found.push(t('now.signal.unchanged'));
  return found;
}

/**
 * The sheet of the details of the current item: its tags, its format, and what is done to its audio.
 * @param {Remote} remote
 * @returns {import('./choices.js').Control}
 */
export function detailsSheet(remote) {
  const media = mediaOf(remote);
  const facts = h('dl', { class: 'facts' });
  // The element can have the focus, so that keys scroll it.
  const element = h('div', { role: 'group', tabindex: 0, 'aria-label': t('now.details.heading') }, facts);
  let shown = '';
  void media.loadDetails();

  function render() {
    const { state } = remote.store;
    const item = state?.currentItem;
    const { details } = media;
    const path = /** @type {any} */ (state)?.signalPath;
    const signal = path && [t(`now.signal.${path.verdict}`), ...describeSignal(path, state?.rate ?? 1)];
    const key = JSON.stringify([item, details?.metadata, path, signal]);
    if (!item || key === shown) return;
    shown = key;
    facts.replaceChildren(...factsOf({ ...item, metadata: details?.metadata }, [
      [t('now.details.signal'), signal], [t('now.details.device'), path?.device && [state?.output.name, describeFormat(path.device)]],
    ]));
  }
  return { element, render };
}
