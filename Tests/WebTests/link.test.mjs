import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rig } from './linkRig.mjs';
import { settle } from './fakes.mjs';

test('a socket is in use after its first answer, and not when it opens', () => {
  const { link, newest, statuses } = rig();
  link.open();
  newest().opens();
  assert.deepEqual(statuses, ['connecting']);
  newest().pongs();
  assert.deepEqual(statuses, ['connecting', 'open']);
});

test('while the position moves, a ping is sent 1.5 s after the last answer, otherwise 5 s after it', async () => {
  for (const [isMoving, seconds] of [[true, 1.5], [false, 5]]) {
    const { connected, timers } = rig({ isMoving });
    const connection = connected();
    const before = connection.sent.length;
    timers.advance(seconds - 0.1);
    assert.equal(connection.sent.length, before);
    timers.advance(0.2);
    assert.equal(connection.sent.length, before + 1);
    assert.equal(connection.sent.at(-1).operation, 'getClock');
  }
});

test('the answer to a command postpones the next ping', () => {
  const { link, connected, timers } = rig();
  const connection = connected();
  void link.command('pause');
  timers.advance(1);
  connection.answers(connection.last('pause'));
  const before = connection.sent.length;
  timers.advance(1.4);
  assert.equal(connection.sent.length, before);
  timers.advance(0.2);
  assert.equal(connection.last('getClock'), connection.sent.at(-1));
});

test('a silent connection is doubted at most 2.6 s after its last answer, and another one is tried beside it', async () => {
  const { connected, connections, statuses, pass } = rig();
  const connection = connected();
  await pass(2.6);
  assert.equal(statuses.at(-1), 'checking');
  assert.equal(connections.length, 2);
  assert.equal(connection.isClosed, false);
});

test('an answered ping keeps the connection, and measures the clock', async () => {
  const { link, connected, statuses, pass } = rig();
  const clocks = [];
  link.addEventListener('clock', ({ detail }) => clocks.push(detail));
  const connection = connected();
  await pass(1.6);
  connection.pongs(1234);
  await pass(1);
  assert.equal(statuses.at(-1), 'open');
  assert.equal(clocks.at(-1).hostTime, 1234);
  assert.ok(clocks.at(-1).received >= clocks.at(-1).sent);
});

test('the first connection that answers wins, and the other is closed', async () => {
  const { connected, newest, statuses, pass } = rig();
  const old = connected();
  await pass(2.6);
  newest().opens();
  newest().pongs();
  assert.equal(statuses.at(-1), 'open');
  assert.equal(old.isClosed, true);
  assert.equal(newest().isClosed, false);
});

test('a connection that revives shows the state that it may have missed, and discards the events before it', async () => {
  const { connected, connections, messages, statuses, pass } = rig();
  const old = connected();
  old.tells('state', { epoch: 'e', revision: 4 }, 'e:7');
  await pass(2.6);
  old.tells('stateChange', { epoch: 'e', revision: 9 }, 'e:12');
  assert.equal(messages.length, 1);
  assert.equal(statuses.at(-1), 'checking');
  old.answers(old.last('getPlayer'), { epoch: 'e', revision: 9 });
  assert.deepEqual(messages.at(-1), { type: 'state', data: { epoch: 'e', revision: 9, resync: true } });
  assert.equal(statuses.at(-1), 'open');
  assert.ok(connections.slice(1).every(({ isClosed }) => isClosed));
});

test('a revived connection that missed nothing tells nothing', async () => {
  const { connected, messages, statuses, pass } = rig();
  const old = connected();
  old.tells('state', { epoch: 'e', revision: 4 }, 'e:7');
  await pass(2.6);
  old.pongs();
  old.answers(old.last('getPlayer'), { epoch: 'e', revision: 4 });
  assert.equal(messages.length, 1);
  assert.equal(statuses.at(-1), 'open');
});

test('a state that is older than a discarded event is read again', async () => {
  const { connected, statuses, messages, pass } = rig();
  const old = connected();
  await pass(2.6);
  old.tells('heartbeat');
  old.tells('stateChange', { epoch: 'e', revision: 6 }, 'e:9');
  old.answers(old.last('getPlayer'), { epoch: 'e', revision: 5 });
  assert.equal(statuses.at(-1), 'checking');
  old.answers(old.last('getPlayer'), { epoch: 'e', revision: 6 });
  assert.equal(messages.at(-1).data.revision, 6);
});

test('after a sleep the connection is checked at once, and a quick answer ends the check', async () => {
  const { link, connected, connections, statuses, sleep } = rig();
  const connection = connected();
  sleep.seconds = 15;
  link.wake();
  assert.equal(statuses.at(-1), 'checking');
  connection.pongs();
  assert.equal(statuses.at(-1), 'open');
  assert.equal(connections.length, 1);
});

test('a timer that fires much too late means that the page slept', async () => {
  const { connected, statuses, sleep, timers } = rig();
  connected();
  sleep.seconds = 15;
  timers.advance(1.6);
  assert.equal(statuses.at(-1), 'checking');
});

test('waking a connection that has just answered is no reason to doubt it', () => {
  const { link, connected, statuses, timers } = rig();
  connected();
  timers.advance(1);
  link.wake();
  assert.equal(statuses.at(-1), 'open');
});

test('several reasons to wake make one attempt', () => {
  const { link, connections } = rig();
  link.open();
  for (let count = 0; count < 4; count += 1) link.wake();
  assert.equal(connections.length, 1);
});

test('a slow network gets more patience for a ping', async () => {
  const { connected, statuses, pass } = rig({ isMoving: false });
  const connection = connected();
  await pass(5.1);
  await pass(0.7);
  connection.pongs();
  await pass(5.1);
  await pass(1.2);
  assert.equal(statuses.at(-1), 'open');
  await pass(1);
  assert.equal(statuses.at(-1), 'checking');
});

test('a connection resumes after the newest event, and an event that arrives twice is told once', async () => {
  const { connected, messages, newest, pass } = rig();
  connected().tells('state', { epoch: 'e', revision: 4 }, 'e:7');
  newest().fails();
  await pass(0.6);
  assert.equal(newest().lastEventId, 'e:7');
  newest().tells('queue', {}, 'e:7');
  newest().tells('queue', {}, 'e:8');
  assert.deepEqual(messages.map(({ type }) => type), ['state', 'queue']);
});

test('an event that the page misses makes it read the whole state', () => {
  const { link, connected, messages } = rig();
  const connection = connected();
  link.restart();
  connection.answers(connection.last('getPlayer'), { epoch: 'e', revision: 40 });
  assert.equal(messages.at(-1).data.revision, 40);
});

test('a connection that ends is replaced at once, and counts as lost after 4 s', async () => {
  const { connected, connections, statuses, network, pass, timers } = rig();
  timers.advance(10);
  const old = connected();
  await pass(1);
  old.pongs();
  timers.now += 6;
  network.isUp = false;
  old.fails();
  assert.equal(statuses.at(-1), 'checking');
  assert.equal(connections.length, 2);
  await pass(4.2);
  assert.equal(statuses.at(-1), 'lost');
});

test('three refused attempts mean that the player is lost', async () => {
  const { link, network, newest, statuses, pass } = rig();
  network.isUp = false;
  link.open();
  for (let count = 0; count < 3; count += 1) {
    newest().fails();
    await pass(1.1);
  }
  assert.equal(statuses.at(-1), 'lost');
});

test('while the player does not respond, attempts are at most 2 s apart, however long', async () => {
  const { link, network, connections, probes, pass } = rig();
  network.isUp = false;
  link.open();
  const fail = () => connections.filter(({ isClosed }) => !isClosed).forEach((one) => ((one.isClosed = true), one.fails()));
  fail();
  for (let round = 0; round < 60; round += 1) {
    const before = probes() + connections.length;
    await pass(2.1);
    fail();
    assert.ok(probes() + connections.length > before, `round ${round}`);
  }
});

test('after the first attempts no socket is opened until the player responds by HTTP', async () => {
  const { link, network, connections, statuses, newest, pass } = rig();
  network.isUp = false;
  link.open();
  await pass(60);
  const before = connections.length;
  assert.equal(before, 4);
  network.isUp = true;
  await pass(2.1);
  assert.ok(connections.length > before);
  newest().opens();
  newest().pongs();
  assert.equal(statuses.at(-1), 'open');
});

test('without a token the search ends, and continues after the login', async () => {
  const { link, network, connections, newest, statuses, pass } = rig();
  network.hasToken = false;
  link.open();
  newest().fails();
  await pass(10);
  const before = connections.length;
  await pass(10);
  assert.equal(connections.length, before);
  network.hasToken = true;
  link.wake();
  newest().opens();
  newest().pongs();
  assert.equal(statuses.at(-1), 'open');
});

/** Lets all sockets fail until the link uses a stream. */
async function withStream() {
  const all = rig();
  all.link.open();
  for (let count = 0; count < 5 && all.newest().kind === 'socket'; count += 1) {
    all.newest().fails();
    await all.pass(0.6);
  }
  return all;
}

test('if sockets do not open while HTTP works, an event stream replaces them', async () => {
  const { newest, statuses, connections } = await withStream();
  assert.equal(newest().kind, 'stream');
  assert.ok(connections.length <= 4);
  newest().opens();
  assert.equal(statuses.at(-1), 'open');
});

test('a stopped player is no reason to use event streams', async () => {
  const { link, network, connections, newest, pass } = rig();
  network.isUp = false;
  link.open();
  for (let count = 0; count < 8; count += 1) {
    newest().fails();
    await pass(1);
  }
  network.isUp = true;
  await pass(3);
  assert.equal(newest().kind, 'socket');
  assert.ok(connections.every(({ kind }) => kind === 'socket'));
});

test('beside a stream a socket is tried again later, and replaces it', async () => {
  const { newest, connections, pass, link } = await withStream();
  const stream = newest();
  stream.opens();
  for (let second = 0; second < 31; second += 1) {
    await pass(1);
    if (stream.last('getClock')) stream.pongs();
  }
  assert.equal(newest().kind, 'socket');
  assert.equal(stream.isClosed, false);
  newest().opens();
  newest().pongs();
  assert.equal(stream.isClosed, true);
  assert.equal(link.kind, 'socket');
  assert.ok(connections.length < 8);
});

test('a stream is not trusted after a sleep: another one is opened', async () => {
  const { link, newest, sleep, statuses } = await withStream();
  const stream = newest();
  stream.opens();
  sleep.seconds = 15;
  link.wake();
  assert.equal(stream.isClosed, true);
  assert.equal(statuses.at(-1), 'checking');
});

test('a closed link keeps no connection and no timer, and resumes when it is opened again', async () => {
  const { link, connected, connections, newest, timers, statuses } = rig();
  const old = connected();
  old.tells('state', { revision: 1 }, 'e:3');
  link.close();
  assert.equal(old.isClosed, true);
  timers.advance(LIFETIME);
  assert.equal(timers.count, 0);
  link.open();
  assert.equal(connections.length, 2);
  assert.equal(newest().lastEventId, 'e:3');
  assert.equal(statuses.at(-1), 'checking');
});
/** The time after which no attempt to connect is left, in seconds. */
const LIFETIME = 5;

test('a connection that ends soon is not lost yet', async () => {
  const { connected, statuses, pass, newest } = rig();
  connected();
  for (let count = 0; count < 3; count += 1) {
    newest().fails();
    assert.equal(statuses.at(-1), 'checking');
    await pass(0.6);
    newest().opens();
    newest().pongs();
  }
});

test('a connection that ends again and again is not reopened without a pause', async () => {
  const { connected, connections, newest, pass } = rig();
  connected();
  for (let count = 0; count < 3; count += 1) {
    const before = connections.length;
    newest().fails();
    await settle();
    assert.equal(connections.length, before);
    await pass(1);
    newest().opens();
    newest().pongs();
  }
});
