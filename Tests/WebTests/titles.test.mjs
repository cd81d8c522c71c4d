import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from './fakes.mjs';
import { Library } from '../../web/js/state/library.js';
import { readTitles } from '../../web/js/state/titles.js';

const file = (name, more = {}) => ({ id: name, url: `file:///music/Album%20A/${name}.flac`, status: 'unknown', ...more });
const listed = (name, more = {}) => ({ name: `${name}.flac`, path: `/music/Album A/${name}.flac`, url: `file:///music/Album%20A/${name}.flac`, ...more });

/** The library with one folder, whose requests the test answers, and the queue that shows some entries. */
function rig(names, isLoaded = true, load, source) {
  const queue = Object.assign(new EventTarget(), { seen: [], described: [], describe: (summaries) => queue.described.push(...summaries) });
  const folder = { isLoaded, entries: names.map((name) => listed(name)), loads: 0, load: async () => void (folder.loads += 1), placeOf: (offset) => ({ offset }) };
  const requests = [];
  const library = {
    lists: [],
    list: (path) => (library.lists.push(path), folder),
    part: (part) => new Promise((resolve, reject) => requests.push({ part, resolve, reject })),
  };
  const see = (...items) => {
    queue.seen = items;
    queue.dispatchEvent(new Event('seen'));
  };
  const api = { libraryArtworkAddress: (path, size) => `${path} ${size}` };
  readTitles({ api, queue }, source ?? library, load);
  return { queue, folder, library, requests, see };
}

test('one request reads the titles of the visible entries of a folder', async () => {
  const { queue, library, requests, see } = rig(['a', 'b', 'c']);
  see(file('b'), file('c'));
  await settle();
  assert.deepEqual(library.lists, ['/music/Album A']);
  assert.deepEqual(requests[0].part, { path: '/music/Album A', offset: 1, limit: 100, wait: 10 });
  requests[0].resolve({ entries: [listed('b', { title: 'Bee', artist: 'Band', duration: 61 }), listed('c', { duration: 5 })] });
  await settle();
  assert.deepEqual(queue.described, [
    [file('b').url, { title: 'Bee', artist: 'Band', album: undefined, duration: 61 }],
    [file('c').url, { title: undefined, artist: undefined, album: undefined, duration: 5 }],
  ]);
  assert.equal(requests.length, 1);
});

test('entries after the largest offset of a request are read from the page of their folder', async () => {
  const all = Array.from({ length: 12_000 }, (_, index) => listed(`n${index}`));
  const parts = [];
  // The server refuses larger offsets and limits.
  const command = async (_, part) => {
    const { after, offset = 0, limit } = part;
    if (offset > 10_000 || limit > 10_000) throw new Error('out of range');
    const from = (after === undefined ? 0 : all.findIndex(({ name }) => name === after) + 1) + offset;
    const entries = all.slice(from, from + limit).map((entry) => (part.wait ? { ...entry, title: `T ${entry.name}`, duration: 5 } : entry));
    if (part.wait) parts.push(from);
    const next = from + limit < all.length ? entries.at(-1).name : undefined;
    return { answer: { count: all.length, entries, next, isComplete: false } };
  };
  const { queue, see } = rig([], true, undefined, new Library({ command }));
  see(file('n11500'));
  for (let turn = 0; turn < 100 && queue.described.length === 0; turn += 1) await settle();
  assert.deepEqual(parts, [11_500]);
  assert.equal(queue.described[0][1].title, 'T n11500.flac');
});

test('opened entries, entries with a duration, and streams cost no request', async () => {
  const { library, see } = rig(['a']);
  see(file('a', { status: 'readyToPlay' }), file('a', { duration: 3 }), { ...file('a'), url: 'http://radio.test/' });
  await settle();
  assert.deepEqual(library.lists, []);
});

test('the next request is for the entries that are visible then, and each medium is requested once', async () => {
  const names = Array.from({ length: 400 }, (_, index) => `n${index}`);
  const { requests, see } = rig(names);
  see(file('n0'));
  see(file('n120'));
  see(file('n300'));
  await settle();
  assert.equal(requests.length, 1);
  requests[0].resolve({ entries: [listed('n0')] });
  await settle();
  assert.deepEqual(requests.slice(1).map(({ part }) => part.offset), [300]);
  requests[1].reject(new Error('later'));
  await settle();
  see(file('n0'), file('n300'));
  await settle();
  assert.equal(requests.length, 2);
});

test('a folder that is not known is listed first; a file that it does not have costs no further request', async () => {
  const { folder, requests, see } = rig(['a'], false);
  see(file('gone'));
  await settle();
  assert.equal(folder.loads, 1);
  assert.equal(requests.length, 0);
});

test('visible entries that were not opened yet have the picture of the library, which files of one album load once', async () => {
  globalThis.devicePixelRatio = 2;
  const loads = [];
  const load = (address) => new Promise((resolve) => loads.push({ address, resolve }));
  const { queue, requests, see } = rig(['a', 'b', 'c', 'd'], true, load);
  const facts = { duration: 5, pictureId: 'p' };
  see(file('a'), file('b'));
  await settle();
  requests[0].resolve({ entries: [listed('a', facts), listed('b', facts), listed('c', facts), listed('d', { duration: 5 })] });
  await settle();
  assert.deepEqual(loads.map(({ address }) => address), ['/music/Album A/a.flac 128']);
  queue.described.length = 0;
  loads[0].resolve();
  await settle();
  assert.deepEqual(queue.described.map(([url, { picture }]) => [url, picture]), [
    [file('a').url, '/music/Album A/a.flac 128'], [file('b').url, '/music/Album A/a.flac 128'],
  ]);
  queue.described.length = 0;
  see(file('a', { picture: 'x' }), file('b', { status: 'readyToPlay' }), file('d'));
  await settle();
  assert.deepEqual(queue.described, []);
});
