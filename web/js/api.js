// @ts-check
/** @typedef {{type?: string, title?: string, status?: number, detail?: string, pointer?: string}} Problem  RFC 9457 */

/** The server understood the request and said no. `message` is for a person. */
export class Refusal extends Error {
  /** @param {number} status @param {Problem} problem */
  constructor(status, problem) {
    super(problem.detail || problem.title || `The player refused (status ${status}).`);
    this.name = 'Refusal';
    this.status = status;
    this.problem = problem;
  }
}

/** The server could not be reached, or did not answer in time: whether it did what was asked is not known. */
export class Unreachable extends Error {
  constructor() {
    super('The player cannot be reached.');
    this.name = 'Unreachable';
  }
}

/** Seconds that an answer may take. A seek in a remote stream may wait for the network. */
const TIMEOUT = 10;
const SLOW_TIMEOUT = 30;

/** The requests that the page makes: one method each, one funnel below them. */
export class API {
  #base;
  #fetch;
  /** Sessions opened so far: what was asked before one is refused behind it, and says nothing about it. */
  #sessions = 0;
  /** Called where the server wants a token, or another one. */
  unauthorized = () => {};

  /**
   * @param {string | URL} base the page's own address; the API is beside it, so that a prefix of a reverse proxy is kept
   * @param {typeof fetch} fetcher
   */
  constructor(base, fetcher = (...request) => fetch(...request)) {
    this.#base = new URL('api/v1/', base);
    this.#fetch = fetcher;
  }

  /** @param {string} token is traded for a cookie that the browser keeps and no script reads */
  async openSession(token) {
    await this.#send('POST', 'session', { token });
    this.#sessions += 1;
  }
  /** @returns {Promise<{hostTime: number}>} */
  clock() {
    return this.#send('GET', 'clock');
  }
  play() {
    return this.#send('POST', 'player/play', {});
  }
  pause() {
    return this.#send('POST', 'player/pause', {});
  }
  /** @param {number} time seconds @returns {Promise<{finished: boolean, time: number, requested: number}>} */
  seek(time) {
    return this.#send('POST', 'player/seek', { time }, SLOW_TIMEOUT);
  }
  /** @param {{rate?: number, defaultRate?: number, volume?: number, isMuted?: boolean}} changes */
  update(changes) {
    return this.#send('PATCH', 'player', changes);
  }
  /**
   * Makes it the only entry.
   * @param {{url: string, title?: string, play: boolean, startTime?: number}} item
   * @returns {Promise<{id: string}>}
   */
  setItem(item) {
    return this.#send('PUT', 'player/item', item);
  }
  /** @returns {Promise<import('./store.js').Queue>} */
  queue() {
    return this.#send('GET', 'queue');
  }
  /** @param {{url: string, title?: string}[]} items at the end of the queue */
  append(items) {
    return this.#send('POST', 'queue', { items });
  }
  /** @param {string} id @param {number} index of the queue as it is then */
  moveEntry(id, index) {
    return this.#send('POST', `queue/${encodeURIComponent(id)}/move`, { index });
  }
  next() {
    return this.#send('POST', 'queue/next', {});
  }
  previous() {
    return this.#send('POST', 'queue/previous', {});
  }
  /** @param {string} path of a folder under a media root; empty for the roots */
  library(path) {
    return this.#send('GET', path ? `library?path=${encodeURIComponent(path)}` : 'library');
  }

  /** @param {string} itemId @param {number} [size] of the longer side at most, pixels; as it is without */
  artworkAddress(itemId, size) {
    return new URL(`items/${encodeURIComponent(itemId)}/artwork${size ? `?size=${size}` : ''}`, this.#base).href;
  }
  /** @param {string} lastEventId */
  eventsAddress(lastEventId) {
    return new URL(lastEventId ? `events?lastEventId=${encodeURIComponent(lastEventId)}` : 'events', this.#base).href;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {number} [timeout] seconds
   * @returns {Promise<any>}
   */
  async #send(method, path, body, timeout = TIMEOUT) {
    /** @type {Record<string, string>} */
    const headers = { Accept: 'application/json', 'Tonearm-Client': 'web' };
    if (body) headers['Content-Type'] = 'application/json';
    const sessions = this.#sessions;
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeout * 1000);
    try {
      const response = await this.#fetch(new URL(path, this.#base), {
        method, headers, body: body && JSON.stringify(body), signal: abort.signal, cache: 'no-store', redirect: 'error',
      });
      const text = await response.text();
      const answer = parse(text);
      if (response.status === 401 && sessions === this.#sessions) this.unauthorized();
      if (!response.ok) throw new Refusal(response.status, answer ?? {});
      return answer;
    } catch (error) {
      throw error instanceof Refusal ? error : new Unreachable();
    } finally {
      clearTimeout(timer);
    }
  }
}

/** @param {string} text @returns {any} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // No body (204), or no JSON: a proxy's error page, say.
  }
}
