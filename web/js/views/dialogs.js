// @ts-check
import { hook } from './hooks.js';

/**
 * A modal dialog with its close button; a press beside it closes it too.
 * @param {string} name of the dialog's hook, with a close button `…-close`
 */
export function mountDialog(name) {
  const dialog = hook(`${name}-dialog`, HTMLDialogElement);
  hook(`${name}-close`).addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  return {
    show() {
      if (!dialog.open) dialog.showModal();
    },
    close: () => dialog.close(),
  };
}
