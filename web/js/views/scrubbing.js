// @ts-check
import { move, press } from '../gesture.js';
import { Scrub } from '../scrub.js';
import { timeAt, xOf } from '../waveform.js';
/** @typedef {import('../scrub.js').Band} Band */
/** @typedef {import('../gesture.js').Gesture} Gesture */

/**
 * Browsers keep `pointermove` until the next frame. At a secure address, some also report each movement at once, so that the audio follows sooner.
 */
const MOVEMENT = 'onpointerrawupdate' in window ? 'pointerrawupdate' : 'pointermove';

/**
 * Lets a mouse or a finger scrub on a position bar: a press of the mouse begins at once, a finger begins with a horizontal movement, because a
 * vertical one scrolls the page. Escape and a second finger return to the position before. The browser's own handling of pointers on the slider is
 * replaced; keys and screen readers use the browser's slider. This function has to be called before other listeners are added to the slider, because
 * it hides from them the `input` and `change` events of pointers.
 * @param {HTMLInputElement} slider the slider, whose style has `touch-action: pan-y`
 * @param {object} told
 * @param {() => Band | null} told.range the range of the waveform; null if no position can be sought
 * @param {() => number} told.time the shown position, in seconds
 * @param {() => number[]} told.marks the positions to which a released playhead snaps, in seconds
 * @param {(scrub: Scrub) => void} told.moved called after each movement, first of all when the scrub begins
 * @param {(time: number) => void} told.ended called after the release, also of a tap, with the final position
 * @param {(before: number) => void} told.cancelled called when the scrub was cancelled; the callback returns to the position before
 * @param {() => void} told.disturbed called if the browser may have moved the slider
 * @returns {{current: () => Scrub | null}}
 */
export function mountScrubbing(slider, { range, time, marks, moved, ended, cancelled, disturbed }) {
  /** @type {Scrub | null} */
  let scrub = null;
  /** @type {Gesture | null} The movement of a finger that has not begun to scrub. */
  let gesture = null;
  let pointer = -1;
  let before = 0;
  let area = { left: 0, width: 0 };
  let isPressed = false;

  const pointOf = (/** @type {PointerEvent} */ { clientX: x, clientY: y }) => ({ x, y });
  const at = (/** @type {number} */ x, /** @type {Band} */ band) => timeAt(x - area.left, band, area.width);

  /** @param {PointerEvent} event @param {number} startTime */
  function begin(event, startTime) {
    const band = range();
    if (!band) return;
    before = time();
    scrub = new Scrub({ point: pointOf(event), time: startTime, area, range: band });
    slider.setPointerCapture(event.pointerId);
    moved(scrub);
  }

  function cancel() {
    const was = scrub;
    scrub = gesture = null;
    pointer = -1;
    if (was) cancelled(before);
  }

  slider.addEventListener('pointerdown', (event) => {
    isPressed = true;
    const band = range();
    if (slider.disabled || !band || pointer !== -1 || !event.isPrimary || event.button !== 0) return;
    // The layout is read only here, and not again during the scrub.
    ({ left: area.left, width: area.width } = slider.getBoundingClientRect());
    pointer = event.pointerId;
    if (event.pointerType === 'mouse') begin(event, at(event.clientX, band));
    else gesture = press(pointOf(event), area.left + xOf(time(), band, area.width), false);
  });
  /** @param {PointerEvent} event */
  const follow = (event) => {
    if (event.pointerId !== pointer) return;
    if (scrub) {
      scrub.move(pointOf(event));
      moved(scrub);
    } else if (gesture) {
      gesture = move(gesture, pointOf(event));
      const band = range();
      if (gesture.phase === 'dragging' && band) begin(event, at(event.clientX - (gesture.grip ?? 0), band));
    }
  };
  slider.addEventListener(MOVEMENT, /** @type {EventListener} */ (follow));
  slider.addEventListener('pointerup', (event) => {
    if (event.pointerId !== pointer) return;
    const band = range();
    const [was, tapped] = [scrub, gesture?.phase === 'undecided'];
    scrub = gesture = null;
    pointer = -1;
    if (was) ended(was.released(marks()));
    else if (tapped && band) ended(new Scrub({ point: pointOf(event), time: at(event.clientX, band), area, range: band }).released(marks()));
  });
  // The browser sends `pointercancel` if it uses the finger for scrolling, or can no longer follow the finger.
  slider.addEventListener('pointercancel', (event) => event.pointerId === pointer && cancel());
  document.addEventListener('pointerdown', ({ pointerId, isPrimary }) => {
    if (pointer !== -1 && pointerId !== pointer && !isPrimary) cancel();
  });
  document.addEventListener('keydown', (event) => {
    if (!scrub || event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    cancel();
  }, { capture: true });

  for (const type of ['input', 'change']) {
    slider.addEventListener(type, (event) => {
      if (!isPressed) return;
      event.stopImmediatePropagation();
      disturbed();
    });
  }
  // After these events the browser may still move the slider, and send `input` and `change`. So the flag changes only in a later task.
  for (const type of ['touchend', 'touchcancel', 'mouseup', 'pointerup', 'pointercancel']) {
    slider.addEventListener(type, () => setTimeout(() => (isPressed = pointer !== -1)), { passive: true });
  }
  slider.addEventListener('mousedown', (event) => {
    event.preventDefault();
    slider.focus({ preventScroll: true });
  });
  // A finger that scrubs does not scroll, even if it later moves vertically.
  slider.addEventListener('touchmove', (event) => scrub && event.cancelable && event.preventDefault(), { passive: false });

  return { current: () => scrub };
}
