// @ts-check
/**
 * The browser's timers, with times in seconds. Tests replace them, so that no test waits.
 * @typedef {object} Timers
 * @property {(action: () => void, seconds: number) => number} start
 * @property {(timer: number) => void} stop does nothing for a timer that has fired, or for 0
 */

/** @type {Timers} */
export const realTimers = {
  start: (action, seconds) => /** @type {any} */ (setTimeout(action, seconds * 1000)),
  stop: (timer) => clearTimeout(timer),
};
