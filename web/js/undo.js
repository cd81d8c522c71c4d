// @ts-check
import { Refusal } from './api.js';
import { formatTime, titleOf } from './format.js';
import { restoreQueue, saveQueue } from './savedQueue.js';
/** @typedef {import('./api.js').API} API */
/** @typedef {import('./savedQueue.js').SavedQueue} SavedQueue */
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./timers.js').Timers} Timers */

/** The times for which the undo is offered without a pointer on it, and for which its success is shown, in seconds. */
const PATIENCE = 15;
const SUCCESS_SHOWN = 4;

/**
 * The undo of a replaced queue: it restores one step, is offered for some seconds, and only while no client has edited the new queue.
 */
export class QueueUndo {
  #api;
  #store;
  #timers;
  #failed;
  /** @type {SavedQueue | null} */
  #saved = null;
  /** The item that replaced the queue, and the revision of the new queue. */
  #item = '';
  /** @type {number | undefined} */
  #revision;
  #timer = 0;
  #isHeld = false;
  #isBusy = false;

  /** @param {{api: API, store: Store, timers: Timers, failed: (error: unknown) => void}} parts */
  constructor({ api, store, timers, failed }) {
    this.#api = api;
    this.#store = store;
    this.#timers = timers;
    this.#failed = failed;
  }

  /**
   * Returns the data that is lost if the queue is replaced now. Throws an error if the queue cannot be read, so that the queue is not replaced.
   * @param {number} time the position in the current entry, in seconds
   * @returns {Promise<SavedQueue | null>} the data of the queue; null if no data is lost
   */
  async save(time) {
    const { state, queue } = this.#store;
    const count = state?.queue?.count ?? 0;
    if (!state || count === 0) return null;
    const item = state.currentItem;
    if (count === 1 && item) return saveQueue(state, [item], time);
    const isFresh = queue && item && queue.epoch === state.epoch && queue.revision === state.queue?.revision;
    return saveQueue(state, (isFresh ? queue : await this.#api.queue()).entries, time);
  }

  /**
   * Offers to restore a replaced queue.
   * @param {SavedQueue | null} saved
   * @param {string} item the id of the item that replaced the queue
   */
  offer(saved, item) {
    this.#forget();
    if (!saved) return this.dismiss();
    this.#saved = saved;
    this.#item = item;
    const { state } = this.#store;
    if (state) this.stateArrived(state);
    const { current, time, before, after } = saved;
    const place = `“${titleOf(current)}”${time >= 1 ? ` at ${formatTime(time)}` : ''}`;
    const count = before.length + 1 + after.length;
    const entries = count === 1 ? place : `its ${count} entries, with ${place}`;
    const text = `The queue was replaced. Undo restores ${entries}.`;
    this.#store.offerUndo({ text, phase: 'offered' });
    this.#arm(PATIENCE);
  }

  /**
   * Withdraws the offer to undo if the new queue was edited, because the user who edited it wants to keep it, or if the server was restarted.
   * @param {PlayerState} state
   */
  stateArrived(state) {
    if (!this.#saved || this.#isBusy) return;
    const revision = state.queue?.revision;
    if (this.#revision === undefined) {
      if (state.currentItem?.id === this.#item) this.#revision = revision;
    } else if (revision !== this.#revision) {
      this.dismiss();
    }
  }

  /** @param {boolean} isHeld whether a pointer or the focus is on the offer, which then stays */
  hold(isHeld) {
    this.#isHeld = isHeld;
    if (this.#saved && !this.#isBusy) this.#arm(PATIENCE);
  }

  /** Restores the queue. If restoring the queue fails, the user can try again. */
  async perform() {
    const saved = this.#saved;
    if (!saved || this.#isBusy) return;
    this.#isBusy = true;
    this.#timers.stop(this.#timer);
    this.#store.offerUndo({ text: 'Restoring the queue…', phase: 'busy' });
    try {
      await restoreQueue(this.#api, saved, this.#tag());
      this.#forget();
      this.#store.offerUndo({ text: 'The queue was restored.', phase: 'done' });
    } catch (error) {
      if (error instanceof Refusal && error.status === 412) return this.#withdraw(error);
      // A part may be restored already. The item that replaced the queue is gone, so edits are no longer checked.
      this.#item = '';
      this.#revision = undefined;
      this.#failed(error);
      this.#store.offerUndo({ text: 'The queue was not restored completely. Press Undo to try again.', phase: 'offered' });
    }
    this.#isBusy = false;
    this.#arm(this.#saved ? PATIENCE : SUCCESS_SHOWN);
  }

  /**
   * The tag of the item that replaced the queue, with the queue's revision. It is no longer current if a client has edited the queue, even if the
   * state with the edit has not arrived yet.
   */
  #tag() {
    const epoch = this.#store.state?.epoch;
    return epoch && this.#item && this.#revision !== undefined ? `"item:${epoch}:${this.#revision}:${this.#item}"` : undefined;
  }

  /**
   * Withdraws the offer because the new queue was edited. Nothing has been restored.
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
    this.#forget();
    this.#store.offerUndo(null);
  }

  #forget() {
    this.#saved = null;
    this.#item = '';
    this.#revision = undefined;
  }

  /** @param {number} seconds */
  #arm(seconds) {
    this.#timers.stop(this.#timer);
    if (!this.#isHeld || !this.#saved) this.#timer = this.#timers.start(() => this.dismiss(), seconds);
  }
}
