// @ts-check
/**
 * What a finger on a slider means. It rests, scrolls or misses before it moves anything, so its intention is known only after a few pixels.
 * Pure: `views/touch.js` has the events.
 *
 * @typedef {{x: number, y: number}} Point  Pixels.
 * @typedef {{left: number, width: number, thumb: number}} Track  Pixels; the thumb's width.
 *
 * @typedef {object} Gesture
 * @property {Point} start
 * @property {number | null} grip pixels from the middle of the thumb to the finger, where the finger is on the thumb; else null
 * @property {boolean} needsGrip whether only a finger on the thumb moves it
 * @property {'undecided' | 'dragging' | 'over'} phase `over`: the finger scrolls, or means nothing here
 */

/** Pixels by which a finger moves before it means something. */
export const THRESHOLD = 8;
/** Pixels around the middle of the thumb in which a finger is on it: half of the smallest size that can be touched well. */
export const REACH = 22;

/**
 * A finger is down.
 * @param {Point} start
 * @param {number} thumb x of the middle of the thumb
 * @param {boolean} needsGrip
 * @returns {Gesture}
 */
export function press(start, thumb, needsGrip) {
  const offset = start.x - thumb;
  return { start, grip: Math.abs(offset) <= REACH ? offset : null, needsGrip, phase: 'undecided' };
}

/**
 * The finger has moved. The direction in which it leaves its first place decides, once.
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
 * The side of the thumb on which a finger tapped; 0 is on the thumb.
 * @param {Gesture} gesture
 * @param {number} thumb x of the middle of the thumb
 * @returns {-1 | 0 | 1}
 */
export function sideOf(gesture, thumb) {
  if (gesture.grip !== null) return 0;
  return gesture.start.x < thumb ? -1 : 1;
}

/**
 * The part of the track, 0…1, to which a finger has dragged the thumb. A thumb that was gripped beside its middle does not jump.
 * @param {Gesture} gesture
 * @param {Point} point
 * @param {Track} track
 */
export function draggedTo(gesture, point, track) {
  return partAt(point.x - (gesture.grip ?? 0), track);
}

/**
 * The part of the track, 0…1, at a place. The middle of the thumb runs from half its width to half its width before the end.
 * @param {number} x pixels
 * @param {Track} track
 */
export function partAt(x, { left, width, thumb }) {
  const length = width - thumb;
  return length > 0 ? Math.min(Math.max(0, (x - left - thumb / 2) / length), 1) : 0;
}

/**
 * The place of a part of the track, pixels.
 * @param {number} part 0…1
 * @param {Track} track
 */
export function placeOf(part, { left, width, thumb }) {
  return left + thumb / 2 + part * (width - thumb);
}
