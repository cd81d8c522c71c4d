// @ts-check
import { formatVolume } from '../format.js';
import { hook, onPress, setEnabled } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Volume and mute.
 * @param {Remote} remote
 */
export function mountVolume(remote) {
  const mute = hook('mute', HTMLButtonElement);
  const level = hook('volume', HTMLInputElement);
  let isDragging = false;

  onPress(mute, () => remote.toggleMute());
  level.addEventListener('pointerdown', () => (isDragging = true));
  level.addEventListener('input', () => remote.setVolume(level.valueAsNumber));
  for (const type of ['change', 'pointerup', 'pointercancel', 'blur']) {
    level.addEventListener(type, () => {
      isDragging = false;
      render();
    });
  }
  level.addEventListener('keydown', (event) => {
    const step = { ArrowUp: 0.05, ArrowRight: 0.05, ArrowDown: -0.05, ArrowLeft: -0.05, PageUp: 0.2, PageDown: -0.2 }[event.key];
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    remote.setVolume(remote.shownVolume() + step);
    event.preventDefault();
  });

  function render() {
    const state = remote.store.state;
    const volume = remote.shownVolume();
    setEnabled(mute, !!state);
    mute.setAttribute('aria-pressed', String(!!state?.isMuted));
    mute.dataset.level = state?.isMuted || volume === 0 ? 'off' : volume < 0.5 ? 'low' : 'high';
    level.disabled = !state;
    if (!isDragging) level.valueAsNumber = volume;
    level.style.setProperty('--part', (isDragging ? level.valueAsNumber : volume).toFixed(3));
    level.setAttribute('aria-valuetext', formatVolume(volume) + (state?.isMuted ? ', muted' : ''));
    level.dataset.muted = String(!!state?.isMuted);
  }

  return { render };
}
