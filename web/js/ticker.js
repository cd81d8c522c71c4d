// @ts-check
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

/**
 * Calls `draw` before each repaint, but only while `isNeeded` says so and the page is seen: a paused or hidden remote costs nothing.
 * @param {() => boolean} isNeeded
 * @param {() => void} draw
 * @param {Frames} frames
 */
export function makeTicker(isNeeded, draw, frames = realFrames) {
  let pending = 0;

  function tick() {
    pending = 0;
    draw();
    check();
  }

  /** Starts or stops, as things are now. */
  function check() {
    const isRunning = isNeeded() && frames.areSeen();
    if (isRunning && pending === 0) pending = frames.request(tick);
    if (!isRunning && pending !== 0) {
      frames.cancel(pending);
      pending = 0;
    }
  }

  return { check };
}
