// @ts-check
import { formatVolume } from '../format.js';
import { hook, onPress, setEnabled } from './hooks.js';
import { mountTouch } from './touch.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The change of the volume by one press of a key, or by a tap beside the thumb; the whole range is 0…1. */
const STEP = 0.05;

/**
 * Connects the controls of volume and mute. A finger changes the volume only by dragging the thumb, or in small steps by taps beside it. So a stray
 * touch does not make the volume suddenly loud.
 * @param {Remote} remote
 */
export function mountVolume(remote) {
  const mute = hook('mute', HTMLButtonElement);
  const level = hook('volume', HTMLInputElement);
  /** Whether a mouse holds the thumb of the volume bar. */
  let isDragging = false;
  /** @type {number | null} The volume before a finger began to drag the thumb, 0…1; null if no finger drags it. */
  let before = null;

  onPress(mute, () => remote.toggleMute());
  mountTouch(level, {
    needsGrip: true,
    dragged(part) {
      before ??= remote.shownVolume();
      remote.setVolume(part);
    },
    dropped: () => (before = null),
    cancelled() {
      if (before !== null) remote.setVolume(before);
      before = null;
    },
    tapped: (_, side) => remote.setVolume(remote.shownVolume() + side * STEP),
    disturbed: render,
  });
  level.addEventListener('pointerdown', ({ pointerType }) => (isDragging = pointerType === 'mouse'));
  level.addEventListener('input', () => remote.setVolume(level.valueAsNumber));
  for (const type of ['change', 'pointerup', 'pointercancel', 'blur']) {
    level.addEventListener(type, () => {
      isDragging = false;
      render();
    });
  }
  level.addEventListener('keydown', (event) => {
    const step = { ArrowUp: STEP, ArrowRight: STEP, ArrowDown: -STEP, ArrowLeft: -STEP, PageUp: 0.2, PageDown: -0.2 }[event.key];
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
