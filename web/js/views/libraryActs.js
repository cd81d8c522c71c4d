// @ts-check
import { t } from '../lang/lang.js';
import { queueRevision } from '../link/api.js';
import { folderOf, request } from '../state/library.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('../state/library.js').Entry} Entry */
/** @typedef {'play' | 'next' | 'end'} Way  replace the queue and play; insert after the current entry; add at the end */
/** @typedef {Pick<Entry, 'path' | 'url' | 'name' | 'title'> & {id?: string}} Playable  `id` is that of an entry of the queue */

/** The ways to bring entries into the queue, in the order of their buttons. @type {readonly Way[]} */
export const WAYS = ['play', 'next', 'end'];

/** The time for a request that reads a folder, in seconds: the server itself reads for at most 10 s. */
const TIMEOUT = 30;
/** The number of entries around the current one among which a file of the same folder is looked for. */
const AROUND = 400;

/**
 * Returns the name of an entry as a part of a sentence.
 * @param {{name: string, title?: string}} entry
 */
export function quoted({ name, title }) {
  return t('library.quoted', { name: title ?? name });
}

/** What users do with the entries of the library. */
export class LibraryActs {
  #remote;

  /** @param {Remote} remote */
  constructor(remote) {
    this.#remote = remote;
  }

  /**
   * Brings entries into the queue. A folder and a playlist file stand for all media in them.
   * @param {Way} way
   * @param {Playable[]} entries
   * @param {Element | null} [element] the pressed control
   */
  async bring(way, entries, element) {
    const wasEmpty = this.#isEmpty;
    await this.#edit(() => this.send(way, entries), wasEmpty, way, entries, element);
  }

  /**
   * Sends the request of `bring`, and reports nothing.
   * @param {Way} way
   * @param {Playable[]} entries
   * @param {number} [start] the index of the entry that is played first
   */
  send(way, entries, start = 0) {
    const { left, startIndex, ...body } = request(entries, start);
    if (left > 0 && way !== 'play') throw new RangeError('too many entries for one request');
    const values = way === 'play' ? { ...body, startIndex, play: true } : { ...body, position: way };
    return this.#remote.command(way === 'play' ? 'putQueue' : 'addToQueue', values, { timeout: TIMEOUT });
  }

  /**
   * Offers to undo an edit that `send` has made.
   * @param {Way | 'now'} way
   * @param {Playable[]} entries
   * @param {boolean} wasEmpty whether the queue was empty before, so that nothing is lost
   * @param {{tag: string | null}} answer
   */
  offerUndo(way, entries, wasEmpty, { tag }) {
    const text = this.#describe(way, entries);
    if (wasEmpty) this.#remote.announce(text);
    this.#remote.undo.offer(wasEmpty ? null : text, queueRevision(tag));
  }

  /**
   * Plays a file, folder or playlist file of a listing without any loss:
   * - If the queue is empty, it becomes the files of the listing, so that the following ones are played too.
   * - If the current entry is of the same folder, and the queue has the file, the player jumps to it.
   * - Otherwise the file is inserted after the current entry, and played.
   * @param {Entry} entry
   * @param {Entry[]} listing the entries of its folder
   * @param {Element | null} [element]
   */
  async tap(entry, listing, element) {
    const remote = this.#remote;
    if (entry.kind === 'audio') {
      if (this.#isEmpty) return this.playFrom(entry, listing, element);
      if (isSameFolder(entry, remote.store.state?.currentItem?.url)) {
        const id = await remote.perform(() => this.#find(entry), { element });
        if (id === undefined) return;
        if (id !== null) return void (await remote.perform(() => remote.command('playEntry', { id }), { element, about: entry.title ?? entry.name }));
      }
    }
    const body = { ...request([entry]), position: 'next', play: true };
    const send = () => remote.command('addToQueue', { entries: body.entries, position: 'next', play: true }, { timeout: TIMEOUT });
    await this.#edit(send, this.#isEmpty, 'now', [entry], element);
  }

  /**
   * Replaces the queue with the files of a folder, and plays from one of them on.
   * @param {Entry} entry
   * @param {Entry[]} listing
   * @param {Element | null} [element]
   */
  async playFrom(entry, listing, element) {
    const files = listing.filter(({ kind }) => kind === 'audio');
    const wasEmpty = this.#isEmpty;
    await this.#edit(() => this.send('play', files, files.indexOf(entry)), wasEmpty, 'now', [entry], element);
  }

  get #isEmpty() {
    return (this.#remote.store.state?.queue?.count ?? 0) === 0;
  }

  /** @param {Entry} entry @returns {Promise<string | null>} the id of the nearest entry of the queue that plays a file */
  async #find({ url }) {
    const { answer } = await this.#remote.command('getQueue', { around: 'current', limit: AROUND });
    return answer.entries.find((/** @type {{url: string}} */ one) => one.url === url)?.id ?? null;
  }

  /**
   * @param {() => Promise<any>} send
   * @param {boolean} wasEmpty
   * @param {Way | 'now'} way
   * @param {Playable[]} entries
   * @param {Element | null} [element]
   */
  async #edit(send, wasEmpty, way, entries, element) {
    const about = entries.length === 1 && entries[0] ? entries[0].title ?? entries[0].name : undefined;
    const text = this.#describe(way, entries);
    const done = await this.#remote.edit(async () => send(), { element, about, undoText: wasEmpty ? null : text });
    if (done && wasEmpty) this.#remote.announce(text);
    return done;
  }

  /** @param {Way | 'now'} way @param {Playable[]} entries */
  #describe(way, entries) {
    const [only] = entries;
    const name = entries.length === 1 && only ? quoted(only) : t('library.entries', { count: entries.length });
    return t(`library.did.${way}`, { name, count: entries.length });
  }
}

/** @param {Entry} entry @param {string | undefined} url the URL of the current entry */
function isSameFolder({ url }, url2) {
  return !!url && !!url2 && folderOf(url) === folderOf(url2);
}
