import assert from 'node:assert/strict';
import { test } from 'node:test';
import { News } from '../../web/js/news.js';
import { Store } from '../../web/js/store.js';
import { FakeTimers, playerState } from './fakes.mjs';

/** News of a player; `arrive` lets a state arrive, `happen` an event. The name of this browser is "Phone 27". */
function rig() {
  const store = new Store(() => 'Phone 27');
  const timers = new FakeTimers();
  const commands = [];
  const remote = Object.assign(new EventTarget(), {
    store, perform: (send) => send(), act: (...command) => commands.push(command), command: (...command) => commands.push(command), next: () => commands.push(['next']),
  });
  const news = new News(remote, timers);
  const arrive = (changes) => {
    const before = store.state;
    const state = playerState({ revision: (before?.revision ?? 0) + 1, ...changes });
    store.receiveState(state);
    news.stateArrived(state, before);
  };
  const happen = (type, data) => remote.dispatchEvent(new CustomEvent(type, { detail: data }));
  arrive({});
  return { store, timers, news, arrive, happen, commands, text: () => store.notice?.text };
}
const paused = (origin, reason = 'setRateCalled') => ({ rate: 0, reason, origin });
const failedItem = { ...playerState().currentItem, status: 'failed', error: { code: 'corruptMedia', message: 'It is damaged.' } };

test('a pause by another remote is told with its name, and can be resumed', () => {
  const { happen, store, text, commands } = rig();
  happen('rateDidChange', paused('Kitchen'));
  assert.equal(text(), 'Kitchen paused.');
  store.notice.actions[0].perform();
  assert.deepEqual(commands, [['play']]);
});

test('playback that another remote has started is told; the page has a button to pause', () => {
  const { happen, store, text } = rig();
  happen('rateDidChange', { rate: 1, reason: 'setRateCalled', origin: 'Kitchen' });
  assert.equal(text(), 'Kitchen started playback.');
  assert.deepEqual(store.notice.actions, []);
});

test('one’s own acts, and those of the player, are no news', () => {
  const { happen, store, arrive } = rig();
  happen('rateDidChange', paused('Phone 27'));
  happen('rateDidChange', paused('player', 'didPlayToEndTime'));
  happen('rateDidChange', paused('Kitchen', 'audioSessionInterrupted'));
  arrive({ lastChange: { reason: 'queueChanged', origin: 'Phone 27' }, queue: { revision: 2, count: 2, index: 0 } });
  assert.equal(store.notice, null);
});

test('news disappear after 10 s, but not while a pointer is on them', () => {
  const { happen, timers, news, store } = rig();
  happen('rateDidChange', paused('Kitchen'));
  news.hold(true);
  timers.advance(60);
  assert.notEqual(store.notice, null);
  news.hold(false);
  timers.advance(9);
  assert.notEqual(store.notice, null);
  timers.advance(2);
  assert.equal(store.notice, null);
});

test('another entry and an edit by another remote are told, once each', () => {
  const { arrive, text, store } = rig();
  const other = { ...playerState().currentItem, id: 'i2', title: 'Song 2' };
  arrive({ currentItem: other, lastChange: { reason: 'itemChanged', origin: 'Kitchen' } });
  assert.equal(text(), 'Kitchen chose “Song 2”.');
  store.dismissNotice();
  arrive({ currentItem: other, lastChange: { reason: 'itemChanged', origin: 'Kitchen' } });
  assert.equal(store.notice, null);
  arrive({ currentItem: other, queue: { revision: 2, count: 2, index: 0 }, lastChange: { reason: 'queueChanged', origin: 'Kitchen' } });
  assert.equal(text(), 'Kitchen changed the queue.');
});

test('a state of another run of the server is no news', () => {
  const { arrive, store } = rig();
  arrive({ epoch: 'e2', queue: { revision: 9, count: 2, index: 0 }, lastChange: { reason: 'queueChanged', origin: 'Kitchen' } });
  assert.equal(store.notice, null);
});

test('news do not hide a failure', () => {
  const { happen, store, text } = rig();
  store.say('It failed.', true);
  happen('rateDidChange', paused('Kitchen'));
  assert.equal(text(), 'It failed.');
});

test('an entry that cannot be played is named with the reason, and can be skipped or tried again', () => {
  const { arrive, text, store, commands } = rig();
  arrive({ currentItem: { ...failedItem, title: 'Song 3' }, nextEntry: { id: 'i9', url: 'file:///9' } });
  assert.equal(text(), '“Song 3” cannot be played: It is damaged.');
  assert.deepEqual(store.notice.actions.map((action) => action.text), ['Skip', 'Try again']);
  for (const { perform } of store.notice.actions) perform();
  assert.deepEqual(commands, [['next'], ['playEntry', { id: 'i1' }]]);
});

test('the last entry that cannot be played has nothing to skip to', () => {
  const { arrive, store } = rig();
  arrive({ currentItem: failedItem });
  assert.deepEqual(store.notice.actions.map((action) => action.text), ['Try again']);
});

test('the failure of an entry is told once, and no longer when another entry is current', () => {
  const { arrive, store } = rig();
  arrive({ currentItem: failedItem });
  store.dismissNotice();
  arrive({ currentItem: failedItem, volume: 0.5 });
  assert.equal(store.notice, null);
  arrive({ currentItem: { ...failedItem, id: 'i2' } });
  assert.equal(store.notice.isError, true);
  arrive({});
  assert.equal(store.notice, null);
});

test('an entry that was skipped because it cannot be played is named', () => {
  const { happen, text } = rig();
  happen('entryFailed', { entryId: 'i7', url: 'file:///music/Bad%20one.flac', error: { message: 'It is damaged.' } });
  assert.equal(text(), '“Bad one.flac” cannot be played: It is damaged.');
});

test('a current entry that cannot be played is named when the queue leaves it by itself, and can be tried again', () => {
  const { arrive, happen, store, text, commands } = rig();
  const leaves = (origin) => {
    arrive({});
    happen('entryFailed', { entryId: store.state.currentItem.id, url: 'http://a/one.flac', error: { message: 'It is away.' } });
    assert.equal(text(), undefined);
    arrive({ currentItem: { ...store.state.currentItem, id: 'i9', title: 'Other' }, lastChange: { reason: 'itemChanged', origin } });
  };
  leaves('Phone 27');
  assert.equal(text(), undefined);
  leaves('player');
  assert.equal(text(), '“a.flac” cannot be played: It is away.');
  store.notice.actions[0].perform();
  assert.deepEqual(commands, [['playEntry', { id: 'i1' }]]);
});

test('the notice of a current entry that cannot be played is known as such, and the entry can be tried again without it', () => {
  const { arrive, news, store, commands } = rig();
  news.retry();
  arrive({ currentItem: failedItem });
  assert.equal(news.failure, store.notice);
  news.retry();
  assert.equal(store.notice, null);
  assert.deepEqual(commands, [['playEntry', { id: failedItem.id }]]);
});

test('an entry that failed at a position is resumed there, and the button says so', () => {
  const { arrive, news, store, commands } = rig();
  arrive({ currentItem: failedItem, anchor: { time: 75.2, hostTime: 9, rate: 0 } });
  assert.equal(news.retryText, 'Resume at 1:15');
  assert.deepEqual(store.notice.actions.map((action) => action.text), ['Resume at 1:15']);
  news.retry();
  assert.deepEqual(commands, [['play']]);
});

test('a failure is told with what helps', () => {
  const { arrive, text } = rig();
  arrive({ currentItem: { ...failedItem, title: 'Song', error: { code: 'network', message: 'The server is away.', advice: 'Check the address.' } } });
  assert.equal(text(), '“Song” cannot be played: The server is away. Check the address.');
});

test('a queue that stopped after several failures says so, also if the stop is known after the failure', () => {
  const { arrive, text } = rig();
  arrive({ currentItem: { ...failedItem, title: 'Song' } });
  arrive({ currentItem: { ...failedItem, title: 'Song' }, queue: { revision: 1, count: 8, index: 4 },
    lastPause: { reason: 'queueFailed', origin: 'player', hostTime: 9 } });
  assert.equal(text(), 'The queue has stopped, because several entries in a row cannot be played, at last “Song”: It is damaged.');
});
