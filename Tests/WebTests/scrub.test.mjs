import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factors, LEVELS, Scrub, SNAP } from '../../web/js/scrub.js';

const area = { left: 20, width: 400 };
const range = { from: 0, to: 800 };
/** Starts a scrub at 400 s in the middle of the area, where a pixel is 2 s, and moves it by each of `steps`. */
function scrub(steps = [], from = range) {
  const point = { x: 220, y: 100 };
  const made = new Scrub({ point: { ...point }, time: (from.from + from.to) / 2, area, range: from });
  for (const [x, y] of steps) {
    point.x += x;
    point.y += y;
    made.move({ ...point });
  }
  return made;
}
const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`);

test('at the first level the position follows the pointer', () => {
  near(scrub([[10, 0], [-40, 0]]).time, 340);
});

test('the position stays within the range', () => {
  assert.equal(scrub([[1000, 0]]).time, 800);
  assert.equal(scrub([[-1000, 0]]).time, 0);
  assert.equal(scrub([[-1000, 0]], { from: 90, to: 100 }).time, 90);
});

test('the further the pointer is above or below its start, the slower the position follows', () => {
  for (const side of [1, -1]) {
    assert.equal(scrub([[0, side * (LEVELS[0] - 1)]]).level, 0);
    const second = scrub([[0, side * LEVELS[0]], [10, 0]]);
    assert.equal(second.level, 1);
    near(second.time, 400 + 10 * 2 * second.secondsPerPixel / 2);
    assert.equal(scrub([[0, side * LEVELS[1]]]).level, 2);
  }
});

test('short items have the levels 1, 1/4 and 1/16', () => {
  assert.deepEqual(factors(0.5), [1, 0.25, 1 / 16]);
});

test('in a long item the slowest level reaches a fifth of a second for each pixel', () => {
  const [, middle, slowest] = factors(20);
  near(slowest * 20, 0.2);
  near(middle * middle, slowest);
});

test('an unsteady pointer at the limit of a level does not leave it', () => {
  assert.equal(scrub([[0, LEVELS[0]], [0, -3]]).level, 1);
  assert.equal(scrub([[0, LEVELS[0]], [0, -20]]).level, 0);
});

test('the zoomed band keeps the playhead at the pointer', () => {
  const zoomed = scrub([[0, LEVELS[1]]]);
  const { from, to } = zoomed.band;
  near((zoomed.time - from) / (to - from), 0.5);
  zoomed.move({ x: 260, y: 100 + LEVELS[1] });
  near((zoomed.time - from) / (to - from), 0.6);
});

test('a change of the level does not move the position', () => {
  near(scrub([[10, 0], [0, LEVELS[0]], [0, LEVELS[1]], [0, -LEVELS[1] - LEVELS[0]]]).time, 420);
});

test('a released playhead snaps to the start of a chapter that is near', () => {
  const secondsPerPixel = 2;
  assert.equal(scrub().released([400 + SNAP * secondsPerPixel]), 412);
  assert.equal(scrub().released([400 + (SNAP + 1) * secondsPerPixel]), 400);
  assert.equal(scrub().released([392, 403]), 403);
});

test('in a zoomed band a chapter has to be nearer', () => {
  assert.equal(scrub([[0, LEVELS[1]]]).released([412]), 400);
});
