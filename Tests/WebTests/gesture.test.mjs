import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draggedTo, move, partAt, placeOf, press, REACH, sideOf, THRESHOLD } from '../../web/js/gesture.js';

const track = { left: 20, width: 220, thumb: 20 };
/** Returns the gesture of a finger that touches the point `start` and then moves by each of `steps`. */
const gesture = (start, steps, { thumb = 70, needsGrip = false } = {}) => {
  let state = press(start, thumb, needsGrip);
  let point = start;
  for (const [x, y] of steps) {
    point = { x: point.x + x, y: point.y + y };
    state = move(state, point);
  }
  return { state, point };
};

test('a finger that has moved less than the threshold is undecided', () => {
  const { state } = gesture({ x: 70, y: 10 }, [[THRESHOLD - 1, 0], [0, THRESHOLD - 1]]);
  assert.equal(state.phase, 'undecided');
});

test('a finger that first moves horizontally drags', () => {
  assert.equal(gesture({ x: 150, y: 10 }, [[THRESHOLD, 3]]).state.phase, 'dragging');
  assert.equal(gesture({ x: 150, y: 10 }, [[-THRESHOLD, 3]]).state.phase, 'dragging');
});

test('a finger that first moves vertically or diagonally does not drag', () => {
  assert.equal(gesture({ x: 150, y: 10 }, [[3, -THRESHOLD]]).state.phase, 'over');
  assert.equal(gesture({ x: 150, y: 10 }, [[THRESHOLD, THRESHOLD]]).state.phase, 'over');
});

test('the first direction decides, whatever follows', () => {
  assert.equal(gesture({ x: 150, y: 10 }, [[2, 40], [200, 0]]).state.phase, 'over');
  assert.equal(gesture({ x: 150, y: 10 }, [[40, 2], [0, 200]]).state.phase, 'dragging');
});

test('if a grip is needed, only a finger on the thumb drags', () => {
  assert.equal(gesture({ x: 70 + REACH, y: 10 }, [[40, 0]], { needsGrip: true }).state.phase, 'dragging');
  assert.equal(gesture({ x: 70 + REACH + 1, y: 10 }, [[40, 0]], { needsGrip: true }).state.phase, 'over');
});

test('a gripped thumb moves as far as the finger; otherwise the thumb moves under the finger', () => {
  const gripped = gesture({ x: 80, y: 10 }, [[50, 0]]);
  assert.equal(draggedTo(gripped.state, gripped.point, track), partAt(120, track));
  const beside = gesture({ x: 150, y: 10 }, [[50, 0]]);
  assert.equal(draggedTo(beside.state, beside.point, track), partAt(200, track));
});

test('a tap is before, after or on the thumb', () => {
  assert.equal(sideOf(press({ x: 40, y: 10 }, 70, true), 70), -1);
  assert.equal(sideOf(press({ x: 200, y: 10 }, 70, true), 70), 1);
  assert.equal(sideOf(press({ x: 60, y: 10 }, 70, true), 70), 0);
});

test('partAt and placeOf are inverse, and clamp to the track', () => {
  assert.deepEqual([0, 0.25, 1].map((part) => placeOf(part, track)), [30, 80, 230]);
  assert.deepEqual([0, 30, 80, 230, 500].map((x) => partAt(x, track)), [0, 0, 0.25, 1, 1]);
  assert.equal(partAt(50, { left: 0, width: 10, thumb: 20 }), 0);
});
