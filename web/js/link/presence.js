// @ts-check
import { realTimers } from './timers.js';
/** @typedef {import('./timers.js').Timers} Timers */

/** The time after which a hidden page closes its connection, in seconds. A tab that a user has forgotten keeps nothing. */
const PATIENCE = 60;

/**
 * Reports whether the page is visible. So a page becomes current at once when its phone wakes up, and a forgotten tab keeps no connection.
 * @param {object} told
 * @param {() => void} told.seen called when the page has become visible, was resumed or has got the focus, or the network has returned; the callback
 *   checks the connection
 * @param {() => void} told.hidden called when the page is hidden, perhaps only for a short time
 * @param {() => void} told.left called when the page has been hidden for a long time, or is being left
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

  // A tab may be opened in the background.
  if (page.visibilityState === 'hidden') timer = timers.start(left, PATIENCE);
  page.addEventListener('visibilitychange', visibilityChanged);
  for (const type of ['online', 'focus']) view.addEventListener(type, seen);
  page.addEventListener('resume', seen);
  // A page in the back-forward cache must not keep a connection; the event `pageshow` reports the return of such a page.
  view.addEventListener('pagehide', left);
  view.addEventListener('pageshow', seen);
}
