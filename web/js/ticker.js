// @ts-check
import { realTimers } from './link/timers.js';
/** @typedef {import('./link/timers.js').Timers} Timers */
/**
 * @typedef {object} Frames  The browser's repaints of the screen; tests replace them.
 * @property {(action: () => void) => number} request calls `action` once, before the next repaint
 * @property {(frame: number) => void} cancel cancels a request by its number
 * @property {() => boolean} areSeen whether the page is visible
 */

/** @type {Frames} */
const realFrames = {
  request: (action) => requestAnimationFrame(action),
  cancel: (frame) => cancelAnimationFrame(frame),
  areSeen: () => document.visibilityState === 'visible',
};

/** The duration of two repaints at 60 Hz, in seconds. If the next change is due later than that, the ticker waits for it with a timer. */
const SOON = 0.034;

/**
 * Makes a ticker, which draws moving elements only before those repaints of the screen that change their look. The ticker runs only while `isNeeded`
 * returns true and the page is visible. So a paused or hidden page costs no processor time, and a page that shows playback costs a few repaints per
 * second.
 * @param {() => boolean} isNeeded
 * @param {() => number} draw draws the moving elements, and returns the seconds until their look changes again
 * @param {{frames?: Frames, timers?: Timers}} edges
 */
export function makeTicker(isNeeded, draw, { frames = realFrames, timers = realTimers } = {}) {
  let frame = 0;
  let timer = 0;

  function repaint() {
    frame = 0;
    const pause = draw();
    if (!isRunning()) return;
    // The timer ends one repaint early, so that the change is late by one repaint at most.
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

  /**
   * Starts or stops the ticker. If it runs, it also draws the moving elements at the next repaint, because a new state may have changed their look.
   */
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
