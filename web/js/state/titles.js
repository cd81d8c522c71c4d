// @ts-check
import { folderOf, libraryOf } from './library.js';
/** @typedef {import('../store.js').Item} Item */
/** @typedef {import('./library.js').Entry} Entry */
/** @typedef {import('./library.js').Library} Library */
/** @typedef {import('./queue.js').QueueModel} QueueModel */

/** The number of files of one request, and the time for which the server delays the answer until their titles are known, in seconds. */
const PART = 100;
const WAIT = 10;

/**
 * Requests the titles of the visible entries of the queue that were not opened yet, from the folders of the library in which their files are. One
 * request is in progress at a time. It is for the entries that are visible then, so that a scroll leaves no requests behind.
 */
export class EntryTitles {
  #queue;
  #library;
  #isReading = false;
  /** The URLs of the media whose titles were requested. @type {Set<string>} */
  #asked = new Set();

  /** @param {QueueModel} queue @param {Pick<Library, 'list' | 'part'>} library */
  constructor(queue, library) {
    this.#queue = queue;
    this.#library = library;
    queue.addEventListener('seen', () => void this.#read());
    void this.#read();
  }

  async #read() {
    if (this.#isReading) return;
    this.#isReading = true;
    for (let url = this.#next(); url; url = this.#next()) {
      this.#asked.add(url);
      const path = pathOf(url);
      // Without titles the rows show the names of the files.
      if (path) await this.#readPart(folderOf(path), url).catch(() => {});
    }
    this.#isReading = false;
  }

  /** The medium of the first visible entry whose title has not been requested. */
  #next() {
    return this.#queue.seen.find((item) => item.status === 'unknown' && item.duration === undefined && !this.#asked.has(item.url))?.url;
  }

  /** Reads the titles of a file, and of those that follow it in its folder. @param {string} path @param {string} url */
  async #readPart(path, url) {
    const folder = this.#library.list(path, Infinity);
    if (!folder.isLoaded) await folder.load();
    const offset = folder.entries.findIndex((entry) => entry.url === url);
    if (offset < 0) return;
    const { entries } = await this.#library.part({ path, offset, limit: PART, wait: WAIT });
    const found = entries.filter((entry) => entry.url !== undefined && entry.duration !== undefined);
    for (const entry of found) this.#asked.add(entry.url ?? '');
    this.#queue.describe(found.map((entry) => [entry.url ?? '', summaryOf(entry)]));
  }
}

/** Shows the titles of the entries of a remote's queue. @param {import('../remote.js').Remote} remote */
export function readTitles(remote) {
  return new EntryTitles(remote.queue, libraryOf(remote));
}

/** @param {Entry} entry the facts that are known of it */
function summaryOf({ title, artist, album, duration }) {
  return Object.fromEntries(Object.entries({ title, artist, album, duration }).filter(([, value]) => value !== undefined));
}

/** @param {string} url @returns the path of a file; null if the URL does not name one */
function pathOf(url) {
  try {
    return url.startsWith('file:///') ? decodeURIComponent(url.slice('file://'.length)) : null;
  } catch {
    return null;
  }
}
