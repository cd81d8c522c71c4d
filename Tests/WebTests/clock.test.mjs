import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerClock, synchronize } from '../../web/js/link/clock.js';

/** Returns a local clock that the test sets, and an estimate of the clock of a server, which is 5000 s ahead of the local clock. */
function rig() {
  const time = { now: 10 };
  return { time, clock: new ServerClock(() => time.now), ahead: 5000 };
}

test('an unknown clock has no offset and infinite uncertainty', () => {
  const { clock } = rig();
  assert.equal(clock.offset, 0);
  assert.equal(clock.uncertainty, Infinity);
});

test('a symmetric round trip gives the exact offset', () => {
  const { clock } = rig();
  clock.addRoundTrip(9.9, 10, 5009.95);
  assert.ok(Math.abs(clock.offset - 5000) < 1e-9);
  assert.ok(Math.abs(clock.uncertainty - 0.05) < 1e-9);
});

test('the smallest round trip is used, in any order', () => {
  for (const order of [[0, 1, 2], [2, 1, 0], [1, 0, 2]]) {
    const { clock } = rig();
    // The two slow round trips are asymmetric: each of them alone would give an offset that is wrong by 0.4 s.
    const trips = [[9, 9.9, 5009.85], [9.96, 9.98, 5009.97], [8, 8.9, 5008.05]];
    for (const index of order) clock.addRoundTrip(...trips[index]);
    assert.ok(Math.abs(clock.offset - 5000) < 0.011, `order ${order}: ${clock.offset}`);
    assert.ok(clock.uncertainty <= 0.011);
  }
});

test('an event is a lower bound: a quick one refines the offset, a late or replayed one changes nothing', () => {
  const { clock } = rig();
  clock.addRoundTrip(9.8, 10, 5009.81); // An asymmetric round trip: the estimate of the offset is 0.09 s too small.
  const before = clock.offset;
  clock.addEvent(10, 5003); // A replayed event: its host time is 7 s old.
  assert.equal(clock.offset, before);
  clock.addEvent(10, 5009.999); // This event arrived 1 ms after its host time.
  assert.ok(clock.offset > before + 0.08 && clock.uncertainty < 0.01);
});

test('an event alone gives a first offset', () => {
  const { clock } = rig();
  clock.addEvent(10, 5009.99);
  assert.ok(Math.abs(clock.hostNow() - 5009.99) < 1e-9);
  assert.equal(clock.uncertainty, Infinity);
});

test('bounds widen with age, so that a newer measurement counts', () => {
  const { clock, time } = rig();
  clock.addRoundTrip(9.999, 10, 5009.9995);
  const narrow = clock.uncertainty;
  time.now += 600;
  assert.ok(clock.uncertainty > narrow + 0.1);
  // During the 600 s the server's clock has gained 30 ms (50 ppm) on the local clock.
  clock.addRoundTrip(time.now - 0.002, time.now, time.now + 5000.029);
  assert.ok(Math.abs(clock.offset - 5000.03) < 0.002);
});

test('a contradiction means that a clock was stopped or set: only the newest measurement is used', () => {
  const { clock, time } = rig();
  clock.addRoundTrip(9.99, 10, 5009.995);
  time.now = 20;
  clock.addRoundTrip(19.99, 20, 9019.995); // The local machine slept for 4000 s, and its clock stood still.
  assert.ok(Math.abs(clock.offset - 9000) < 0.01);
  clock.addRoundTrip(19.99, 20, 119.995); // The measurement is of another server, whose clock is 100 s ahead.
  assert.ok(Math.abs(clock.offset - 100) < 0.01);
});

test('an event beyond the upper bound resets the offset to its time', () => {
  const { clock, time } = rig();
  clock.addRoundTrip(9.99, 10, 5009.995);
  time.now = 11;
  clock.addEvent(11, 6011);
  assert.ok(Math.abs(clock.offset - 6000) < 1e-9);
  assert.equal(clock.uncertainty, Infinity); // Infinite uncertainty makes the page measure the clock again.
});

test('invalid numbers and a clock that runs backwards are ignored', () => {
  const { clock } = rig();
  clock.addRoundTrip(10, 9, 5000);
  clock.addRoundTrip(9, 10, NaN);
  clock.addEvent(10, undefined);
  assert.equal(clock.offset, 0);
});

test('synchronize measures several round trips, and a failure keeps the earlier results', async () => {
  const { clock, time } = rig();
  const delays = [0.3, 0.02, 0.2];
  await assert.rejects(
    synchronize(clock, async () => {
      const delay = delays.shift();
      if (delay === undefined) throw new Error('gone');
      time.now += delay;
      return { hostTime: time.now + 5000 }; // The server reads its clock at the end of the delay: the greatest possible asymmetry.
    }),
  );
  assert.ok(Math.abs(clock.offset - 5000) <= 0.0101);
});
