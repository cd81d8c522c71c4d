// @ts-check
import { draggedTo, move, partAt, placeOf, press, sideOf } from '../gesture.js';
/** @typedef {import('../gesture.js').Gesture} Gesture */
/** @typedef {import('../gesture.js').Track} Track */

/**
 * Takes a slider's fingers from the browser, whose own slider jumps to where a finger comes down, also where the finger then scrolls. The mouse, the
 * keys and screen readers have the browser's slider as it is. To be called before others listen to the slider: they are not told of what a browser
 * makes of a finger.
 * @param {HTMLInputElement} slider with `touch-action: pan-y`
 * @param {object} told
 * @param {boolean} [told.needsGrip] whether only a finger on the thumb moves it
 * @param {(part: number) => void} told.dragged the thumb is held at this part of the track, 0…1
 * @param {(part: number, side: -1 | 0 | 1) => void} told.tapped at this part of the track, on this side of the thumb
 * @param {() => void} told.dropped the thumb was let go where it was dragged to last
 * @param {() => void} told.cancelled the drag is void: what was before it holds
 * @param {() => void} told.disturbed the slider's value may be wrong: write it again
 */
export function mountTouch(slider, { needsGrip = false, dragged, tapped, dropped, cancelled, disturbed }) {
  /** @type {Gesture | null} */
  let gesture = null;
  let finger = -1;
  /** @type {Track} */
  let track = { left: 0, width: 0, thumb: 0 };
  /** Whether the last pointer was a finger. */
  let isFinger = false;
  /** Whether one is there; until the browser has done what it does when it goes. */
  let isTouched = false;

  function measure() {
    const { left, width } = slider.getBoundingClientRect();
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    track = { left, width, thumb: parseFloat(getComputedStyle(slider).getPropertyValue('--thumb')) * rem };
  }

  function thumb() {
    return placeOf(slider.valueAsNumber / (Number(slider.max) || 1), track);
  }

  /** @param {PointerEvent} event */
  function pointOf({ clientX, clientY }) {
    return { x: clientX, y: clientY };
  }

  function end() {
    const ended = gesture;
    gesture = null;
    return ended;
  }

  slider.addEventListener('pointerdown', (event) => {
    isFinger = event.pointerType !== 'mouse';
    isTouched = isFinger;
    if (!isFinger || slider.disabled || gesture || !event.isPrimary || event.button !== 0) return;
    measure();
    finger = event.pointerId;
    gesture = press(pointOf(event), thumb(), needsGrip);
  });
  slider.addEventListener('pointermove', (event) => {
    if (!gesture || event.pointerId !== finger) return;
    gesture = move(gesture, pointOf(event));
    if (gesture.phase === 'dragging') dragged(draggedTo(gesture, pointOf(event), track));
  });
  slider.addEventListener('pointerup', (event) => {
    if (event.pointerId !== finger) return;
    const ended = end();
    if (ended?.phase === 'dragging') dropped();
    if (ended?.phase === 'undecided') tapped(partAt(event.clientX, track), sideOf(ended, thumb()));
  });
  // The browser scrolls with the finger, or has lost it.
  slider.addEventListener('pointercancel', (event) => {
    if (event.pointerId === finger && end()?.phase === 'dragging') cancelled();
  });

  for (const type of ['input', 'change']) {
    slider.addEventListener(type, (event) => {
      if (!isTouched) return;
      event.stopImmediatePropagation();
      disturbed();
    });
  }
  for (const type of ['touchend', 'touchcancel']) {
    // The browser's own part comes after this event.
    slider.addEventListener(type, () => setTimeout(() => (isTouched = gesture !== null)), { passive: true });
  }
  // After a tap the browser makes the events of a mouse, for pages that know no fingers; a pointer comes before those of a real mouse.
  slider.addEventListener('mousedown', (event) => {
    if (isFinger) event.preventDefault();
  });
}
