// @ts-check
import { t } from '../lang/lang.js';
import { setAttribute } from './dom.js';
import { hook, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The duration of a check after which the page says that it checks, in milliseconds. */
const SHOWN_AFTER = 500;

/**
 * Shows whether the displayed state of the player is current.
 * @param {Remote} remote
 */
export function mountConnection(remote) {
  const page = hook('page');
  const text = hook('connection-text');
  const retry = hook('connection-retry', HTMLButtonElement);
  retry.addEventListener('click', () => remote.wake());

  let timer = 0;
  let wasOpen = false;

  function render() {
    const { connection, state, checkedSince } = remote.store;
    clearTimeout(timer);
    let shown = connection;
    // A check usually ends before a user could read a text about it, so it is not shown at first.
    if (connection === 'checking') {
      const pause = checkedSince + SHOWN_AFTER - performance.now();
      if (pause > 0) {
        timer = setTimeout(render, pause);
        shown = 'open';
      }
    }
    page.dataset.connection = shown;
    // The text has no countdown to the next attempt, because a screen reader reads each change of a live region, so it would read each number. The
    // first connection is not announced either, because the title of the item is announced.
    if (wasOpen) setAttribute(text, 'aria-live', 'polite');
    wasOpen = wasOpen || shown === 'open';
    setText(text, t(`link.status.${shown === 'connecting' && state ? 'open' : shown}`));
    retry.hidden = shown !== 'lost';
  }
  return { render };
}
