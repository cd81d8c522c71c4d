// @ts-check
/** @typedef {import('../store.js').Item} Item */

/**
 * A move of entries that is shown before the server has carried it out: while a user drags them, and until the event of the move.
 * @typedef {{moved: number[], to: number}} Move  the ascending indices of the entries, and the index of the first one after the move
 */

/**
 * Returns the index that an entry has before a move, from its index after the move.
 * @param {Move | null} move
 * @param {number} index
 */
export function sourceOf(move, index) {
  if (!move) return index;
  const { moved, to } = move;
  if (index >= to && index < to + moved.length) return moved[index - to] ?? index;
  let source = index < to ? index : index - moved.length;
  for (const each of moved) {
    if (each > source) break;
    source += 1;
  }
  return source;
}

/**
 * Returns the index that an entry has after a move, from its index before the move.
 * @param {Move | null} move
 * @param {number} source the present index of the entry
 */
export function targetOf(move, source) {
  if (!move || source < 0) return source;
  const { moved, to } = move;
  const place = moved.indexOf(source);
  if (place >= 0) return to + place;
  const left = source - moved.filter((each) => each < source).length;
  return left < to ? left : left + moved.length;
}

/** Whether a move changes no index. @param {Move} move */
export function isStill({ moved, to }) {
  return moved.every((each, place) => each === to + place);
}

/**
 * Returns the total duration of the entries in seconds. Returns null if the duration of an entry is unknown, or if an entry has no end.
 * @param {readonly (Item | undefined)[]} entries
 */
export function totalDuration(entries) {
  let total = 0;
  for (const entry of entries) {
    if (entry?.duration === undefined) return null;
    total += entry.duration;
  }
  return total;
}

/**
 * Returns a playlist file in the format m3u8, with the paths of files and the addresses of other media.
 * @param {readonly (Item | undefined)[]} entries
 */
export function playlistFile(entries) {
  const lines = ['#EXTM3U'];
  for (const entry of entries) {
    if (!entry) continue;
    const name = [entry.artist, entry.title].filter(Boolean).join(' - ').replace(/\p{Cc}+/gu, ' ');
    if (name) lines.push(`#EXTINF:${entry.duration === undefined ? -1 : Math.round(entry.duration)},${name}`);
    lines.push(pathOf(entry.url));
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Returns the path of a local file. Returns the address itself for other media, and if the path cannot be a line of a text.
 * @param {string} url
 */
function pathOf(url) {
  const [, encoded] = /^file:\/\/(?:localhost)?(\/[^?#]*)$/.exec(url) ?? [];
  if (encoded === undefined) return url;
  try {
    const path = decodeURIComponent(encoded);
    return /\p{Cc}|^\s|\s$/u.test(path) ? url : path;
  } catch {
    return url; // The name of the file is not UTF-8.
  }
}
