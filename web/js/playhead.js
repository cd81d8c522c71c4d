// @ts-check
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./store.js').Anchor} Anchor */

/**
 * Returns the position that is heard: `anchor.time + (hostNow − anchor.hostTime) · anchor.rate`, limited to the item. At the end of a loop the
 * position continues at the loop's start; in reverse it continues at the loop's end.
 * @param {Anchor} anchor
 * @param {number} hostNow the time of the server's clock now, in seconds
 * @param {number | undefined} duration the duration of the item, in seconds; undefined if it is unknown or endless
 * @param {{start: number, end: number}} [loop] the repeated part, in seconds of media time
 */
export function positionAt(anchor, hostNow, duration, loop) {
  // If the anchor's host time is in the future (a scheduled start, or an inaccurate clock), the position does not move yet.
  const elapsed = Math.max(0, hostNow - anchor.hostTime);
  let position = anchor.time + elapsed * anchor.rate;
  if (loop && anchor.rate > 0 && anchor.time < loop.end && position >= loop.end) {
    position = loop.start + ((position - loop.start) % (loop.end - loop.start));
  } else if (loop && anchor.rate < 0 && anchor.time > loop.start && position <= loop.start) {
    position = loop.end - ((loop.end - position) % (loop.end - loop.start));
  }
  return Math.max(0, duration === undefined ? position : Math.min(position, duration));
}

/**
 * The largest backward step of the position that the page hides, in seconds. A smaller step only means that the estimate of the server's clock was
 * refined. A larger step means that a clock was stopped or set, so the page shows it.
 */
const REFINEMENT = 0.25;

/**
 * The position that the page shows. Until the next anchor arrives, the shown position does not step back (in reverse: forward) because the estimate
 * of the server's clock was refined. Otherwise the display could read 0:05, 0:04, 0:05.
 */
export class Playhead {
  #hostNow;
  /** @type {Anchor | null} */
  #anchor = null;
  #last = 0;

  /** @param {() => number} hostNow the time of the server's clock, in seconds */
  constructor(hostNow) {
    this.#hostNow = hostNow;
  }

  /** @param {PlayerState | null} state */
  position(state) {
    if (!state?.currentItem) return 0;
    const { anchor } = state;
    const position = positionAt(anchor, this.#hostNow(), state.currentItem.duration, state.loop);
    const stepBack = (this.#last - position) * Math.sign(anchor.rate);
    const isRefined = this.#anchor === anchor && stepBack > 0 && stepBack <= REFINEMENT;
    this.#anchor = anchor;
    if (!isRefined) this.#last = position;
    return this.#last;
  }
}
