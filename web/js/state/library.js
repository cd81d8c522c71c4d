// @ts-check
import { decoded } from '../format.js';
import { searchFolders } from './search.js';
/**
 * @typedef {object} Entry  A folder or a file of the library.
 * @property {string} name
 * @property {string} path
 * @property {string} kind directory, audio or playlist
 * @property {string} [url]
 * @property {number} [size]
 * @property {string} [title]
 * @property {string} [artist]
 * @property {string} [album]
 * @property {number} [duration]
 * @property {string} [pictureId]
 *
 * @typedef {{path?: string, count: number, entries: Entry[], next?: string, isComplete: boolean}} Listing
 * @typedef {{path: string, after?: string, offset?: number, limit: number, wait?: number}} Part
 * @typedef {{name: string, path: string}} Place
 */

/**
 * The numbers of entries of a request. The first request for a folder has `FIRST` entries, which is small so that rows appear soon. Each further
 * request has as many entries as are known already, but at least `PAGE` and at most `LARGEST`. A request for titles has `TITLES` entries.
 */
const FIRST = 100;
const PAGE = 1000;
const LARGEST = 10000;
const TITLES = 100;
/** The time for which the server delays an answer until titles are known, in seconds, and the maximum number of such requests for the same files. */
const WAIT = 10;
const ATTEMPTS = 4;
/** The maximum numbers of folders and of their entries that are kept, and the age from which a folder is listed again, in seconds. */
const KEPT = { folders: 600, entries: 40000 };
const FRESH = 10;

/** @type {WeakMap<object, Library>} */
const known = new WeakMap();

/**
 * Returns the library of a remote.
 * @param {import('../remote.js').Remote} remote
 */
export function libraryOf(remote) {
  let library = known.get(remote);
  if (!library) known.set(remote, (library = new Library({ command: (...request) => remote.command(...request) })));
  return library;
}

/** A folder of the library, whose entries arrive in several requests. It dispatches `change`. The path of the list of all media roots is empty. */
export class Folder extends EventTarget {
  /** @type {Entry[]} in the server's order. `placeOf` converts an index to the place of a request */
  entries = [];
  count = 0;
  isTruncated = false;
  /** Whether all names are known. */
  isLoaded = false;
  /** @type {unknown} the error of the last listing */
  error = null;
  loadedAt = -Infinity;
  #list;
  /** @type {{at: number, after?: string}[]} the index of each page's first entry, and its cursor */
  #pages = [];
  /** @type {Promise<void> | null} */
  #loading = null;
  /**
   * The number of requests that were sent for the titles of each part of the folder; infinite for a part whose titles are complete.
   * @type {number[]}
   */
  #attempts = [];
  /** @type {{first: number, last: number} | null} the visible entries; null while the folder is not visible */
  #seen = null;
  #isReading = false;

  /** @param {string} path @param {(part: Part) => Promise<Listing>} list */
  constructor(path, list) {
    super();
    this.path = path;
    this.#list = list;
  }

  get isLoading() {
    return this.#loading !== null;
  }

  /**
   * Lists the folder. If it was listed before, the known entries stay until the new ones are complete. A failure is kept in `error`.
   * @param {() => number} now
   */
  load(now = seconds) {
    this.#loading ??= this.#load(now).finally(() => {
      this.#loading = null;
      this.#changed();
      void this.#readTitles();
    });
    return this.#loading;
  }

  /** @param {() => number} now */
  async #load(now) {
    const known = new Map(this.entries.map((entry) => [entry.path, entry]));
    /** @type {Entry[]} */
    const entries = [];
    /** @type {number[]} */
    const attempts = [];
    const pages = [];
    try {
      for (let after, isMore = true; isMore;) {
        const offset = entries.length;
        pages.push({ at: offset, after });
        const limit = offset === 0 ? FIRST : Math.min(Math.max(offset, PAGE), LARGEST);
        const listing = await this.#list({ path: this.path, ...(after ? { after } : { offset }), limit });
        for (const entry of listing.entries) entries.push({ ...titlesOf(known.get(entry.path), entry), ...entry });
        if (listing.isComplete) for (let at = offset; at < entries.length; at += TITLES) attempts[Math.floor(at / TITLES)] = Infinity;
        after = listing.next;
        // The list of the media roots has no cursors.
        const isNext = after !== undefined || (this.path === '' && listing.entries.length > 0 && entries.length < listing.count);
        isMore = isNext && entries.length < KEPT.entries;
        this.isTruncated = isNext && !isMore;
        if (this.isLoaded && isMore) continue;
        this.error = null;
        this.entries = entries;
        this.#pages = pages;
        this.count = isMore ? Math.max(listing.count, entries.length) : entries.length;
        this.#attempts = attempts;
        this.#changed();
      }
      this.isLoaded = true;
      this.loadedAt = now();
    } catch (error) {
      this.error = error;
    }
  }

  /**
   * Reads the titles of the files, those of the visible ones first, until `ignore` is called.
   * @param {number} first the index of the first visible entry
   * @param {number} last
   */
  watch(first, last) {
    this.#seen = { first, last };
    void this.#readTitles();
  }
  ignore() {
    this.#seen = null;
  }

  /**
   * Returns the place of an entry in a request. It is relative to a page, because the offset of a request has a limit.
   * @param {number} index
   * @returns {{after?: string, offset: number}}
   */
  placeOf(index) {
    const { at = 0, after } = this.#pages.findLast((page) => page.at <= index) ?? {};
    return { ...(after && { after }), offset: index - at };
  }

  async #readTitles() {
    if (this.#isReading || !this.isLoaded || this.isLoading) return;
    this.#isReading = true;
    for (let part = this.#nextPart(); part >= 0 && !this.isLoading; part = this.#nextPart()) {
      this.#attempts[part] = (this.#attempts[part] ?? 0) + 1;
      try {
        const offset = part * TITLES;
        const { entries, isComplete } = await this.#list({ path: this.path, ...this.placeOf(offset), limit: TITLES, wait: WAIT });
        if (isComplete) this.#attempts[part] = Infinity;
        // The folder may have been listed again, or changed, since. A title counts only for its own file.
        entries.forEach((entry, index) => {
          if (this.entries[offset + index]?.path === entry.path) this.entries[offset + index] = entry;
        });
        this.#changed();
      } catch {
        break; // Without titles the rows show the names of the files, which are enough to choose one.
      }
    }
    this.#isReading = false;
  }

  /** The number of the part whose titles are read next; -1 if there is none. */
  #nextPart() {
    if (!this.#seen) return -1;
    const parts = Math.ceil(this.entries.length / TITLES);
    const isOpen = (/** @type {number} */ part) => (this.#attempts[part] ?? 0) < ATTEMPTS;
    for (let part = Math.floor(this.#seen.first / TITLES); part <= this.#seen.last / TITLES && part < parts; part += 1) if (isOpen(part)) return part;
    for (let part = 0; part < parts; part += 1) if (isOpen(part)) return part;
    return -1;
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

/**
 * The folders of the player. It is a source: `list(path)` returns a folder, and `search(text, signal)` what is found (`state/search.js`). Another
 * source of the same form, such as an index, can take its place.
 */
export class Library {
  #command;
  #now;
  /** @type {Map<string, Folder>} by path, the least recently used one first */
  #folders = new Map();

  /**
   * @param {object} parts
   * @param {(operation: string, values: Record<string, any>, options?: {timeout?: number}) => Promise<{answer: any}>} parts.command
   * @param {() => number} [parts.now] the time in seconds
   */
  constructor({ command, now = seconds }) {
    this.#command = command;
    this.#now = now;
  }

  /**
   * Returns a folder, with its former listing if it was listed before. Lists the folder if it was not, or if the listing is old.
   * @param {string} path
   * @param {number} [age] the age above which a listing is old, in seconds
   * @returns {Folder}
   */
  list(path, age = FRESH) {
    const folder = this.#folders.get(path) ?? new Folder(path, (part) => this.part(part));
    this.#folders.delete(path);
    this.#folders.set(path, folder);
    this.#discard();
    if (!folder.isLoading && this.#now() - folder.loadedAt > age) void folder.load(this.#now);
    return folder;
  }

  /**
   * Finds entries by a text, and yields them as they are found.
   * @param {string} text
   * @param {AbortSignal} signal
   */
  search(text, signal) {
    return searchFolders(this, text, { signal, now: this.#now });
  }

  /**
   * Reads a part of a folder. The server delays the answer until the titles are known, for at most the time `wait`.
   * @param {Part} part @returns {Promise<Listing>}
   */
  async part({ path, ...part }) {
    return (await this.#command('listLibrary', { ...(path && { path }), ...part }, { timeout: WAIT + (part.wait ?? 0) })).answer;
  }

  #discard() {
    let entries = 0;
    for (const { count } of this.#folders.values()) entries += count;
    for (const [path, { count }] of this.#folders) {
      if (this.#folders.size <= KEPT.folders && entries <= KEPT.entries) return;
      // The roots stay, because each path is shown relative to them, and so does the folder that was asked for last.
      if (path === '' || path === [...this.#folders.keys()].at(-1)) continue;
      this.#folders.delete(path);
      entries -= count;
    }
  }
}

/**
 * Returns the folders from a media root to a path.
 * @param {string} path
 * @param {Place[]} roots
 * @returns {Place[]}
 */
export function trailTo(path, roots) {
  if (path === '') return [];
  // The path of a folder whose name is not UTF-8 is a URL.
  const isURL = path.startsWith('file:');
  if (isURL) roots = roots.map((root) => ({ ...root, path: `file://${encodeURI(root.path)}` }));
  const isIn = (/** @type {Place} */ root) => path === root.path || path.startsWith(root.path.endsWith('/') ? root.path : `${root.path}/`);
  const root = roots.filter(isIn).sort((a, b) => b.path.length - a.path.length)[0] ?? { name: nameOf(path), path };
  const trail = [{ name: root.name, path: root.path }];
  for (const name of path.slice(root.path.length).split('/').filter(Boolean)) {
    trail.push({ name: isURL ? decoded(name) : name, path: `${trail.at(-1)?.path.replace(/\/$/, '')}/${name}` });
  }
  return trail;
}

/**
 * @typedef {object} Facts  What the files of a folder have in common.
 * @property {number} folders
 * @property {number} files media and playlist files
 * @property {number | undefined} duration the duration of all files together, in seconds; undefined if the duration of a file is unknown
 * @property {string | undefined} artist
 * @property {Entry | undefined} picture a file with the picture of most files
 * @property {boolean} hasPictures whether its files have different pictures
 */

/**
 * Returns what the files of a folder have in common.
 * @param {Entry[]} entries
 * @returns {Facts}
 */
export function factsOf(entries) {
  const files = entries.filter(({ kind }) => kind !== 'directory');
  const audio = files.filter(({ kind }) => kind === 'audio');
  const duration = audio.reduce((sum, one) => sum + (one.duration ?? NaN), 0);
  /** @type {Map<string, {entry: Entry, count: number}>} */
  const pictures = new Map();
  for (const entry of audio) {
    if (entry.pictureId === undefined) continue;
    const picture = pictures.get(entry.pictureId) ?? { entry, count: 0 };
    picture.count += 1;
    pictures.set(entry.pictureId, picture);
  }
  const common = [...pictures.values()].sort((a, b) => b.count - a.count)[0];
  const artist = audio[0]?.artist;
  return {
    folders: entries.length - files.length, files: files.length, duration: audio.length > 0 && duration >= 0 ? duration : undefined,
    artist: audio.every((one) => one.artist === artist) ? artist : undefined,
    picture: common && common.count * 2 > audio.length ? common.entry : undefined,
    hasPictures: pictures.size > 1,
  };
}

/** @param {string} path */
export function nameOf(path) {
  if (path.startsWith('file:')) return decoded(path.slice(path.lastIndexOf('/') + 1));
  return path.slice(path.lastIndexOf('/') + 1) || path;
}

/** @param {string} path @returns the path of the folder that contains it */
export function folderOf(path) {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/**
 * The maximum size of the entries of one request, in bytes: a message of a WebSocket has at most 1 MiB.
 */
const MOST_BYTES = 900_000;

/**
 * Returns entries for a request that adds them to the queue. If they do not all fit into one request, entries before `start` are left out first,
 * beginning with the first one, and then entries at the end.
 * @param {{path: string, url?: string, id?: string}[]} entries an `id` names an entry of the queue, which is copied
 * @param {number} [start] the index of the entry that must be among them
 * @returns {{entries: {url?: string, id?: string}[], startIndex: number, left: number}} `left` is the number of entries that are left out
 */
export function request(entries, start = 0) {
  const all = entries.map((entry) => (entry.id === undefined ? { url: addressOf(entry) } : { id: entry.id }));
  const encoder = new TextEncoder();
  const sizes = all.map((one) => encoder.encode(JSON.stringify(one)).length + 1);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  let [first, end] = [0, all.length];
  // Entries before the start are left out first, then those at the end.
  for (; total > MOST_BYTES && first < start; first += 1) total -= sizes[first] ?? 0;
  for (; total > MOST_BYTES && end > start + 1; end -= 1) total -= sizes[end - 1] ?? 0;
  return { entries: all.slice(first, end), startIndex: start - first, left: all.length - (end - first) };
}

/**
 * Returns the address of a file or folder for the queue: its path, which is short, or a URL if the path is missing or contains control characters.
 * @param {{path: string, url?: string}} entry
 */
export function addressOf({ path, url }) {
  if (path && !/[\u0000-\u001f\u007f]/.test(path)) return path;
  return url ?? `file://${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** @param {Entry | undefined} known @param {Entry} entry @returns the known texts of a file, if it did not change */
function titlesOf(known, entry) {
  if (!known || known.size !== entry.size || known.kind !== entry.kind) return {};
  const { title, artist, album, duration, pictureId } = known;
  return { title, artist, album, duration, pictureId };
}

function seconds() {
  return performance.now() / 1000;
}
