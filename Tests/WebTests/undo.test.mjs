import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../web/js/link/api.js';
import { Store } from '../../web/js/store.js';
import { QueueUndo } from '../../web/js/undo.js';
import { t } from '../../web/js/lang/lang.js';
import { FakeTimers, playerState } from './fakes.mjs';

const entry = (id, changes = {}) => ({
  id, url: `file:///${id}.flac`, title: `Title ${id}`, status: 'readyToPlay', isLive: false, isSeekable: true, hasArtwork: false, ...changes,
});
const playing = (changes = {}) => playerState({ rate: 1, queue: { revision: 4, count: 3, index: 1 }, currentItem: entry('e2'), ...changes });

/** A page that has replaced a queue by the item e9. `made` is the revision of the new queue in the response to the replacement. */
function rig(state = playing(), made = { epoch: 'e1', revision: 5 }) {
  const requests = [];
  const api = {
    refuses: 0,
    command: async (operation, values, { ifMatch }) => {
      requests.push([operation, ifMatch]);
      if (api.refuses) throw new Refusal(api.refuses, { detail: 'No.' });
    },
  };
  const store = new Store();
  const timers = new FakeTimers();
  const failures = [];
  const undo = new QueueUndo({ command: api.command, store, timers, failed: (error) => failures.push(error) });
  const receive = (document) => store.receiveState(document) && undo.stateArrived(document);
  receive(state);
  const lost = undo.describe(61);
  undo.offer(lost && t('link.undo.replaced', { lost }), made);
  const replaced = (revision, queue) => playerState({ revision, queue, currentItem: entry('e9') });
  receive(replaced(2, { revision: 5, count: 1, index: 0 }));
  return { api, store, timers, undo, receive, replaced, failures, requests };
}

test('undo names what was replaced, and asks the server to restore it if no client has edited the queue since', async () => {
  const { store, undo, requests } = rig();
  assert.equal(store.undo.text, 'The queue was replaced. Undo restores its 3 entries, with “Title e2” at 1:01.');
  await undo.perform();
  assert.deepEqual(requests, [['undoEdit', '"queue:e1:5"']]);
  assert.deepEqual(store.undo, { text: 'The queue was restored.', phase: 'done' });
});

test('a single entry can be restored too, and an empty queue cannot', () => {
  const alone = rig(playing({ queue: { revision: 4, count: 1, index: 0 } }));
  assert.equal(alone.store.undo.text, 'The queue was replaced. Undo restores “Title e2” at 1:01.');
  assert.equal(rig(playerState({ currentItem: undefined, queue: { revision: 4, count: 0, index: -1 } })).store.undo, null);
  const idle = rig(playerState({ currentItem: undefined, queue: { revision: 4, count: 2, index: -1 } }));
  assert.equal(idle.store.undo.text, 'The queue was replaced. Undo restores its 2 entries.');
});

test('an entry that has ended, and a live stream, are named without a time', () => {
  const alone = { queue: { revision: 4, count: 1, index: 0 } };
  for (const changes of [{ ended: true }, { currentItem: entry('e2', { isSeekable: false }) }]) {
    assert.equal(rig(playing({ ...alone, ...changes })).store.undo.text, 'The queue was replaced. Undo restores “Title e2”.');
  }
});

test('the offer ends after a while, but not while a pointer is on it', () => {
  const { store, timers, undo } = rig();
  timers.advance(14);
  undo.hold(true);
  timers.advance(100);
  assert.equal(store.undo.phase, 'offered');
  undo.hold(false);
  timers.advance(16);
  assert.equal(store.undo, null);
  assert.equal(timers.count, 0);
});

test('the success is shown for a moment, also under a pointer', async () => {
  const { store, timers, undo } = rig();
  undo.hold(true);
  await undo.perform();
  timers.advance(5);
  assert.equal(store.undo, null);
});

test('editing the new queue ends the offer', () => {
  const { store, receive, replaced } = rig();
  receive(replaced(3, { revision: 5, count: 1, index: 0 }));
  assert.equal(store.undo.phase, 'offered');
  receive(replaced(4, { revision: 6, count: 2, index: 0 }));
  assert.equal(store.undo, null);
});

test('the edit of another client is not undone, even if the page receives its state first', () => {
  const { store, undo, receive, replaced } = rig();
  undo.dismiss();
  // The new queue has revision 6. Another client has added an entry to it before this page receives a state.
  receive(replaced(3, { revision: 7, count: 2, index: 0 }));
  undo.offer('its 3 entries', { epoch: 'e1', revision: 6 });
  assert.equal(store.undo, null);
});

test('without a revision in the response, no undo is offered', async () => {
  const { store, undo, requests } = rig(playing(), null);
  assert.equal(store.undo, null);
  await undo.perform();
  assert.deepEqual(requests, []);
});

test('a restart of the server ends the offer', () => {
  const { store, receive } = rig();
  receive(playerState({ epoch: 'e2', revision: 1, queue: { revision: 5, count: 1, index: 0 } }));
  assert.equal(store.undo, null);
});

test('a state from before the replacement does not end the offer', async () => {
  const { store, undo, receive, replaced, requests } = rig(playing(), { epoch: 'e1', revision: 6 });
  receive(replaced(3, { revision: 5, count: 3, index: 2 }));
  assert.equal(store.undo.phase, 'offered');
  await undo.perform();
  assert.deepEqual(requests, [['undoEdit', '"queue:e1:6"']]);
});

test('a failed undo is reported, and can be repeated', async () => {
  const { api, store, undo, failures, requests } = rig();
  api.refuses = 503;
  await undo.perform();
  assert.equal(failures.length, 1);
  assert.equal(store.undo.phase, 'offered');
  api.refuses = 0;
  await undo.perform();
  assert.equal(requests.length, 2);
  assert.equal(store.undo.phase, 'done');
});

test('an undo is refused and withdrawn if another client has edited the new queue, even if the page does not know it yet', async () => {
  const { api, store, undo, failures, requests } = rig();
  api.refuses = 412;
  await undo.perform();
  assert.deepEqual(requests, [['undoEdit', '"queue:e1:5"']]);
  assert.equal(failures[0].status, 412);
  assert.equal(store.undo, null);
});

test('a second request during an undo is ignored', async () => {
  const { undo, requests } = rig();
  await Promise.all([undo.perform(), undo.perform()]);
  assert.equal(requests.length, 1);
});
