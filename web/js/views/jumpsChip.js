// @ts-check
import { formatTime } from '../format.js';
import { Jumps } from '../jumps.js';
import { t } from '../lang/lang.js';
import { realTimers } from '../link/timers.js';
import { h } from './dom.js';
import { hook, setText } from './hooks.js';
import { mediaOf } from '../media.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The time for which a jump can be undone, in seconds. */
const OFFERED = 8;

/**
 * Offers to return after a far jump of the position, whoever made it.
 * @param {Remote} remote
 */
export function mountJumps(remote) {
  const jumps = new Jumps();
  const chip = h('button', { class: 'chip jump-chip', hidden: true, onclick: undo });
  hook('timeline').append(chip);
  /** @type {number | null} */
  let from = null;
  let timer = 0;

  function undo() {
    if (from === null) return;
    jumps.undoing();
    mediaOf(remote).seek(from);
    remote.announce(t('now.returned', { time: formatTime(from) }));
    offer(null);
  }

  /** @param {number | null} time */
  function offer(time) {
    realTimers.stop(timer);
    from = time;
    if (time === null) return;
    timer = realTimers.start(() => {
      from = null;
      chip.hidden = true;
    }, OFFERED);
  }

  return {
    /** @param {boolean} isHeld whether a pointer holds the playhead: the jump is then not over */
    render(isHeld) {
      const { state, isCurrent } = remote.store;
      const jump = state && jumps.stateArrived(state, remote.clock.now());
      if (jump !== undefined) offer(jump?.from ?? null);
      chip.hidden = from === null || isHeld || !isCurrent;
      if (from !== null) setText(chip, t('now.undoJump', { time: formatTime(from) }));
    },
  };
}
