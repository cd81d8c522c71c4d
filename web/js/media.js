// @ts-check
import { Refusal } from './link/api.js';
import { Waveform } from './waveform.js';
/** @typedef {import('./remote.js').Remote} Remote */
/** @typedef {{title: string, start: number, end: number}} Chapter */
/** @typedef {{start: number, end?: number}} Range */
/** @typedef {{metadata?: {key: string, value: string}[], loadedTimeRanges?: Range[], seekableTimeRanges?: Range[]}} Details */

/** The duration above which an item without chapters counts as spoken, in seconds. */
const LONG = 20 * 60;
/** The HTTP statuses of refusals after which the same request may succeed later. */
const LATER = new Set([409, 429, 503]);

/** @type {WeakMap<Remote, CurrentMedia>} */
const known = new WeakMap();

/**
 * Returns what the page knows of the medium that is played.
 * @param {Remote} remote
 */
export function mediaOf(remote) {
  let media = known.get(remote);
  if (!media) known.set(remote, (media = new CurrentMedia(remote)));
  return media;
}

/** The chapters, the details, the time ranges and the waveform of the current item. They are requested once for each item. */
export class CurrentMedia {
  #remote;
  #key = '';
  /** @type {Chapter[]} */
  #chapters = [];
  /** @type {Details | null} */
  #details = null;

  /** @param {Remote} remote */
  constructor(remote) {
    this.#remote = remote;
    const changed = () => remote.store.touch();
    this.waveform = new Waveform({
      load: async (what) => (await remote.command('getWaveform', what)).answer,
      changed,
      isFinal: (error) => error instanceof Refusal && !LATER.has(error.status),
    });
    remote.addEventListener('buffer', (event) => {
      const { itemId, loadedTimeRanges, seekableTimeRanges } = /** @type {CustomEvent} */ (event).detail;
      if (itemId !== remote.store.state?.currentItem?.id) return;
      this.#details = { ...this.#details, loadedTimeRanges, seekableTimeRanges };
      changed();
    });
  }

  get chapters() {
    return this.#chapters;
  }
  /** The details of the item; null until they were requested with `loadDetails`, or a part of the item was buffered. */
  get details() {
    return this.#details;
  }
  /** The loaded ranges of a remote medium; empty for a local file, which is completely available. @returns {Range[]} */
  get loaded() {
    const item = this.#remote.store.state?.currentItem;
    return item && /^https?:/.test(item.url) ? this.#details?.loadedTimeRanges ?? [] : [];
  }
  /** Whether a listener probably skips within the item rather than to the next one: the item has chapters, or is long. */
  get isSpoken() {
    const duration = this.#remote.store.state?.currentItem?.duration ?? 0;
    return this.#chapters.length > 1 || duration > LONG;
  }
  /**
   * The range of media time in which the page can seek: the whole item, or the window of a live stream; null if there is none.
   * @returns {{from: number, to: number} | null}
   */
  get range() {
    const item = this.#remote.store.state?.currentItem;
    if (!item || item.status !== 'readyToPlay' || !item.isSeekable) return null;
    if (item.duration !== undefined) return item.duration > 0 ? { from: 0, to: item.duration } : null;
    const ranges = this.#details?.seekableTimeRanges ?? [];
    const [first, last] = [ranges[0], ranges.at(-1)];
    return first && last?.end !== undefined && last.end - first.start > 1 ? { from: first.start, to: last.end } : null;
  }
  /**
   * The range of media time that the page shows: the range in which it can seek, otherwise the whole item; null if the length of the item is not
   * known.
   */
  get extent() {
    const { duration = 0 } = this.#remote.store.state?.currentItem ?? {};
    return this.range ?? (duration > 0 ? { from: 0, to: duration } : null);
  }
  /** The index of the chapter at a position; -1 before the first one. @param {number} time seconds */
  chapterAt(time) {
    return this.#chapters.findLastIndex(({ start }) => start <= time + 0.001);
  }

  /** Requests the facts of the current item that are not known yet. It is called after each change of the state. */
  update() {
    const { state } = this.#remote.store;
    const item = state?.currentItem;
    const key = item?.status === 'readyToPlay' ? `${state?.epoch} ${item.id}` : '';
    if (key === this.#key) return;
    this.#key = key;
    this.#chapters = [];
    this.#details = null;
    if (!item || !key) return;
    void this.#ask('getChapters', ({ chapters }) => (this.#chapters = chapters ?? []));
    if (/^https?:/.test(item.url)) void this.loadDetails();
  }

  loadDetails() {
    return this.#ask('getItemDetails', (details) => (this.#details = details));
  }

  /**
   * Seeks to a position of the item or of the live window.
   * @param {number} time seconds
   */
  seek(time) {
    const range = this.range;
    if (range) this.#remote.seekTarget.want(Math.min(Math.max(range.from, time), range.to));
  }

  /** @param {string} operation @param {(answer: any) => void} use */
  async #ask(operation, use) {
    const key = this.#key;
    const id = this.#remote.store.state?.currentItem?.id;
    try {
      const { answer } = await this.#remote.command(operation, { id });
      if (key !== this.#key) return;
      use(answer);
      this.#remote.store.touch();
    } catch {
      // The page works without these facts. They are requested again for the next item.
    }
  }
}
