// @ts-check
import { t } from '../lang/lang.js';
import { makeButton } from './hooks.js';
import { icon } from './icons.js';
import { WAYS } from './libraryActs.js';
/** @typedef {import('./libraryActs.js').Way} Way */

/** @type {Record<Way, string>} */
const WAY_ICONS = { play: 'play', next: 'playNext', end: 'add' };

/**
 * Returns the choices of the ways to bring something into the queue.
 * @param {(way: Way) => void} act
 * @returns {import('./sheet.js').Choice[]}
 */
export const wayChoices = (act) => WAYS.map((way) => [t(`library.${way}`), () => act(way), WAY_ICONS[way]]);

/**
 * Makes the buttons of the three ways to bring entries into the queue.
 * @param {(way: Way, button: HTMLElement) => void} act
 */
export function wayButtons(act) {
  return WAYS.map((way) => {
    const button = makeButton(way === 'play' ? 'primary-button' : 'pill-button', icon(WAY_ICONS[way]), () => act(way, button));
    button.append(t(`library.${way}`));
    return button;
  });
}
