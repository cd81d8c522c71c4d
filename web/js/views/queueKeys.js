// @ts-check
import { titleOf } from '../format.js';
import { t } from '../lang/lang.js';
import { isStill } from '../state/arrangement.js';
import { rowForKey } from './virtualList.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('../state/board.js').Board} Board */
/** @typedef {ReturnType<typeof import('./virtualList.js').makeVirtualList>} List */

/**
 * Lets the keyboard edit the queue. On a handle, Space lifts the entry, the arrow keys move it, Space drops it, Escape returns it. Delete removes the
 * entry, Shift with an arrow key selects. Each step is announced.
 * @param {object} parts
 * @param {Remote} parts.remote
 * @param {List} parts.list
 * @param {Board} parts.board
 * @param {(handle: Element | null) => Promise<boolean>} parts.drop returns whether the entries were moved
 * @param {(row: number) => void} parts.remove
 */
export function mountQueueKeys({ remote, list, board, drop, remove }) {
  const { element } = list;
  let isLifted = false;

  /** @param {string} key the text that says where the lifted entry is */
  function say(key) {
    const [first] = board.lifted;
    const entry = board.entry(board.rowOf(first));
    const position = (board.move?.to ?? board.rowOf(first)) + 1;
    remote.announce(t(key, { title: titleOf(entry), count: board.lifted.length, position, total: remote.queue.count }));
  }

  // This listener captures the event, so that it runs before the list's own handling of the same keys.
  element.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    const target = /** @type {Element} */ (event.target);
    const row = list.indexOf(target);
    if (row < 0) return;
    const handled = isLifted ? liftedKey(event.key, target) : restingKey(event, target, row);
    if (!handled) return;
    event.preventDefault();
    event.stopPropagation();
  }, true);

  element.addEventListener('focusout', ({ relatedTarget }) => {
    if (isLifted && board.isLifted && !(relatedTarget instanceof Node && element.contains(relatedTarget))) cancel();
  });
  board.addEventListener('change', () => (isLifted &&= board.isLifted));

  function cancel() {
    isLifted = false;
    const [id] = board.lifted;
    const title = titleOf(board.entry(board.rowOf(id)));
    board.endMove();
    const row = board.rowOf(id);
    list.scrollTo(row);
    remote.announce(t('queue.returned', { title, position: row + 1, total: remote.queue.count }));
  }

  /** @param {string} key @param {Element} handle */
  function liftedKey(key, handle) {
    const to = board.move?.to ?? 0;
    if (key === 'Escape') cancel();
    else if (key === ' ' || key === 'Enter') {
      isLifted = false;
      if (board.move && isStill(board.move)) cancel();
      else void drop(handle);
    } else {
      const { first, last } = list.range();
      const target = rowForKey(key, to, remote.queue.count - board.lifted.length + 1, last - first);
      if (target === null) return key === 'Delete';
      if (target !== to) {
        board.moveTo(target);
        list.scrollTo(board.rowOf(board.lifted[0]));
      }
      say('queue.at');
    }
    return true;
  }

  /** @param {KeyboardEvent} event @param {Element} target @param {number} row */
  function restingKey({ key, shiftKey }, target, row) {
    if (key === ' ' && target.closest('.queue-handle') && board.lift(row)) {
      isLifted = true;
      say('queue.lifted');
      return true;
    }
    if (key === 'Delete') return remove(row), true;
    if (key === 'Escape' && board.selected) return board.setSelecting(false), true;
    if (!shiftKey || !key.startsWith('Arrow')) return false;
    const next = rowForKey(key, row, board.count, 1);
    if (next === null) return false;
    board.anchorAt(row);
    list.focus(next);
    board.selectTo(next);
    return true;
  }
}
