// @ts-check
import { t } from './lang/lang.js';
import { queueRevision } from './link/api.js';
/** @typedef {import('./link/api.js').Answer} Answer */
/** @typedef {import('./link/timers.js').Timers} Timers */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./undo.js').QueueUndo} QueueUndo */
/**
 * @typedef {object} ActOptions
 * @property {Element | null} [element] the control that the user pressed. It is marked as busy, and a second press has no effect until the answer
 * @property {string} [waitText] the text that says what the act waits for
 * @property {string} [about] the name of what the act concerns, such as the title of an entry; an error names it
 */

/** The times after which an act without an answer marks its control as busy, and after which a notice says what it waits for, in seconds. */
const BUSY = 0.15;
const SLOW = 2;

/** Performs the acts of the user: shows that an act is pending, and reports its failure. */
export class Acts {
  #store;
  #timers;
  #undo;
  #failed;
  /** @type {Set<Element>} */
  #pending = new Set();

  /**
   * @param {object} parts
   * @param {Store} parts.store
   * @param {Timers} parts.timers
   * @param {QueueUndo} parts.undo
   * @param {(error: unknown, options: {about?: string, again?: () => void}) => void} parts.failed shows an error; `again` repeats the act
   */
  constructor({ store, timers, undo, failed }) {
    this.#store = store;
    this.#timers = timers;
    this.#undo = undo;
    this.#failed = failed;
  }

  /**
   * Performs an act of the user.
   * @template T
   * @param {() => Promise<T>} send
   * @param {ActOptions} [options]
   * @returns {Promise<T | undefined>} undefined if the act failed, or if the same control has an act in progress
   */
  async perform(send, options = {}) {
    const { element, about } = options;
    if (element && this.#pending.has(element)) return undefined;
    const present = this.#store.notice;
    if (element) this.#pending.add(element);
    try {
      const result = await this.attend(send, options);
      // A success removes the notice of a failure that was shown when the act began.
      if (present?.isError) this.#store.dismissNotice(present);
      return result;
    } catch (error) {
      this.#failed(error, { about, again: () => void this.perform(send, options) });
      return undefined;
    } finally {
      if (element) this.#pending.delete(element);
    }
  }

  /**
   * Shows that an act is pending until its answer. Throws the error of the act.
   * @template T
   * @param {() => Promise<T>} send
   * @param {ActOptions} [options]
   * @returns {Promise<T>}
   */
  async attend(send, options = {}) {
    const { element, waitText = t('link.waiting') } = options;
    /** @type {import('./store.js').Notice | undefined} */
    let waiting;
    const busy = this.#timers.start(() => mark(element, true), BUSY);
    const slow = this.#timers.start(() => {
      // The notice of a failure is not replaced, because it is more important.
      if (!this.#store.notice?.isError) waiting = this.#store.say(waitText);
    }, SLOW);
    try {
      return await send();
    } finally {
      this.#timers.stop(busy);
      this.#timers.stop(slow);
      if (waiting) this.#store.dismissNotice(waiting);
      mark(element, false);
    }
  }

  /**
   * Performs an edit of the queue, and then offers to undo it.
   * @param {() => Promise<Answer>} send
   * @param {ActOptions & {undoText?: string | null}} options `undoText` says what was done ("3 entries were removed"); null if nothing is to be
   *   undone
   * @returns {Promise<Answer | undefined>}
   */
  async edit(send, options = {}) {
    const done = await this.perform(send, options);
    if (done && options.undoText !== null) this.#undo.offer(options.undoText ?? t('link.edited'), queueRevision(done.tag));
    return done;
  }
}

/** @param {Element | null | undefined} element @param {boolean} isBusy */
function mark(element, isBusy) {
  if (!element) return;
  for (const name of ['aria-busy', 'data-busy']) {
    if (isBusy) element.setAttribute(name, 'true');
    else element.removeAttribute(name);
  }
}
