// @ts-check
import { titleOf } from '../format.js';
import { hook, onPress, setEnabled, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Shows the next entry of the queue, and the buttons for the next and the previous entry. Both are hidden if the queue has only one entry.
 * @param {Remote} remote
 */
export function mountQueue(remote) {
  const page = hook('page');
  const previous = hook('previous', HTMLButtonElement);
  const next = hook('next', HTMLButtonElement);
  const line = hook('next-up');
  const title = hook('next-title');

  onPress(previous, () => remote.previous());
  onPress(next, () => remote.next());

  return {
    render() {
      const { hasQueue, nextEntry } = remote.store;
      page.dataset.queue = hasQueue ? 'shown' : 'none';
      setEnabled(next, !!nextEntry);
      line.dataset.shown = String(!!nextEntry);
      setText(title, nextEntry ? [titleOf(nextEntry), nextEntry.artist].filter(Boolean).join(' – ') : '');
    },
  };
}
