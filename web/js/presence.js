// @ts-check
import { realTimers } from './timers.js';
/** @typedef {import('./timers.js').Timers} Timers */

/** Seconds after which a hidden page lets its connection go: a browser allows six to a server, and tabs are forgotten. */
const PATIENCE = 60;

/**
 * Tells when somebody is there to see the page, so that a phone that wakes up is right at once and a forgotten tab holds no connection.
 * @param {object} told
 * @param {() => void} told.seen the page is visible (again), or the network is back: make sure of everything
 * @param {() => void} told.hidden nobody sees it; perhaps only for a moment
 * @param {() => void} told.left it has been hidden for long, or is being left
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
  // A page in the back-forward cache must not hold a connection; it comes back by `pageshow`.
  view.addEventListener('pagehide', left);
  view.addEventListener('pageshow', seen);
}
