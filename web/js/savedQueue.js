// @ts-check
/** @typedef {import('./api.js').API} API */
/** @typedef {import('./store.js').Item} Item */
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./store.js').Queue} Queue */
/** @typedef {{url: string, title?: string}} Entry */

/**
 * @typedef {object} SavedQueue  What it takes to make a queue again: the API has no undo of its own.
 * @property {Item} current
 * @property {number} time where the current entry was, in seconds
 * @property {boolean} isPlaying
 * @property {Item[]} before
 * @property {Item[]} after
 */

/** Bytes of entries in one request; a body may have 1 MiB. */
const BATCH = 512 * 1024;
/** Characters of a title in a request. */
const MAXIMUM_TITLE = 1024;

/**
 * What is lost if the queue is replaced; null where it is empty.
 * @param {PlayerState} state
 * @param {Item[]} entries of the queue
 * @param {number} time where the current entry is, in seconds
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
 * Puts a queue in place of the one that is there: first the entry that was current, which is heard at once, then the others around it. The
 * entries get new ids; in a shuffled queue the order of those to come is a new one, and the way back through those that were played is forgotten.
 * @param {API} api
 * @param {SavedQueue} saved
 */
export async function restoreQueue(api, { current, time, isPlaying, before, after }) {
  const { id } = await api.setItem({ ...entryOf(current), play: isPlaying, ...(time > 0 && { startTime: time }) });
  for (const items of batches(before.map(entryOf))) await api.append(items);
  // Nothing can be added in front, but the current entry can be moved behind what was added.
  if (before.length > 0) await api.moveEntry(id, before.length);
  for (const items of batches(after.map(entryOf))) await api.append(items);
}

/**
 * What an entry is made of. The title of a live stream may be that of the piece which is heard: it is left to the stream.
 * @param {Item} item
 * @returns {Entry}
 */
function entryOf({ url, title, status, isLive }) {
  return title === undefined || (isLive && status === 'readyToPlay') ? { url } : { url, title: title.slice(0, MAXIMUM_TITLE) };
}

/**
 * Entries in portions that fit into one request each.
 * @param {Entry[]} entries
 * @param {number} size bytes
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
