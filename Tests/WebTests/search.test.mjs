import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesIn, entriesOf, lineOf, linesOf } from '../../web/js/state/addresses.js';
import { Library } from '../../web/js/state/library.js';
import { matcher, plain, readRecent, searchFolders, withRecent } from '../../web/js/state/search.js';

const folder = (path) => ({ name: path.split('/').at(-1), path, kind: 'directory' });
const file = (path, more = {}) => ({ name: path.split('/').at(-1), path, kind: 'audio', ...more });

function library(folders) {
  const requests = [];
  const command = async (_, { path = '', offset = 0, limit }) => {
    requests.push(path);
    if (!folders[path]) throw new Error('unreadable');
    const entries = folders[path].slice(offset, offset + limit);
    return { answer: { count: folders[path].length, offset, entries, isTruncated: false, isComplete: true } };
  };
  return { requests, library: new Library({ command, now: () => 0 }) };
}
async function all(steps) {
  const found = [];
  let progress;
  for await (const step of steps) {
    found.push(...step.found.map(({ path }) => path));
    progress = step.progress;
  }
  return { found, progress };
}
const options = (more) => ({ signal: new AbortController().signal, now: () => 0, ...more });

test('a search finds words in any order in the names, titles and artists, without case and accents', () => {
  const entry = file('/m/01.flac', { title: 'Élan Vital', artist: 'Björk' });
  for (const text of ['elan', 'VITAL bjork', 'björk 01', '']) assert.ok(matcher(text)(entry), text);
  for (const text of ['elan x', 'vitale']) assert.ok(!matcher(text)(entry), text);
  assert.ok(matcher('أغنية')(file('/m/أغنية.wav')));
  assert.ok(matcher('😀')(file('/m/😀.wav')));
});

test('a text of any length is compared in little time', () => {
  assert.equal(plain(`a${'\u0301'.repeat(1_000_000)}`), 'a');
  assert.ok(!matcher('z')(file('/m/a', { title: 'a'.repeat(1_000_000) })));
});

test('folders are searched from the media roots on, the nearer ones first', async () => {
  const { library: one } = library({
    '': [folder('/m')], '/m': [folder('/m/a'), folder('/m/b'), file('/m/song 1')], '/m/a': [file('/m/a/song 2')],
    '/m/b': [folder('/m/b/song 4'), file('/m/b/song 3')], '/m/b/song 4': [],
  });
  const { found, progress } = await all(one.search('song', new AbortController().signal));
  assert.deepEqual(found, ['/m/song 1', '/m/a/song 2', '/m/b/song 4', '/m/b/song 3']);
  assert.deepEqual(progress, { state: 'all', folders: 4, files: 3, failed: 0 });
});

test('a search with another text uses the folders that are known', async () => {
  const { library: one, requests } = library({ '': [folder('/m')], '/m': [file('/m/a'), file('/m/b')] });
  await all(searchFolders(one, 'a', options()));
  const before = requests.length;
  assert.deepEqual((await all(searchFolders(one, 'b', options()))).found, ['/m/b']);
  assert.equal(requests.length, before);
});

test('a search says if it has not searched everything: because of the number of folders or files, the time, or the results', async () => {
  const folders = { '': [folder('/m')], '/m': [folder('/m/a'), folder('/m/b')], '/m/a': [file('/m/a/1'), file('/m/a/2')], '/m/b': [file('/m/b/3')] };
  const limits = { folders: 10, files: 10, results: 10, seconds: 10 };
  const states = async (more, extra) => {
    const steps = searchFolders(library(folders).library, '', options({ limits: { ...limits, ...more }, ...extra }));
    return (await all(steps)).progress;
  };
  assert.deepEqual(await states({}), { state: 'all', folders: 3, files: 3, failed: 0 });
  assert.deepEqual(await states({ folders: 2 }), { state: 'limit', folders: 2, files: 2, failed: 0 });
  assert.equal((await states({ files: 1 })).state, 'limit');
  assert.equal((await states({ results: 4 })).state, 'many');
  let now = 0;
  assert.equal((await states({}, { now: () => (now += 4) })).state, 'limit');
});

test('a folder that cannot be read is counted, and the others are searched', async () => {
  const { library: one } = library({ '': [folder('/x'), folder('/m')], '/m': [file('/m/a')] });
  const { found, progress } = await all(searchFolders(one, 'a', options()));
  assert.deepEqual(found, ['/m/a']);
  assert.deepEqual(progress, { state: 'all', folders: 1, files: 1, failed: 1 });
});

test('an ended search requests no further folder', async () => {
  const { library: one, requests } = library({ '': [folder('/m')], '/m': [folder('/m/a')], '/m/a': [folder('/m/a/b')], '/m/a/b': [] });
  const abort = new AbortController();
  for await (const step of searchFolders(one, 'a', options({ signal: abort.signal }))) if (step.progress.folders === 1) abort.abort();
  assert.ok(!requests.includes('/m/a/b'));
});

test('a folder that contains itself is searched once', async () => {
  const { library: one } = library({ '': [folder('/m')], '/m': [folder('/m'), file('/m/a')] });
  assert.equal((await all(searchFolders(one, 'a', options()))).progress.folders, 1);
});

test('the newest searches are kept, each once', () => {
  let recent = [];
  for (let index = 0; index < 12; index += 1) recent = withRecent(recent, `search ${index}`);
  recent = withRecent(recent, ' Search 7 ');
  assert.deepEqual(recent.slice(0, 3), ['Search 7', 'search 11', 'search 10']);
  assert.equal(recent.length, 8);
  assert.equal(withRecent(recent, '  '), recent);
  assert.deepEqual(readRecent('["a", 5]'), ['a']);
  assert.deepEqual([readRecent(null), readRecent('{'), readRecent('{"a": 1}')], [[], [], []]);
});

test('typed lines are addresses, except empty ones and comments', () => {
  assert.deepEqual(linesOf('#EXTM3U\r\n http://a/1 \n\n/music/b.flac\n'), ['http://a/1', '/music/b.flac']);
  assert.equal(linesOf('/a\n'.repeat(5000)).length, 1000);
  assert.deepEqual(entriesOf(['HTTP://Example.org/A', '/b']).map(({ url }) => url), ['http://Example.org/A', '/b']);
});

test('pasted prose is no address', () => {
  assert.deepEqual(addressesIn('https://a/1\nfile:///b'), ['https://a/1', 'file:///b']);
  for (const text of ['hello', 'https://a/1\nand more', 'gopher://a', 'https:// x', '']) assert.deepEqual(addressesIn(text), [], text);
});

test('a problem of the server names the line by its pointer, over HTTP and over a WebSocket', () => {
  assert.deepEqual(['/entries/0/url', '/arguments/entries/12/url', '/startIndex', undefined].map((pointer) => lineOf({ pointer })), [1, 13, 0, 0]);
});
