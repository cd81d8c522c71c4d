// @ts-check
import { h } from './dom.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * The view of the library.
 * @param {Remote} remote
 */
export function mountLibraryView(remote) {
  const element = h('section', { class: 'view library-view' });
  return { element, render() {} };
}
