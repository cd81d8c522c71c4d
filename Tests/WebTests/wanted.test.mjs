import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Wanted } from '../../web/js/wanted.js';
import { deferred, FakeTimers, playerState, settle } from './fakes.mjs';

/** Returns a requested volume (`Wanted`); the test controls the player's state and answers the requests. */
function rig() {
  const timers = new FakeTimers();
  const sent = [];
  const failures = [];
  const seen = { state: playerState({ volume: 1 }), changes: 0 };
  const wanted = new Wanted({
    perform: (value) => {
      const operation = deferred();
      sent.push({ value, ...operation });
      return operation.promise;
    },
    isMet: (state, value) => state.volume === value,
    state: () => seen.state,
    changed: () => (seen.changes += 1),
    failed: (error) => failures.push(error.message),
    timers,
  });
  return { wanted, timers, sent, failures, seen };
}

test('the wanted value is shown until a state confirms it (R-SEEK-11)', async () => {
  const { wanted, sent } = rig();
  wanted.want(0.5);
  assert.equal(wanted.value, 0.5);
  sent[0].resolve();
  await settle();
  assert.equal(wanted.value, 0.5);
  wanted.stateArrived(playerState({ volume: 0.9 })); // This state has another volume, because something else has changed.
  assert.equal(wanted.value, 0.5);
  wanted.stateArrived(playerState({ volume: 0.5 }));
  assert.equal(wanted.value, null);
});

test('a state that arrives before the response counts when the response arrives', async () => {
  const { wanted, sent, seen } = rig();
  wanted.want(0.5);
  seen.state = playerState({ volume: 0.5 });
  wanted.stateArrived(seen.state);
  assert.equal(wanted.value, 0.5); // The state alone is not enough: before the response, the request of a newer value may be in flight.
  sent[0].resolve();
  await settle();
  assert.equal(wanted.value, null);
});

test('the newest value stays shown while an older request completes', async () => {
  const { wanted, sent, seen } = rig();
  wanted.want(0.5);
  wanted.want(0.7);
  seen.state = playerState({ volume: 0.5 });
  sent[0].resolve();
  await settle();
  assert.equal(wanted.value, 0.7);
  assert.deepEqual(sent.map(({ value }) => value), [0.5, 0.7]);
});

test('without a confirming state the player’s value is shown again after a while', async () => {
  const { wanted, sent, timers, seen } = rig();
  wanted.want(0.5);
  sent[0].resolve();
  await settle();
  timers.advance(1.4);
  assert.equal(wanted.value, 0.5);
  const changes = seen.changes;
  timers.advance(0.2);
  assert.equal(wanted.value, null);
  assert.equal(seen.changes, changes + 1);
});

test('a new value cancels the time-out of the older one', async () => {
  const { wanted, sent, timers } = rig();
  wanted.want(0.5);
  sent[0].resolve();
  await settle();
  timers.advance(1);
  wanted.want(0.6);
  timers.advance(10);
  assert.equal(wanted.value, 0.6); // The request for 0.6 is still in flight, and no time-out ends it.
});

test('after a failure the player’s value is shown at once, and the failure is reported', async () => {
  const { wanted, sent, failures, timers } = rig();
  wanted.want(0.5);
  sent[0].reject(new Error('refused'));
  await settle();
  assert.equal(wanted.value, null);
  assert.deepEqual(failures, ['refused']);
  assert.equal(timers.count, 0);
});

test('a dropped value is neither shown nor reported when its response arrives', async () => {
  const { wanted, sent, failures } = rig();
  wanted.want(0.5);
  wanted.drop();
  assert.equal(wanted.value, null);
  sent[0].reject(new Error('late'));
  await settle();
  assert.deepEqual(failures, []);
});
