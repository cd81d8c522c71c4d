// @ts-check
import { pictureSize } from '../pictures.js';
import { Pictures } from '../views/libraryPictures.js';
import { folderOf, libraryOf } from './library.js';
/** @typedef {import('../store.js').Item} Item */
/** @typedef {import('./library.js').Entry} Entry */

/** The number of files of one request, and the time for which the server delays the answer until their titles are known, in seconds. */
const PART = 100;
const WAIT = 10;
/** The length of the side of a picture in the queue, in pixels if the root font has 16 pixels. */
const SIZE = 44;
/** The maximum number of files whose facts from the library are kept. */
const MOST = 10_000;

/**
 * Requests the titles and pictures of the visible entries of the queue that were not opened yet. They are requested from the folders of the library
 * that contain the files of the entries. Only one request for titles is in progress at a time. The next request is for the entries that are visible
 * then, so that scrolling leaves no requests that are no longer needed.
 * @param {import('../remote.js').Remote} remote
 * @param {Pick<import('./library.js').Library, 'list' | 'part'>} library
 * @param {(address: string) => Promise<unknown>} [load] loads a picture
 */
export function readTitles(remote, library = libraryOf(remote), load) {
  const { queue } = remote;
  /** The URLs of the media whose titles were requested. @type {Set<string>} */
  const asked = new Set();
  /** What the library knows of files, by their URLs. @type {Map<string, Entry>} */
  const known = new Map();
  const pictures = new Pictures((path, size) => remote.api.libraryArtworkAddress(path, size), showPictures, load);
  let isReading = false;

  /** @param {Item} item */
  const isWanted = ({ status, duration, url }) => status === 'unknown' && duration === undefined && url.startsWith('file:///') && !asked.has(url);

  async function read() {
    if (isReading) return;
    isReading = true;
    for (let item = queue.seen.find(isWanted); item; item = queue.seen.find(isWanted)) {
      asked.add(item.url);
      // Without titles the rows show the names of the files.
      await readPart(item.url).catch(() => {});
    }
    isReading = false;
  }

  /** Reads the titles of a file, and of those that follow it in its folder. @param {string} url */
  async function readPart(url) {
    const folderURL = folderOf(url.slice('file://'.length));
    let path = `file://${folderURL}`; // a name that is not UTF-8
    try {
      path = decodeURIComponent(folderURL);
    } catch {}
    const folder = library.list(path, Infinity);
    if (!folder.isLoaded) await folder.load();
    const index = folder.entries.findIndex((entry) => entry.url === url);
    if (index < 0) return;
    const { entries } = await library.part({ path, ...folder.placeOf(index), limit: PART, wait: WAIT });
    const found = entries.filter(({ duration }) => duration !== undefined);
    for (const entry of found) {
      asked.add(entry.url ?? '');
      known.set(entry.url ?? '', entry);
    }
    if (known.size > MOST) known.clear();
    queue.describe(found.map((entry) => summaryOf(entry)));
    showPictures();
  }

  /** Shows the pictures of the visible entries that are loaded, and requests the others. */
  function showPictures() {
    /** @type {[string, import('./queue.js').Summary][]} */
    const found = [];
    for (const { url, status, picture } of queue.seen) {
      const entry = status === 'unknown' && !picture && known.get(url);
      const address = entry && entry.pictureId && pictures.address(entry.pictureId, entry.path, pictureSize(SIZE, devicePixelRatio));
      if (address) found.push(summaryOf(entry, address));
    }
    if (found.length > 0) queue.describe(found);
  }

  queue.addEventListener('seen', () => (showPictures(), void read()));
  void read();
}

/** @param {Entry} entry @param {string} [picture] @returns {[string, import('./queue.js').Summary]} */
function summaryOf({ url = '', title, artist, album, duration }, picture) {
  // A member without a value would replace that of an earlier summary.
  return [url, { title, artist, album, duration, ...(picture && { picture }) }];
}
