// @ts-check
import { t } from './lang/lang.js';
import { Refusal } from './link/api.js';
import { formatTime, titleOf } from './format.js';
/** @typedef {import('./link/api.js').QueueRevision} QueueRevision */
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./link/timers.js').Timers} Timers */

/**
 * Two times, in seconds. The first is the time for which an undo is offered; a pointer on the offer extends it. The second is the time for which the
 * page then shows that the undo has succeeded.
 */
const PATIENCE = 15;
const SUCCESS_SHOWN = 4;

/**
 * The offer to undo an edit of the queue that this page made: for some seconds, and only while no client has edited the queue since. The server
 * restores the queue with the ids of its entries and the position of playback.
 */
export class QueueUndo {
  #command;
  #store;
  #timers;
  #failed;
  /**
   * The revision of the queue after the edit, which the response to the edit contains; null if no undo is offered. A revision of a later
   * state may belong to an edit of another client, which the undo would revert.
   * @type {QueueRevision | null}
   */
  #made = null;
  #timer = 0;
  #isHeld = false;
  #isBusy = false;

  /** @param {{command: import('./remote.js').Command, store: Store, timers: Timers, failed: (error: unknown) => void}} parts */
  constructor({ command, store, timers, failed }) {
    this.#command = command;
    this.#store = store;
    this.#timers = timers;
    this.#failed = failed;
  }

  /**
   * Returns the description of what is lost if the queue is replaced now.
   * @param {number} time the position in the current entry, in seconds
   * @returns {string | null} null if nothing is lost
   */
  describe(time) {
    const { state } = this.#store;
    const count = state?.queue?.count ?? 0;
    if (!state || count === 0) return null;
    const item = state.currentItem;
    if (!item) return t('link.lost.entries', { count });
    const at = item.isSeekable && !state.ended && time >= 1 ? formatTime(time) : '';
    const entry = at ? t('link.lost.at', { title: titleOf(item), time: at }) : t('link.lost.entry', { title: titleOf(item) });
    return count === 1 ? entry : t('link.lost.entriesWith', { count, entry });
  }

  /**
   * Offers to undo an edit, unless the queue was edited since.
   * @param {string | null} text the text of the offer, which says what was done; null if there is nothing to undo
   * @param {QueueRevision | null} made the revision after the edit; null if the server did not report it, so that nothing can be undone safely
   */
  offer(text, made) {
    const { state } = this.#store;
    if (this.#isBusy) return;
    if (text === null || made === null || (state && isEdited(state, made))) return this.dismiss();
    this.#made = made;
    this.#store.offerUndo({ text, phase: 'offered' });
    this.#arm(PATIENCE);
  }

  /**
   * Withdraws the offer to undo if the state shows that the new queue was edited, because the user who edited it wants to keep it.
   * @param {PlayerState} state
   */
  stateArrived(state) {
    if (this.#made && !this.#isBusy && isEdited(state, this.#made)) this.dismiss();
  }

  /** @param {boolean} isHeld whether a pointer or the focus is on the offer; meanwhile the offer does not expire */
  hold(isHeld) {
    this.#isHeld = isHeld;
    if (this.#made && !this.#isBusy) this.#arm(PATIENCE);
  }

  /** Restores the queue, unless another client has edited it meanwhile. If that fails, the user can try again. */
  async perform() {
    if (!this.#made || this.#isBusy) return;
    this.#isBusy = true;
    this.#timers.stop(this.#timer);
    this.#store.offerUndo({ text: t('link.undo.busy'), phase: 'busy' });
    try {
      const { epoch, revision } = this.#made;
      await this.#command('undoEdit', {}, { ifMatch: `"queue:${epoch}:${revision}"` });
      this.#made = null;
      this.#store.offerUndo({ text: t('link.undo.done'), phase: 'done' });
    } catch (error) {
      if (error instanceof Refusal && error.status === 412) return this.#withdraw(error);
      this.#failed(error);
      this.#store.offerUndo({ text: t('link.undo.failed'), phase: 'offered' });
    }
    this.#isBusy = false;
    this.#arm(this.#made ? PATIENCE : SUCCESS_SHOWN);
  }

  /**
   * Withdraws the offer to undo, because the server refused to restore the queue: the new queue was edited. Nothing has been restored.
   * @param {Refusal} error
   */
  #withdraw(error) {
    this.#isBusy = false;
    this.#failed(error);
    this.dismiss();
  }

  dismiss() {
    if (this.#isBusy) return;
    this.#timers.stop(this.#timer);
    this.#made = null;
    this.#store.offerUndo(null);
  }

  /** @param {number} seconds */
  #arm(seconds) {
    this.#timers.stop(this.#timer);
    if (!this.#isHeld || !this.#made) this.#timer = this.#timers.start(() => this.dismiss(), seconds);
  }
}

/**
 * Whether a state shows that the queue was edited after a revision. A state that arrives late, with an earlier revision, does not show it.
 * @param {PlayerState} state
 * @param {QueueRevision} made
 */
function isEdited({ epoch, queue }, made) {
  return epoch !== made.epoch || (queue?.revision ?? 0) > made.revision;
}
