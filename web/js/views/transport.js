// @ts-check
import { formatRate } from '../format.js';
import { hook, onPress, setEnabled } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

const SKIP = 10;
const RATES = [0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 3];

/**
 * Connects the buttons for play or pause, back and forward, and the speed of playback.
 * @param {Remote} remote
 */
export function mountTransport(remote) {
  const page = hook('page');
  const play = hook('play', HTMLButtonElement);
  const back = hook('back', HTMLButtonElement);
  const forward = hook('forward', HTMLButtonElement);
  const rate = hook('rate', HTMLSelectElement);

  onPress(play, () => remote.playOrPause());
  onPress(back, () => remote.skip(-SKIP));
  onPress(forward, () => remote.skip(SKIP));
  rate.addEventListener('change', () => {
    remote.setRate(Number(rate.value));
    render(); // Shows the old speed again until the player confirms the new speed.
  });

  /** @param {number} shown the rate to show; if `RATES` does not contain it, it is added to the list */
  function showRate(shown) {
    const rates = RATES.includes(shown) ? RATES : [...RATES, shown].sort((a, b) => a - b);
    const values = rates.map(String);
    if (values.join() !== Array.from(rate.options, (option) => option.value).join()) {
      rate.replaceChildren(...rates.map((value) => new Option(formatRate(value), String(value))));
    }
    rate.value = String(shown);
  }

  function render() {
    const state = remote.store.state;
    const wantsToPlay = !!state && state.rate !== 0;
    const item = state?.currentItem;
    page.dataset.playing = String(wantsToPlay);
    play.setAttribute('aria-label', wantsToPlay ? 'Pause' : 'Play');
    setEnabled(play, !!item && item.status !== 'failed');
    setEnabled(back, remote.canSeek);
    setEnabled(forward, remote.canSeek);
    rate.disabled = !state;
    showRate(remote.shownRate());
  }

  return { render };
}
