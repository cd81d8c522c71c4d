// @ts-check
import { t } from '../lang/lang.js';
import { queueRevision } from '../link/api.js';
import { folderOf, request } from '../state/library.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('../state/library.js').Entry} Entry */
/** @typedef {'play' | 'next' | 'end'} Way  replace the queue and play; insert after the current entry; add at the end */
/** @typedef {Pick<Entry, 'path' | 'url' | 'name' | 'title'> & {id?: string}} Playable  `id` is that of an entry of the queue */

/** @typedef {{did: string, undo: string | null}} Texts  what was done; the text of the offer to undo it, or null if nothing was lost */

/**
 * The ways to bring entries into the queue, in the order of their buttons.
 * @type {readonly Way[]}
 */
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
    await this.#edit(() => this.send(way, entries), this.texts(way, entries), entries, element);
  }

  /**
   * Sends the request of `bring`, and reports nothing.
   * @param {Way} way
   * @param {Playable[]} entries
   * @param {number} [start] the index of the entry that is played first; if absent, the first one, or a random one if the player is shuffled
   */
  send(way, entries, start) {
    const { left, startIndex, ...body } = request(entries, start ?? 0);
    if (left > 0 && way !== 'play') throw new RangeError('too many entries for one request');
    const named = start === undefined && this.#remote.store.state?.isShuffled ? {} : { startIndex };
    const values = way === 'play' ? { ...body, ...named, play: true } : { ...body, position: way };
    return this.#remote.command(way === 'play' ? 'putQueue' : 'addToQueue', values, { timeout: TIMEOUT });
  }

  /**
   * Returns the texts about an edit that is going to be made.
   * @param {Way | 'now' | 'from'} way `now` inserts and plays, `from` replaces the queue with a folder
   * @param {Playable[]} entries
   * @returns {Texts}
   */
  texts(way, entries) {
    const [only] = entries;
    const name = entries.length === 1 && only ? quoted(only) : t('library.entries', { count: entries.length });
    const did = t(`library.did.${way === 'next' || way === 'end' ? way : 'now'}`, { name, count: entries.length });
    if (this.#isEmpty) return { did, undo: null };
    const { undo } = this.#remote;
    const lost = way === 'play' || way === 'from' ? undo.describe(this.#remote.shownTime()) : null;
    return { did, undo: lost === null ? did : t('link.undo.replaced', { lost }) };
  }

  /**
   * Reports an edit that `send` has made, and offers to undo it.
   * @param {Texts} texts
   * @param {{tag: string | null}} answer
   */
  report(texts, { tag }) {
    if (texts.undo === null) this.#remote.announce(texts.did);
    this.#remote.undo.offer(texts.undo, queueRevision(tag));
  }

  /**
   * Plays a file, folder or playlist file of a listing, so that nothing in the queue is lost:
   * - If the queue is empty, it gets all files of the listing, so that the files after this one are played too.
   * - If the current entry is in the same folder, and the queue has the file, the player jumps to the entry of this file.
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
        if (id !== null) return void (await remote.act('playEntry', { id }, { element, about: entry.title ?? entry.name }));
      }
    }
    const { entries } = request([entry]);
    const send = () => remote.command('addToQueue', { entries, position: 'next', play: true }, { timeout: TIMEOUT });
    await this.#edit(send, this.texts('now', [entry]), [entry], element);
  }

  /**
   * Replaces the queue with the files of a folder, and plays from one of them on.
   * @param {Entry} entry
   * @param {Entry[]} listing
   * @param {Element | null} [element]
   */
  async playFrom(entry, listing, element) {
    const files = listing.filter(({ kind }) => kind === 'audio');
    await this.#edit(() => this.send('play', files, files.indexOf(entry)), this.texts('from', [entry]), [entry], element);
  }

  get #isEmpty() {
    return (this.#remote.store.state?.queue?.count ?? 0) === 0;
  }

  /** @param {Entry} entry @returns {Promise<string | null>} the id of the first entry near the current one that plays the file; null if none does */
  async #find({ url }) {
    const { answer } = await this.#remote.command('getQueue', { around: 'current', limit: AROUND });
    return answer.entries.find((/** @type {{url: string}} */ one) => one.url === url)?.id ?? null;
  }

  /**
   * @param {() => Promise<any>} send
   * @param {Texts} texts
   * @param {Playable[]} entries
   * @param {Element | null} [element]
   */
  async #edit(send, texts, entries, element) {
    const [only] = entries;
    const about = entries.length === 1 && only ? only.title ?? only.name : undefined;
    const done = await this.#remote.edit(async () => send(), { element, about, undoText: texts.undo });
    if (done && texts.undo === null) this.#remote.announce(texts.did);
  }
}

/** @param {Entry} entry @param {string | undefined} current the URL of the current entry */
function isSameFolder({ url }, current) {
  return !!url && !!current && folderOf(url) === folderOf(current);
}
