// @ts-check
/** @typedef {import('./api.js').API} API */
/** @typedef {import('./store.js').Item} Item */
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./store.js').Queue} Queue */
/** @typedef {{url: string, title?: string}} Entry */

/**
 * @typedef {object} SavedQueue  The data that restores a queue, because the API itself has no undo.
 * @property {Item} current
 * @property {number} time the position in the current entry, in seconds
 * @property {boolean} isPlaying
 * @property {Item[]} before
 * @property {Item[]} after
 */

/** The maximum size of the entries in one request, in bytes; the body of a request may have 1 MiB. */
const BATCH = 512 * 1024;
/** The maximum length of a title in a request, in characters. */
const MAXIMUM_TITLE = 1024;

/**
 * Returns the data that is lost if the queue is replaced; null if the queue is empty.
 * @param {PlayerState} state
 * @param {Item[]} entries the entries of the queue
 * @param {number} time the position in the current entry, in seconds
 * @returns {SavedQueue | null}
 */
export function saveQueue(state, entries, time) {
  const index = Math.max(0, entries.findIndex(({ id }) => id === state.currentItem?.id));
  const current = entries[index];
  if (!current) return null;
  const isThere = current.id === state.currentItem?.id && current.isSeekable && !state.ended;
  return {
    current, time: isThere ? time : 0, isPlaying: state.rate !== 0 && !state.ended, before: entries.slice(0, index), after: entries.slice(index + 1),
  };
}

/**
 * Replaces the present queue by a saved queue: first the entry that was current, which is heard at once, then the other entries around it. The
 * restored entries get new ids. In a shuffled queue the upcoming entries get a new order, and the history of played entries is lost.
 * @param {API} api
 * @param {SavedQueue} saved
 * @param {string} [tag] the tag of the queue to replace; if another client has edited the queue since, the request is refused with 412
 */
export async function restoreQueue(api, { current, time, isPlaying, before, after }, tag) {
  const { id } = await api.setItem({ ...entryOf(current), play: isPlaying, ...(time > 0 && { startTime: time }) }, tag);
  for (const entries of batches(before.map(entryOf))) await api.append(entries);
  // The entries that preceded the current entry are appended first, and the current entry is moved after them, because entries cannot be inserted at
  // the front of the queue.
  if (before.length > 0) await api.moveEntry(id, before.length);
  for (const entries of batches(after.map(entryOf))) await api.append(entries);
}

/**
 * Returns the data that creates an entry. The title of a live stream is omitted, because it may be the title of the piece that was heard.
 * @param {Item} item
 * @returns {Entry}
 */
function entryOf({ url, title, status, isLive }) {
  return title === undefined || (isLive && status === 'readyToPlay') ? { url } : { url, title: title.slice(0, MAXIMUM_TITLE) };
}

/**
 * Divides entries into batches that fit into one request each.
 * @param {Entry[]} entries
 * @param {number} size the maximum size of a batch, in bytes
 * @returns {Entry[][]}
 */
export function batches(entries, size = BATCH) {
  const encoder = new TextEncoder();
  /** @type {Entry[][]} */
  const result = [];
  let room = 0;
  for (const entry of entries) {
    const length = encoder.encode(JSON.stringify(entry)).length + 1;
    if (length > room || result.length === 0) {
      result.push([]);
      room = size;
    }
    result.at(-1)?.push(entry);
    room -= length;
  }
  return result;
}
