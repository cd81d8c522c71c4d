// @ts-check
import { hook, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Whether what is shown is true now.
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
      // No countdown: a live region would read out each number.
      const words = {
        connecting: state ? 'Connected' : 'Connecting…', open: 'Connected', reconnecting: state ? 'Connected' : 'Connecting…',
        lost: 'Disconnected. Trying again…',
      };
      setText(text, words[connection]);
      retry.hidden = connection !== 'lost';
    },
  };
}
