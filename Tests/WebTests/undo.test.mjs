import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../web/js/api.js';
import { batches, restoreQueue, saveQueue } from '../../web/js/savedQueue.js';
import { Store } from '../../web/js/store.js';
import { QueueUndo } from '../../web/js/undo.js';
import { FakeTimers, playerState } from './fakes.mjs';

const entry = (id, changes = {}) => ({
  id, url: `file:///${id}.flac`, title: `Title ${id}`, status: 'readyToPlay', isLive: false, isSeekable: true, hasArtwork: false, ...changes,
});
const entries = ['e1', 'e2', 'e3'].map((id) => entry(id));
const playing = (changes = {}) => playerState({
  rate: 1, queue: { revision: 4, count: 3, index: 1 }, currentItem: entries[1], ...changes,
});

/** A player that keeps its queue like the real one. */
class FakePlayer {
  queued = [];
  isPlaying = false;
  currentId = '';
  time = 0;
  revision = 4;
  requests = [];
  refuses = '';
  tags = [];
  isEdited = false;
  #number = 10;
  #carryOut(name, change) {
    this.requests.push(name);
    if (this.refuses === name) throw new Refusal(422, { detail: 'No.' });
    this.revision += 1;
    return change();
  }
  #make = ({ url, title }) => ({ id: `e${this.#number++}`, url, title });
  async queue() {
    return this.#carryOut('queue', () => ({ epoch: 'e1', revision: 4, count: 3, currentId: 'e2', entries }));
  }
  async setItem({ play, startTime = 0, ...item }, tag) {
    this.tags.push(tag);
    if (tag && this.isEdited) throw new Refusal(412, { detail: 'Edited.' });
    return this.#carryOut('setItem', () => {
      this.queued = [this.#make(item)];
      this.isPlaying = play;
      this.time = startTime;
      this.currentId = this.queued[0].id;
      return { id: this.currentId };
    });
  }
  async append(items) {
    this.#carryOut('append', () => this.queued.push(...items.map(this.#make)));
  }
  async moveEntry(id, index) {
    this.#carryOut('moveEntry', () => {
      const [moved] = this.queued.splice(this.queued.findIndex((one) => one.id === id), 1);
      this.queued.splice(index, 0, moved);
    });
  }
  get current() {
    return this.queued.find(({ id }) => id === this.currentId);
  }
}

/** A page that has replaced a queue by the item e9. */
async function rig(state = playing()) {
  const api = new FakePlayer();
  const store = new Store();
  const timers = new FakeTimers();
  const failures = [];
  const undo = new QueueUndo({ api, store, timers, failed: (error) => failures.push(error) });
  const receive = (document) => store.receiveState(document) && undo.stateArrived(document);
  receive(state);
  undo.offer(await undo.save(61), 'e9');
  const replaced = (revision, queue) => playerState({ revision, queue, currentItem: entry('e9') });
  receive(replaced(2, { revision: 5, count: 1, index: 0 }));
  return { api, store, timers, undo, receive, replaced, failures };
}

test('undo restores the entries around the current one, at its time, and plays it', async () => {
  const { api, store, undo } = await rig();
  assert.match(store.undo.text, /^The queue was replaced\. .* its 3 entries, with “Title e2” at 1:01\.$/);
  await undo.perform();
  assert.deepEqual(api.queued.map(({ url }) => url), entries.map(({ url }) => url));
  assert.equal(api.current.url, 'file:///e2.flac');
  assert.deepEqual([api.time, api.isPlaying], [61, true]);
  assert.deepEqual(store.undo, { text: 'The queue was restored.', phase: 'done' });
});

test('a single entry can be restored too, and an empty queue cannot', async () => {
  const alone = await rig(playing({ queue: { revision: 4, count: 1, index: 0 } }));
  assert.equal(alone.store.undo.text, 'The queue was replaced. Undo restores “Title e2” at 1:01.');
  assert.deepEqual(alone.api.requests, []);
  const empty = await rig(playerState({ currentItem: undefined, queue: { revision: 4, count: 0, index: -1 } }));
  assert.equal(empty.store.undo, null);
});

test('a known queue is not read again, an outdated one is', async () => {
  const { api, store, undo } = await rig();
  assert.deepEqual(api.requests, ['queue']);
  store.receiveState(playing({ revision: 3 }));
  store.receiveQueue({ epoch: 'e1', revision: 4, count: 3, currentId: 'e2', entries });
  assert.equal((await undo.save(5)).before.length, 1);
  assert.deepEqual(api.requests, ['queue']);
  store.receiveState(playing({ revision: 4, queue: { revision: 5, count: 3, index: 1 } }));
  await undo.save(5);
  assert.deepEqual(api.requests, ['queue', 'queue']);
});

test('the offer ends after a while, but not while a pointer is on it', async () => {
  const { store, timers, undo } = await rig();
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
  const { store, timers, undo } = await rig();
  undo.hold(true);
  await undo.perform();
  timers.advance(5);
  assert.equal(store.undo, null);
});

test('editing the new queue ends the offer', async () => {
  const { store, receive, replaced } = await rig();
  receive(replaced(3, { revision: 5, count: 1, index: 0 }));
  assert.equal(store.undo.phase, 'offered');
  receive(replaced(4, { revision: 6, count: 2, index: 0 }));
  assert.equal(store.undo, null);
});

test('a failed undo is reported, and can be repeated', async () => {
  const { api, store, undo, failures, receive, replaced } = await rig();
  api.refuses = 'append';
  await undo.perform();
  assert.equal(failures.length, 1);
  assert.equal(store.undo.phase, 'offered');
  receive(replaced(5, { revision: api.revision, count: 1, index: 0 }));
  api.refuses = '';
  await undo.perform();
  assert.deepEqual(api.queued.map(({ url }) => url), entries.map(({ url }) => url));
});

test('an undo is refused and withdrawn if another client has edited the new queue, even if the page does not know it yet', async () => {
  const { api, store, undo, failures } = await rig();
  api.isEdited = true;
  await undo.perform();
  assert.deepEqual(api.tags, ['"item:e1:5:e9"']);
  assert.equal(failures[0].status, 412);
  assert.equal(store.undo, null);
  assert.deepEqual(api.requests, ['queue']);
});

test('a second request during an undo is ignored', async () => {
  const { api, undo } = await rig();
  await Promise.all([undo.perform(), undo.perform()]);
  assert.equal(api.requests.filter((name) => name === 'setItem').length, 1);
});

test('a paused entry is restored paused, an ended one at its beginning, and a live stream without a time', () => {
  assert.equal(saveQueue(playing({ rate: 0 }), entries, 61).isPlaying, false);
  const ended = saveQueue(playing({ ended: true }), entries, 240);
  assert.deepEqual([ended.time, ended.isPlaying], [0, false]);
  const live = entry('e2', { isSeekable: false });
  assert.equal(saveQueue(playing({ currentItem: live }), [live], 61).time, 0);
});

test('a live stream is restored without its current title, and an unopened entry with its own', async () => {
  const api = new FakePlayer();
  const live = entry('e1', { isLive: true, isSeekable: false, title: 'A Piece' });
  const unopened = entry('e2', { isLive: true, status: 'unknown', title: 'Radio' });
  await restoreQueue(api, { current: live, time: 0, isPlaying: true, before: [], after: [unopened] });
  assert.deepEqual(api.queued.map(({ title }) => title), [undefined, 'Radio']);
});

test('entries are sent in batches limited by bytes, not by characters', () => {
  const size = (portion) => new TextEncoder().encode(JSON.stringify(portion)).length;
  const many = Array.from({ length: 100 }, (_, index) => ({ url: `file:///${index}`, title: 'ß'.repeat(index) }));
  const portions = batches(many, 1000);
  assert.deepEqual(portions.flat(), many);
  assert.ok(portions.length > 1 && portions.every((portion) => size(portion) <= 1001));
  assert.deepEqual(batches([], 1000), []);
  assert.equal(batches([many[99]], 10).length, 1);
});
