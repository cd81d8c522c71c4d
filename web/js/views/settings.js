// @ts-check
import { h } from './dom.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * The view of the settings of this browser, and of what the player is.
 * @param {Remote} remote
 */
export function mountSettings(remote) {
  const element = h('section', { class: 'view settings-view' }, h('div', { dataset: { hook: 'settings-extra' } }));
  return { element, render() {} };
}
