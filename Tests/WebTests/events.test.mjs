import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStream } from '../../web/js/link/events.js';
import { FakeSource, FakeTimers } from './fakes.mjs';

/** Returns an event stream, its timers, the EventSources that it has created, and the events that it has dispatched. */
function rig() {
  const timers = new FakeTimers();
  const sources = [];
  const statuses = [];
  const messages = [];
  const stream = new EventStream((id) => `events?lastEventId=${id}`, {
    makeSource: (url) => sources[sources.push(new FakeSource(url)) - 1],
    timers,
    wallClock: () => timers.now,
  });
  stream.addEventListener('status', ({ detail }) => statuses.push(detail.status));
  stream.addEventListener('message', ({ detail }) => messages.push(detail));
  stream.open();
  return { timers, sources, statuses, messages, stream, newest: () => sources.at(-1) };
}

test('events are forwarded with their type and data', () => {
  const { newest, messages, statuses } = rig();
  newest().opens();
  newest().sends('state', { revision: 1 }, 'e1:1');
  newest().sends('heartbeat', { hostTime: 5 }, 'e1:1');
  assert.deepEqual(messages, [{ type: 'state', data: { revision: 1 } }, { type: 'heartbeat', data: { hostTime: 5 } }]);
  assert.equal(statuses.at(-1), 'open');
});

test('a heartbeat every 15 s keeps the connection', () => {
  const { timers, newest, sources } = rig();
  newest().opens();
  for (let beat = 0; beat < 10; beat += 1) {
    timers.advance(15);
    newest().sends('heartbeat', {});
  }
  assert.equal(sources.length, 1);
});

test('silence for more than 20 s means a dead connection: a new one is opened after the last event', () => {
  const { timers, newest, sources } = rig();
  newest().opens();
  newest().sends('state', {}, 'e1:7');
  timers.advance(20);
  assert.equal(sources.length, 1);
  timers.advance(5);
  assert.equal(sources.length, 2);
  assert.equal(sources[0].readyState, 2);
  assert.equal(newest().url, 'events?lastEventId=e1:7');
});

test('a connection that never opens is abandoned', () => {
  const { timers, sources } = rig();
  timers.advance(10.5);
  assert.equal(sources.length, 2);
});

test('one failure is reported as reconnecting, the second as lost, until the stream opens', () => {
  const { timers, newest, statuses } = rig();
  newest().opens();
  newest().fails();
  assert.equal(statuses.at(-1), 'reconnecting');
  timers.advance(0.2);
  newest().fails();
  assert.equal(statuses.at(-1), 'lost');
  timers.advance(1);
  assert.equal(statuses.at(-1), 'lost');
  newest().opens();
  assert.equal(statuses.at(-1), 'open');
});

test('attempts are repeated at growing intervals of at most 8 s, without end', () => {
  const { timers, newest, sources } = rig();
  for (const pause of [0.2, 1, 2, 4, 8, 8, 8, 8]) {
    const count = sources.length;
    newest().fails();
    timers.advance(pause - 0.01);
    assert.equal(sources.length, count, `before ${pause} s`);
    timers.advance(0.02);
    assert.equal(sources.length, count + 1, `after ${pause} s`);
  }
});

test('the intervals start again after a success', () => {
  const { timers, newest, sources } = rig();
  for (let attempt = 0; attempt < 5; attempt += 1) {
    newest().fails();
    timers.advance(8);
  }
  newest().opens();
  const count = sources.length;
  newest().fails();
  timers.advance(0.2);
  assert.equal(sources.length, count + 1);
});

test('waking an old stream reconnects at once; waking a live one does nothing', () => {
  const { timers, newest, sources, stream } = rig();
  newest().opens();
  stream.wake();
  assert.equal(sources.length, 1);
  timers.now += 3600; // The machine slept for an hour, during which no timer fired.
  stream.wake();
  assert.equal(sources.length, 2);
});

test('waking during the pause between attempts connects at once', () => {
  const { newest, sources, stream, timers } = rig();
  newest().fails();
  stream.wake();
  assert.equal(sources.length, 2);
  timers.advance(0.2);
  assert.equal(sources.length, 2);
});

test('waking several times in a row opens one connection', () => {
  const { newest, sources, stream } = rig();
  newest().fails();
  stream.wake();
  stream.wake();
  stream.wake();
  assert.equal(sources.length, 2);
});

test('events of a replaced source are ignored', () => {
  const { timers, sources, messages, statuses, stream } = rig();
  sources[0].opens();
  timers.advance(23);
  const told = statuses.length;
  sources[0].sends('state', { revision: 9 }, 'e1:9');
  sources[0].fails();
  assert.deepEqual(messages, []);
  assert.equal(statuses.length, told);
  assert.equal(stream.lastEventId, '');
});

test('a closed stream has no timer left and stays closed', () => {
  const { timers, newest, sources, stream } = rig();
  newest().opens();
  stream.close();
  assert.equal(timers.count, 0);
  stream.wake();
  timers.advance(100);
  assert.equal(sources.length, 1);
  stream.open();
  assert.equal(sources.length, 2);
});

test('data that is not JSON shows that the connection is alive, and is otherwise ignored', () => {
  const { newest, messages, statuses } = rig();
  newest().sends('state', '{"revision":', 'e1:3');
  assert.deepEqual(messages, []);
  assert.equal(statuses.at(-1), 'open');
});

test('a restarted stream does not resume after an event, so that it begins with the whole state', () => {
  const { newest, sources, stream } = rig();
  newest().opens();
  newest().sends('state', {}, 'e1:7');
  stream.restart();
  assert.equal(sources.length, 2);
  assert.equal(sources[0].readyState, 2);
  assert.equal(newest().url, 'events?lastEventId=');
});

test('a closed stream is not opened by a restart', () => {
  const { sources, stream } = rig();
  stream.close();
  stream.restart();
  assert.equal(sources.length, 1);
});
