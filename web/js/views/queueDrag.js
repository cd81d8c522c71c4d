// @ts-check
/** @typedef {import('../state/board.js').Board} Board */
/** @typedef {ReturnType<typeof import('./virtualList.js').makeVirtualList>} List */

/** The time for which a finger has to rest on a row to lift it, in milliseconds, and the distance that it may move meanwhile, in pixels. */
const HOLD = 420;
const SLOP = 8;
/**
 * The part of the list's height, at its top and at its bottom, in which a lifted row makes the list scroll; and the speed of this scrolling, in rows
 * per second. The speed grows with the seconds for which the row has been in this part.
 */
const EDGE = 0.16;
const speedAfter = (/** @type {number} */ seconds) => 6 + 60 * seconds * seconds;

/**
 * Lets a pointer move rows. The handle lifts a row at once, any other part of the row after a press of some time. At the ends of the list a lifted
 * row scrolls the list, faster and faster.
 * @param {{list: List, board: Board, drop: (handle: Element | null) => void}} parts
 */
export function mountQueueDrag({ list, board, drop }) {
  const { element } = list;
  /**
   * The pointer that may lift a row.
   * @type {{id: number, row: number, x: number, y: number, isHandle: boolean, timer: number} | null}
   */
  let held = null;
  /**
   * The pointer that has lifted a row; null if none has. `grip` is the pointer's distance from the top of the row, in pixels. `place` is the index of
   * the row among the lifted rows.
   * @type {{id: number, y: number, grip: number, entry: string, place: number} | null}
   */
  let drag = null;
  /**
   * The element of the lifted row, which follows the pointer.
   * @type {HTMLElement | null}
   */
  let shifted = null;
  let edgeSince = 0;
  let frameAt = 0;
  let isSuppressed = false;

  element.addEventListener('pointerdown', (event) => {
    isSuppressed = false;
    const target = /** @type {Element} */ (event.target);
    const row = list.indexOf(target);
    if (drag || event.button !== 0 || !event.isPrimary || row < 0 || target.closest('.queue-menu')) return release();
    const isHandle = target.closest('.queue-handle') !== null;
    if (!isHandle && event.pointerType === 'mouse') return release();
    release();
    held = { id: event.pointerId, row, x: event.clientX, y: event.clientY, isHandle, timer: isHandle ? 0 : window.setTimeout(() => lift(), HOLD) };
  });

  element.addEventListener('pointermove', (event) => {
    if (drag?.id === event.pointerId) {
      drag.y = event.clientY;
      follow();
    } else if (held?.id === event.pointerId) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < (held.isHandle ? 3 : SLOP)) return;
      if (held.isHandle) lift(event.clientY);
      else release();
    }
  });
  element.addEventListener('pointerup', (event) => end(event, true));
  element.addEventListener('pointercancel', (event) => end(event, false));
  // While a finger drags a row, the page must not scroll. A listener of `touchmove` can prevent scrolling only if it is not passive and was already
  // there when the touch began.
  element.addEventListener('touchmove', (event) => drag && event.cancelable && event.preventDefault(), { passive: false });
  element.addEventListener('contextmenu', (event) => (held || drag) && event.preventDefault(), true);
  // The click after a drag is not meant for the row under the pointer.
  element.addEventListener('click', (event) => {
    if (!isSuppressed) return;
    isSuppressed = false;
    event.stopPropagation();
    event.preventDefault();
  }, true);
  document.addEventListener('keydown', (event) => {
    if (!drag || event.key !== 'Escape') return;
    event.preventDefault();
    finish();
    board.endMove();
  }, true);

  function release() {
    window.clearTimeout(held?.timer);
    held = null;
  }

  function lift(y = held?.y ?? 0) {
    if (!held) return;
    const { id, row, y: start } = held;
    const entry = board.entry(row)?.id;
    release();
    if (entry === undefined || !board.lift(row)) return;
    isSuppressed = true;
    const place = board.lifted.indexOf(entry);
    drag = { id, y, grip: start - element.getBoundingClientRect().top + element.scrollTop - row * list.rowHeight, entry, place };
    element.dataset.dragging = 'true';
    // The row stays in the document, wherever the list scrolls: a touch ends for the page if its element is removed.
    list.hold(board.rowOf(entry));
    element.setPointerCapture(id);
    navigator.vibrate?.(12);
    edgeSince = 0;
    frameAt = performance.now();
    requestAnimationFrame(frame);
    follow();
  }

  /** Moves the lifted entries to the row under the pointer, and draws the pressed row exactly at the pointer. */
  function follow() {
    if (!drag) return;
    if (!board.isLifted) return finish(); // The entry is gone.
    const { top } = element.getBoundingClientRect();
    const target = drag.y - top + element.scrollTop - drag.grip;
    const to = Math.round(target / list.rowHeight) - drag.place;
    if (to !== board.move?.to) board.moveTo(to);
    const row = (board.move?.to ?? 0) + drag.place;
    const rowElement = list.row(row) ?? null;
    if (rowElement !== shifted) shifted?.style.removeProperty('translate');
    shifted = rowElement;
    shifted?.style.setProperty('translate', `0 ${target - row * list.rowHeight}px`);
  }

  /** @param {number} now */
  function frame(now) {
    if (!drag) return;
    const { top, height } = element.getBoundingClientRect();
    const zone = height * EDGE;
    const above = (top + zone - drag.y) / zone;
    const below = (drag.y - (top + height - zone)) / zone;
    const depth = Math.min(1, Math.max(above, below));
    const elapsed = Math.min(0.1, (now - frameAt) / 1000);
    frameAt = now;
    if (depth > 0) {
      edgeSince ||= now;
      const distance = Math.min(height * 3, speedAfter((now - edgeSince) / 1000) * list.rowHeight * elapsed * depth);
      element.scrollTop += above > below ? -distance : distance;
      follow();
    } else edgeSince = 0;
    requestAnimationFrame(frame);
  }

  /** @param {PointerEvent} event @param {boolean} isDrop */
  function end(event, isDrop) {
    if (held?.id === event.pointerId) release();
    if (drag?.id !== event.pointerId) return;
    const row = list.row(board.rowOf(drag.entry));
    finish();
    if (isDrop) drop(row?.querySelector('.queue-handle') ?? null);
    else board.endMove();
  }

  function finish() {
    shifted?.style.removeProperty('translate');
    shifted = null;
    if (drag && element.hasPointerCapture(drag.id)) element.releasePointerCapture(drag.id);
    delete element.dataset.dragging;
    drag = null;
    list.hold(null);
  }
}
