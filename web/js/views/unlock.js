// @ts-check
import { describeError } from '../words.js';
import { hook, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Asks for the token if the server requires one.
 * @param {Remote} remote
 */
export function mountUnlock(remote) {
  const dialog = hook('unlock-dialog', HTMLDialogElement);
  const form = hook('unlock-form', HTMLFormElement);
  const field = hook('unlock-token', HTMLInputElement);
  const message = hook('unlock-message');

  // The user cannot close the dialog with Escape, because the page has no content without a token.
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void unlock(field.value.trim());
  });

  /** @param {string} token */
  async function unlock(token) {
    if (!token) return;
    setText(message, '');
    try {
      await remote.unlock(token);
      field.value = '';
    } catch (error) {
      setText(message, describeError(error));
      field.select();
    }
  }

  return {
    render() {
      if (remote.store.isLocked === dialog.open) return;
      if (remote.store.isLocked) dialog.showModal();
      else dialog.close();
    },
  };
}
