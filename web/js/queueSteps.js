// @ts-check
import { Refusal } from './link/api.js';
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {(current: string | undefined) => Promise<PlayerState | undefined>} Send */

/** The maximum number of steps whose requests have no response yet; further presses of the buttons have no effect. */
const MAXIMUM_WAITING = 16;

/**
 * The user's steps through the queue: "next" and "previous". Each request names the entry that the step leaves. If another remote has left that entry
 * first, the server refuses the request, and the page reports no error: the users of both remotes wanted the same step, and it was taken once.
 *
 * Each step is sent after the response to the preceding step. So if a user presses a button twice quickly, the second step leaves the entry that the
 * first step has made current.
 */
export class QueueSteps {
  #store;
  /** @type {Promise<void> | null} */
  #last = null;
  #waiting = 0;
  /**
   * The id of the current entry by the newest response to a step, with the response's epoch and revision. It is used until a state with that revision
   * arrives; null means that the id in the newest state is used.
   * @type {{id: string | undefined, epoch: string, revision: number} | null}
   */
  #known = null;

  /** @param {Store} store */
  constructor(store) {
    this.#store = store;
  }

  /**
   * Takes a step after the preceding step has ended. If the preceding step fails, the request of this step is not sent.
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
      // A step that was not sent, because the preceding step failed, fails with the error of the preceding step. That error is reported already.
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
      // Over a WebSocket the state arrives before the answer, which has no members.
      if (answer?.epoch) this.#known = { id: answer.currentItem?.id, epoch: answer.epoch, revision: answer.revision };
    } catch (error) {
      if (!(error instanceof Refusal) || !error.problem.type?.endsWith('/current-entry-changed')) throw error;
      if (state) this.#known = { id: error.problem.currentId, epoch: state.epoch, revision: (this.#store.state ?? state).revision + 1 };
    }
  }

  /**
   * The id of the current entry: by the newest response to a step if the state after that step has not arrived yet, otherwise by the newest state.
   */
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
