// @ts-check
import { positionAt } from './playhead.js';
/** @typedef {import('./store.js').PlayerState} PlayerState */

/** The smallest jump that can be undone, in seconds. */
const FAR = 30;
/** The time in which several jumps count as one, in seconds: a finger that scrubs seeks many times a second. */
const CHAIN = 2;
/** The reasons of a change after which the position jumped without a seek. */
const NO_SEEK = new Set(['itemAdvanced', 'itemChanged', 'itemLoaded', 'didPlayToEndTime', 'queueChanged']);

/**
 * Finds jumps of the position, whichever client has caused them, and remembers the position before a jump, to which the user may return.
 */
export class Jumps {
  /** @type {PlayerState | null} */
  #before = null;
  /** @type {{from: number, at: number, id: string} | null} */
  #chain = null;
  /** Whether an undo causes the next jump. The page does not offer to undo such a jump. */
  #isUndoing = false;

  /**
   * Compares a new state with the preceding one.
   * @param {PlayerState} state
   * @param {number} now seconds
   * @returns {{from: number} | null | undefined} the position before a far jump, in seconds, to which the user may return; null if the offer of an
   *   earlier jump ends; undefined if nothing changed
   */
  stateArrived(state, now) {
    const before = this.#before;
    this.#before = state;
    if (!before || before === state) return undefined;
    const item = state.currentItem;
    if (!item || before.epoch !== state.epoch || before.currentItem?.id !== item.id) {
      this.#chain = null;
      this.#isUndoing = false;
      return null;
    }
    if (before.anchor === state.anchor || NO_SEEK.has(state.lastChange?.reason)) return undefined;
    const from = positionAt(before.anchor, state.anchor.hostTime, item.duration, before.loop);
    if (Math.abs(state.anchor.time - from) < 1) return undefined;
    if (this.#isUndoing) {
      this.#isUndoing = false;
      this.#chain = null;
      return null;
    }
    if (!this.#chain || now - this.#chain.at > CHAIN) this.#chain = { from, at: now, id: item.id };
    this.#chain.at = now;
    return Math.abs(state.anchor.time - this.#chain.from) > FAR ? { from: this.#chain.from } : null;
  }

  /** Notes that an undo causes the next jump. */
  undoing() {
    this.#isUndoing = true;
  }
}
