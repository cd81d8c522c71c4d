// @ts-check
import { titleOf } from '../format.js';
import { t } from '../lang/lang.js';
import { mediaOf } from '../media.js';
import { setAttribute } from './dom.js';
import { hook, onPress, setEnabled, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

const BACK = 10;
const FORWARD = 30;
/** The duration from which an item counts as long, in seconds. A long item has buttons to skip within it, even if the queue has other entries. */
const LONG = 20 * 60;

/**
 * Connects the buttons for play or pause, for the previous and the next entry, back and forward.
 * @param {Remote} remote
 */
export function mountTransport(remote) {
  const page = hook('page');
  const transport = hook('transport');
  const play = hook('play', HTMLButtonElement);
  const previous = hook('previous', HTMLButtonElement);
  const next = hook('next', HTMLButtonElement);
  const back = hook('back', HTMLButtonElement);
  const forward = hook('forward', HTMLButtonElement);
  const media = mediaOf(remote);
  const nextUp = hook('next-up');
  const nextTitle = hook('next-title');

  onPress(play, () => remote.playOrPause(play));
  onPress(previous, () => remote.previous());
  onPress(next, () => remote.next());
  onPress(back, () => media.seek(remote.shownTime() - BACK));
  onPress(forward, () => media.seek(remote.shownTime() + FORWARD));

  function render() {
    const { state, hasQueue, nextEntry } = remote.store;
    const wantsToPlay = !!state && state.rate !== 0;
    const item = state?.currentItem;
    page.dataset.playing = String(wantsToPlay);
    page.dataset.queue = hasQueue ? 'shown' : 'none';
    transport.dataset.steps = stepsOf({ hasQueue, canSeek: !!media.range, duration: media.isSpoken ? LONG : item?.duration ?? 0 });
    setAttribute(play, 'aria-label', t(wantsToPlay ? 'shell.pause' : 'shell.play'));
    setEnabled(play, !!item && item.status !== 'failed');
    for (const button of [back, forward]) setEnabled(button, !!media.range);
    setEnabled(next, !!nextEntry);
    nextUp.dataset.shown = String(!!nextEntry);
    setText(nextTitle, nextEntry ? [titleOf(nextEntry), nextEntry.artist].filter(Boolean).join(' – ') : '');
  }

  return { render };
}

/**
 * Returns which buttons beside Play are useful: those for entries (`step`), those to skip within the item (`skip`), both, or none.
 * @param {{hasQueue: boolean, canSeek: boolean, duration: number}} what
 * @returns {'step' | 'skip' | 'both' | 'none'}
 */
export function stepsOf({ hasQueue, canSeek, duration }) {
  if (canSeek && duration >= LONG) return hasQueue ? 'both' : 'skip';
  return hasQueue ? 'step' : canSeek ? 'skip' : 'none';
}
