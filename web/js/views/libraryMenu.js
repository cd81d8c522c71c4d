// @ts-check
import { t } from '../lang/lang.js';
import { h } from './dom.js';
import { icon } from './icons.js';
import { WAYS } from './libraryActs.js';
import { openSheet } from './sheet.js';
/** @typedef {import('./libraryActs.js').Way} Way */
/** @typedef {{text: string, icon: string, action: () => void}} Choice */

/** @type {Record<Way, string>} */
export const WAY_ICONS = { play: 'play', next: 'playNext', end: 'add' };

/**
 * Opens a sheet of choices; each closes it.
 * @param {string} title
 * @param {HTMLElement} opener
 * @param {Choice[]} choices
 */
export function openMenu(title, opener, choices) {
  const buttons = choices.map((choice) => h('li', null,
    h('button', { type: 'button', class: 'menu-item', onclick: () => (sheet.close(), choice.action()) }, icon(choice.icon), choice.text)));
  const sheet = openSheet({ title, opener, content: h('ul', { class: 'menu' }, ...buttons) });
}

/**
 * Makes the buttons of the three ways to bring entries into the queue.
 * @param {(way: Way, button: HTMLElement) => void} act
 */
export function wayButtons(act) {
  return WAYS.map((way) => h('button', {
    type: 'button', class: way === 'play' ? 'primary-button' : 'pill-button',
    onclick: (/** @type {MouseEvent} */ { currentTarget }) => act(way, /** @type {HTMLElement} */ (currentTarget)),
  }, icon(WAY_ICONS[way]), t(`library.${way}`)));
}
