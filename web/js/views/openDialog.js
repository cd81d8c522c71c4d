// @ts-check
import { describeError } from '../words.js';
import { mountDialog } from './dialogs.js';
import { hook, setText } from './hooks.js';
import { mountLibrary } from './library.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Opens an address that was typed, or a file that was chosen.
 * @param {Remote} remote
 */
export function mountOpenDialog(remote) {
  const dialog = mountDialog('open');
  const form = hook('address-form', HTMLFormElement);
  const address = hook('address', HTMLInputElement);
  const message = hook('open-message');
  const library = mountLibrary(remote.api, open);
  let isBusy = false;

  /** @param {string} url @param {boolean} [isList] whether the address is that of a playlist file */
  async function open(url, isList = false) {
    if (isBusy) return;
    isBusy = true;
    say('Opening…');
    try {
      const offerUndo = await remote.open(url, isList);
      say('');
      dialog.close();
      offerUndo();
    } catch (error) {
      say(describeError(error), true);
    }
    isBusy = false;
  }

  /** @param {string} text @param {boolean} isError */
  function say(text, isError = false) {
    setText(message, text);
    message.dataset.error = String(isError);
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const url = address.value.trim();
    if (url === '') {
      say('Type the address of a file or a stream first.', true);
      address.focus();
      return;
    }
    void open(url);
  });

  function show() {
    say('');
    dialog.show();
    library.refresh();
  }
  hook('open').addEventListener('click', show);
  hook('empty-open').addEventListener('click', show);
  return { show };
}
