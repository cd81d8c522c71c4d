// @ts-check
import { folderOf, libraryOf } from './library.js';
/** @typedef {import('../store.js').Item} Item */

/** The number of files of one request, and the time for which the server delays the answer until their titles are known, in seconds. */
const PART = 100;
const WAIT = 10;

/**
 * Requests the titles of the visible entries of the queue that were not opened yet, from the folders of the library in which their files are. One
 * request is in progress at a time. It is for the entries that are visible then, so that a scroll leaves no requests behind.
 * @param {import('../remote.js').Remote} remote
 * @param {Pick<import('./library.js').Library, 'list' | 'part'>} library
 */
export function readTitles(remote, library = libraryOf(remote)) {
  const { queue } = remote;
  /** The URLs of the media whose titles were requested. @type {Set<string>} */
  const asked = new Set();
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
    const path = folderOf(decodeURIComponent(url.slice('file://'.length)));
    const folder = library.list(path, Infinity);
    if (!folder.isLoaded) await folder.load();
    const offset = folder.entries.findIndex((entry) => entry.url === url);
    if (offset < 0) return;
    const { entries } = await library.part({ path, offset, limit: PART, wait: WAIT });
    /** @type {[string, import('./queue.js').Summary][]} */
    const found = [];
    for (const { url = '', title, artist, album, duration } of entries) {
      if (duration === undefined) continue;
      asked.add(url);
      found.push([url, { title, artist, album, duration }]);
    }
    queue.describe(found);
  }

  queue.addEventListener('seen', () => void read());
  void read();
}
