import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal, Unreachable } from '../../web/js/link/api.js';
import { QueueSteps } from '../../web/js/queueSteps.js';
import { deferred, playerState, settle } from './fakes.mjs';

/** Returns a store, and the requests of the steps, which the test answers; `press` takes a step. */
function rig() {
  const store = { state: playerState({ revision: 5, currentItem: { id: 'e1' } }) };
  const steps = new QueueSteps(store);
  const requests = [];
  const press = () => {
    const done = steps.take((current) => {
      const answer = deferred();
      requests.push({ current, ...answer });
      return answer.promise;
    });
    return done.then(() => 'done', (error) => error);
  };
  return { store, requests, press };
}
const answer = (revision, id) => playerState({ revision, currentItem: { id } });
const refusal = (currentId) => new Refusal(412, { type: '/problems/current-entry-changed', currentId });

test('a step names the entry that is shown, and is sent at once', () => {
  const { requests, press } = rig();
  void press();
  assert.deepEqual(requests.map(({ current }) => current), ['e1']);
});

test('of two quick presses, the second leaves the entry that the first has made current', async () => {
  const { store, requests, press } = rig();
  void press();
  void press();
  await settle();
  assert.equal(requests.length, 1);
  requests[0].resolve(answer(6, 'e2'));
  await settle();
  assert.equal(requests[1].current, 'e2');
  requests[1].resolve(answer(7, 'e3'));
  await settle();
  // The state of the first step arrives; that of the second step has not arrived yet.
  store.state = answer(6, 'e2');
  void press();
  assert.equal(requests[2].current, 'e3');
  requests[2].resolve(answer(8, 'e4'));
  await settle();
  // Then another remote makes the entry e7 current, and its state arrives.
  store.state = answer(9, 'e7');
  void press();
  assert.equal(requests[3].current, 'e7');
});

test('a step that another remote has taken first is no error, and the next one leaves the entry that is current then', async () => {
  const { store, requests, press } = rig();
  const first = press();
  requests[0].reject(refusal('e2'));
  assert.equal(await first, 'done');
  void press();
  assert.equal(requests[1].current, 'e2');
  requests[1].resolve(answer(7, 'e3'));
  await settle();
  store.state = answer(7, 'e3');
  void press();
  assert.equal(requests[2].current, 'e3');
});

test('after an error the steps that wait are dropped, and the error is reported once', async () => {
  const { requests, press } = rig();
  const results = [press(), press(), press()];
  requests[0].reject(new Unreachable());
  const errors = (await Promise.all(results)).filter((result) => result instanceof Unreachable);
  assert.equal(requests.length, 1);
  assert.equal(errors.length, 1);
  void press();
  assert.equal(requests.length, 2);
});

test('the number of steps that wait is limited', async () => {
  const { requests, press } = rig();
  for (let press_ = 0; press_ < 100; press_ += 1) void press();
  for (let count = 0; count < requests.length; count += 1) {
    requests[count].resolve(answer(6 + count, `e${count + 2}`));
    await settle();
  }
  assert.equal(requests.length, 16);
});
