import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Acts } from '../../web/js/acts.js';
import { Store } from '../../web/js/store.js';
import { deferred, FakeTimers, settle } from './fakes.mjs';

/** Acts whose answers the test gives; `button` is a control, of which the tests read the attributes. */
function rig() {
  const store = new Store();
  const timers = new FakeTimers();
  const failures = [];
  const offers = [];
  const undo = { offer: (...offer) => offers.push(offer) };
  const acts = new Acts({ store, timers, undo, failed: (error, options) => failures.push({ error, ...options }) });
  const attributes = new Map();
  const button = { setAttribute: (name, value) => attributes.set(name, value), removeAttribute: (name) => attributes.delete(name) };
  return { acts, store, timers, failures, offers, button, isBusy: () => attributes.get('aria-busy') === 'true' };
}

test('a control is busy 150 ms after an act without an answer, until the answer', async () => {
  const { acts, timers, button, isBusy } = rig();
  const answer = deferred();
  const done = acts.perform(() => answer.promise, { element: button });
  timers.advance(0.14);
  assert.equal(isBusy(), false);
  timers.advance(0.02);
  assert.equal(isBusy(), true);
  answer.resolve('yes');
  assert.equal(await done, 'yes');
  assert.equal(isBusy(), false);
  assert.equal(timers.count, 0);
});

test('a second press of a control has no effect until the answer to the first', async () => {
  const { acts, button } = rig();
  const answer = deferred();
  let sent = 0;
  const send = () => ((sent += 1), answer.promise);
  const first = acts.perform(send, { element: button });
  assert.equal(await acts.perform(send, { element: button }), undefined);
  assert.equal(sent, 1);
  answer.resolve(1);
  await first;
  await acts.perform(send, { element: button });
  assert.equal(sent, 2);
});

test('after 2 s a notice says what the act waits for, and the answer removes it', async () => {
  const { acts, store, timers } = rig();
  const answer = deferred();
  const done = acts.perform(() => answer.promise, { waitText: 'Waiting for the radio…' });
  timers.advance(1.9);
  assert.equal(store.notice, null);
  timers.advance(0.2);
  assert.equal(store.notice.text, 'Waiting for the radio…');
  answer.resolve();
  await done;
  assert.equal(store.notice, null);
});

test('a notice of another kind is not removed by an answer', async () => {
  const { acts, store, timers } = rig();
  const answer = deferred();
  const done = acts.perform(() => answer.promise);
  timers.advance(2.1);
  store.say('Other news.');
  answer.resolve();
  await done;
  assert.equal(store.notice.text, 'Other news.');
});

test('a success removes the report of an earlier failure', async () => {
  const { acts, store } = rig();
  store.say('No.', true);
  await acts.perform(async () => 1);
  assert.equal(store.notice, null);
});

test('a failure is reported with what it concerns, and the act can be repeated', async () => {
  const { acts, failures, button } = rig();
  let sent = 0;
  const send = async () => {
    sent += 1;
    throw new Error('no');
  };
  assert.equal(await acts.perform(send, { element: button, about: 'Song 1' }), undefined);
  assert.equal(failures[0].about, 'Song 1');
  failures[0].again();
  await settle();
  assert.equal(sent, 2);
  assert.equal(failures.length, 2);
});

test('an edit offers to undo exactly the revision that it made', async () => {
  const { acts, offers } = rig();
  await acts.edit(async () => ({ answer: {}, tag: '"queue:e1:8.ab"' }), { undoText: '3 entries were removed.' });
  assert.deepEqual(offers, [['3 entries were removed.', { epoch: 'e1', revision: 8 }]]);
});

test('a failed edit, and one without a text, offer nothing', async () => {
  const { acts, offers } = rig();
  await acts.edit(() => Promise.reject(new Error('no')), { undoText: 'Removed.' });
  await acts.edit(async () => ({ answer: {}, tag: '"queue:e1:8.ab"' }), { undoText: null });
  assert.deepEqual(offers, []);
});

test('an act without a control is attended too, and its error stays with the caller', async () => {
  const { acts, store, timers } = rig();
  const answer = deferred();
  const done = acts.attend(() => answer.promise, { waitText: 'Waiting for the position…' });
  timers.advance(2.1);
  assert.equal(store.notice.text, 'Waiting for the position…');
  answer.reject(new Error('no'));
  await assert.rejects(done, /no/);
  assert.equal(store.notice, null);
});
