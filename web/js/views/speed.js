// @ts-check
import { formatRate } from '../format.js';
import { t } from '../lang/lang.js';
import { makeChoice, makePresets, makeSlider } from './choices.js';
import { h } from './dom.js';
/** @typedef {import('../remote.js').Remote} Remote */

const PRESETS = [0.75, 1, 1.25, 1.5, 1.75, 2];
/** The algorithms, by their names in the contract. Their texts say what each suits. */
const ALGORITHMS = ['timeDomain', 'spectral', 'varispeed', 'lowQualityZeroLatency'];

/**
 * The sheet of the speed: the rate and its algorithm.
 * @param {Remote} remote
 * @returns {import('./choices.js').Control}
 */
export function speedSheet(remote) {
  const read = () => Math.abs(remote.shownRate());
  const write = (/** @type {number} */ rate, /** @type {HTMLElement} */ element) => remote.setRate(rate, element);
  const parts = [
    makeSlider({ label: t('now.speed.title'), min: 0.5, max: 3, step: 0.05, read, write, format: formatRate }),
    makePresets(t('now.speed.presets'), PRESETS.map((value) => ({ value, text: formatRate(value) })), read, write),
    makeChoice({
      label: t('now.speed.algorithm'), isList: true,
      options: ALGORITHMS.map((value) => ({ value, text: t(`now.speed.${value}`), detail: t(`now.speed.${value}Detail`) })),
      read: () => remote.store.state?.audioTimePitchAlgorithm,
      write: (value, element) => remote.update({ audioTimePitchAlgorithm: value }, element),
    }),
  ];
  const element = h('div', { class: 'settings-list' }, ...parts.map((part) => part.element));
  return { element, render: () => parts.forEach((part) => part.render()) };
}
