// @ts-check
import { tokenIn } from '../access.js';
import { t } from '../lang/lang.js';
import { Refusal } from '../link/api.js';
import { describeError } from '../words.js';
import { setAttribute } from './dom.js';
import { focusMain, hook, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Asks for the token if the server requires one. Meanwhile the page has no other content.
 * @param {Remote} remote
 */
export function mountUnlock(remote) {
  const page = hook('page');
  const dialog = hook('unlock-dialog', HTMLDialogElement);
  const form = hook('unlock-form', HTMLFormElement);
  const field = hook('unlock-token', HTMLInputElement);
  const see = hook('unlock-see', HTMLInputElement);
  const message = hook('unlock-message');

  // The user cannot close the dialog with Escape, because the page has no content without a token.
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  see.addEventListener('change', () => (field.type = see.checked ? 'text' : 'password'));
  field.addEventListener('input', () => say(''));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void unlock(tokenIn(field.value));
  });

  /** @param {string} text */
  function say(text) {
    setText(message, text);
    setAttribute(field, 'aria-invalid', text !== '' && 'true');
  }

  /** @param {string} token */
  async function unlock(token) {
    if (!token) return field.focus();
    say('');
    form.setAttribute('aria-busy', 'true');
    try {
      await remote.unlock(token);
      field.value = '';
    } catch (error) {
      // The text stays, so that the user can see and correct it.
      say(error instanceof Refusal && error.status === 401 ? t('shell.unlock.wrong') : describeError(error));
      field.focus();
    }
    form.removeAttribute('aria-busy');
  }

  return {
    render() {
      const { isLocked } = remote.store;
      page.dataset.locked = String(isLocked);
      if (isLocked === dialog.open) return;
      if (!isLocked) {
        dialog.close();
        return focusMain();
      }
      for (const open of document.querySelectorAll('dialog[open]')) if (open instanceof HTMLDialogElement) open.close();
      dialog.showModal();
    },
  };
}
