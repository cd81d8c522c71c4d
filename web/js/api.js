// @ts-check
/** @typedef {{type?: string, title?: string, status?: number, detail?: string, pointer?: string, currentId?: string}} Problem  RFC 9457 */

/** The error if the server rejected a request. The property `message` is shown to the user. */
export class Refusal extends Error {
  /** @param {number} status @param {Problem} problem */
  constructor(status, problem) {
    super(problem.detail || problem.title || `The player refused (status ${status}).`);
    this.name = 'Refusal';
    this.status = status;
    this.problem = problem;
  }
}

/** The error if the server could not be reached, or did not respond in time. The page does not know whether the server carried out the request. */
export class Unreachable extends Error {
  constructor() {
    super('The player cannot be reached.');
    this.name = 'Unreachable';
  }
}

/**
 * @typedef {{epoch: string, revision: number}} QueueRevision  a revision of the queue, in one run of the server
 */

/**
 * Returns the revision of the queue that a request made, by the entity tag of the response: `"item:epoch:revision:id.content"` or
 * `"queue:epoch:revision.content"`.
 * @param {string | null} tag the value of the field `ETag`; a proxy that compresses the response may have marked it as weak
 * @returns {QueueRevision | null} null if the response has no such tag
 */
export function queueRevision(tag) {
  const [, epoch, revision] = /^(?:W\/)?"(?:item|queue):([^:."]+):(\d{1,15})[^\d]/.exec(tag ?? '') ?? [];
  return epoch === undefined ? null : { epoch, revision: Number(revision) };
}

/** The maximum time for a response of the server, in seconds. A seek in a remote stream may wait for the network. */
const TIMEOUT = 10;
const SLOW_TIMEOUT = 30;

/** The page's requests to the server: each request has its own method, and `#send` sends all of them. */
export class API {
  #base;
  #fetch;
  /**
   * The number of logins from this page. If a login happens between a request and its response 401, the 401 does not mean that the new login failed.
   */
  #logins = 0;
  /** The callback of the page, called if the server requires a token, or rejects the page's present token. */
  unauthorized = () => {};

  /**
   * @param {string | URL} base the page's address; the API's address is relative to it, so that the prefix of a reverse proxy is kept
   * @param {typeof fetch} fetcher
   */
  constructor(base, fetcher = (...request) => fetch(...request)) {
    this.#base = new URL('api/v1/', base);
    this.#fetch = fetcher;
  }

  /** @param {string} token the token. The server answers with a cookie, which the browser stores, and which no script can read. */
  async logIn(token) {
    await this.#send('POST', 'login', { token });
    this.#logins += 1;
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
  /** @param {number} time the target of the seek, in seconds @returns {Promise<{finished: boolean, time: number, requested: number}>} */
  seek(time) {
    return this.#send('POST', 'player/seek', { time }, SLOW_TIMEOUT);
  }
  /** @param {{rate?: number, defaultRate?: number, volume?: number, isMuted?: boolean}} changes */
  update(changes) {
    return this.#send('PATCH', 'player', changes);
  }
  /**
   * Replaces the queue with one entry.
   * @param {{url: string, title?: string, play: boolean, startTime?: number}} item
   * @returns {Promise<QueueRevision | null>} the revision of the new queue, if the response has it
   */
  async setItem(item) {
    return queueRevision((await this.#exchange('PUT', 'player/item', item)).tag);
  }
  /**
   * Replaces the queue with the media of a playlist file, and plays the first one.
   * @param {string} url
   * @returns {Promise<QueueRevision | null>} the revision of the new queue, if the response has it
   */
  async playList(url) {
    return queueRevision((await this.#exchange('PUT', 'queue', { entries: [{ url }], startIndex: 0, play: true }, SLOW_TIMEOUT)).tag);
  }
  /**
   * Undoes the edit that made a revision of the queue. The server refuses if the queue was edited since.
   * @param {QueueRevision} made
   */
  undo({ epoch, revision }) {
    return this.#send('POST', 'queue/undo', {}, TIMEOUT, { 'If-Match': `"queue:${epoch}:${revision}"` });
  }
  /** @param {string} [current] the entry that is left; if another one is current, the request is refused */
  next(current) {
    return this.#send('POST', 'queue/next', { current });
  }
  /** @param {string} [current] the entry that is left; if another one is current, the request is refused */
  previous(current) {
    return this.#send('POST', 'queue/previous', { current });
  }
  /**
   * @param {string} path the path of a folder under a media root; an empty path lists the media roots
   * @param {number} [wait] the maximum time that the server waits for the titles of the files before it responds, in seconds
   */
  library(path, wait) {
    const query = [path && `path=${encodeURIComponent(path)}`, wait && `wait=${wait}`].filter(Boolean).join('&');
    return this.#send('GET', query ? `library?${query}` : 'library');
  }

  /** @param {string} itemId @returns {Promise<import('./lyrics.js').Document>} */
  lyrics(itemId) {
    return this.#send('GET', `items/${encodeURIComponent(itemId)}/lyrics`);
  }
  /**
   * @param {string} itemId @param {number} [size] the maximum length of the picture's longer side, in pixels; without it the picture is not scaled
   */
  artworkAddress(itemId, size) {
    return new URL(`items/${encodeURIComponent(itemId)}/artwork${size ? `?size=${size}` : ''}`, this.#base).href;
  }
  /**
   * The address of the event stream, in which a change of the state has only the changed members.
   * @param {string} lastEventId
   */
  eventsAddress(lastEventId) {
    const resume = lastEventId ? `&lastEventId=${encodeURIComponent(lastEventId)}` : '';
    return new URL(`events?state=changes${resume}`, this.#base).href;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {number} [timeout] the maximum time for the response, in seconds
   * @param {Record<string, string>} [fields] further header fields
   * @returns {Promise<any>} the document of the response
   */
  async #send(method, path, body, timeout, fields) {
    return (await this.#exchange(method, path, body, timeout, fields)).answer;
  }

  /**
   * Sends a request as `#send` does, and returns the entity tag of the response too.
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {number} [timeout]
   * @param {Record<string, string>} [fields]
   * @returns {Promise<{answer: any, tag: string | null}>}
   */
  async #exchange(method, path, body, timeout = TIMEOUT, fields = {}) {
    /** @type {Record<string, string>} */
    const headers = { Accept: 'application/json', 'Tonearm-Client': 'web', ...fields };
    if (body) headers['Content-Type'] = 'application/json';
    const logins = this.#logins;
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeout * 1000);
    try {
      const response = await this.#fetch(new URL(path, this.#base), {
        method, headers, body: body && JSON.stringify(body), signal: abort.signal, cache: 'no-store', redirect: 'error',
      });
      const text = await response.text();
      const answer = parse(text);
      if (response.status === 401 && logins === this.#logins) this.unauthorized();
      if (!response.ok) throw new Refusal(response.status, answer ?? {});
      return { answer, tag: response.headers.get('ETag') };
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
    return undefined; // The text is empty (a response 204), or is not JSON, such as the error page of a proxy.
  }
}
