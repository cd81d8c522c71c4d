// @ts-check
import { formatRemaining, formatTime, speakPosition, speakTime } from '../format.js';
import { preference, setPreference } from '../preferences.js';
import { hook, setText } from './hooks.js';
import { mountTouch } from './touch.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The distances by which keys move the position, in seconds, by the name of the key. */
const STEPS = new Map([
  ['ArrowLeft', -5], ['ArrowDown', -5], ['ArrowRight', 5], ['ArrowUp', 5], ['PageDown', -30], ['PageUp', 30],
]);
/** The smallest distance of the thumb from its last drawn position at which it is drawn again, in pixels; a smaller movement is invisible. */
const VISIBLE = 0.5;

/**
 * Shows the running time, and the seek bar that displays and changes the position.
 * @param {Remote} remote
 */
export function mountSeekBar(remote) {
  const sleeve = hook('sleeve');
  const elapsed = hook('elapsed');
  const seek = hook('seek', HTMLInputElement);
  const remaining = hook('remaining', HTMLButtonElement);
  const live = hook('live');
  let showsTotal = preference('showsTotal') === 'true';
  /** Whether a mouse holds the thumb of the seek bar. */
  let isDragging = false;
  /**
   * The drag of a finger that holds the thumb; null if no finger holds it. `time` is the media time at the thumb, `before` the position before the
   * drag, both in seconds; `id` names the item that was current when the drag began.
   * @type {{time: number, before: number, id: string | undefined} | null}
   */
  let held = null;
  let shownValue = -1;
  /** The width of the seek bar, in pixels. It is stored, because each reading from the browser would force a layout of the page. */
  let width = seek.clientWidth;
  new ResizeObserver(() => (width = seek.clientWidth)).observe(seek);

  const item = () => remote.store.state?.currentItem;

  mountTouch(seek, {
    dragged(part) {
      held ??= { time: 0, before: remote.shownTime(), id: item()?.id };
      held.time = part * Number(seek.max);
      seekHeld(held.time);
      repaint();
    },
    dropped() {
      if (held) seekHeld(held.time);
      held = null;
      repaint();
    },
    cancelled() {
      if (held) seekHeld(held.before);
      held = null;
      repaint();
    },
    tapped: (part) => remote.seek(part * Number(seek.max)),
    disturbed: repaint,
  });

  /** Seeks to a media time, in seconds, but only if the item that was current when the drag began is still current. */
  function seekHeld(/** @type {number} */ time) {
    if (held?.id === item()?.id && remote.seekTarget.value !== time) remote.seek(time);
  }

  // While a mouse holds the thumb, states from the server do not move the thumb. So it is recorded whether a mouse holds it.
  seek.addEventListener('pointerdown', ({ pointerType }) => (isDragging = pointerType === 'mouse'));
  seek.addEventListener('input', () => {
    remote.seek(seek.valueAsNumber);
    paint(seek.valueAsNumber);
  });
  seek.addEventListener('change', () => {
    const value = seek.valueAsNumber;
    isDragging = false;
    // While the mouse holds the thumb still, playback continues after the target of the last seek. So releasing the thumb seeks to its position
    // again.
    if (remote.seekTarget.value !== value) remote.seek(value);
    frame();
  });
  for (const type of ['pointerup', 'pointercancel', 'blur']) {
    seek.addEventListener(type, () => {
      isDragging = false;
      frame();
    });
  }
  seek.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = STEPS.get(event.key);
    if (step !== undefined) remote.skip(step);
    else if (event.key === 'Home') remote.seek(0);
    else if (event.key === 'End') remote.seek(item()?.duration ?? 0);
    else return;
    event.preventDefault();
    speak(remote.shownTime());
  });
  seek.addEventListener('focus', () => speak(remote.shownTime()));
  remaining.addEventListener('click', () => {
    showsTotal = !showsTotal;
    setPreference('showsTotal', String(showsTotal));
    render();
  });

  /** @param {number} position */
  function speak(position) {
    seek.setAttribute('aria-valuetext', speakPosition(position, item()?.duration));
  }

  /** @param {number} position the position in seconds */
  function paint(position) {
    const duration = item()?.duration;
    const text = formatTime(position);
    const isNewSecond = elapsed.textContent !== text;
    setText(elapsed, text);
    setText(remaining, showsTotal ? formatTime(duration) : formatRemaining(position, duration));
    // While the slider has the focus, its text does not change with each second, because a screen reader would read each change.
    if (isNewSecond && document.activeElement !== seek) speak(position);

    const max = seek.max === '' ? 1 : Number(seek.max);
    if (Math.abs(position - shownValue) < pixelStep() && position !== 0 && position !== max) return;
    shownValue = position;
    if (!isDragging) seek.valueAsNumber = position;
    const played = duration ? Math.min(1, position / duration) : 0;
    seek.style.setProperty('--part', played.toFixed(4));
    // The value is rounded to hundredths, so that it changes rarely: each change starts a transition of the style, which draws the values between.
    sleeve.style.setProperty('--played', played.toFixed(2));
  }

  /** The media time during which the thumb moves by the smallest visible distance (`VISIBLE`), in seconds. */
  function pixelStep() {
    return (VISIBLE * (item()?.duration ?? Infinity)) / Math.max(1, width);
  }

  /** Draws the seek bar. Returns the time until its look changes, in seconds: until the shown second changes, or the thumb moves visibly. */
  function frame() {
    const position = held ? held.time : isDragging ? seek.valueAsNumber : remote.shownTime();
    paint(position);
    const rate = remote.store.state?.anchor.rate ?? 0;
    const second = rate > 0 ? 1 - (position % 1) : position % 1;
    return Math.min(second, pixelStep()) / Math.max(Math.abs(rate), 0.01);
  }

  /** Draws the thumb even if its position has not changed. */
  function repaint() {
    shownValue = -1;
    frame();
  }

  function render() {
    const current = item();
    const duration = current?.duration;
    seek.max = String(duration || 1);
    seek.disabled = !remote.canSeek;
    live.hidden = !current?.isLive;
    seek.dataset.shown = String(!current?.isLive || remote.canSeek);
    remaining.hidden = duration === undefined;
    const spoken = showsTotal ? `Duration ${speakTime(duration ?? 0)}. Show the remaining time` : 'Remaining time. Show the duration';
    remaining.setAttribute('aria-label', spoken);
    speak(remote.shownTime());
    repaint();
  }

  return { render, frame };
}
