// @ts-check
import { Chase } from './link/chase.js';
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./link/timers.js').Timers} Timers */

/** The longest time for which a requested value is still shown after its request has succeeded, while no state confirms the value, in seconds. */
const HOLD = 1.5;

/**
 * A value that the user requested and the player has not confirmed yet: the target of a seek, or a volume. The player's own value stays old until the
 * operation completes (R-SEEK-11). So the page shows the requested value until a state shows the effect of the request, or the request fails.
 *
 * @template R
 */
export class Wanted {
  /** @type {number | null} */
  #value = null;
  /** @type {{reply: R} | null} */
  #done = null;
  #hold = 0;
  #chase;
  #timers;
  #isMet;
  #changed;

  /**
   * @param {object} how
   * @param {(value: number) => Promise<R>} how.perform sends the requested value to the player
   * @param {(state: PlayerState, value: number, reply: R) => boolean} how.isMet whether a state shows the effect of the requested value
   * @param {() => PlayerState | null} how.state returns the newest state of the player; null before the first state
   * @param {() => void} how.changed called when `value` has changed
   * @param {(error: unknown) => void} how.failed called when the newest request failed
   * @param {Timers} how.timers
   */
  constructor({ perform, isMet, state, changed, failed, timers }) {
    this.#timers = timers;
    this.#isMet = isMet;
    this.#changed = changed;
    this.#chase = new Chase(
      perform,
      (_, reply) => {
        this.#done = { reply };
        const now = state();
        if (now) this.stateArrived(now);
        if (this.#value !== null) this.#hold = timers.start(() => this.drop(), HOLD);
      },
      (_, error) => {
        this.drop();
        failed(error);
      },
    );
  }

  /** The requested value, which is shown instead of the player's value; null if no value is requested. */
  get value() {
    return this.#value;
  }

  /** @param {number} value the value to request from the player; it replaces an earlier requested value */
  want(value) {
    this.#timers.stop(this.#hold);
    this.#done = null;
    this.#value = value;
    this.#chase.want(value);
    this.#changed();
  }

  /**
   * Shows the player's own value again if the request has succeeded and the state shows its effect.
   * @param {PlayerState} state
   */
  stateArrived(state) {
    if (this.#value === null || !this.#done || !this.#isMet(state, this.#value, this.#done.reply)) return;
    this.drop();
  }

  /** Shows the player's own value again, even if it differs from the requested value. */
  drop() {
    this.#timers.stop(this.#hold);
    this.#chase.cancel();
    this.#done = null;
    if (this.#value === null) return;
    this.#value = null;
    this.#changed();
  }
}
