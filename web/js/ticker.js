// @ts-check
import { realTimers } from './timers.js';
/** @typedef {import('./timers.js').Timers} Timers */
/**
 * @typedef {object} Frames  The browser's repaints, replaceable in tests.
 * @property {(action: () => void) => number} request calls once, before the next repaint
 * @property {(frame: number) => void} cancel
 * @property {() => boolean} areSeen
 */

/** @type {Frames} */
const realFrames = {
  request: (action) => requestAnimationFrame(action),
  cancel: (frame) => cancelAnimationFrame(frame),
  areSeen: () => document.visibilityState === 'visible',
};

/** Seconds: a change that is further away than two repaints is waited for without repainting. */
const SOON = 0.034;

/**
 * Draws what moves, before the repaints at which it looks different, and only while `isNeeded` says so and the page is seen: a paused or hidden
 * remote costs nothing, a playing one a few repaints a second.
 * @param {() => boolean} isNeeded
 * @param {() => number} draw returns the seconds until something looks different
 * @param {{frames?: Frames, timers?: Timers}} edges
 */
export function makeTicker(isNeeded, draw, { frames = realFrames, timers = realTimers } = {}) {
  let frame = 0;
  let timer = 0;

  function repaint() {
    frame = 0;
    const pause = draw();
    if (!isRunning()) return;
    // Early by one repaint, so that the change is never late by more than one.
    if (pause > SOON) timer = timers.start(wait, pause - SOON / 2);
    else wait();
  }

  function wait() {
    timer = 0;
    frame = frames.request(repaint);
  }

  function isRunning() {
    return isNeeded() && frames.areSeen();
  }

  /** Starts or stops, as things are now. What is drawn next is asked anew, because a state may have changed it. */
  function check() {
    timers.stop(timer);
    timer = 0;
    if (isRunning() && frame === 0) wait();
    if (!isRunning() && frame !== 0) {
      frames.cancel(frame);
      frame = 0;
    }
  }

  return { check };
}
