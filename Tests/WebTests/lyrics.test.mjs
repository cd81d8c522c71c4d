import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal, Unreachable } from '../../web/js/link/api.js';
import { CurrentLyrics, lineAt, partToShow, prepare, REST, SHOWN, untilNextLine } from '../../web/js/lyrics.js';
import { deferred, FakeTimers, playerState, settle } from './fakes.mjs';

const synchronized = (...lines) => ({ source: 'file', isSynchronized: true, isTruncated: false, lines: lines.map(([time, text]) => ({ time, text })) });
const plain = (...lines) => ({ source: 'tag', isSynchronized: false, isTruncated: false, lines: lines.map((text) => ({ text })) });
const lines = [{ time: 2, text: 'One' }, { time: 4, text: 'Two' }, { time: 8, text: 'Three' }];

test('a text and its translation, which have one time, are one line', () => {
  const { lines } = prepare(synchronized([1, 'Guten Tag'], [1, 'Good day'], [3, 'Ende']));
  assert.deepEqual(lines, [{ time: 1, text: 'Guten Tag\nGood day' }, { time: 3, text: 'Ende' }]);
});

test('lines without text between verses are one rest', () => {
  const { lines } = prepare(synchronized([1, 'One'], [2, ''], [3, ''], [4, 'Two'], [4, ''], [9, '']));
  assert.deepEqual(lines, [{ time: 1, text: 'One' }, { time: 2, text: REST }, { time: 4, text: 'Two' }, { time: 9, text: REST }]);
});

test('lyrics without times are one text, with their verses', () => {
  assert.deepEqual(prepare(plain('One', 'Two', '', 'Three', '')), { lines: [], text: 'One\nTwo\n\nThree', language: '' });
});

test('lyrics without text are none', () => {
  for (const document of [plain(), plain('', ''), synchronized([1, '']), {}, undefined]) assert.equal(prepare(document), null);
});

test('a code of a language in a tag becomes one that browsers know', () => {
  const languages = [['eng', 'en'], ['de', 'de'], ['not a code', ''], [undefined, '']];
  for (const [language, tag] of languages) assert.equal(prepare({ ...plain('One'), language }).language, tag);
});

test('the current line is the last one that has begun', () => {
  for (const [position, index] of [[0, -1], [1.9, -1], [2, 0], [3.9, 0], [4, 1], [7.9, 1], [8, 2], [1000, 2]]) {
    assert.equal(lineAt(lines, position), index, `at ${position} s`);
  }
  assert.equal(lineAt([], 5), -1);
});

test('after a seek to a line, a position that is rounded down shows this line', () => {
  assert.equal(lineAt(lines, 3.99998), 1);
});

test('the next change of the line is known, so that the page need not look for it', () => {
  const after = (position, rate) => {
    const wait = untilNextLine(lines, position, rate);
    assert.notEqual(lineAt(lines, position), lineAt(lines, position + (wait + 0.001) * rate), 'the line has changed by then');
    assert.equal(lineAt(lines, position), lineAt(lines, position + (wait - 0.001) * rate), 'and not before');
    return Math.round(wait);
  };
  assert.deepEqual([after(0, 1), after(5, 1), after(5, 2), after(5, -1), after(9, -0.5)], [2, 3, 1, 1, 2]);
});

test('before the first line in reverse, after the last one, and while paused no change follows', () => {
  assert.deepEqual([untilNextLine(lines, 1, -1), untilNextLine(lines, 9, 1), untilNextLine(lines, 3, 0), untilNextLine([], 3, 1)],
    [Infinity, Infinity, Infinity, Infinity]);
});

test('usual lyrics are shown completely', () => {
  assert.deepEqual(partToShow(80, 79), { from: 0, to: 80 });
  assert.deepEqual(partToShow(SHOWN, -1), { from: 0, to: SHOWN });
});

test('of ten thousand lines only those around the current line are shown, during a whole playback and after seeks', () => {
  let part;
  let changes = 0;
  const positions = [...Array(10_000).keys(), 0, 9_999, 5_000, -1];
  for (const current of positions) {
    const next = partToShow(10_000, current, part);
    if (next !== part) changes += 1;
    part = next;
    assert.equal(part.to - part.from, SHOWN);
    const [first, last] = [Math.max(0, current - 50), Math.min(9_999, current + 50)];
    assert.ok(part.from <= first && last < part.to, `line ${current} and those around it are in ${part.from}…${part.to}`);
  }
  assert.ok(changes < 200, `${changes} changes`);
});

/** The lyrics of an item whose requests the test answers. */
function rig() {
  const requests = [];
  const timers = new FakeTimers();
  const rig = { requests, timers, changes: 0 };
  const api = {
    lyrics: (id) => {
      const answer = deferred();
      requests.push({ id, ...answer });
      return answer.promise;
    },
  };
  rig.lyrics = new CurrentLyrics({ api, timers, changed: () => (rig.changes += 1) });
  rig.receive = (item, changes) => rig.lyrics.stateArrived(playerState({ currentItem: item && { ...playerState().currentItem, ...item }, ...changes }));
  return rig;
}

test('the lyrics of an item are requested once, after the item is ready', async () => {
  const { lyrics, requests, receive, ...rest } = rig();
  receive({ id: 'i1', status: 'unknown' });
  assert.deepEqual([requests.length, lyrics.isLoading], [0, true]);
  receive({ id: 'i1' });
  receive({ id: 'i1' }, { revision: 2 });
  requests[0].resolve(synchronized([1, 'One']));
  await settle();
  receive({ id: 'i1' }, { revision: 3 });
  assert.deepEqual(requests.map(({ id }) => id), ['i1']);
  assert.deepEqual([lyrics.value.lines, lyrics.isLoading], [[{ time: 1, text: 'One' }], false]);
});

test('the page is drawn after the lyrics have arrived', async () => {
  const one = rig();
  one.receive({ id: 'i1' });
  one.requests[0].resolve(plain('One'));
  await settle();
  assert.equal(one.changes, 1);
});

test('the lyrics of the former item are not shown for the next one, even if they arrive late', async () => {
  const { lyrics, requests, receive } = rig();
  receive({ id: 'i1' });
  receive({ id: 'i2' });
  requests[0].resolve(plain('One'));
  await settle();
  assert.deepEqual([lyrics.value, lyrics.isLoading], [null, true]);
  requests[1].resolve(plain('Two'));
  await settle();
  assert.equal(lyrics.value.text, 'Two');
  receive({ id: 'i3' });
  assert.equal(lyrics.value, null);
});

test('an item of a restarted server is another one', () => {
  const { requests, receive } = rig();
  receive({ id: 'i1' });
  receive({ id: 'i1' }, { epoch: 'e2' });
  assert.equal(requests.length, 2);
});

test('a live stream, a failed item and no item have no lyrics, and none are requested', () => {
  const { lyrics, requests, receive } = rig();
  for (const item of [{ id: 'i1', isLive: true }, { id: 'i2', status: 'failed' }, undefined]) {
    receive(item);
    assert.deepEqual([lyrics.value, lyrics.isLoading], [null, false]);
  }
  assert.equal(requests.length, 0);
});

test('an item without lyrics is asked for them once', async () => {
  for (const status of [404, 422]) {
    const { lyrics, requests, timers, receive } = rig();
    receive({ id: 'i1' });
    requests[0].reject(new Refusal(status, {}));
    await settle();
    assert.deepEqual([lyrics.value, lyrics.isLoading, timers.count, requests.length], [null, false, 0, 1]);
  }
});

test('if the server is busy or not reachable, the request is repeated, but not for ever', async () => {
  const { lyrics, requests, timers, receive } = rig();
  receive({ id: 'i1' });
  for (let count = 1; count <= 4; count += 1) {
    assert.deepEqual([requests.length, lyrics.isLoading], [count, true]);
    requests.at(-1).reject(count % 2 ? new Refusal(429, {}) : new Unreachable());
    await settle();
    timers.advance(5);
  }
  assert.deepEqual([requests.length, lyrics.isLoading, timers.count], [4, false, 0]);
});

test('a request is not repeated for an item that is no longer current', async () => {
  const { requests, timers, receive } = rig();
  receive({ id: 'i1' });
  requests[0].reject(new Refusal(503, {}));
  await settle();
  receive(undefined);
  timers.advance(60);
  assert.equal(requests.length, 1);
});
