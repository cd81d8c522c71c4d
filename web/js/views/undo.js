// @ts-check
import { setAttribute } from './dom.js';
import { hook, onAttention, onPress, setEnabled, setText } from './hooks.js';
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
  onPress(button, () => void undo.perform());
  hook('undo-dismiss').addEventListener('click', () => undo.dismiss());
  onAttention(offer, (isAttended) => undo.hold(isAttended));

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
