// @ts-check
import { hook } from './hooks.js';

/**
 * Connects a modal dialog and its close button; a click outside also closes the dialog.
 * @param {string} name the name of the dialog's `data-hook`; its close button has the hook `…-close`
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
