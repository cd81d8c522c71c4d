import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal, Unreachable } from '../../web/js/link/api.js';
import { Commands, randomKey } from '../../web/js/link/commands.js';
import { FakeTimers, settle } from './fakes.mjs';

/** Commands, connections that record what is sent, and the results: an answer, or the error. */
function rig() {
  const timers = new FakeTimers();
  let keys = 0;
  const commands = new Commands({ timers, makeKey: () => `k${(keys += 1)}` });
  const carrier = () => {
    const sent = [];
    return { sent, send: (message) => sent.push(message) };
  };
  const results = [];
  const send = (operation, values = {}, options = {}) =>
    void commands.send(operation, values, options).then(({ answer }) => results.push(answer), (error) => results.push(error));
  return { timers, commands, carrier, send, results };
}
const inProgress = new Refusal(409, { type: '/problems/request-in-progress' });

test('a change has a key, and a read has none', () => {
  const { commands, carrier, send } = rig();
  const first = carrier();
  commands.attach(first);
  send('pause');
  send('getQueue');
  send('play', {}, { idempotencyKey: 'mine', ifMatch: '"queue:e:1"' });
  assert.deepEqual(first.sent.map(({ operation, idempotencyKey }) => [operation, idempotencyKey]), [['pause', 'k1'], ['getQueue', undefined], ['play', 'mine']]);
  assert.equal(first.sent[2].ifMatch, '"queue:e:1"');
});

test('a change has the time of the server at which the page gives it up, also when it is sent again, and a read has none', async () => {
  const timers = new FakeTimers();
  let offset;
  const clock = { now: () => timers.now, hostAt: (time) => (offset === undefined ? undefined : time + offset) };
  const commands = new Commands({ timers, makeKey: () => 'k', clock });
  const sent = [];
  const carrier = () => ({ send: ({ operation, notAfter }) => sent.push([operation, notAfter]) });
  const lost = [];
  const send = (operation) => void commands.send(operation, {}, {}).catch((error) => lost.push(error));
  send('pause');
  timers.advance(1);
  commands.attach(carrier());
  offset = 5000;
  timers.advance(1);
  send('play');
  send('getQueue');
  timers.advance(3);
  offset = 5001;
  commands.detach();
  commands.attach(carrier());
  assert.deepEqual(sent.slice(0, 3), [['pause', undefined], ['play', 5012], ['getQueue', undefined]]);
  assert.deepEqual(sent.slice(3), [['pause', 5012], ['play', 5013], ['getQueue', undefined]]);
  timers.advance(10);
  await settle();
  assert.equal(lost.length, 3);
});

test('a command that is refused as too late while the page waits is sent again once, by the corrected clock', async () => {
  const timers = new FakeTimers();
  let offset = 100;
  const commands = new Commands({ timers, makeKey: () => 'k', clock: { now: () => timers.now, hostAt: (time) => time + offset } });
  const sent = [];
  commands.attach({ send: ({ id, notAfter }) => sent.push({ id, notAfter }) });
  const expired = new Refusal(412, { type: '/problems/command-expired' });
  let result;
  void commands.send('play', {}, {}).catch((error) => (result = error));
  offset = 9000;
  commands.answered(sent[0].id, expired);
  assert.deepEqual(sent.map(({ notAfter }) => notAfter), [110, 9010]);
  commands.answered(sent[1].id, expired);
  await settle();
  assert.equal(sent.length, 2);
  assert.equal(result, expired);
});

test('commands without a connection wait for it, and keep their order', async () => {
  const { commands, carrier, send, results } = rig();
  const first = carrier();
  send('pause');
  send('getPlayer');
  commands.attach(first);
  assert.deepEqual(first.sent.map(({ operation }) => operation), ['pause', 'getPlayer']);
  commands.answered(first.sent[0].id, null, { answer: 'done', tag: null });
  await settle();
  assert.deepEqual(results, ['done']);
});

test('a command that was never sent ends after 5 s, certainly without an effect', async () => {
  const { commands, carrier, send, results, timers } = rig();
  send('pause');
  timers.advance(5.1);
  await settle();
  assert.ok(results[0] instanceof Unreachable && !results[0].wasSent);
  const late = carrier();
  commands.attach(late);
  assert.equal(late.sent.length, 0);
});

test('a command without an answer is repeated once on a new connection, with the same key', async () => {
  const { commands, carrier, send, results } = rig();
  const [first, second, third] = [carrier(), carrier(), carrier()];
  commands.attach(first);
  send('nextEntry', { current: 'e1' });
  commands.detach();
  commands.attach(second);
  assert.deepEqual(second.sent, first.sent);
  commands.attach(third);
  await settle();
  assert.equal(third.sent.length, 0);
  assert.ok(results[0] instanceof Unreachable && results[0].wasSent);
});

test('an answered command is not repeated', () => {
  const { commands, carrier, send } = rig();
  const [first, second] = [carrier(), carrier()];
  commands.attach(first);
  send('pause');
  commands.answered(first.sent[0].id, null, { answer: {}, tag: null });
  commands.attach(second);
  assert.equal(second.sent.length, 0);
});

test('after its time a command ends, and whether it was carried out is unknown', async () => {
  const { commands, carrier, send, results, timers } = rig();
  commands.attach(carrier());
  send('pause', {}, { timeout: 3 });
  timers.advance(3.1);
  await settle();
  assert.ok(results[0] instanceof Unreachable && results[0].wasSent);
  assert.equal(timers.count, 0);
});

test('a repetition waits while the server still carries out the first command', async () => {
  const { commands, carrier, send, results, timers } = rig();
  const [first, second] = [carrier(), carrier()];
  commands.attach(first);
  send('putQueue', { entries: [] });
  commands.attach(second);
  commands.answered(second.sent[0].id, inProgress);
  timers.advance(0.6);
  assert.equal(second.sent.length, 2);
  commands.answered(second.sent[1].id, null, { answer: 'done', tag: null });
  await settle();
  assert.deepEqual(results, ['done']);
});

test('a refusal is the error of its command', async () => {
  const { commands, carrier, send, results } = rig();
  const first = carrier();
  commands.attach(first);
  send('seek', { time: 1 });
  const refusal = new Refusal(409, { type: '/problems/not-seekable' });
  commands.answered(first.sent[0].id, refusal);
  await settle();
  assert.equal(results[0], refusal);
});

test('keys are random', () => {
  assert.match(randomKey(), /^[0-9a-f]{32}$/);
  assert.notEqual(randomKey(), randomKey());
});
