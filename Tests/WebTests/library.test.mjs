import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, factsOf, folderOf, Library, nameOf, request, trailTo } from '../../web/js/state/library.js';
import { Places } from '../../web/js/views/libraryPlaces.js';
import { Pictures } from '../../web/js/views/libraryPictures.js';
import { Selection } from '../../web/js/views/librarySelection.js';
import { LibraryActs } from '../../web/js/views/libraryActs.js';

const file = (path, more = {}) => ({ name: nameOf(path), path, kind: 'audio', url: `file://${path}`, size: 1, ...more });
/** Lets all promises settle whose work needs no time. */
const settle = async () => {
  for (let turn = 0; turn < 50; turn += 1) await null;
};

/** A server with folders, which notes the requests. */
function server(folders) {
  const requests = [];
  const command = async (operation, values) => {
    requests.push({ operation, ...values });
    const { path = '', after, offset = 0, limit = 10000, wait } = values;
    const folder = folders[path];
    if (!folder) throw new Error('no such folder');
    const start = offset + (after ? folder.entries.findIndex(({ name }) => encodeURIComponent(name) > after) : 0);
    const entries = folder.entries.slice(start, start + limit);
    const next = path && start + limit < folder.entries.length ? encodeURIComponent(entries.at(-1).name) : undefined;
    const isComplete = wait !== undefined || folder.isComplete !== false;
    const listed = entries.map((entry) => (isComplete ? entry : { ...entry, title: undefined }));
    // As JSON, so that a member without a value is absent.
    return JSON.parse(JSON.stringify({ answer: { path, count: folder.entries.length, next, isComplete, entries: listed } }));
  };
  return { requests, library: (now = () => 0) => new Library({ command, now }) };
}
const many = (count, more) => Array.from({ length: count }, (_, index) => file(`/m/${String(index).padStart(5, '0')}.flac`, more?.(index)));

test('a folder shows its first entries before all names are known', async () => {
  const { library, requests } = server({ '/m': { entries: many(3000) } });
  const folder = library().list('/m');
  const steps = [];
  folder.addEventListener('change', () => steps.push(`${folder.entries.length}/${folder.count} ${folder.isLoaded}`));
  await folder.load();
  const different = steps.filter((step, index) => steps.indexOf(step) === index);
  assert.deepEqual(different, ['100/3000 false', '1100/3000 false', '2200/3000 false', '3000/3000 false', '3000/3000 true']);
  const sent = requests.map(({ offset, after, limit }) => [offset, after, limit]);
  assert.deepEqual(sent, [[0, undefined, 100], [undefined, '00099.flac', 1000], [undefined, '01099.flac', 1100], [undefined, '02199.flac', 2200]]);
});

test('each entry is listed once while others come and go', async () => {
  const folders = { '/m': { entries: many(1500) } };
  const { library } = server(folders);
  const folder = library().list('/m');
  folder.addEventListener('change', () => {
    if (folder.entries.length === 100) folders['/m'].entries.splice(40, 70);
  });
  await folder.load();
  const names = folder.entries.map(({ name }) => name);
  assert.deepEqual(names, many(1500).map(({ name }) => name).filter((_, index) => index < 100 || index >= 110));
  assert.equal(folder.count, 1490);
});

test('a folder of very many entries ends with the first 40,000 or so, and says it', async () => {
  const { library, requests } = server({ '/m': { entries: many(60000) } });
  const folder = library().list('/m');
  await folder.load();
  assert.ok(folder.isTruncated && folder.isLoaded && folder.entries.length >= 40000 && folder.entries.length <= 50000);
  assert.equal(folder.count, folder.entries.length);
  assert.ok(requests.length < 12);
});

test('a folder whose name is not UTF-8 has a trail of names', () => {
  const trail = trailTo('file:///srv/my%20music/caf%E9/%C3%A9', [{ name: 'Music', path: '/srv/my music' }]);
  assert.deepEqual(trail.map(({ name }) => name), ['Music', 'caf\uFFFD', 'é']);
  assert.equal(trail[1].path, 'file:///srv/my%20music/caf%E9');
  assert.equal(nameOf('file:///m/caf%E9'), 'caf\uFFFD');
});

test('a folder that is known is shown at once, and listed again only if it is old', async () => {
  let now = 0;
  const { library, requests } = server({ '/m': { entries: many(3) } });
  const one = library(() => now);
  await one.list('/m').load();
  const before = requests.length;
  assert.equal(one.list('/m').entries.length, 3);
  assert.equal(requests.length, before);
  now = 11;
  assert.equal(one.list('/m').entries.length, 3);
  assert.equal(requests.length, before + 1);
});

test('a folder that is listed again keeps the titles of files that did not change', async () => {
  const folders = { '/m': { entries: [file('/m/a', { title: 'A' }), file('/m/b', { title: 'B' })], isComplete: true } };
  const { library } = server(folders);
  const folder = library().list('/m');
  await folder.load();
  folders['/m'] = { entries: [file('/m/a', { title: 'A' }), file('/m/b', { title: 'B', size: 2 })], isComplete: false };
  await folder.load();
  assert.deepEqual(folder.entries.map(({ title }) => title), ['A', undefined]);
});

test('titles are read for the visible entries first, then for the others, and only while the folder is visible', async () => {
  const { library, requests } = server({ '/m': { entries: many(350, (index) => ({ title: `Title ${index}` })), isComplete: false } });
  const folder = library().list('/m');
  await folder.load();
  assert.equal(folder.entries[210].title, undefined);
  requests.length = 0;
  folder.watch(205, 215);
  await settle();
  const sent = requests.map(({ after, offset, limit, wait }) => [after, offset, limit, wait > 0]);
  const last = '00099.flac';
  assert.deepEqual(sent, [[last, 100, 100, true], [undefined, 0, 100, true], [last, 0, 100, true], [last, 200, 100, true]]);
  assert.equal(folder.entries[210].title, 'Title 210');
  assert.equal(folder.entries[0].title, 'Title 0');
  await folder.load();
  requests.length = 0;
  folder.ignore();
  await settle();
  assert.deepEqual(requests, []);
});

test('titles that the server never reads are asked for a few times only', async () => {
  const requests = [];
  const command = async (operation, values) => {
    requests.push(values);
    return { answer: { count: 1, offset: 0, entries: [file('/m/a')], isTruncated: false, isComplete: false } };
  };
  const folder = new Library({ command }).list('/m');
  await folder.load();
  folder.watch(0, 0);
  await settle();
  assert.equal(requests.filter(({ wait }) => wait > 0).length, 4);
});

test('a folder that cannot be read keeps its entries, and has the error', async () => {
  const folders = { '/m': { entries: many(2) } };
  const { library } = server(folders);
  const folder = library().list('/m');
  await folder.load();
  delete folders['/m'];
  await folder.load();
  assert.equal(folder.entries.length, 2);
  assert.match(folder.error.message, /no such folder/);
});

test('a list of folders that grows without end is limited, but the roots and the present folder stay', async () => {
  const folders = { '': { entries: [] } };
  for (let index = 0; index < 700; index += 1) folders[`/${index}`] = { entries: [] };
  const { library, requests } = server(folders);
  const one = library();
  for (const path of Object.keys(folders)) await one.list(path).load();
  requests.length = 0;
  for (const path of ['', '/699']) one.list(path);
  assert.deepEqual(requests, []);
  one.list('/0');
  assert.equal(requests.length, 1);
});

test('the trail to a folder begins with its media root', () => {
  const roots = [{ name: 'Music', path: '/srv/music' }, { name: 'More', path: '/srv/music/more' }];
  assert.deepEqual(trailTo('', roots), []);
  const trail = trailTo('/srv/music/A/B', roots).map(({ name, path }) => `${name}=${path}`);
  assert.deepEqual(trail, ['Music=/srv/music', 'A=/srv/music/A', 'B=/srv/music/A/B']);
  assert.deepEqual(trailTo('/srv/music/more/C', roots).map(({ name }) => name), ['More', 'C']);
  assert.deepEqual(trailTo('/srv/musical', roots).map(({ name }) => name), ['musical']);
  assert.deepEqual(trailTo('/a/b', [{ name: '/', path: '/' }]).map(({ path }) => path), ['/', '/a', '/a/b']);
});

test('a path is sent as it is, unless it has control characters', () => {
  assert.equal(addressOf(file('/m/100% & ?#.wav')), '/m/100% & ?#.wav');
  assert.equal(addressOf({ path: '/m/a\nb' }), 'file:///m/a%0Ab');
  assert.equal(addressOf({ path: '', url: 'http://example.org/a' }), 'http://example.org/a');
  assert.equal(folderOf('/m/a/b.flac'), '/m/a');
});

test('entries that do not fit into one request are left out, but never the one that is to play', () => {
  const entries = Array.from({ length: 10000 }, (_, index) => file(`/m/${'ü'.repeat(120)} ${index}`));
  const all = request(entries.slice(0, 100), 7);
  assert.deepEqual([all.entries.length, all.startIndex, all.left], [100, 7, 0]);
  const some = request(entries, 9000);
  assert.equal(some.entries[some.startIndex].url, entries[9000].path);
  assert.ok(JSON.stringify(some.entries).length < 1_000_000 && some.left > 0);
  assert.equal(some.entries.at(-1).url, entries.at(-1).path);
  const first = request(entries, 0);
  assert.equal(first.entries[0].url, entries[0].path);
});

test('the facts of a folder count its files, and name the artist and the picture of most', () => {
  const facts = factsOf([
    { name: 'sub', path: '/m/sub', kind: 'directory' }, file('/m/a', { artist: 'X', duration: 60, pictureId: 'p' }),
    file('/m/b', { artist: 'X', duration: 30, pictureId: 'p' }), { name: 'l.m3u', path: '/m/l.m3u', kind: 'playlist' },
  ]);
  assert.deepEqual([facts.folders, facts.files, facts.duration, facts.artist, facts.picture.path, facts.hasPictures], [1, 3, 90, 'X', '/m/a', false]);
  const mixed = factsOf([file('/m/a', { artist: 'X', pictureId: 'p' }), file('/m/b', { artist: 'Y', pictureId: 'q' })]);
  assert.deepEqual([mixed.duration, mixed.artist, mixed.picture, mixed.hasPictures], [undefined, undefined, undefined, true]);
});

test('Shift extends a selection from the entry that was pressed before, with its state', () => {
  const entries = many(10);
  const selection = new Selection();
  selection.press(entries, 1, false);
  assert.equal(selection.isOn, false);
  selection.begin();
  selection.press(entries, 2, false);
  selection.press(entries, 5, true);
  assert.deepEqual(selection.of(entries).map(({ name }) => Number.parseInt(name)), [2, 3, 4, 5]);
  selection.press(entries, 4, false);
  selection.press(entries, 8, true);
  assert.deepEqual(selection.of(entries).map(({ name }) => Number.parseInt(name)), [2, 3]);
  selection.toggleAll(entries);
  assert.equal(selection.of(entries).length, 10);
  selection.toggleAll(entries);
  assert.equal(selection.of(entries).length, 0);
  selection.end();
  assert.equal(selection.isOn, false);
});

test('the place and the scroll positions are read again after a reload, and broken storage does no harm', () => {
  const items = new Map();
  const storage = () => ({ getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value) });
  const places = new Places(storage);
  places.last = '/m/a';
  for (let index = 0; index < 60; index += 1) places.keep(`/m/${index}`, index + 0.4);
  places.keep('/m/59', 0);
  places.store();
  const again = new Places(storage);
  assert.deepEqual([again.last, again.scrollOf('/m/58'), again.scrollOf('/m/59'), again.scrollOf('/m/2')], ['/m/a', 58, 0, 0]);
  items.set('tonearm.library', '{"last": 5, "scrolls": [["a"], 7, ["b", 3]]}');
  assert.deepEqual([new Places(storage).last, new Places(() => { throw new Error('no storage'); }).last], ['', '']);
  places.store.call({ storage: () => { throw new Error('full'); } });
});

test('at most three pictures are loaded at once, the newest wish first, and equal pictures once', async () => {
  const loads = [];
  const load = (address) => new Promise((resolve, reject) => loads.push({ address, resolve, reject }));
  let now = 0;
  let changes = 0;
  const pictures = new Pictures((path, size) => `${path} ${size}`, () => (changes += 1), load, () => now);
  for (const id of ['a', 'b', 'c', 'd', 'e']) pictures.address(id, `/${id}`, 128);
  pictures.address('a', '/other', 128);
  assert.deepEqual(loads.map(({ address }) => address), ['/a 128', '/b 128', '/c 128']);
  loads[0].resolve();
  await settle();
  assert.deepEqual(loads.map(({ address }) => address).slice(3), ['/e 128']);
  assert.equal(pictures.address('a', '/other', 128), '/a 128');
  assert.equal(changes, 1);
  // The player cannot scale this one. So the picture is loaded as it is; if that fails too, later again.
  loads[1].reject();
  await settle();
  assert.equal(loads.at(-1).address, '/b 0');
  loads.at(-1).reject();
  await settle();
  const before = loads.length;
  assert.equal(pictures.address('b', '/b', 128), '');
  assert.equal(loads.length, before);
  now = 11;
  loads[2].resolve();
  loads[3].resolve();
  await settle();
  pictures.address('b', '/b', 128);
  await settle();
  assert.equal(loads.at(-1).address, '/b 128');
});

test('entries replace the queue from the first one, or a chosen one; if the player is shuffled, the server chooses unless the user did', async () => {
  const sent = [];
  const command = async (operation, values) => sent.push([operation, values.startIndex, values.play]);
  const remote = { store: { state: { isShuffled: false } }, command };
  const acts = new LibraryActs(remote);
  const entries = [{ path: '/m/a', name: 'a' }, { path: '/m/b', name: 'b' }];
  await acts.send('play', entries);
  await acts.send('play', entries, 1);
  remote.store.state.isShuffled = true;
  await acts.send('play', entries);
  await acts.send('play', entries, 0);
  await acts.send('next', entries);
  assert.deepEqual(sent, [
    ['putQueue', 0, true], ['putQueue', 1, true], ['putQueue', undefined, true], ['putQueue', 0, true], ['addToQueue', undefined, undefined],
  ]);
});
