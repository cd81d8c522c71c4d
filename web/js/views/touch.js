// @ts-check
import { draggedTo, move, partAt, placeOf, press, sideOf } from '../gesture.js';
/** @typedef {import('../gesture.js').Gesture} Gesture */
/** @typedef {import('../gesture.js').Track} Track */

/**
 * Replaces the browser's handling of fingers on a slider. The browser's slider jumps to the touched position, even if the finger then scrolls the
 * page. The mouse, keys and screen readers use the browser's slider unchanged. This function has to be called before other listeners are added to the
 * slider, because it hides from them the `input` and `change` events that the browser creates for a finger.
 * @param {HTMLInputElement} slider the slider, whose style has `touch-action: pan-y`
 * @param {object} told
 * @param {boolean} [told.needsGrip] whether only a finger on the thumb can move the thumb
 * @param {(part: number) => void} told.dragged called while the thumb is held at the part `part` of the track, 0…1
 * @param {(part: number, side: -1 | 0 | 1) => void} told.tapped called after a tap at the part `part` of the track, on the side `side` of the thumb
 * @param {() => void} told.dropped called when the thumb was released at its last dragged position
 * @param {() => void} told.cancelled called when the drag was cancelled; the callback restores the value from before the drag
 * @param {() => void} told.disturbed called when the browser may have moved the slider because of a finger; the callback sets the slider's value
 *   again
 */
export function mountTouch(slider, { needsGrip = false, dragged, tapped, dropped, cancelled, disturbed }) {
  /** @type {Gesture | null} */
  let gesture = null;
  let finger = -1;
  /** @type {Track} */
  let track = { left: 0, width: 0, thumb: 0 };
  /** Whether the last pointer on the slider was a finger. */
  let isFinger = false;
  /** Whether a finger touches the slider, or the browser has not yet handled the end of the touch. */
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
  // The browser sends `pointercancel` if it uses the finger for scrolling, or can no longer follow the finger.
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
    // After this event the browser may move the slider to the finger, and send `input` and `change`. These have to be stopped too. So `isTouched`
    // becomes false only in a later task, after them.
    slider.addEventListener(type, () => setTimeout(() => (isTouched = gesture !== null)), { passive: true });
  }
  // After a tap the browser also sends mouse events, for pages without touch support. They are ignored; the flag `isFinger` separates them from the
  // events of a real mouse, because each press is preceded by a `pointerdown`.
  slider.addEventListener('mousedown', (event) => {
    if (isFinger) event.preventDefault();
  });
}
