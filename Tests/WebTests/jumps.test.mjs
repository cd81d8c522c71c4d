import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Jumps } from '../../web/js/jumps.js';

/** A state that plays at a position, with the time of its change as host time. */
const state = (time, hostTime, rest = {}) => ({
  epoch: 'e', anchor: { time, hostTime, rate: 1 }, currentItem: { id: 'a', duration: 7200 }, lastChange: { reason: 'seek', origin: 'x' }, ...rest,
});
/** Returns the results of states, each of which arrives at its host time. */
const results = (...states) => {
  const jumps = new Jumps();
  return states.map((one) => jumps.stateArrived(one, one.anchor.hostTime));
};

test('a jump of more than 30 seconds has the position that was heard before', () => {
  assert.deepEqual(results(state(0, 100), state(1000, 110)), [undefined, { from: 10 }]);
});

test('a shorter jump, and playback itself, is none', () => {
  assert.deepEqual(results(state(0, 100), state(35, 110), state(45, 120)), [undefined, null, undefined]);
});

test('the many seeks of a finger are one jump from the first position', () => {
  const seen = results(state(1000, 100), state(1010, 100.1), state(1025, 100.2), state(1045, 100.3));
  assert.equal(Math.round(seen.at(-1).from), 1000);
});

test('two jumps with a pause between them are two', () => {
  const seen = results(state(0, 100), state(1000, 110), state(2000, 120));
  assert.deepEqual(seen.at(-1), { from: 1010 });
});

test('the next entry is no jump, and ends the offer', () => {
  const next = state(0, 110, { currentItem: { id: 'b', duration: 100 }, lastChange: { reason: 'itemAdvanced', origin: 'player' } });
  assert.deepEqual(results(state(500, 100), next), [undefined, null]);
});

test('the repetition of one entry is no jump', () => {
  const again = state(0, 110, { lastChange: { reason: 'itemAdvanced', origin: 'player' } });
  assert.deepEqual(results(state(500, 100), again), [undefined, undefined]);
});

test('an undo is not offered to be undone', () => {
  const jumps = new Jumps();
  jumps.stateArrived(state(0, 100), 100);
  jumps.stateArrived(state(1000, 110), 110);
  jumps.undoing();
  assert.equal(jumps.stateArrived(state(10, 112), 112), null);
  assert.deepEqual(jumps.stateArrived(state(2000, 122), 122), { from: 20 });
});

test('a pause within the item is no jump', () => {
  const pause = state(10, 110, { anchor: { time: 10, hostTime: 110, rate: 0 }, lastChange: { reason: 'setRateCalled', origin: 'x' } });
  assert.deepEqual(results(state(0, 100), pause), [undefined, undefined]);
});
