// @ts-check
import { formatVolume } from '../format.js';
import { t } from '../lang/lang.js';
import { VolumeGuard } from '../volumeGuard.js';
import { h, setAttribute } from './dom.js';
import { mountTouch } from './touch.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The change of the volume by one press of a key, or by a tap beside the thumb; the whole range is 0…1. */
const STEP = 0.05;
/** @type {Record<string, number>} */
const KEYS = { ArrowUp: STEP, ArrowRight: STEP, ArrowDown: -STEP, ArrowLeft: -STEP, PageUp: 0.2, PageDown: -0.2, Home: -1, End: 1 };

/**
 * Makes a slider of a volume safe. A finger changes the volume only by dragging the thumb, or in small steps by taps beside it. With any kind of
 * input, a far raise needs a second gesture.
 * @param {HTMLInputElement} level the slider, 0…1, in the style `level`
 * @param {object} volume
 * @param {Remote} volume.remote
 * @param {() => number} volume.read returns the shown volume, 0…1
 * @param {(volume: number) => void} volume.write
 * @param {() => boolean} volume.isMuted
 * @param {HTMLElement} volume.mute the button for muting, which shows the level
 * @returns {{hint: HTMLElement, render: () => void, change: (distance: number) => void}} `hint` is the text that asks for the second gesture;
 * `change` is a gesture of one step
 */
export function mountVolumeSlider(level, { remote, read, write, isMuted, mute }) {
  const hint = h('p', { class: 'volume-hint', 'aria-hidden': true, hidden: true });
  const guard = new VolumeGuard(() => {
    if (guard.isAsking) remote.announce(t('now.louder', { volume: formatVolume(read()) }));
    render();
  });
  /** Whether a mouse holds the thumb, and whether any gesture has begun. */
  let isDragging = false;
  let isActive = false;
  /** @type {number | null} The volume before a finger began to drag the thumb, 0…1; null if no finger drags it. */
  let before = null;

  function begin() {
    if (!isActive) guard.begin(read());
    isActive = true;
  }
  function end() {
    if (isActive) guard.end(read());
    isActive = false;
  }
  /** @param {number} wanted */
  function set(wanted) {
    write(guard.limit(Math.min(Math.max(0, wanted), 1)));
  }
  /** Performs a gesture that consists of one step. @param {number} wanted */
  function step(wanted) {
    begin();
    set(wanted);
    end();
  }

  mountTouch(level, {
    needsGrip: true,
    dragged(part) {
      before ??= read();
      begin();
      set(part);
    },
    dropped() {
      before = null;
      end();
    },
    cancelled() {
      if (before !== null) write(before);
      before = null;
      end();
    },
    tapped: (_, side) => side !== 0 && step(read() + side * STEP),
    disturbed: render,
  });
  level.addEventListener('pointerdown', ({ pointerType }) => {
    isDragging = pointerType === 'mouse';
    if (isDragging) begin();
  });
  // Without a pointer it is a screen reader that moves the slider.
  level.addEventListener('input', () => (isDragging ? set(level.valueAsNumber) : step(level.valueAsNumber)));
  for (const type of ['change', 'pointerup', 'pointercancel', 'blur']) {
    level.addEventListener(type, () => {
      isDragging = false;
      end();
      render();
    });
  }
  level.addEventListener('keydown', (event) => {
    const distance = KEYS[event.key];
    if (distance === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    // A key that is held down repeats until `keyup`; all its repetitions are one gesture.
    begin();
    set(read() + distance);
  });
  level.addEventListener('keyup', end);

  function render() {
    const volume = read();
    const muted = isMuted();
    if (!isDragging) level.valueAsNumber = volume;
    level.style.setProperty('--part', volume.toFixed(3));
    setAttribute(level, 'aria-valuetext', muted ? t('now.volumeMuted', { volume: formatVolume(volume) }) : formatVolume(volume));
    setAttribute(level, 'data-muted', String(muted));
    setAttribute(mute, 'aria-pressed', String(muted));
    setAttribute(mute, 'data-level', muted || volume === 0 ? 'off' : volume < 0.5 ? 'low' : 'high');
    hint.hidden = !guard.isAsking;
    if (guard.isAsking) hint.textContent = t('now.louder', { volume: formatVolume(volume) });
  }

  return { hint, render, change: (/** @type {number} */ distance) => step(read() + distance) };
}
