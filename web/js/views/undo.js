// @ts-check
import { setAttribute } from './dom.js';
import { hook, onPress, setEnabled, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Shows the offer to undo an edit of the queue, in a live region. The offer does not expire while the pointer or the focus is on it.
 * @param {Remote} remote
 */
export function mountUndo({ store, undo }) {
  const offer = hook('undo');
  const text = hook('undo-text');
  const button = hook('undo-button', HTMLButtonElement);
  const play = hook('play');
  let isPointedAt = false;
  onPress(button, () => void undo.perform());
  hook('undo-dismiss').addEventListener('click', () => undo.dismiss());
  offer.addEventListener('pointerenter', ({ pointerType }) => hold(pointerType === 'mouse'));
  offer.addEventListener('pointerleave', () => hold(false));
  for (const type of ['focusin', 'focusout']) offer.addEventListener(type, () => hold(isPointedAt));

  /** @param {boolean} pointedAt */
  function hold(pointedAt) {
    isPointedAt = pointedAt;
    // During a focus event, `document.activeElement` is not yet the newly focused element. So it is read after the event.
    queueMicrotask(() => undo.hold(isPointedAt || offer.contains(document.activeElement)));
  }

  return {
    render() {
      const hadFocus = offer.contains(document.activeElement);
      offer.hidden = store.undo === null;
      // A screen reader reads the result only.
      setAttribute(offer, 'aria-busy', store.undo?.phase === 'busy' && 'true');
      button.hidden = store.undo?.phase === 'done';
      setEnabled(button, store.undo?.phase === 'offered');
      // If the focused button of the offer disappears, the focus moves to Play, because otherwise the page would lose the focus.
      if (hadFocus && (offer.hidden || button.hidden)) play.focus({ preventScroll: true });
      setText(text, store.undo?.text ?? '');
    },
  };
}
