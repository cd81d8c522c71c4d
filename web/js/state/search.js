// @ts-check
/** @typedef {import('./library.js').Entry} Entry */
/** @typedef {import('./library.js').Library} Library */
/**
 * @typedef {object} Progress  What was searched so far.
 * @property {'searching' | 'all' | 'limit' | 'many'} state `limit`: not all folders were searched; `many`: there are more results
 * @property {number} folders
 * @property {number} files
 * @property {number} failed the number of folders that could not be read
 *
 * @typedef {{found: Entry[], progress: Progress}} Step
 * @typedef {{list: (path: string) => import('./library.js').Folder, search: (text: string, signal: AbortSignal) => AsyncIterable<Step>}} Source
 */

/** The limits of a search: the numbers of folders, files and results, and the time in seconds. */
const LIMITS = { folders: 500, files: 30000, results: 500, seconds: 20 };
/** The age of a listing that a search uses, in seconds, and the number of folders that are listed ahead. */
const AGE = 300;
const AHEAD = 3;
/** The number of earlier searches that are offered. */
const RECENT = 8;

/** The number of characters of a text that are compared. A text comes from a file, and may be of any length. */
const COMPARED = 512;
/** The texts of entries as they are compared, because a filter compares them with each letter that is typed. @type {WeakMap<object, string>} */
const known = new WeakMap();

/**
 * Returns a text as it is searched: without case and accents.
 * @param {string} text
 */
export function plain(text) {
  return text.slice(0, COMPARED).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/**
 * Returns a test for entries: whether each word of `text` is in one of the texts of the entry (its title, artist, album or name).
 * @param {string} text
 * @param {(entry: any) => string} nameOf returns the name by which an entry is shown if it has no title
 * @returns {(entry: {title?: string, artist?: string, album?: string}) => boolean}
 */
export function matcher(text, nameOf = ({ name }) => name ?? '') {
  const words = plain(text).split(/\s+/).filter(Boolean);
  return (entry) => {
    let all = words.length === 0 ? '' : known.get(entry);
    const { title, artist, album } = entry;
    if (all === undefined) known.set(entry, (all = [nameOf(entry), title, artist, album].map((one) => plain(one ?? '')).join('\n')));
    return words.every((word) => /** @type {string} */ (all).includes(word));
  };
}

/**
 * Searches the folders from the media roots on, the nearer ones first, and yields after each folder.
 * @param {Pick<Library, 'list'>} library
 * @param {string} text
 * @param {{signal: AbortSignal, limits?: typeof LIMITS, now?: () => number}} options
 * @returns {AsyncGenerator<Step, void>}
 */
export async function* searchFolders(library, text, { signal, limits = LIMITS, now = () => performance.now() / 1000 }) {
  const matches = matcher(text);
  const end = now() + limits.seconds;
  const paths = [''];
  const seen = new Set(paths);
  /** @type {Progress} */
  const progress = { state: 'searching', folders: 0, files: 0, failed: 0 };
  let results = 0;
  let isPartial = false;
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    if (progress.folders >= limits.folders || progress.files >= limits.files || now() > end) {
      isPartial = true;
      break;
    }
    for (const next of paths.slice(0, AHEAD)) library.list(next, AGE);
    const folder = library.list(path, AGE);
    if (!folder.isLoaded) await folder.load();
    if (signal.aborted) return;
    if (!folder.isLoaded) progress.failed += 1;
    // The list of the media roots is no folder.
    else if (path !== '') progress.folders += 1;
    isPartial ||= folder.isTruncated;
    const found = [];
    for (const entry of folder.entries) {
      if (entry.kind !== 'directory') progress.files += 1;
      else if (!seen.has(entry.path)) {
        seen.add(entry.path);
        paths.push(entry.path);
      }
      if (matches(entry)) found.push(entry);
    }
    results += found.length;
    if (results > limits.results) {
      yield { found: found.slice(0, found.length - (results - limits.results)), progress: { ...progress, state: 'many' } };
      return;
    }
    yield { found, progress: { ...progress } };
  }
  yield { found: [], progress: { ...progress, state: isPartial ? 'limit' : 'all' } };
}

/**
 * Returns the list of the earlier searches with a further one at its beginning.
 * @param {string[]} recent the newest one first
 * @param {string} text
 */
export function withRecent(recent, text) {
  const wanted = text.trim().slice(0, 200);
  return wanted ? [wanted, ...recent.filter((one) => plain(one) !== plain(wanted))].slice(0, RECENT) : recent;
}

/**
 * Returns the earlier searches that a browser has stored.
 * @param {string | null} stored
 * @returns {string[]}
 */
export function readRecent(stored) {
  try {
    const list = JSON.parse(stored ?? '[]');
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string').slice(0, RECENT) : [];
  } catch {
    return []; // Another program has stored it.
  }
}
