// @ts-check
/**
 * Interprets the movement of a finger on a slider. The finger may drag the thumb, scroll the page, or only rest. So its intention is known only after
 * it has moved a few pixels. The functions of this file are pure; `views/touch.js` handles the events of the browser.
 *
 * @typedef {{x: number, y: number}} Point  A point on the page, in pixels.
 * @typedef {{left: number, width: number, thumb: number}} Track  The slider's track, and the width of its thumb, in pixels.
 *
 * @typedef {object} Gesture
 * @property {Point} start the point that the finger touched first
 * @property {number | null} grip the x distance from the middle of the thumb to `start`, in pixels; null if the finger did not touch the thumb
 * @property {boolean} needsGrip whether only a finger on the thumb moves the thumb
 * @property {'undecided' | 'dragging' | 'over'} phase in the phase `over` the finger has no effect on the slider, for example because it scrolls
 */

/** The distance that a finger must move before its intention is decided, in pixels. */
export const THRESHOLD = 8;
/**
 * The largest distance between the middle of the thumb and a finger that touches the thumb, in pixels. It is half of 44 pixels, the smallest size
 * that a finger hits easily.
 */
export const REACH = 22;

/**
 * Returns the gesture of a finger that has touched the slider.
 * @param {Point} start
 * @param {number} thumb the x position of the middle of the thumb, in pixels
 * @param {boolean} needsGrip
 * @returns {Gesture}
 */
export function press(start, thumb, needsGrip) {
  const offset = start.x - thumb;
  return { start, grip: Math.abs(offset) <= REACH ? offset : null, needsGrip, phase: 'undecided' };
}

/**
 * Returns the gesture after the finger has moved. The direction of the first 8 pixels (`THRESHOLD`) decides whether the finger drags or scrolls;
 * later movement does not change that decision.
 * @param {Gesture} gesture
 * @param {Point} point
 * @returns {Gesture}
 */
export function move(gesture, point) {
  if (gesture.phase !== 'undecided') return gesture;
  const across = Math.abs(point.x - gesture.start.x);
  const along = Math.abs(point.y - gesture.start.y);
  if (Math.max(across, along) < THRESHOLD) return gesture;
  const isDrag = across > along && (gesture.grip !== null || !gesture.needsGrip);
  return { ...gesture, phase: isDrag ? 'dragging' : 'over' };
}

/**
 * Returns the side of the thumb on which a finger tapped: -1 is left of the thumb, 1 is right of it, 0 is on the thumb.
 * @param {Gesture} gesture
 * @param {number} thumb the x position of the middle of the thumb, in pixels
 * @returns {-1 | 0 | 1}
 */
export function sideOf(gesture, thumb) {
  if (gesture.grip !== null) return 0;
  return gesture.start.x < thumb ? -1 : 1;
}

/**
 * Returns the part of the track, 0…1, to which a finger has dragged the middle of the thumb. The finger keeps its distance from the middle (`grip`),
 * so that the thumb does not jump at the start of the drag.
 * @param {Gesture} gesture
 * @param {Point} point
 * @param {Track} track
 */
export function draggedTo(gesture, point, track) {
  return partAt(point.x - (gesture.grip ?? 0), track);
}

/**
 * Returns the part of the track, 0…1, at an x position. The thumb stays inside the track. So part 0 is half the thumb's width after the left end of
 * the track, and part 1 is half the thumb's width before the right end.
 * @param {number} x the x position, in pixels
 * @param {Track} track
 */
export function partAt(x, { left, width, thumb }) {
  const length = width - thumb;
  return length > 0 ? Math.min(Math.max(0, (x - left - thumb / 2) / length), 1) : 0;
}

/**
 * Returns the x position of a part of the track, in pixels.
 * @param {number} part the part of the track, 0…1
 * @param {Track} track
 */
export function placeOf(part, { left, width, thumb }) {
  return left + thumb / 2 + part * (width - thumb);
}
