// @ts-check
import { realTimers } from './link/timers.js';
/** @typedef {typeof import('./rest.js')} Parts */
/** @typedef {import('./link/timers.js').Timers} Timers */
/** @typedef {'unreachable' | 'outdated'} Reason  the player cannot be reached; or it has a newer page, without the file that this page needs */

/** The time after which the file of the later parts counts as impossible to load, in seconds. */
const PATIENCE = 10;

/** The error if the later parts of the page could not be loaded. */
export class NotLoaded extends Error {
  /** @param {Reason} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * The parts of the page that are loaded after its start, as one file. They are loaded as soon as the page has nothing else to do, even if they are
 * not needed yet: an update of the player removes the file, and it cannot be read while the player cannot be reached. The file is small (less than a
 * cover) and stored for a year, so it is loaded early even if the user wants to save data.
 */
export class Late {
  #load;
  #isReachable;
  #loaded;
  #timers;
  /** @type {Parts | null} */
  #parts = null;
  /** @type {Promise<Parts> | null} */
  #loading = null;

  /**
   * @param {object} means
   * @param {() => Promise<Parts>} means.load
   * @param {() => Promise<boolean>} means.isReachable whether the server answers with a page
   * @param {(parts: Parts) => void} [means.loaded] called once, before the parts are used
   * @param {Timers} [means.timers]
   */
  constructor({ load, isReachable, loaded = () => {}, timers = realTimers }) {
    this.#load = load;
    this.#isReachable = isReachable;
    this.#loaded = loaded;
    this.#timers = timers;
  }

  /** The parts; null until they are loaded. */
  get parts() {
    return this.#parts;
  }

  /** Loads the parts once. A failure is a `NotLoaded`; the next call tries again. @returns {Promise<Parts>} */
  load() {
    if (this.#parts) return Promise.resolve(this.#parts);
    return (this.#loading ??= this.#attempt().finally(() => (this.#loading = null)));
  }

  async #attempt() {
    const parts = await this.#request();
    this.#loaded(parts);
    return (this.#parts = parts);
  }

  async #request() {
    let timer = 0;
    const end = new Promise((_, reject) => (timer = this.#timers.start(() => reject(new Error('late')), PATIENCE)));
    try {
      return /** @type {Parts} */ (await Promise.race([this.#load(), end]));
    } catch {
      throw new NotLoaded((await this.#isReachable()) ? 'outdated' : 'unreachable');
    } finally {
      this.#timers.stop(timer);
    }
  }
}
