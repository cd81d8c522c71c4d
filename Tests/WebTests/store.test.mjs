import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Store } from '../../web/js/store.js';
import { playerState } from './fakes.mjs';

function counted() {
  const store = new Store();
  const seen = { changes: 0 };
  store.addEventListener('change', () => (seen.changes += 1));
  return { store, seen };
}

test('the first state is stored and announced', () => {
  const { store, seen } = counted();
  assert.equal(store.receiveState(playerState({ revision: 41 })), true);
  assert.equal(store.state.revision, 41);
  assert.equal(seen.changes, 1);
});

test('within an epoch an older or equal revision is ignored', () => {
  const { store, seen } = counted();
  store.receiveState(playerState({ revision: 5, volume: 0.5 }));
  assert.equal(store.receiveState(playerState({ revision: 4, volume: 0.1 })), false);
  assert.equal(store.receiveState(playerState({ revision: 5, volume: 0.2 })), false);
  assert.equal(store.state.volume, 0.5);
  assert.equal(seen.changes, 1);
});

test('a state of another epoch is accepted although its revision is smaller', () => {
  const { store } = counted();
  store.receiveState(playerState({ revision: 500 }));
  assert.equal(store.receiveState(playerState({ epoch: 'e2', revision: 1, volume: 0.3 })), true);
  assert.equal(store.state.volume, 0.3);
});

test('a change replaces the members that it names, and removes a named member that it does not contain', () => {
  const { store } = counted();
  store.receiveState(playerState({ revision: 5, volume: 0.5, isMuted: true, loop: { start: 1, end: 2 } }));
  const state = store.applying({ epoch: 'e1', revision: 6, volume: 0.7, changed: ['volume', 'loop'], hostTime: 9 });
  assert.equal(store.receiveState(state), true);
  assert.equal(store.state.volume, 0.7);
  assert.equal(store.state.isMuted, true);
  assert.equal('loop' in store.state, false);
});

test('a change that is older than the state changes nothing', () => {
  const { store } = counted();
  store.receiveState(playerState({ revision: 5, volume: 0.5 }));
  assert.equal(store.applying({ epoch: 'e1', revision: 5, volume: 0.7, changed: ['volume'] }), store.state);
});

test('a change that does not follow the state cannot be applied', () => {
  const { store } = counted();
  assert.equal(store.applying({ epoch: 'e1', revision: 2, changed: [] }), null);
  store.receiveState(playerState({ revision: 5 }));
  for (const change of [null, 7, {}, { epoch: 'e1', revision: 7, changed: [] }, { epoch: 'e2', revision: 6, changed: [] }, { epoch: 'e1', revision: 6 }]) {
    assert.equal(store.applying(change), null);
  }
});

test('the last rate change is forgotten with its epoch', () => {
  const { store } = counted();
  store.receiveState(playerState());
  store.receiveRateChange({ reason: 'setRateCalled', origin: 'kitchen' });
  store.receiveState(playerState({ revision: 2 }));
  assert.equal(store.rateChange.origin, 'kitchen');
  store.receiveState(playerState({ epoch: 'e2' }));
  assert.equal(store.rateChange, null);
});

test('an invalid state is refused and changes nothing', () => {
  const { store, seen } = counted();
  for (const document of [null, 7, 'x', {}, { epoch: 'e1', revision: 'x' }, playerState({ anchor: { time: 1, hostTime: null, rate: 0 } })]) {
    assert.equal(store.receiveState(document), false);
  }
  assert.equal(store.state, null);
  assert.equal(seen.changes, 0);
});

test('a state is current while the connection is known to work', () => {
  const { store } = counted();
  assert.equal(store.isCurrent, false);
  store.receiveState(playerState());
  store.setConnection('open');
  assert.equal(store.isCurrent, true);
  store.setConnection('checking');
  assert.equal(store.isCurrent, false);
  store.setConnection('open');
  store.setConnection('lost');
  assert.equal(store.isCurrent, false);
});

test('an unchanged connection status is announced once', () => {
  const { store, seen } = counted();
  store.setConnection('open');
  store.setConnection('open');
  assert.equal(seen.changes, 1);
});

test('a notice stays until it is dismissed', () => {
  const { store, seen } = counted();
  store.say('No.', true);
  assert.deepEqual(store.notice, { text: 'No.', isError: true, actions: [] });
  store.dismissNotice();
  store.dismissNotice();
  assert.equal(store.notice, null);
  assert.equal(seen.changes, 2);
});
