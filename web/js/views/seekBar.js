// @ts-check
import { formatPosition, formatRemaining, formatTime, speakPosition, speakTime } from '../format.js';
import { t } from '../lang/lang.js';
import { mediaOf } from '../media.js';
import { preference, setPreference } from '../preferences.js';
import { h, setAttribute } from './dom.js';
import { hook, setText } from './hooks.js';
import { mountJumps } from './jumpsChip.js';
import { loopKey, pendingLoop } from './loop.js';
import { mountScrubbing } from './scrubbing.js';
import { mountWaveform } from './waveform.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The distances by which keys move the position, in seconds, by the name of the key. */
const STEPS = new Map([
  ['ArrowLeft', -5], ['ArrowDown', -5], ['ArrowRight', 5], ['ArrowUp', 5], ['PageDown', -30], ['PageUp', 30],
]);
/** The smallest distance of the thumb from its last drawn position at which it is drawn again, in pixels; a smaller movement is invisible. */
const VISIBLE = 0.5;
/** A position counts as live if it is at most this far from the end of the range of a live stream, in seconds. */
const EDGE = 10;

/**
 * Shows the running time, and the waveform with the slider that displays and changes the position.
 * @param {Remote} remote
 */
export function mountSeekBar(remote) {
  const sleeve = hook('sleeve');
  const elapsed = hook('elapsed');
  const seek = hook('seek', HTMLInputElement);
  const remaining = hook('remaining', HTMLButtonElement);
  const live = hook('live');
  const media = mediaOf(remote);
  let showsTotal = preference('showsTotal') === 'true';
  /** The item in which the scrub began. If another item becomes current, the scrub does not seek in it. */
  let heldId = '';
  let shownValue = -1;

  // Time runs from left to right in every language, as on the controls of players.
  const label = h('output', { class: 'wave-label', 'aria-hidden': true, hidden: true });
  const frameOfWave = h('div', { class: 'wave', dir: 'ltr' });
  seek.replaceWith(frameOfWave);
  const wave = mountWaveform(remote, frameOfWave);
  frameOfWave.append(seek, label);
  const jumps = mountJumps(remote);

  const item = () => remote.store.state?.currentItem;
  const isHeld = () => scrubbing.current() !== null;

  const scrubbing = mountScrubbing(seek, {
    range: () => (remote.store.isCurrent ? media.range : null),
    time: () => remote.shownTime(),
    marks: () => media.chapters.map(({ start }) => start),
    moved(scrub) {
      heldId ||= item()?.id ?? '';
      seekHeld(scrub.time);
      wave.zoom(scrub);
      schedule();
    },
    ended(time) {
      heldId ||= item()?.id ?? '';
      seekHeld(time);
      release();
    },
    cancelled(before) {
      seekHeld(before);
      release();
    },
    disturbed: repaint,
  });

  /** Seeks to a media time, in seconds, but only if the item that was current when the scrub began is still current. */
  function seekHeld(/** @type {number} */ time) {
    if (heldId === item()?.id && remote.seekTarget.value !== time) media.seek(time);
  }
  function release() {
    heldId = '';
    wave.zoom(null);
    render();
  }

  let frameRequest = 0;
  /** Draws the held playhead once before the next repaint, however many events move it. */
  function schedule() {
    frameRequest ||= requestAnimationFrame(() => {
      frameRequest = 0;
      repaint();
    });
  }

  // Only a screen reader causes these events, because the pointers are handled above, and the keys below.
  seek.addEventListener('input', () => media.seek(seek.valueAsNumber));
  seek.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || isHeld()) return;
    const step = STEPS.get(event.key);
    const range = media.range;
    if (!range) return;
    if (step !== undefined) media.seek(remote.shownTime() + step);
    else if (event.key === 'Home') media.seek(range.from);
    else if (event.key === 'End') media.seek(range.to);
    else if (!loopKey(remote, event.key)) return;
    event.preventDefault();
    repaint();
    speak(remote.shownTime());
  });
  seek.addEventListener('focus', () => speak(remote.shownTime()));
  remaining.addEventListener('click', () => {
    showsTotal = !showsTotal;
    setPreference('showsTotal', String(showsTotal));
    render();
  });
  live.addEventListener('click', () => media.range && media.seek(media.range.to));

  /** Whether the shown position is only estimated. A held playhead shows the target, which is exact. */
  const isEstimated = () => Boolean(remote.store.state?.isPositionEstimated) && !isHeld();

  /** @param {number} position */
  function speak(position) {
    const chapter = media.chapters[media.chapterAt(position)]?.title;
    const exact = speakPosition(position, item()?.duration), text = isEstimated() ? t('now.estimated', { time: exact }) : exact;
    seek.setAttribute('aria-valuetext', chapter ? t('now.inChapter', { time: text, chapter }) : text);
  }

  /** @param {number} position the position in seconds */
  function paint(position) {
    const duration = item()?.duration;
    const text = formatPosition(position, isEstimated());
    const isNewSecond = elapsed.textContent !== text;
    setText(elapsed, text);
    setText(remaining, showsTotal ? formatTime(duration) : formatRemaining(position, duration));
    // While the slider has the focus, its text does not change with each second, because a screen reader would read each change.
    if (isNewSecond && document.activeElement !== seek && !isHeld()) speak(position);
    paintLabel(position);

    const extent = media.extent;
    if (Math.abs(position - shownValue) < wave.secondsPerPixel() * VISIBLE && position !== extent?.from && position !== extent?.to) return;
    shownValue = position;
    seek.valueAsNumber = position;
    const played = extent ? Math.min(1, (position - extent.from) / (extent.to - extent.from)) : 0;
    wave.move(position, isHeld());
    // The value is rounded to hundredths, so that it changes rarely: each change starts a transition of the style, which draws the values between.
    sleeve.style.setProperty('--played', played.toFixed(2));
  }

  /** Shows the position, the chapter and the slowness of the scrub above a held playhead. @param {number} position */
  function paintLabel(position) {
    const scrub = scrubbing.current();
    label.hidden = !scrub;
    setAttribute(frameOfWave, 'data-level', scrub?.level || null);
    if (!scrub) return;
    const chapter = media.chapters[media.chapterAt(position)]?.title;
    const fine = scrub.level > 0 ? formatTime(position) + (position % 1).toFixed(1).slice(1) : formatTime(position);
    setText(label, [fine, chapter].filter(Boolean).join(' · '));
    label.style.setProperty('--x', `${Math.round(wave.xOf(position))}px`);
  }

  /** Draws the seek bar. Returns the time until its look changes, in seconds: until the shown second changes, or the thumb moves visibly. */
  function frame() {
    const position = scrubbing.current()?.time ?? remote.shownTime();
    paint(position);
    const rate = remote.store.state?.anchor.rate ?? 0;
    const second = rate > 0 ? 1 - (position % 1) : position % 1;
    return Math.min(second, wave.secondsPerPixel() * VISIBLE) / Math.max(Math.abs(rate), 0.01);
  }

  /** Draws the thumb even if its position has not changed. */
  function repaint() {
    shownValue = -1;
    frame();
  }

  function render() {
    media.update();
    const current = item();
    const { duration } = current ?? {};
    const range = media.range;
    setAttribute(seek, 'min', media.extent?.from ?? 0);
    setAttribute(seek, 'max', media.extent?.to ?? 1);
    seek.disabled = !range;
    const isAtEdge = !range || remote.shownTime() > range.to - EDGE;
    live.hidden = !current?.isLive;
    setText(live, t(isAtEdge ? 'now.live' : 'now.goLive'));
    setAttribute(live, 'aria-disabled', String(isAtEdge));
    seek.dataset.shown = String(!current?.isLive || !!range);
    frameOfWave.hidden = !!current?.isLive && !range;
    remaining.hidden = duration === undefined;
    remaining.setAttribute('aria-label', showsTotal ? t('now.duration', { time: speakTime(duration ?? 0) }) : t('now.remaining'));
    if (!isHeld()) wave.render(pendingLoop(remote));
    jumps.render(isHeld());
    if (!isHeld()) speak(remote.shownTime());
    repaint();
  }

  return { render, frame };
}
