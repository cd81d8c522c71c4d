// @ts-check
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./store.js').Anchor} Anchor */

/**
 * Where the ear is, by the anchor alone: `time + (now − hostTime) · rate`, inside the item.
 * @param {Anchor} anchor
 * @param {number} hostNow the server's clock, in seconds
 * @param {number | undefined} duration seconds; undefined where unknown or endless
 */
export function positionAt(anchor, hostNow, duration) {
  // An anchor in the future (a start that was scheduled, or a clock not yet known well) has not begun to move.
  const elapsed = Math.max(0, hostNow - anchor.hostTime);
  const position = anchor.time + elapsed * anchor.rate;
  return Math.max(0, duration === undefined ? position : Math.min(position, duration));
}

/** Seconds. A step back up to this is the estimate being refined; a larger one is a clock that was stopped or set, and the truth. */
const REFINEMENT = 0.25;

/**
 * The position to show. Between two anchors it never steps back (or forward, in reverse), although the estimate of the server's clock is
 * refined all the time: a time that reads 0:05, 0:04, 0:05 is a lie.
 */
export class Playhead {
  #hostNow;
  /** @type {Anchor | null} */
  #anchor = null;
  #last = 0;

  /** @param {() => number} hostNow the server's clock, in seconds */
  constructor(hostNow) {
    this.#hostNow = hostNow;
  }

  /** @param {PlayerState | null} state */
  position(state) {
    if (!state?.currentItem) return 0;
    const { anchor } = state;
    const position = positionAt(anchor, this.#hostNow(), state.currentItem.duration);
    const stepBack = (this.#last - position) * Math.sign(anchor.rate);
    const isRefined = this.#anchor === anchor && stepBack > 0 && stepBack <= REFINEMENT;
    this.#anchor = anchor;
    if (!isRefined) this.#last = position;
    return this.#last;
  }
}
