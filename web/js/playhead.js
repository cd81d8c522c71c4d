// @ts-check
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./store.js').Anchor} Anchor */

/**
 * Returns the position that is heard, from the anchor alone: `time + (now − hostTime) · rate`, limited to the item. In a loop the position turns at
 * its ends.
 * @param {Anchor} anchor
 * @param {number} hostNow the server's clock, in seconds
 * @param {number | undefined} duration seconds; undefined if unknown or endless
 * @param {{start: number, end: number}} [loop] the repeated part, in seconds of media time
 */
export function positionAt(anchor, hostNow, duration, loop) {
  // An anchor in the future (a scheduled start, or an inaccurate clock) does not move yet.
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
 * The largest hidden step back of the position, in seconds. A smaller step is a refinement of the clock's estimate. A larger step is real, because a
 * clock was stopped or set.
 */
const REFINEMENT = 0.25;

/**
 * The position that the page shows. Between two anchors the shown position never steps back (or forward, in reverse), although the estimate of the
 * server's clock is refined continuously. Otherwise the display could read 0:05, 0:04, 0:05.
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
