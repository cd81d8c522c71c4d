// @ts-check
/**
 * Calls `frame` before each repaint, but only while `isNeeded` says so and the page is seen: a paused or hidden remote costs nothing.
 * @param {() => boolean} isNeeded
 * @param {() => void} frame
 */
export function makeTicker(isNeeded, frame) {
  let pending = 0;

  function tick() {
    pending = 0;
    frame();
    check();
  }

  /** Starts or stops, as things are now. */
  function check() {
    const isRunning = isNeeded() && document.visibilityState === 'visible';
    if (isRunning && pending === 0) pending = requestAnimationFrame(tick);
    if (!isRunning && pending !== 0) {
      cancelAnimationFrame(pending);
      pending = 0;
    }
  }

  return { check };
}
