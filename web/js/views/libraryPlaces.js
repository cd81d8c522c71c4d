// @ts-check
const KEY = 'tonearm.library';
/** The number of folders whose scroll position is kept, and the pause before the positions are stored, in milliseconds. */
const KEPT = 50;
const PAUSE = 300;

/** The folder that was shown last, and the scroll positions of folders. A reload keeps them; without storage they last as long as the page. */
export class Places {
  last = '';
  /** @type {Map<string, number>} */
  #scrolls = new Map();
  #timer = 0;

  /** @param {() => Storage} storage throws if the browser has none */
  constructor(storage = () => sessionStorage) {
    this.storage = storage;
    try {
      const { last, scrolls } = JSON.parse(storage().getItem(KEY) ?? '{}');
      if (typeof last === 'string') this.last = last;
      if (!Array.isArray(scrolls)) return;
      this.#scrolls = new Map(scrolls.filter(([path, top]) => typeof path === 'string' && Number.isFinite(top)).slice(-KEPT));
    } catch {
      // Nothing is stored, or something else.
    }
  }

  /** @param {string} path */
  keepLast(path) {
    this.last = path;
    this.#storeSoon();
  }
  /** @param {string} path @param {number} top */
  keep(path, top) {
    this.#scrolls.delete(path);
    if (top > 0) this.#scrolls.set(path, Math.round(top));
    if (this.#scrolls.size > KEPT) this.#scrolls.delete(this.#scrolls.keys().next().value ?? '');
    this.#storeSoon();
  }
  /** @param {string} path */
  scrollOf(path) {
    return this.#scrolls.get(path) ?? 0;
  }

  #storeSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.store(), PAUSE);
  }
  store() {
    try {
      this.storage().setItem(KEY, JSON.stringify({ last: this.last, scrolls: [...this.#scrolls] }));
    } catch {
      // A private window may have no storage.
    }
  }
}
