// @ts-check
import { titleOf } from '../format.js';
import { isStill, sourceOf, targetOf } from './arrangement.js';
import { matcher } from './search.js';
/** @typedef {import('../store.js').Item} Item */
/** @typedef {import('./arrangement.js').Move} Move */
/** @typedef {import('./queue.js').QueueModel} QueueModel */

/**
 * The rows of the queue that a view shows: all entries, or those that match the filter. During a move, the entries are in the order after the move.
 * The board also knows the selected entries. It dispatches `change` after each change.
 */
export class Board extends EventTarget {
  #queue;
  #filter = '';
  /**
   * The indices of the entries that match the filter; null without a filter.
   * @type {number[] | null}
   */
  #found = null;
  /**
   * The entries that are moved, in their order.
   * @type {string[]}
   */
  #lifted = [];
  /** @type {Move | null} */
  #move = null;
  /**
   * The revision of the queue when the entries were dropped; null while they are lifted. The move is over as soon as the queue has another revision.
   * @type {number | null}
   */
  #droppedAt = null;
  /** @type {Set<string> | null} */
  #selected = null;
  #anchor = -1;

  /** @param {QueueModel} queue */
  constructor(queue) {
    super();
    this.#queue = queue;
    queue.addEventListener('change', () => this.#queueChanged());
  }

  /** The number of rows. */
  get count() {
    return this.#found?.length ?? this.#queue.count;
  }
  get isFiltered() {
    return this.#found !== null;
  }
  get filter() {
    return this.#filter;
  }
  /** Whether entries are lifted and not yet dropped. */
  get isLifted() {
    return this.#move !== null && this.#droppedAt === null;
  }
  /** The move in progress. */
  get move() {
    return this.#move;
  }
  get lifted() {
    return this.#lifted;
  }
  /** The ids of the selected entries; null if nothing is being selected. */
  get selected() {
    return this.#selected;
  }
  /** @param {string | undefined} id */
  isLiftedEntry(id) {
    return this.isLifted && id !== undefined && this.#lifted.includes(id);
  }

  /** @param {number} row @returns the index in the queue */
  indexOf(row) {
    return this.#found ? this.#found[row] ?? -1 : sourceOf(this.#move, row);
  }
  /** @param {number} row @returns {Item | undefined} undefined if the entry has not been read yet */
  entry(row) {
    return this.#queue.at(this.indexOf(row));
  }
  /** @param {string | undefined} id @returns the row of an entry; -1 if it is not among the rows, or has not been read */
  rowOf(id) {
    const index = this.#queue.indexOf(id);
    return this.#found ? this.#found.indexOf(index) : targetOf(this.#move, index);
  }

  /** @param {string} text the words that the shown entries contain; an empty text shows all */
  setFilter(text) {
    this.#filter = text;
    this.#search();
    this.#changed();
  }

  /**
   * Lifts an entry, or all selected ones if it is one of them.
   * @param {number} row
   * @returns {boolean} false if there is no entry, or only some are shown
   */
  lift(row) {
    const id = this.entry(row)?.id;
    if (id === undefined || this.isFiltered || this.isLifted) return false;
    const ids = this.#selected?.has(id) ? this.inOrder(this.#selected) : [id];
    this.#lifted = ids;
    this.#droppedAt = null;
    this.#move = { moved: ids.map((each) => this.#queue.indexOf(each)), to: 0 };
    this.moveTo(row - ids.indexOf(id));
    return true;
  }
  /** @param {number} to the row of the first lifted entry */
  moveTo(to) {
    if (!this.#move) return;
    const { moved } = this.#move;
    this.#move = { moved, to: Math.max(0, Math.min(to, this.#queue.count - moved.length)) };
    this.#changed();
  }
  /**
   * Ends a lift. The entries are shown at their new rows until the queue has changed, or until `endMove`.
   * @returns {boolean} whether they were moved
   */
  drop() {
    if (!this.#move || isStill(this.#move)) return this.endMove(), false;
    this.#droppedAt = this.#queue.revision;
    this.#changed();
    return true;
  }
  /** Ends the move: shows the entries in the order of the queue. */
  endMove() {
    this.#move = null;
    this.#lifted = [];
    this.#droppedAt = null;
    this.#changed();
  }

  /** @param {boolean} isSelecting */
  setSelecting(isSelecting) {
    this.#selected = isSelecting ? new Set() : null;
    this.#anchor = -1;
    this.#changed();
  }
  /** Selects the entry of a row; if it is selected already, deselects it. @param {number} row */
  toggle(row) {
    const id = this.entry(row)?.id;
    if (id === undefined) return;
    const selected = (this.#selected ??= new Set());
    if (!selected.delete(id)) selected.add(id);
    this.#anchor = row;
    this.#changed();
  }
  /** Selects the entries from the row that was selected last to this one. @param {number} row */
  selectTo(row) {
    if (this.#anchor < 0) this.#anchor = row;
    this.selectRows(Math.min(this.#anchor, row), Math.max(this.#anchor, row));
  }
  /** Selects the entries of these rows that have been read, and no others. @param {number} first @param {number} last */
  selectRows(first, last) {
    this.#selected = new Set();
    for (let row = first; row <= last; row += 1) {
      const id = this.entry(row)?.id;
      if (id !== undefined) this.#selected.add(id);
    }
    this.#changed();
  }
  /** Sets the row from which `selectTo` selects, unless a row was selected before. @param {number} row */
  anchorAt(row) {
    if (this.#anchor < 0) this.#anchor = row;
  }
  /** @param {Iterable<string>} ids @returns {string[]} the ids of entries that the queue has, in its order */
  inOrder(ids) {
    const places = new Map(this.#queue.entries.map((entry, index) => [entry?.id, index]));
    return [...ids].filter((id) => places.has(id)).sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  }

  #queueChanged() {
    this.#search();
    const moved = this.#move && this.#lifted.map((id) => this.#queue.indexOf(id)).sort((a, b) => a - b);
    const isOver = this.#droppedAt !== null && this.#queue.revision !== this.#droppedAt;
    if (moved && (isOver || moved.some((index) => index < 0))) {
      this.#move = null;
      this.#lifted = [];
      this.#droppedAt = null;
    } else if (moved && this.#move) this.#move = { moved, to: Math.min(this.#move.to, this.#queue.count - moved.length) };
    if (this.#selected && this.#queue.isComplete) {
      const ids = new Set(this.#queue.entries.map((entry) => entry?.id));
      for (const id of this.#selected) if (!ids.has(id)) this.#selected.delete(id);
    }
    this.#changed();
  }

  #search() {
    const matches = this.#filter.trim() === '' ? null : matcher(this.#filter, titleOf);
    this.#found = matches && this.#queue.entries.flatMap((entry, index) => (entry && matches(entry) ? index : []));
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}
