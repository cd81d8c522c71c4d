// @ts-check
import { hook, onPress, setEnabled, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Shows the undo of a replaced queue, in a live region. The offer stays while the pointer or the focus is on it.
 * @param {Remote} remote
 */
export function mountUndo({ store, undo }) {
  const offer = hook('undo');
  const text = hook('undo-text');
  const button = hook('undo-button', HTMLButtonElement);
  const open = hook('open');
  let isPointedAt = false;
  onPress(button, () => void undo.perform());
  hook('undo-dismiss').addEventListener('click', () => undo.dismiss());
  offer.addEventListener('pointerenter', ({ pointerType }) => hold(pointerType === 'mouse'));
  offer.addEventListener('pointerleave', () => hold(false));
  for (const type of ['focusin', 'focusout']) offer.addEventListener(type, () => hold(isPointedAt));

  /** @param {boolean} pointedAt */
  function hold(pointedAt) {
    isPointedAt = pointedAt;
    // During the event, `document.activeElement` is not yet the newly focused element, so it is read after the event.
    queueMicrotask(() => undo.hold(isPointedAt || offer.contains(document.activeElement)));
  }

  return {
    render() {
      const hadFocus = offer.contains(document.activeElement);
      offer.hidden = store.undo === null;
      button.hidden = store.undo?.phase === 'done';
      setEnabled(button, store.undo?.phase === 'offered');
      // If a focused button disappears, the focus moves to the button that opens files.
      if (hadFocus && (offer.hidden || button.hidden)) open.focus({ preventScroll: true });
      setText(text, store.undo?.text ?? '');
    },
  };
}
