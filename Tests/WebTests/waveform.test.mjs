import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heightIn, heightsOf, scaleOf, timeAt, Waveform, xOf } from '../../web/js/waveform.js';
import { FakeTimers } from './fakes.mjs';

/** A response with bars of the given heights. */
const answer = (peaks, rest = {}) => ({
  duration: 100, from: 0, to: 100, isComplete: true, minimum: peaks.map((peak) => -peak), maximum: peaks, rms: peaks.map((peak) => peak / 2), ...rest,
});
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A waveform whose requests the test answers. */
function make() {
  const requests = [];
  const timers = new FakeTimers();
  const waveform = new Waveform({
    load: (what) => new Promise((resolve, reject) => requests.push({ what, resolve, reject })),
    changed: () => {}, isFinal: (error) => error.isFinal, timers,
  });
  return { waveform, requests, timers };
}

test('a bar is higher with a higher peak or more power, and at most 1', () => {
  const [low, loud, full] = heightsOf({ minimum: [-0.1, -0.1, -1], maximum: [0.2, 0.9, 1], rms: [0.05, 0.05, 1] });
  assert.ok(low < loud && loud < full);
  assert.equal(full, 1);
});

test('the highest bar fills the height, but silence stays low', () => {
  assert.equal(scaleOf([0.2, 0.5]), 2);
  assert.ok(scaleOf([0.001]) < 10);
  assert.ok(Number.isFinite(scaleOf([])));
});

test('a drawn bar has the highest of the bars that it covers', () => {
  const bars = { from: 0, to: 4, count: 4, heights: [0.1, 0.5, 0.2], isComplete: false };
  assert.equal(heightIn(bars, 0, 2), 0.5);
  assert.equal(heightIn(bars, 0.25, 0.5), 0.1);
  assert.equal(heightIn(bars, 2, 4), 0.2);
});

test('a part that is not analysed yet, or outside the bars, has no height', () => {
  const bars = { from: 10, to: 14, count: 4, heights: [0.1, 0.5], isComplete: false };
  assert.equal(heightIn(bars, 13, 14), undefined);
  assert.equal(heightIn(bars, 0, 10), undefined);
  assert.equal(heightIn(bars, 14, 15), undefined);
});

test('xOf and timeAt are inverse within the width', () => {
  const band = { from: 100, to: 300 };
  assert.equal(xOf(150, band, 400), 100);
  assert.equal(timeAt(100, band, 400), 150);
  assert.equal(timeAt(-5, band, 400), 100);
  assert.equal(timeAt(999, band, 400), 300);
});

test('an incomplete waveform is shown, and requested again until it is complete', async () => {
  const { waveform, requests } = make();
  waveform.show('a', 'a', 30);
  assert.equal(requests[0].what.points, 10);
  requests[0].resolve(answer([0.5], { isComplete: false }));
  await settle();
  assert.equal(waveform.overview.heights.length, 1);
  requests[1].resolve(answer([0.5, 0.5]));
  await settle();
  assert.equal(waveform.overview.heights.length, 2);
  assert.equal(requests.length, 2);
});

test('the waveform of another item replaces the old one at once, and late responses are ignored', async () => {
  const { waveform, requests } = make();
  waveform.show('a', 'a', 30);
  requests[0].resolve(answer([0.5]));
  await settle();
  waveform.show('b', 'b', 30);
  assert.equal(waveform.overview, null);
  waveform.show('c', 'c', 30);
  requests[1].resolve(answer([0.7]));
  await settle();
  assert.equal(waveform.overview, null);
});

test('in a new width the old bars stay until the new ones have arrived', async () => {
  const { waveform, requests } = make();
  waveform.show('a', 'a', 30);
  requests[0].resolve(answer([0.5]));
  await settle();
  waveform.show('a', 'a', 60);
  assert.equal(waveform.overview.count, 10);
});

test('a request that may succeed later is repeated a few times, another one is not', async () => {
  const { waveform, requests, timers } = make();
  waveform.show('a', 'a', 30);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    requests.at(-1).reject({ isFinal: false });
    await settle();
    timers.advance(10);
  }
  assert.equal(requests.length, 6);
  waveform.show('b', 'b', 30);
  requests.at(-1).reject({ isFinal: true });
  await settle();
  assert.equal(timers.count, 0);
});

test('a zoomed band requests details of the part that is inside the item', async () => {
  const { waveform, requests } = make();
  waveform.show('a', 'a', 300);
  requests[0].resolve(answer([0.5]));
  await settle();
  waveform.zoom('a', { from: -10, to: 10 }, 300);
  assert.deepEqual([requests[1].what.from, requests[1].what.to, requests[1].what.points], [0, 10, 50]);
  waveform.zoom('a', null, 300);
  requests[1].resolve(answer([0.5], { to: 10 }));
  await settle();
  assert.equal(waveform.details, null);
});
