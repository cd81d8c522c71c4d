import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers, settle } from './fakes.mjs';
import { QueueModel } from '../../web/js/state/queue.js';

/** A generator of numbers that gives the same sequence for the same seed. */
function seeded(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** The queue of a server: edits it, makes its events, and answers requests. The test decides when an event or an answer arrives. */
class Server {
  epoch = 'x1';
  revision = 1;
  list = [];
  currentId;
  events = [];
  answers = [];
  #ids = 0;

  constructor(count) {
    this.list = this.make(count);
    this.currentId = this.list[0]?.id;
  }
  make(count) {
    return Array.from({ length: count }, () => ({ id: `e${(this.#ids += 1)}`, title: 'new' }));
  }
  summary() {
    return { revision: this.revision, count: this.list.length, currentId: this.currentId, nextId: this.list.at(-1)?.id };
  }
  tell(previousRevision, changes) {
    this.events.push(['queue', structuredClone({ ...this.summary(), previousRevision, changes })]);
  }
  /** Changes the list by some steps, which are one event. */
  edit(steps) {
    const changes = steps.map(({ type, index, count, to, entries, isLarge }) => {
      if (type === 'insert') this.list.splice(index, 0, ...entries);
      if (type === 'remove') this.list.splice(index, count);
      if (type === 'move') this.list.splice(to, 0, ...this.list.splice(index, count));
      return { type, index, count, to, entries: type === 'insert' && !isLarge ? entries : undefined };
    });
    if (!this.list.some(({ id }) => id === this.currentId)) this.currentId = this.list[0]?.id;
    this.revision += 1;
    this.tell(this.revision - 1, changes);
  }
  learn(index, count, title, isLarge) {
    for (let each = index; each < index + count; each += 1) this.list[each] = { ...this.list[each], title };
    this.tell(this.revision, [{ type: 'update', index, count, entries: isLarge ? undefined : this.list.slice(index, index + count) }]);
  }
  command = (name, { offset = 0, limit, around }) => {
    assert.equal(name, 'getQueue');
    const current = this.list.findIndex(({ id }) => id === this.currentId);
    const start = around ? Math.max(0, Math.min(current - limit / 2, this.list.length - limit)) : offset;
    const page = { epoch: this.epoch, ...this.summary(), offset: start, entries: this.list.slice(start, start + limit), history: [] };
    return new Promise((resolve, reject) => this.answers.push({ resolve: () => resolve({ answer: structuredClone(page) }), reject }));
  };
}

/** A model that uses a server, with the means to let events and answers arrive. */
function stage(count = 0, { isUsed = true } = {}) {
  const server = new Server(count);
  const timers = new FakeTimers();
  const events = new EventTarget();
  const model = new QueueModel({ command: (...request) => server.command(...request), events, timers });
  const send = (type, detail) => events.dispatchEvent(new CustomEvent(type, { detail }));
  const state = (more = {}) => send('state', { epoch: server.epoch, changed: [], ...more });
  const deliver = () => {
    const [type, data] = server.events.shift();
    send(type, data);
  };
  const answer = async (index = 0) => {
    server.answers.splice(index, 1)[0]?.resolve();
    await settle();
  };
  const drain = async () => {
    for (let rounds = 0; rounds < 1000; rounds += 1) {
      while (server.events.length > 0) deliver();
      timers.advance(10);
      if (server.answers.length === 0 && server.events.length === 0) return;
      while (server.answers.length > 0) await answer();
    }
    throw new Error('the model never stops asking');
  };
  /** Reads every entry, as a user who scrolls through the whole list. */
  const readAll = async () => {
    for (let rounds = 0; rounds < 50; rounds += 1) {
      for (let index = 0; index < model.count; index += 49) {
        model.at(Math.min(index, model.count - 1));
        if (index % 98 === 0) await drain();
      }
      for (let index = 0; index < model.count; index += 1) model.at(index);
      await drain();
      if (model.isComplete) return;
    }
  };
  state();
  if (isUsed) model.use();
  return { server, timers, model, events, send, state, deliver, answer, drain, readAll };
}

const contents = (list) => list.map((entry) => entry && `${entry.id} ${entry.title}`);

test('the copy equals the queue after 2,000 random edits, whatever the order of events and answers', async () => {
  const random = seeded(20);
  const { server, timers, model, send, state, deliver, answer, drain, readAll } = stage(700);
  await drain();
  let comparisons = 0;
  for (let step = 0; step < 2000; step += 1) {
    const { length } = server.list;
    const run = length === 0 ? 0 : random(Math.min(length, random(4) === 0 ? 90 : 3)) + 1;
    const index = length === 0 ? 0 : random(length - run + 1);
    switch (random(14)) {
      case 0: case 1: {
        const count = length > 900 ? 1 : random(5) === 0 ? 1 + random(120) : 1 + random(3);
        server.edit([{ type: 'insert', index: random(length + 1), count, entries: server.make(count), isLarge: count > 64 || random(6) === 0 }]);
        break;
      }
      case 2: case 3: if (run > 0) server.edit([{ type: 'remove', index, count: run }]); break;
      case 4: case 5: case 6: if (run > 0) server.edit([{ type: 'move', index, count: run, to: random(length - run + 1) }]); break;
      case 7: if (run > 0) server.learn(index, run, `title ${step}`, random(3) === 0); break;
      case 8: {
        const entries = server.make(2);
        if (run > 0 && run < length) {
          const insert = { type: 'insert', index: 0, count: 2, entries };
          server.edit([{ type: 'remove', index, count: run }, insert, { type: 'move', index: 0, count: 1, to: 1 }]);
        }
        break;
      }
      case 9:
        server.currentId = length > 0 ? server.list[random(length)].id : undefined;
        server.tell(server.revision, []);
        break;
      case 10:
        if (random(6) > 0) break;
        // A slow client: the server replaces the events that were not sent by one state.
        server.events.length = 0;
        server.events.push(['state', { epoch: server.epoch, changed: [], coalesced: true }]);
        break;
      case 11:
        if (random(12) > 0) break;
        server.list.reverse();
        server.revision += 1;
        server.tell(server.revision - 1, undefined);
        break;
      case 12:
        if (random(30) > 0) break;
        // A new run of the server, whose revisions begin again.
        Object.assign(server, { epoch: `x${step}`, revision: 1, list: server.make(400 + random(200)) });
        server.currentId = server.list[0].id;
        server.events.length = 0;
        for (const { reject } of server.answers.splice(0)) reject(new Error('the server has ended'));
        await settle();
        server.events.push(['state', { epoch: server.epoch, changed: [] }]);
        break;
      default:
    }
    for (let asked = 0; asked < 3; asked += 1) if (model.count > 0) model.at(random(model.count));
    if (random(2) === 0) timers.advance(0.04);
    while (server.events.length > 0 && random(3) > 0) deliver();
    while (server.answers.length > 0 && random(2) === 0) await answer(random(server.answers.length));
    if (step % 40 !== 39) continue;
    await drain();
    await readAll();
    comparisons += 1;
    assert.equal(model.revision, server.revision, `step ${step}`);
    assert.equal(model.currentId, server.currentId, `step ${step}`);
    assert.deepEqual(contents(model.entries), contents(server.list), `step ${step}`);
    // Forget the pages, so that the next steps begin with a list that is read in part.
    if (random(2) === 0) state({ resync: true });
  }
  assert.equal(comparisons, 50);
  void send;
});

test('a queue of 10,000 entries is read by pages, and an entry that is not shown costs no object', async () => {
  const { server, model, drain } = stage(10_000);
  let requests = 0;
  const { command } = server;
  server.command = (...request) => ((requests += 1), command(...request));
  await drain();
  assert.equal(model.count, 10_000);
  assert.equal(model.entries.filter(Boolean).length, 50);
  assert.equal(model.at(4800), undefined);
  await drain();
  assert.equal(model.at(4800).id, 'e4801');
  assert.equal(model.entries.filter(Boolean).length, 100);
  assert.equal(requests, 1);
});

test('a fast scroll requests only the pages where it ends', async () => {
  const { server, model, timers, drain } = stage(10_000);
  await drain();
  for (let index = 0; index < 9000; index += 10) model.at(index);
  timers.advance(1);
  assert.equal(server.answers.length, 3);
});

test('edits by others need no request, unless their entries are too large for an event', async () => {
  const { server, model, deliver, drain } = stage(100);
  await drain();
  for (let index = 0; index < 100; index += 1) model.at(index);
  await drain();
  server.edit([{ type: 'move', index: 90, count: 1, to: 3 }]);
  server.edit([{ type: 'insert', index: 0, count: 2, entries: server.make(2) }]);
  while (server.events.length > 0) deliver();
  assert.deepEqual(contents(model.entries), contents(server.list));
  assert.equal(server.answers.length, 0);
  server.edit([{ type: 'insert', index: 5, count: 70, entries: server.make(70), isLarge: true }]);
  deliver();
  assert.equal(model.count, 172);
  assert.equal(model.at(5), undefined);
  assert.equal(model.at(4).id, server.list[4].id);
});

test('nothing is requested before a view uses the queue, nor after the last one has released it', async () => {
  const { server, model, timers, state, drain } = stage(10, { isUsed: false });
  assert.equal(server.answers.length, 0);
  model.use();
  await drain();
  assert.equal(model.count, 10);
  model.release();
  state({ coalesced: true });
  timers.advance(100);
  assert.equal(server.answers.length, 0);
  model.use();
  assert.equal(server.answers.length, 1);
});

test('a queue that cannot be read is tried again, with growing pauses', async () => {
  const { server, model, timers, drain } = stage(10);
  for (const pause of [1, 2, 4, 8, 8]) {
    server.answers.pop().reject(new Error('unreachable'));
    await settle();
    assert.ok(model.isFailed);
    timers.advance(pause - 0.1);
    assert.equal(server.answers.length, 0);
    timers.advance(0.2);
    assert.equal(server.answers.length, 1);
  }
  await drain();
  assert.equal(model.count, 10);
  assert.ok(!model.isFailed);
});

test('an answer or an event that does not fit makes the queue be read again', async () => {
  const { server, model, send, drain } = stage(10);
  await drain();
  const moves = [{ type: 'remove', index: 9, count: 2 }, { type: 'teleport', index: 0, count: 1 }, { type: 'move', index: 0, count: 1, to: 10 }];
  for (const change of moves) {
    send('queue', { ...server.summary(), previousRevision: 1, changes: [change] });
    assert.equal(server.answers.length, 1, change.type);
    await drain();
    assert.deepEqual(contents(model.entries), contents(server.list));
  }
  send('queue', { ...server.summary(), revision: 9, previousRevision: 8, changes: [] });
  assert.equal(server.answers.length, 1);
});

test('all entries are read on request, in a few pages', async () => {
  const { server, model, drain, answer } = stage(1234);
  await drain();
  const done = model.readAll();
  let requests = 0;
  for (; !model.isComplete; requests += 1) await answer();
  assert.ok(await done);
  assert.ok(requests <= 4, `${requests} requests`);
  assert.deepEqual(contents(model.entries), contents(server.list));
});

test('in the playback order, an edit makes the queue be read again in that order', async () => {
  const { server, model, drain, deliver } = stage(10);
  const orders = [];
  const { command } = server;
  server.command = (name, parameters) => (orders.push(parameters.order), command(name, parameters));
  await drain();
  model.setOrder('playback');
  await drain();
  server.learn(2, 1, 'a new title', false);
  deliver();
  assert.equal(model.at(2).title, 'a new title');
  server.edit([{ type: 'move', index: 1, count: 1, to: 3 }]);
  await drain();
  assert.deepEqual(orders, ['playback', 'playback']);
  assert.deepEqual(contents(model.entries), contents(server.list));
});

test('an answer that is long in coming does not make the page keep events without limit', async () => {
  const { server, model, send, drain } = stage(10);
  let reads = 0;
  const { command } = server;
  server.command = (...request) => ((reads += 1), command(...request));
  for (let revision = 2; revision < 1500; revision += 1) {
    send('queue', { ...server.summary(), revision, previousRevision: revision - 1, changes: [] });
  }
  assert.equal(reads, 1);
  server.revision = 1499;
  await drain();
  assert.equal(model.revision, 1499);
  assert.equal(model.count, 10);
});

test('an answer that is newer than the events waits for them', async () => {
  const { server, model, deliver, answer, drain, timers } = stage(200);
  await drain();
  model.at(199);
  server.edit([{ type: 'remove', index: 0, count: 1 }]);
  timers.advance(0.1);
  await answer();
  assert.equal(model.entries[199], undefined);
  deliver();
  assert.equal(model.at(198).id, 'e200');
  assert.equal(server.answers.length, 0);
});

test('entries that were not opened show what the library knows, also after an update, until they are opened', async () => {
  const { model, server, state, drain } = stage();
  const entry = (id, more) => ({ id, url: `file:///${id}`, status: 'unknown', ...more });
  server.list = [entry('a'), entry('b'), entry('c', { title: 'Given' })];
  state();
  await drain();
  model.describe([['file:///b', { title: 'Bee', duration: 61 }], ['file:///c', { title: 'Sea', duration: 7 }]]);
  const facts = () => model.entries.map(({ title, duration }) => [title, duration]);
  assert.deepEqual(facts(), [[undefined, undefined], ['Bee', 61], ['Given', 7]]);
  for (const [change, shown] of [[{ artist: 'Band' }, ['Bee', 61]], [{ status: 'readyToPlay', title: 'Opened', duration: 60 }, ['Opened', 60]]]) {
    server.list[1] = { ...server.list[1], ...change };
    server.tell(server.revision, [{ type: 'update', index: 1, count: 1, entries: [server.list[1]] }]);
    await drain();
    assert.deepEqual(facts()[1], shown);
  }
});
