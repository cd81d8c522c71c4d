import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../web/js/link/api.js';
import { openSocket } from '../../web/js/link/socket.js';
import { openStream } from '../../web/js/link/stream.js';
import { FakeSource, FakeTimers, settle } from './fakes.mjs';

/** What a connection reports, as a list. */
function listener() {
  const reports = [];
  const report = (name) => (...values) => reports.push([name, ...values]);
  return { reports, opened: report('opened'), event: report('event'), answered: report('answered'), closed: report('closed') };
}

function stream(api = {}) {
  const told = listener();
  const timers = new FakeTimers();
  let source;
  const connection = openStream('https://a/events', told, { api, timers, makeSource: (url) => (source = new FakeSource(url)) });
  return { ...told, timers, connection, source };
}

test('a stream reports its events with their ids, and ignores what is no event of this server', () => {
  const { source, reports } = stream();
  source.opens();
  source.sends('state', { revision: 1 }, 'e:1');
  source.sends('heartbeat', {});
  source.sends('state', 'no JSON');
  source.sends('unheard', {});
  assert.deepEqual(reports, [
    ['opened'], ['event', { type: 'state', data: { revision: 1 }, id: 'e:1' }], ['event', { type: 'heartbeat', data: {}, id: undefined }],
  ]);
});

test('a silent stream ends, even if the browser reports it open', () => {
  const { source, reports, timers } = stream();
  source.opens();
  timers.advance(21);
  source.sends('heartbeat', {});
  timers.advance(21);
  assert.equal(reports.at(-1)[0], 'event');
  timers.advance(2);
  assert.deepEqual(reports.at(-1), ['closed']);
  assert.equal(source.readyState, 2);
});

test('a failed stream reports its end once; a closed one reports nothing', () => {
  const failed = stream();
  failed.source.fails();
  failed.source.fails();
  failed.timers.advance(60);
  assert.deepEqual(failed.reports, [['closed']]);
  const closed = stream();
  closed.connection.close();
  closed.source.fails();
  closed.source.opens();
  closed.source.sends('heartbeat', {});
  assert.deepEqual(closed.reports, []);
  assert.equal(closed.timers.count, 0);
});

test('beside a stream, commands are HTTP requests', async () => {
  const refusal = new Refusal(409, {});
  const sent = [];
  const api = {
    command: async (...request) => {
      sent.push(request);
      if (request[0] === 'seek') throw refusal;
      return { answer: 1, tag: 't' };
    },
  };
  const { connection, reports } = stream(api);
  connection.send({ id: 'c1', operation: 'pause', values: {}, idempotencyKey: 'k', notAfter: 12.5 });
  connection.send({ id: 'c2', operation: 'seek', values: { time: 1 } });
  await settle();
  assert.deepEqual(sent[0], ['pause', {}, { ifMatch: undefined, idempotencyKey: 'k', notAfter: 12.5 }]);
  assert.deepEqual(reports, [['answered', 'c1', null, { answer: 1, tag: 't' }], ['answered', 'c2', refusal]]);
});

function socket() {
  const told = listener();
  const fake = { readyState: 1, sent: [], send: (text) => fake.sent.push(JSON.parse(text)), close: () => (fake.readyState = 3) };
  const connection = openSocket('wss://a/socket', told, { client: () => 'Phone 27', makeSocket: () => fake });
  const receive = (message) => fake.onmessage({ data: typeof message === 'string' ? message : JSON.stringify(message) });
  return { ...told, fake, connection, receive };
}

test('a command over a socket names its client, its key and its condition, and omits a result that the events tell', () => {
  const { connection, fake } = socket();
  connection.send({ id: 'c1', operation: 'moveEntry', values: { id: 'e1', index: 0 }, ifMatch: '"queue:e:1"', idempotencyKey: 'k' });
  assert.deepEqual(fake.sent, [
    {
      id: 'c1', command: 'moveEntry', arguments: { id: 'e1', index: 0 }, ifMatch: '"queue:e:1"', idempotencyKey: 'k', client: 'Phone 27',
      omitsResult: true,
    },
  ]);
});

test('the results of reads, and of the two changes whose results are used, are not omitted', () => {
  const { connection, fake } = socket();
  for (const operation of ['getQueue', 'setOutput', 'seek']) connection.send({ id: operation, operation, values: {} });
  assert.deepEqual(fake.sent.map(({ omitsResult }) => omitsResult), [undefined, undefined, undefined]);
});

test('events, results and problems are told apart, and other messages are ignored', () => {
  const { receive, reports } = socket();
  receive({ event: 'queue', id: 'e:2', data: { revision: 3 } });
  receive({ id: 'c1', result: { ok: true }, entityTag: '"t"' });
  receive({ id: 'c2', problem: { status: 409, detail: 'No.' } });
  for (const other of ['{', 'null', '[]', '{"problem": {}}', { id: 7 }]) receive(other);
  assert.deepEqual(reports[0], ['event', { type: 'queue', data: { revision: 3 }, id: 'e:2' }]);
  assert.deepEqual(reports[1], ['answered', 'c1', null, { answer: { ok: true }, tag: '"t"' }]);
  assert.equal(reports[2][2].status, 409);
  assert.equal(reports.length, 3);
});

test('a socket that was closed by the page reports nothing, and one that is not open sends nothing', () => {
  const { connection, fake, reports } = socket();
  connection.close();
  fake.onclose?.();
  connection.send({ id: 'c1', operation: 'pause', values: {} });
  assert.deepEqual([reports, fake.sent], [[], []]);
});
