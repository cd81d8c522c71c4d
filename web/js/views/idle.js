// @ts-check
import { router } from '../router.js';
import { realTimers } from '../link/timers.js';
import { hook } from './hooks.js';

/** The time without input after which the view "now" shows nothing but the music, in seconds. */
const PATIENCE = 60;
/** The windows of televisions and large screens (css/idle.css). */
const LARGE = '(min-width: 1600px)';

/** Marks the page as unattended after a minute without input: the view "now" of a large screen then shows no controls until the next input. */
export function mountIdle(timers = realTimers) {
  const page = hook('page');
  const large = matchMedia(LARGE);
  let timer = 0;

  function restart() {
    timers.stop(timer);
    delete page.dataset.idle;
    if (large.matches && router.route.view === 'now') timer = timers.start(rest, PATIENCE);
  }
  function rest() {
    if (document.querySelector('dialog[open]')) return restart();
    page.dataset.idle = 'true';
  }
  for (const type of ['pointerdown', 'pointermove', 'wheel', 'keydown', 'touchstart']) {
    addEventListener(type, restart, { passive: true, capture: true });
  }
  router.addEventListener('change', restart);
  large.addEventListener('change', restart);
  restart();
}
