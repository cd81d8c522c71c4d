// @ts-check
/** @typedef {import('../store.js').Item} Item */
/** @typedef {Pick<Item, 'title' | 'artist' | 'album' | 'duration' | 'picture'>} Summary */
/** @typedef {{type: string, index: number, count: number, to?: number, entries?: Item[]}} Change  a `QueueChange` of the contract */

/** The maximum number of media of which the facts in the library are kept. */
const MOST_SUMMARIES = 10_000;

/**
 * Returns the index of an entry after a change, from its index before the change.
 * @param {Change} change
 * @param {number} index
 * @returns {number} -1 if the entry was removed
 */
export function moved({ type, index: start, count, to = 0 }, index) {
  const end = start + count;
  if (type === 'insert') return index < start ? index : index + count;
  if (type !== 'remove' && type !== 'move') return index;
  if (index >= start && index < end) return type === 'remove' ? -1 : to + index - start;
  const left = index < start ? index : index - count;
  return type === 'remove' || left < to ? left : left + count;
}

/** The entries of a queue, of which some have not been read yet. An entry that has not been read is undefined, and costs no object. */
export class Entries {
  /** @type {(Item | undefined)[]} */
  #list;
  /**
   * The entries with new facts that have not been read yet.
   * @type {WeakSet<Item>}
   */
  #stale = new WeakSet();
  #describe;

  /**
   * @param {number} count
   * @param {(entry: Item) => Item} [describe] adds what is known of an entry that was not opened yet
   */
  constructor(count, describe = (entry) => entry) {
    this.#list = unread(count);
    this.#describe = describe;
  }

  get count() {
    return this.#list.length;
  }
  /** @param {number} index */
  get(index) {
    return this.#list[index];
  }
  /** Returns whether an entry has to be read, for the first time or again. @param {number} index */
  isMissing(index) {
    const entry = this.#list[index];
    return index >= 0 && index < this.count && (entry === undefined || this.#stale.has(entry));
  }
  /** @param {number} from @returns the first index at or after `from` whose entry has to be read; -1 if there is none */
  firstMissing(from = 0) {
    for (let index = from; index < this.count; index += 1) if (this.isMissing(index)) return index;
    return -1;
  }
  /** @param {string} id @returns -1 if no entry that was read has this id */
  indexOf(id) {
    return this.#list.findIndex((entry) => entry?.id === id);
  }
  /** @returns {readonly (Item | undefined)[]} */
  get all() {
    return this.#list;
  }

  /**
   * Applies a change of the queue.
   * @param {Change} change
   * @returns {boolean} whether the change fits the list; otherwise the list has to be read again
   */
  apply(change) {
    const { type, index, count, to = -1, entries } = change;
    const isNew = type === 'insert';
    if (!(index >= 0 && count >= 1 && index + (isNew ? 0 : count) <= this.count)) return false;
    if (entries && entries.length !== count) return false;
    if (isNew) this.#insert(index, entries?.map(this.#describe) ?? unread(count));
    else if (type === 'remove') this.#list.splice(index, count);
    else if (type === 'move') {
      if (!(to >= 0 && to <= this.count - count)) return false;
      this.#insert(to, this.#list.splice(index, count));
    } else if (type === 'update') {
      if (entries) for (const [offset, entry] of entries.entries()) this.#list[index + offset] = this.#describe(entry);
      else for (let each = index; each < index + count; each += 1) this.doubt(each);
    } else return false;
    return true;
  }

  /** Marks an entry to be read again, because it has new facts. @param {number} index */
  doubt(index) {
    const entry = this.#list[index];
    if (entry) this.#stale.add(entry);
  }

  /**
   * Puts an entry that was read into the list. An entry that is known already is not replaced, because the events have kept it up to date.
   * @param {number} index
   * @param {Item} entry
   */
  put(index, entry) {
    if (this.isMissing(index)) this.#list[index] = this.#describe(entry);
  }

  /** Adds to each entry what the library has learned of its medium. An entry that has to be read again stays marked. */
  describeAgain() {
    for (const [index, entry] of this.#list.entries()) {
      if (!entry) continue;
      const described = this.#describe(entry);
      if (this.#stale.has(entry)) this.#stale.add(described);
      this.#list[index] = described;
    }
  }

  /** Replaces the entry with the same id, if that entry was read. @param {Item} entry */
  replace(entry) {
    const index = this.indexOf(entry.id);
    if (index >= 0) this.#list[index] = this.#describe(entry);
  }

  /** @param {number} index @param {(Item | undefined)[]} entries */
  #insert(index, entries) {
    this.#list = this.#list.slice(0, index).concat(entries, this.#list.slice(index));
  }
}

/** What the library knows of media that were not opened yet, by their URLs. */
export class Summaries {
  /** @type {Map<string, Summary>} in the order in which they were added, the oldest first */
  #known = new Map();

  /** @param {Iterable<[string, Summary]>} summaries by the URLs of the media */
  add(summaries) {
    for (const [url, summary] of summaries) {
      this.#known.delete(url);
      this.#known.set(url, summary);
    }
    for (const url of this.#known.keys()) {
      if (this.#known.size <= MOST_SUMMARIES) break;
      this.#known.delete(url);
    }
  }

  /**
   * Adds to an entry what the library knows of its medium, if the medium was not opened yet. The facts of the queue have priority.
   * @param {Item} entry
   * @returns {Item}
   */
  describe(entry) {
    const summary = entry.status === 'unknown' ? this.#known.get(entry.url) : undefined;
    return summary ? { ...summary, ...entry } : entry;
  }
}

/** @param {number} count @returns {undefined[]} */
function unread(count) {
  return new Array(Math.max(0, count)).fill(undefined);
}
