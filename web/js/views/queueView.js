// @ts-check
import { h } from './dom.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * The view of the queue.
 * @param {Remote} remote
 */
export function mountQueueView(remote) {
  const element = h('section', { class: 'view queue-view' });
  return { element, render() {} };
}
