// @ts-check
import { h } from './dom.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * The view of the search.
 * @param {Remote} remote
 */
export function mountSearchView(remote) {
  const element = h('section', { class: 'view search-view' });
  return { element, render() {} };
}
