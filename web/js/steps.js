// @ts-check
import { Refusal } from './api.js';
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {(current: string | undefined) => Promise<PlayerState | undefined>} Send */

/** Maximum number of steps that wait. */
const MAXIMUM_WAITING = 16;

/**
 * The user's steps through the queue: "next" and "previous". Each request names the entry that the step leaves. If another remote has left this
 * entry first, the server refuses the step, and nothing happens: the users of both remotes wanted the same step, which is taken once.
 *
 * Steps are sent one after the other. So of two quick presses here, the second leaves the entry that the first has made current.
 */
export class Steps {
  #store;
  /** @type {Promise<void> | null} */
  #last = null;
  #waiting = 0;
  /**
   * The current entry by the newest answer, until a state with this revision arrives.
   * @type {{id: string | undefined, epoch: string, revision: number} | null}
   */
  #known = null;

  /** @param {Store} store */
  constructor(store) {
    this.#store = store;
  }

  /**
   * Takes a step after the preceding one. A step that waits is dropped if the preceding one fails.
   * @param {Send} send sends the request
   * @returns {Promise<void>} rejects with the error of the request, unless another remote has taken the step
   */
  async take(send) {
    const last = this.#last;
    if (this.#waiting >= MAXIMUM_WAITING) return;
    this.#waiting += 1;
    const step = last ? last.then(() => this.#send(send)) : this.#send(send);
    this.#last = step;
    try {
      await step;
    } catch (error) {
      // A step that waited fails with the error of the preceding one, which has reported it.
      if (!last || !(await failed(last))) throw error;
    } finally {
      this.#waiting -= 1;
      if (this.#last === step) this.#last = null;
    }
  }

  /** @param {Send} send */
  async #send(send) {
    const { state } = this.#store;
    try {
      const answer = await send(this.#current());
      if (answer) this.#known = { id: answer.currentItem?.id, epoch: answer.epoch, revision: answer.revision };
    } catch (error) {
      if (!(error instanceof Refusal) || !error.problem.type?.endsWith('/current-entry-changed')) throw error;
      if (state) this.#known = { id: error.problem.currentId, epoch: state.epoch, revision: (this.#store.state ?? state).revision + 1 };
    }
  }

  /** The current entry: that of the newest answer if its state has not arrived yet, otherwise that of the state. */
  #current() {
    const { state } = this.#store;
    const known = this.#known;
    if (known && known.epoch === state?.epoch && state.revision < known.revision) return known.id;
    this.#known = null;
    return state?.currentItem?.id;
  }
}

/** @param {Promise<unknown>} promise */
async function failed(promise) {
  return promise.then(() => false, () => true);
}
