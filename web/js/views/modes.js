// @ts-check
import { t } from '../lang/lang.js';
import { inSeconds, makeChoice, makeSlider, makeSwitch } from './choices.js';
import { h } from './dom.js';
import { makeButton } from './hooks.js';
import { loopControls } from './loop.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The duration of a fade that this page requests, in seconds. */
const FADE = 10;

/**
 * The modes of the player, in the sheet "more": the repetition and order of the queue, the transitions between items, and the repeated part.
 * @param {Remote} remote
 * @returns {import('./choices.js').Control[]}
 */
export function modeControls(remote) {
  const state = () => /** @type {any} */ (remote.store.state ?? {});
  const writes = (/** @type {string} */ name) => (/** @type {unknown} */ value, /** @type {HTMLElement} */ element) =>
    remote.update({ [name]: value }, element);
  /** @param {string} name @param {string[]} values @param {boolean} [isList] */
  const choice = (name, values, isList) => makeChoice({
    label: t(`now.modes.${name}`), isList,
    options: values.map((value) => ({ value, text: t(`now.modes.${name}_${value}`) })),
    read: () => state()[name],
    write: writes(name),
  });
  /** @param {string} name @param {boolean} [hasDetail] */
  const toggle = (name, hasDetail) => makeSwitch({
    label: t(`now.modes.${name}`), detail: hasDetail ? t(`now.modes.${name}Detail`) : undefined,
    read: () => !!state()[name],
    write: writes(name),
  });
  return [
    choice('repeatMode', ['off', 'one', 'all']),
    toggle('isShuffled'),
    toggle('isConsuming', true),
    loopControls(remote),
    fadeControls(remote),
    makeSlider({
      label: t('now.modes.crossfadeDuration'), min: 0, max: 12, step: 0.5, format: inSeconds, read: () => state().crossfadeDuration ?? 0,
      write: writes('crossfadeDuration'),
    }),
    choice('loudnessNormalization', ['off', 'track', 'album']),
    choice('actionAtItemEnd', ['advance', 'pause', 'none']),
    toggle('automaticallyWaitsToMinimizeStalling', true),
  ];
}

/** Buttons for a start or a pause with a fade. @param {Remote} remote @returns {import('./choices.js').Control} */
function fadeControls(remote) {
  const button = makeButton('pill-button', '', () => {
    const operation = isPlaying() ? 'pause' : 'play';
    void remote.act(operation, { fade: FADE }, { element: button });
  });
  const isPlaying = () => (remote.store.state?.rate ?? 0) !== 0;
  return {
    element: h('div', { class: 'setting' }, h('span', { class: 'setting-name' }, t('now.modes.fade')), button),
    render() {
      button.textContent = t(isPlaying() ? 'now.modes.fadeOut' : 'now.modes.fadeIn', { count: FADE });
      button.disabled = !remote.store.state?.currentItem;
    },
  };
}
