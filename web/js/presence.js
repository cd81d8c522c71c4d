// @ts-check
import { realTimers } from './timers.js';
/** @typedef {import('./timers.js').Timers} Timers */

/** Seconds after which a hidden page closes its connection. A browser allows six to a server, and users forget open tabs. */
const PATIENCE = 60;

/**
 * Reports whether the page is visible, so that a phone that wakes up is current at once, and a forgotten tab keeps no connection.
 * @param {object} told
 * @param {() => void} told.seen the page is visible (again), or the network has returned: check the connection
 * @param {() => void} told.hidden the page is hidden, perhaps only for a short time
 * @param {() => void} told.left the page has been hidden for a long time, or is being left
 * @param {{page?: EventTarget & {visibilityState: string}, view?: EventTarget, timers?: Timers}} edges
 */
export function watchPresence({ seen, hidden, left }, { page = document, view = window, timers = realTimers } = {}) {
  let timer = 0;

  function visibilityChanged() {
    timers.stop(timer);
    if (page.visibilityState === 'visible') {
      seen();
    } else {
      hidden();
      timer = timers.start(left, PATIENCE);
    }
  }

  page.addEventListener('visibilitychange', visibilityChanged);
  view.addEventListener('online', seen);
  // A page in the back-forward cache must not keep a connection; `pageshow` reports its return.
  view.addEventListener('pagehide', left);
  view.addEventListener('pageshow', seen);
}
