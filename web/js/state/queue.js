// @ts-check
import { Entries, moved, Summaries } from './entries.js';
/** @typedef {import('../store.js').Item} Item */
/** @typedef {import('./entries.js').Change} Change */
/** @typedef {{kind: string, count: number, origin: string}} Edit  a `QueueEdit` of the contract */
/** @typedef {import('./entries.js').Summary} Summary */
/** @typedef {{currentId?: string, nextId?: string, undo?: Edit, redo?: Edit}} Facts */
/**
 * @typedef {Facts & {revision: number, count: number, previousRevision: number, isPlaybackOrderChanged?: boolean, changes?: Change[]}} QueueEvent
 * @typedef {Facts & {epoch: string, revision: number, count: number, offset: number, entries: Item[], history: string[]}} QueuePage
 */
/** @typedef {{start: (action: () => void, seconds: number) => number, stop: (timer: number) => void}} Timers */

/** The number of entries of a page that is shown, and of one that is read because all entries are wanted. */
const PAGE = 50;
const LARGE_PAGE = 500;
/** The time for which requests for pages are collected before they are sent, in seconds, and the number of the newest of them that are sent. */
const PATIENCE = 0.03;
const MOST_PAGES = 3;
/** The maximum number of events that are kept while an answer is awaited. After more events, the queue is read again. */
const MOST_EVENTS = 1000;
/** The pauses after consecutive failures to read the queue, in seconds. */
const PAUSES = [1, 2, 4, 8];

/**
 * A copy of the server's queue, of which only the pages that a view shows are read. It applies the changes of `queue` events, and reads the queue
 * again if an event is missing. It requests nothing while no view uses it. It dispatches `change` after each change.
 */
export class QueueModel extends EventTarget {
  #command;
  #timers;
  #users = 0;
  #hasState = false;
  #entries = new Entries(0);
  #epoch = '';
  #revision = 0;
  /** @type {Facts} */
  #facts = {};
  /** @type {'display' | 'playback'} */
  #order = 'display';
  /** Whether events can be applied to the copy. If not, the copy is only shown until the queue was read again. */
  #isBased = false;
  #isFailed = false;
  /** Increases when the answers to earlier requests must no longer be used. */
  #generation = 0;
  /**
   * The request for the first page, while it is on its way.
   * @type {Promise<void> | null}
   */
  #base = null;
  /** The pages that are on their way, by offset and length. */
  #requests = new Set();
  /**
   * The events since the oldest request in `#requests` was sent. The answer to a request may be older than some of these events.
   * @type {QueueEvent[]}
   */
  #log = [];
  /**
   * Answers with a later revision than the copy. They wait for the events before them.
   * @type {{page: QueuePage, from: number}[]}
   */
  #early = [];
  /**
   * The numbers of the pages to request, the latest wish last.
   * @type {Set<number>}
   */
  #wanted = new Set();
  #timer = 0;
  #retry = 0;
  #failures = 0;
  #lastAsked = -1;
  /** The visible entries. @type {readonly Item[]} */
  #seen = [];
  #summaries = new Summaries();

  /**
   * @param {object} parts
   * @param {(operation: string, parameters: Record<string, any>) => Promise<{answer: any}>} parts.command
   * @param {EventTarget} parts.events dispatches the server's events `queue` and `state` (whole snapshots) with their data as `detail`
   * @param {Timers} parts.timers
   */
  constructor({ command, events, timers }) {
    super();
    this.#command = command;
    this.#timers = timers;
    events.addEventListener('queue', (event) => this.#receive(/** @type {CustomEvent} */ (event).detail));
    events.addEventListener('state', (event) => this.#receiveState(/** @type {CustomEvent} */ (event).detail));
  }

  get count() {
    return this.#entries.count;
  }
  get epoch() {
    return this.#epoch;
  }
  get revision() {
    return this.#revision;
  }
  get currentId() {
    return this.#facts.currentId;
  }
  get nextId() {
    return this.#facts.nextId;
  }
  /** The edit that an undo reverts: what it did, and who made it. */
  get undo() {
    return this.#facts.undo;
  }
  get redo() {
    return this.#facts.redo;
  }
  /** Whether the queue has been read. */
  get isReady() {
    return this.#epoch !== '';
  }
  /** Whether reading the queue has failed. The model tries it again by itself. */
  get isFailed() {
    return this.#isFailed;
  }
  get order() {
    return this.#order;
  }
  /** Whether every entry has been read. */
  get isComplete() {
    return this.isReady && this.#entries.firstMissing() < 0;
  }
  /** All entries; those that have not been read are undefined. */
  get entries() {
    return this.#entries.all;
  }

  /**
   * Returns an entry, or undefined if it has not been read yet: then its page is requested.
   * @param {number} index
   * @returns {Item | undefined}
   */
  at(index) {
    if (this.#entries.isMissing(index)) this.#want(index);
    return this.#entries.get(index);
  }
  /** @param {string | undefined} id @returns -1 if no entry that was read has this id */
  indexOf(id) {
    return id === undefined ? -1 : this.#entries.indexOf(id);
  }

  /** Keeps the copy of the queue up to date, until `release` has been called as often as `use`. */
  use() {
    this.#users += 1;
    if (!this.#isBased) this.#readOrRetry();
  }
  release() {
    this.#users -= 1;
    if (this.#users === 0) this.#timers.stop(this.#retry);
  }

  /** @param {'display' | 'playback'} order the order of the entries and of all indices */
  setOrder(order) {
    if (order === this.#order) return;
    this.#order = order;
    this.#lastAsked = -1;
    this.#readAgain();
  }

  /**
   * Reads all entries. Rejects if a page cannot be read.
   * @param {() => boolean} isWanted whether to go on
   * @returns {Promise<boolean>} whether every entry has been read
   */
  async readAll(isWanted = () => true) {
    // Edits may make further pages necessary, but a queue that is edited all the time must not keep this function busy for ever.
    for (let left = 60; left > 0 && isWanted(); left -= 1) {
      const index = this.#entries.firstMissing();
      if (index < 0 && this.#isBased) return true;
      if (this.#isBased) await this.#readPage(Math.floor(index / PAGE) * PAGE, LARGE_PAGE);
      else await this.#readBase();
    }
    return this.isComplete;
  }

  /** The entries that a view shows. */
  get seen() {
    return this.#seen;
  }
  /** Notes the entries that a view shows, and dispatches `seen`. It is called after the view has stopped scrolling. @param {readonly Item[]} items */
  see(items) {
    this.#seen = items;
    this.dispatchEvent(new Event('seen'));
  }

  /**
   * Shows what the library knows of media in the entries that were not opened yet.
   * @param {Iterable<[string, Summary]>} summaries by the URLs of the media
   */
  describe(summaries) {
    this.#summaries.add(summaries);
    this.#entries.describeAgain();
    this.#changed();
  }

  /** @param {number} index */
  #want(index) {
    this.#lastAsked = index;
    const page = Math.floor(index / PAGE);
    if (this.#users === 0 || !this.#isBased || this.#requests.has(`${page * PAGE} ${PAGE}`)) return;
    this.#wanted.delete(page);
    this.#wanted.add(page);
    if (this.#timer === 0) this.#timer = this.#timers.start(() => this.#requestWanted(), PATIENCE);
  }

  #requestWanted() {
    this.#timer = 0;
    const pages = [...this.#wanted].slice(-MOST_PAGES);
    this.#wanted.clear();
    for (const page of pages) this.#readPage(page * PAGE, PAGE).catch(() => this.#retryLater());
  }

  #readOrRetry() {
    this.#readBase().catch(() => this.#retryLater());
  }

  /** Reads the number of entries, the revision and the first page to show, unless they are on their way already. */
  async #readBase() {
    // The queue is read only after the first state. From that state on, the page receives an event of every change that an answer does not show.
    if (!this.#hasState) return;
    const base = (this.#base ??= this.#readFirst());
    await base.finally(() => this.#base === base && (this.#base = null));
  }

  async #readFirst() {
    const place = this.#lastAsked < 0 ? { around: 'current' } : { offset: Math.floor(this.#lastAsked / PAGE) * PAGE };
    await this.#exchange({ ...place, limit: PAGE }, (page) => {
      this.#epoch = page.epoch;
      this.#revision = page.revision;
      this.#facts = factsOf(page);
      this.#entries = new Entries(page.count, (entry) => this.#summaries.describe(entry));
      this.#isBased = true;
      this.#isFailed = false;
      this.#failures = 0;
      for (const [offset, entry] of page.entries.entries()) this.#entries.put(page.offset + offset, entry);
      const log = this.#log;
      this.#log = [];
      for (const event of log) if (this.#isBased) this.#apply(event);
      this.#changed();
    });
  }

  /** @param {number} offset @param {number} limit */
  async #readPage(offset, limit) {
    const from = this.#log.length;
    await this.#exchange({ offset, limit }, (page) => this.#place(page, from));
  }

  /**
   * Sends a request, and uses its answer unless the queue is read again meanwhile.
   * @param {{offset?: number, limit: number}} parameters
   * @param {(page: QueuePage) => void} use
   */
  async #exchange(parameters, use) {
    const name = `${parameters.offset} ${parameters.limit}`;
    const generation = this.#generation;
    this.#requests.add(name);
    try {
      const { answer } = await this.#command('getQueue', this.#order === 'display' ? parameters : { ...parameters, order: this.#order });
      if (generation === this.#generation) {
        if (!isPage(answer)) throw new Error('the answer is no queue');
        this.#requests.delete(name);
        use(answer);
      }
    } catch (error) {
      if (generation === this.#generation) throw error;
    } finally {
      if (generation === this.#generation) {
        this.#requests.delete(name);
        if (this.#requests.size === 0 && this.#early.length === 0) this.#log = [];
      }
    }
  }

  /**
   * Puts a page into the list. If the page is older than the list, the changes of the events since decide where its entries are now.
   * @param {QueuePage} page
   * @param {number} from the number of events in the log at the time of the request
   */
  #place(page, from) {
    if (page.epoch !== this.#epoch) return this.#readAgain();
    if (page.revision > this.#revision) return void this.#early.push({ page, from });
    const later = this.#log.slice(from).flatMap(({ previousRevision, changes = [] }) => (previousRevision >= page.revision ? changes : []));
    for (const [offset, entry] of page.entries.entries()) {
      let index = page.offset + offset;
      let isOld = false;
      for (const change of later) {
        index = moved(change, index);
        if (index < 0) break;
        // The change only says that the entry has new facts, and does not contain them. The page may have been made before the change, and so without
        // them.
        if (change.type === 'update' && !change.entries && index >= change.index && index < change.index + change.count) isOld = true;
      }
      if (index < 0) continue;
      if (!this.#entries.isMissing(index)) continue;
      this.#entries.put(index, entry);
      if (isOld) this.#entries.doubt(index);
    }
    this.#changed();
  }

  /** @param {QueueEvent} event */
  #receive(event) {
    if (this.#isBased) this.#apply(event);
    else if (this.#requests.size > 0) this.#remember(event);
  }

  /** @param {QueueEvent} event */
  #remember(event) {
    if (this.#log.length < MOST_EVENTS) this.#log.push(event);
    else this.#readAgain();
  }

  /** @param {QueueEvent} event */
  #apply(event) {
    // The queue was read after this event, so the copy contains its changes already.
    if (event.revision < this.#revision) return;
    if (event.revision === this.#revision && event.previousRevision < this.#revision) return;
    if (event.previousRevision !== this.#revision || !event.changes) return this.#readAgain();
    if (this.#order === 'playback' && !this.#canFollow(event)) return this.#readAgain();
    for (const change of event.changes) {
      if (this.#order === 'playback') change.entries?.forEach((entry) => this.#entries.replace(entry));
      else if (!this.#entries.apply(change)) return this.#readAgain();
    }
    if (this.#entries.count !== event.count) return this.#readAgain();
    this.#revision = event.revision;
    this.#facts = factsOf(event);
    if (this.#requests.size > 0 || this.#early.length > 0) this.#remember(event);
    const early = this.#early;
    this.#early = [];
    for (const { page, from } of early) this.#place(page, from);
    this.#changed();
  }

  /**
   * Whether a copy in the playback order can apply an event. The changes of an event are those of the display order, so only new facts of known
   * entries can be applied.
   * @param {QueueEvent} event
   */
  #canFollow({ isPlaybackOrderChanged, changes = [] }) {
    const areFacts = changes.every(({ type, entries }) => type === 'update' && entries);
    return !isPlaybackOrderChanged && areFacts && (changes.length === 0 || this.#requests.size === 0);
  }

  /** @param {{epoch?: string, changed?: string[], resync?: boolean, coalesced?: boolean}} state */
  #receiveState({ epoch, changed, resync, coalesced }) {
    const isSnapshot = resync || coalesced || !changed?.length;
    this.#hasState = true;
    if (isSnapshot || epoch !== this.#epoch) this.#readAgain();
  }

  /** Discards the requests in progress, and reads the queue again. Until then, the present copy is shown. */
  #readAgain() {
    this.#generation += 1;
    this.#isBased = false;
    this.#requests.clear();
    this.#wanted.clear();
    this.#log = [];
    this.#early = [];
    this.#timers.stop(this.#timer);
    this.#timers.stop(this.#retry);
    this.#timer = 0;
    this.#base = null;
    if (this.#users > 0) this.#readOrRetry();
  }

  #retryLater() {
    if (this.#users === 0) return;
    const pause = PAUSES[Math.min(this.#failures, PAUSES.length - 1)] ?? 1;
    this.#failures += 1;
    this.#isFailed = true;
    this.#timers.stop(this.#retry);
    this.#retry = this.#timers.start(() => this.#readAgain(), pause);
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

/** @param {Facts} document @returns {Facts} */
function factsOf({ currentId, nextId, undo, redo }) {
  return { currentId, nextId, undo, redo };
}

/** @param {any} answer @returns {answer is QueuePage} */
function isPage(answer) {
  if (typeof answer?.epoch !== 'string' || !Array.isArray(answer.entries)) return false;
  return [answer.revision, answer.count, answer.offset].every(Number.isSafeInteger);
}
