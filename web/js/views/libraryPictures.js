// @ts-check
import { h } from './dom.js';

/** The number of pictures that are loaded at once: the server allows a client four, and another page may belong to the same client. */
const AT_ONCE = 3;
/** The number of addresses that are kept, and of pictures that wait. If more are wanted, the oldest wish is dropped. */
const KEPT = 500;
const WAITING = 40;
/** The time after which a picture that could not be loaded is tried again, in seconds. */
const PAUSE = 10;

/** Loads pictures of the library, only a few at once. A picture that was requested last is loaded first. Files with the same picture load it once. */
export class Pictures {
  #addressOf;
  #changed;
  #load;
  #now;
  /**
   * The addresses of loaded pictures, by their id and size.
   * @type {Map<string, string>}
   */
  #loaded = new Map();
  /** @type {Map<string, {path: string, size: number}>} */
  #waiting = new Map();
  /** @type {Map<string, number>} */
  #failed = new Map();
  #busy = new Set();

  /**
   * @param {(path: string, size: number) => string} addressOf
   * @param {() => void} changed called after a picture was loaded
   * @param {(address: string) => Promise<unknown>} load
   * @param {() => number} now the time in seconds
   */
  constructor(addressOf, changed, load = loadImage, now = () => performance.now() / 1000) {
    this.#addressOf = addressOf;
    this.#changed = changed;
    this.#load = load;
    this.#now = now;
  }

  /**
   * Returns the address of a loaded picture. If the picture is not loaded, returns an empty text, and loads the picture.
   * @param {string} pictureId
   * @param {string} path a file with this picture
   * @param {number} size in pixels
   */
  address(pictureId, path, size) {
    const key = `${pictureId} ${size}`;
    const address = this.#loaded.get(key);
    if (address !== undefined) return address;
    if (this.#busy.has(key) || (this.#failed.get(key) ?? -Infinity) > this.#now() - PAUSE) return '';
    this.#waiting.delete(key);
    this.#waiting.set(key, { path, size });
    if (this.#waiting.size > WAITING) this.#waiting.delete(first(this.#waiting));
    this.#next();
    return '';
  }

  #next() {
    while (this.#busy.size < AT_ONCE && this.#waiting.size > 0) {
      const key = [...this.#waiting.keys()].at(-1) ?? '';
      const { path, size } = this.#waiting.get(key) ?? { path: '', size: 0 };
      this.#waiting.delete(key);
      void this.#loadOne(key, path, size);
    }
  }

  /** @param {string} key @param {string} path @param {number} size */
  async #loadOne(key, path, size) {
    this.#busy.add(key);
    try {
      let address = this.#addressOf(path, size);
      // A picture that the player cannot scale is loaded as it is.
      await this.#load(address).catch(() => this.#load((address = this.#addressOf(path, 0))));
      this.#loaded.set(key, address);
      if (this.#loaded.size > KEPT) this.#loaded.delete(first(this.#loaded));
      this.#changed();
    } catch {
      this.#failed.set(key, this.#now());
      if (this.#failed.size > KEPT) this.#failed.delete(first(this.#failed));
    }
    this.#busy.delete(key);
    this.#next();
  }
}

/**
 * Shows the picture with an address in the element `place`, or removes it if the address is empty.
 * @param {HTMLElement} place @param {string} address
 */
export function showImage(place, address) {
  if ((place.firstElementChild?.getAttribute('src') ?? '') === address) return;
  place.replaceChildren(...(address ? [h('img', { src: address, alt: '' })] : []));
}

/** @param {Map<string, unknown>} map */
function first(map) {
  return map.keys().next().value ?? '';
}

/** @param {string} address */
async function loadImage(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
}
