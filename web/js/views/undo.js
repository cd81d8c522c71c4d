// @ts-check
import { hook, onPress, setEnabled, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * The way back after the queue was replaced, in a live region. It stays while somebody points at it or has moved the focus to it.
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
    // Where the focus goes is known after the event.
    queueMicrotask(() => undo.hold(isPointedAt || offer.contains(document.activeElement)));
  }

  return {
    render() {
      const hadFocus = offer.contains(document.activeElement);
      offer.hidden = store.undo === null;
      button.hidden = store.undo?.phase === 'done';
      setEnabled(button, store.undo?.phase === 'offered');
      // The focus is not lost with a button that goes: back to where the file was opened from.
      if (hadFocus && (offer.hidden || button.hidden)) open.focus({ preventScroll: true });
      setText(text, store.undo?.text ?? '');
    },
  };
}
