// @ts-check
import { hook, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Shows whether the displayed state of the player is current.
 * @param {Remote} remote
 */
export function mountConnection(remote) {
  const page = hook('page');
  const text = hook('connection-text');
  const retry = hook('connection-retry', HTMLButtonElement);
  retry.addEventListener('click', () => remote.wake());

  return {
    render() {
      const { connection, state } = remote.store;
      page.dataset.connection = connection;
      // The text has no countdown to the next attempt, because a screen reader reads each change of a live region, so it would read each number.
      const words = {
        connecting: state ? 'Connected' : 'Connecting…', open: 'Connected', reconnecting: state ? 'Connected' : 'Connecting…',
        lost: 'Disconnected. Trying again…',
      };
      setText(text, words[connection]);
      retry.hidden = connection !== 'lost';
    },
  };
}
