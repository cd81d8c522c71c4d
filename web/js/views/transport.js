// @ts-check
import { t } from '../lang/lang.js';
import { mediaOf } from '../media.js';
import { hook, onPress, setEnabled } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The distances of the buttons back and forward, in seconds. */
const BACK = 10;
const FORWARD = 30;

/**
 * Connects the buttons for play or pause, back and forward. Back and forward are shown for spoken and long items, otherwise the buttons of the queue.
 * @param {Remote} remote
 */
export function mountTransport(remote) {
  const page = hook('page');
  const play = hook('play', HTMLButtonElement);
  const back = hook('back', HTMLButtonElement);
  const forward = hook('forward', HTMLButtonElement);
  const media = mediaOf(remote);

  onPress(play, () => remote.playOrPause());
  onPress(back, () => media.seek(remote.shownTime() - BACK));
  onPress(forward, () => media.seek(remote.shownTime() + FORWARD));
  function render() {
    const state = remote.store.state;
    const wantsToPlay = !!state && state.rate !== 0;
    const item = state?.currentItem;
    page.dataset.playing = String(wantsToPlay);
    play.setAttribute('aria-label', wantsToPlay ? 'Pause' : 'Play');
    setEnabled(play, !!item && item.status !== 'failed');
    setEnabled(back, !!media.range);
    setEnabled(forward, !!media.range);
    page.dataset.skips = String(media.isSpoken || (!!item?.isLive && !!media.range));
  }

  return { render };
}
