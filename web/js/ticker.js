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

/** Two repaints, in seconds. The ticker waits with a timer for changes that are later than this. */
const SOON = 0.034;

/**
 * Draws moving elements before the repaints that change their look. It runs only while `isNeeded` returns true and the page is visible: a paused or
 * hidden remote costs nothing, a playing one some repaints per second.
 * @param {() => boolean} isNeeded
 * @param {() => number} draw draws, and returns the seconds until the look changes again
 * @param {{frames?: Frames, timers?: Timers}} edges
 */
export function makeTicker(isNeeded, draw, { frames = realFrames, timers = realTimers } = {}) {
  let frame = 0;
  let timer = 0;

  function repaint() {
    frame = 0;
    const pause = draw();
    if (!isRunning()) return;
    // One repaint early, so that the change is late by one repaint at most.
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

  /** Starts or stops the ticker for the present state. Draws again, because a new state may have changed the look. */
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
