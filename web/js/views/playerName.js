// @ts-check
import { hook, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {{name?: string, version?: string}} Server */

/**
 * Shows the player's name at the top of the page.
 * @param {Remote} remote
 * @returns {() => Server} returns the name and the version of the player; empty until they are known
 */
export function mountPlayerName(remote) {
  const { store } = remote;
  const title = hook('player-name');
  /** @type {Server} */
  let server = {};
  /** The run of the server whose name is shown. */
  let known = '';

  async function identify() {
    const { epoch } = store.state ?? {};
    if (!epoch || epoch === known) return;
    known = epoch;
    try {
      server = (await remote.command('getServer')).answer ?? {};
      setText(title, server.name ?? '');
      store.touch();
    } catch {
      known = ''; // The name is not important enough for a notice. It is requested again with the next state.
    }
  }
  store.addEventListener('change', () => void identify());
  return () => server;
}
