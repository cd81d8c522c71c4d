import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal, Unreachable } from '../../web/js/link/api.js';
import { ServerClock } from '../../web/js/link/clock.js';
import { Playhead } from '../../web/js/playhead.js';
import { Remote } from '../../web/js/remote.js';
import { Store } from '../../web/js/store.js';
import { LibraryActs } from '../../web/js/views/libraryActs.js';
import { deferred, FakeTimers, playerState, settle } from './fakes.mjs';

/** Returns a remote without its views. The test plays the server: it answers requests and sends events. The server's clock is 1000 s ahead. */
function rig(state = playerState()) {
  const time = { now: 0 };
  const requests = [];
  const request = (name, argument) => {
    const answer = deferred();
    requests.push({ name, argument, ...answer });
    return answer.promise;
  };
  const api = { logIn: (token) => request('logIn', token) };
  const link = Object.assign(new EventTarget(), {
    opened: 0,
    woken: 0,
    restarted: 0,
    open: () => (link.opened += 1),
    wake: () => (link.woken += 1),
    restart: () => (link.restarted += 1),
    command: async (operation, values) => {
      if (operation === 'getClock') return { answer: { hostTime: time.now + 1000 }, tag: null };
      const reply = await (operation === 'getLyrics' ? deferred().promise : request(operation, values));
      return { answer: reply?.answer ?? reply, tag: reply?.tag ?? null };
    },
  });
  const clock = new ServerClock(() => time.now);
  const store = new Store();
  const timers = new FakeTimers();
  const remote = new Remote({ api, clock, playhead: new Playhead(() => clock.hostNow()), link, store, timers });
  const send = (type, data) => link.dispatchEvent(new CustomEvent('message', { detail: { type, data: { hostTime: time.now + 1000, ...data } } }));
  const connect = (status) => link.dispatchEvent(new CustomEvent('status', { detail: { status, silence: 0 } }));
  connect('open');
  if (state) send('state', state);
  return { remote, store, link, clock, time, timers, requests, send, connect, api };
}
const playing = (changes = {}) => playerState({ rate: 1, timeControlStatus: 'playing', anchor: { time: 10, hostTime: 1000, rate: 1 }, ...changes });

test('a change of the state is applied to the state', () => {
  const { store, send, link } = rig(playing({ revision: 1 }));
  send('stateChange', { epoch: 'e1', revision: 2, volume: 0.25, changed: ['volume'] });
  assert.equal(store.state.volume, 0.25);
  assert.equal(store.state.rate, 1);
  assert.equal(link.restarted, 0);
});

test('if a change is missing, the whole state is requested', () => {
  const { store, send, link } = rig(playing({ revision: 1 }));
  send('stateChange', { epoch: 'e1', revision: 3, volume: 0.25, changed: ['volume'] });
  assert.equal(link.restarted, 1);
  assert.notEqual(store.state.volume, 0.25);
});

test('the shown time moves with the server’s clock during playback', () => {
  const { remote, time } = rig(playing());
  time.now = 5;
  assert.equal(remote.shownTime(), 15);
  assert.equal(remote.isMoving, true);
});

test('the button requests play or pause as shown, never a toggle', () => {
  const paused = rig();
  paused.remote.playOrPause();
  assert.equal(paused.requests[0].name, 'play');
  const busy = rig(playing({ timeControlStatus: 'waitingToPlayAtSpecifiedRate' }));
  busy.remote.playOrPause();
  assert.equal(busy.requests[0].name, 'pause');
  const empty = rig(playerState({ currentItem: undefined }));
  empty.remote.playOrPause();
  assert.equal(empty.requests.length, 0);
});

test('a seek shows its target until the state with its result arrives', async () => {
  const { remote, requests, send, time } = rig(playing());
  time.now = 5;
  remote.seek(100);
  assert.equal(remote.shownTime(), 100);
  assert.equal(remote.isMoving, false);
  requests[0].resolve({ finished: true, time: 100, requested: 100 });
  await settle();
  assert.equal(remote.shownTime(), 100);
  send('state', playing({ revision: 2, anchor: { time: 100, hostTime: 1005.1, rate: 1 } }));
  time.now = 6.1;
  assert.ok(Math.abs(remote.shownTime() - 101) < 1e-9);
});

test('the state of an earlier seek is not shown while a newer one is in flight', async () => {
  const { remote, requests, send, time } = rig(playing());
  remote.seek(50);
  remote.seek(200);
  time.now = 0.1;
  requests[0].resolve({ finished: true, time: 50, requested: 50 });
  await settle();
  assert.equal(requests[1].argument.time, 200);
  send('state', playing({ revision: 2, anchor: { time: 50, hostTime: 1000.02, rate: 1 } }));
  requests[1].resolve({ finished: true, time: 200, requested: 200 });
  time.now = 0.2;
  await settle();
  assert.equal(remote.shownTime(), 200);
  send('state', playing({ revision: 3, anchor: { time: 200, hostTime: 1000.19, rate: 1 } }));
  assert.ok(Math.abs(remote.shownTime() - 200.01) < 0.001);
});

test('skips add up from the shown target, and stay inside the item', () => {
  const { remote } = rig(playing());
  remote.skip(10);
  remote.skip(10);
  assert.equal(remote.shownTime(), 30);
  remote.skip(-1000);
  assert.equal(remote.shownTime(), 0);
  remote.skip(1000);
  assert.equal(remote.shownTime(), 240);
});

test('after a refused seek the actual time is shown again, with the reason', async () => {
  const { remote, requests, store, time } = rig(playing());
  time.now = 1;
  remote.seek(100);
  requests[0].reject(new Refusal(409, { detail: 'This stream cannot be sought.' }));
  await settle();
  assert.equal(remote.shownTime(), 11);
  assert.deepEqual(store.notice, { text: 'This stream cannot be sought.', isError: true, actions: [] });
});

test('a seek target ends with its item', () => {
  const { remote, send } = rig(playing());
  remote.seek(100);
  send('state', playing({ revision: 2, currentItem: { ...playing().currentItem, id: 'i2' }, anchor: { time: 0, hostTime: 1000, rate: 1 } }));
  assert.equal(remote.shownTime(), 0);
});

test('no seek is sent if the item is not seekable, is not ready, or has no duration', () => {
  for (const change of [{ isSeekable: false }, { status: 'unknown' }, { status: 'failed' }, { duration: undefined }]) {
    const { remote, requests } = rig(playing({ currentItem: { ...playing().currentItem, ...change } }));
    assert.equal(remote.canSeek, false);
    remote.seek(10);
    assert.equal(requests.length, 0);
  }
});

test('a command that does not reach the player changes nothing and shows a notice', async () => {
  const { remote, requests, store } = rig(playing());
  const before = store.state;
  remote.playOrPause();
  requests[0].reject(new Unreachable());
  await settle();
  assert.equal(store.state, before);
  assert.match(store.notice.text, /cannot be reached/);
});

test('a success removes the notice', async () => {
  const { remote, requests, store } = rig(playing());
  store.say('No.', true);
  remote.toggleMute();
  assert.deepEqual(requests[0].argument, { isMuted: true });
  requests[0].resolve();
  await settle();
  assert.equal(store.notice, null);
});

test('a rate set during a pause is for the next play; during playback it applies at once', () => {
  const paused = rig();
  paused.remote.setRate(1.5);
  assert.deepEqual(paused.requests[0].argument, { defaultRate: 1.5 });
  const moving = rig(playing());
  moving.remote.setRate(1.5);
  assert.deepEqual(moving.requests[0].argument, { rate: 1.5, defaultRate: 1.5 });
});

test('a dragged volume is shown at once, and only the newest value is sent next', async () => {
  const { remote, requests, send } = rig();
  for (const volume of [0.9, 0.8, 0.7, 0.333]) remote.setVolume(volume);
  assert.equal(remote.shownVolume(), 0.33);
  requests[0].resolve();
  await settle();
  requests[1].resolve();
  await settle();
  assert.deepEqual(requests.map(({ argument }) => argument.volume), [0.9, 0.33]);
  send('state', playerState({ revision: 2, volume: 0.33 }));
  send('state', playerState({ revision: 3, volume: 0.6 }));
  assert.equal(remote.shownVolume(), 0.6);
});

test('from the check of the connection on the shown time stands still, until the connection works again', () => {
  const { remote, connect, store, time } = rig(playing());
  time.now = 1;
  connect('checking');
  assert.equal(remote.isMoving, false);
  time.now = 2;
  connect('lost');
  time.now = 9;
  store.touch();
  assert.equal(remote.isMoving, false);
  assert.equal(remote.shownTime(), 11);
  connect('open');
  assert.equal(remote.isMoving, true);
  assert.equal(remote.shownTime(), 19);
});

test('the notice that the player is unreachable is removed after reconnection, and no other is', async () => {
  const { remote, requests, store, connect } = rig(playing());
  remote.playOrPause();
  requests[0].reject(new Unreachable());
  await settle();
  connect('lost');
  connect('open');
  assert.equal(store.notice, null);
  store.say('Something else.', true);
  connect('lost');
  connect('open');
  assert.equal(store.notice.text, 'Something else.');
});

test('a seek target in flight is no longer shown after the connection is lost', () => {
  const { remote, connect, store, requests } = rig(playing());
  remote.seek(100);
  assert.equal(requests.length, 1); // The request of the seek is never answered.
  connect('lost');
  assert.equal(remote.shownTime(), 10);
  assert.match(store.notice.text, /cannot be reached/);
});

test('another epoch resets the clock', async () => {
  const { remote, send, clock, time } = rig(playing());
  await settle();
  assert.ok(Math.abs(clock.offset - 1000) < 0.01);
  time.now = 5;
  send('state', { ...playing({ epoch: 'e2', revision: 1, anchor: { time: 3, hostTime: 50, rate: 1 } }), hostTime: 52 });
  assert.ok(Math.abs(clock.offset - 47) < 0.01);
  assert.equal(remote.shownTime(), 5);
});

test('waking checks the link, whose answer measures the clock', async () => {
  const { remote, link, clock, time } = rig(playing());
  await settle();
  time.now = 400;
  const before = clock.uncertainty;
  remote.wake();
  assert.deepEqual([link.opened, link.woken], [1, 1]);
  link.dispatchEvent(new CustomEvent('clock', { detail: { sent: 400, received: 400.01, hostTime: 1400.005 } }));
  assert.ok(clock.uncertainty < before);
});

test('after a sleep the shown time is that before the sleep, until the connection is known to work', () => {
  const { remote, link, time } = rig(playing());
  time.now = 20;
  link.dispatchEvent(new CustomEvent('status', { detail: { status: 'checking', silence: 15 } }));
  assert.equal(remote.shownTime(), 15);
  link.dispatchEvent(new CustomEvent('status', { detail: { status: 'open', silence: 0 } }));
  assert.equal(remote.shownTime(), 30);
});

test('a seek during a check is shown', () => {
  const { remote, connect } = rig(playing());
  connect('checking');
  remote.seek(100);
  assert.equal(remote.shownTime(), 100);
});

test('a playback failure is reported with the title and the player’s message', () => {
  const { send, store } = rig(playing());
  send('failedToPlayToEndTime', { itemID: 'i1', error: { code: 'network', message: 'The server hung up.' } });
  assert.deepEqual(store.notice, { text: '“a.flac”: The server hung up.', isError: true, actions: [] });
});

const inQueue = (changes = {}) => playing({ queue: { revision: 1, count: 5000, index: 1 }, nextEntry: { id: 'e3', url: 'file:///3' }, ...changes });

test('the next entry is that of the state; the queue is never read', () => {
  const alone = rig(playing({ queue: { revision: 1, count: 1, index: 0 } }));
  assert.equal(alone.store.hasQueue, false);
  alone.remote.next();
  assert.equal(alone.requests.length, 0, 'nothing is next');
  const { remote, requests, send, store } = rig(inQueue());
  send('queue', { count: 5000, changes: [] });
  send('state', inQueue({ revision: 8, changed: [], resync: true }));
  assert.deepEqual([store.hasQueue, store.nextEntry?.id, requests.length], [true, 'e3', 0]);
  remote.next();
  assert.equal(requests[0].name, 'nextEntry');
  send('state', inQueue({ revision: 9, nextEntry: undefined }));
  assert.equal(store.nextEntry, undefined);
});

test('previous seeks to the beginning, or changes to the previous entry if the current one has just begun', () => {
  const begun = { anchor: { time: 0, hostTime: 1000, rate: 1 } };
  const { remote, requests, time } = rig(inQueue(begun));
  time.now = 2;
  remote.previous();
  assert.deepEqual([requests[0].name, requests[0].argument.current], ['previousEntry', 'i1']);
  time.now = 4;
  remote.previous();
  assert.deepEqual([requests[1].name, requests[1].argument.time], ['seek', 0]);
  const first = rig(inQueue({ ...begun, queue: { revision: 1, count: 2, index: 0 } }));
  first.remote.previous();
  assert.equal(first.requests[0].name, 'seek');
});

test('a playlist file replaces the queue with its media, and the former queue can be restored', async () => {
  const { remote, requests, store } = rig(inQueue());
  const opened = new LibraryActs(remote).bring('play', [{ path: '/a.m3u', name: 'a.m3u' }]);
  assert.deepEqual([requests[0].name, requests[0].argument], ['putQueue', { entries: [{ url: '/a.m3u' }], startIndex: 0, play: true }]);
  requests[0].resolve({ tag: '"queue:e1:9.ab"' });
  await opened;
  assert.match(store.undo.text, /its 5,000 entries/);
});

test('the undo of an opened address is guarded by the revision in the response, and not by that of a later state', async () => {
  const { remote, requests, store, send } = rig(inQueue());
  const acts = new LibraryActs(remote);
  const entries = [{ path: '', url: 'https://a.example/a.flac', name: 'a.flac' }];
  const opened = acts.send('play', entries);
  requests[0].resolve({ tag: '"queue:e1:9.ab"' });
  const answer = await opened;
  const texts = acts.texts('play', entries);
  send('state', inQueue({ revision: 2, queue: { revision: 10, count: 2, index: 0 } }));
  acts.report(texts, answer);
  assert.equal(store.undo, null);
});

test('if the server requires a token, the page is locked until a valid one is given', async () => {
  const { remote, store, link, requests, api } = rig();
  api.unauthorized();
  assert.equal(store.isLocked, true);
  const wrong = remote.unlock('wrong');
  requests[0].reject(new Refusal(401, { detail: 'No.' }));
  await assert.rejects(wrong, Refusal);
  assert.equal(store.isLocked, true);
  const woken = link.woken;
  const right = remote.unlock('right');
  requests[1].resolve();
  await right;
  assert.equal(requests[1].argument, 'right');
  assert.equal(store.isLocked, false);
  assert.equal(link.woken, woken + 1);
});
