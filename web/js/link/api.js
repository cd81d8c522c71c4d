// @ts-check
import { requestOf, TYPES } from './operations.js';
/** @typedef {{type?: string, title?: string, status?: number, detail?: string, pointer?: string, currentId?: string}} Problem  RFC 9457 */

/** The error if the server rejected a request. */
export class Refusal extends Error {
  /** @param {number} status @param {Problem} problem */
  constructor(status, problem) {
    super(problem.detail || problem.title || `status ${status}`);
    this.name = 'Refusal';
    this.status = status;
    this.problem = problem;
  }
}

/** The error if the server could not be reached, or did not respond in time. If the request was sent, it is not known whether it was carried out. */
export class Unreachable extends Error {
  /** @param {boolean} wasSent whether the request was sent; false means that it was certainly not carried out */
  constructor(wasSent = true) {
    super('unreachable');
    this.name = 'Unreachable';
    this.wasSent = wasSent;
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

/** @typedef {{answer: any, tag: string | null}} Answer  the document of the response, and its entity tag */
/**
 * @typedef {{ifMatch?: string, idempotencyKey?: string, notAfter?: number, timeout?: number}} CommandOptions  `notAfter` is a time of the server's
 *   clock, and `timeout` a duration, in seconds
 */

/** The maximum time for a response of the server, in seconds. */
const TIMEOUT = 10;
const SLOW_TIMEOUT = 30;
/** The operations that may wait for the network (a remote stream, a playlist file) or for a slow medium. */
const SLOW = ['seek', 'putQueue', 'addToQueue', 'playEntry', 'listLibrary', 'getWaveform'];

/** @param {string} operation @returns {number} the maximum time for its response, in seconds */
export function timeoutOf(operation) {
  return SLOW.includes(operation) ? SLOW_TIMEOUT : TIMEOUT;
}

/** The page's HTTP requests to the server. */
export class API {
  #base;
  #fetch;
  #client;
  /**
   * The number of logins from this page. If a login happens between a request and its response 401, the 401 does not mean that the new login failed.
   */
  #logins = 0;
  /** The callback of the page, called if the server requires a token, or rejects the page's present token. */
  unauthorized = () => {};

  /**
   * @param {string | URL} base the page's address; the API's address is relative to it, so that the prefix of a reverse proxy is kept
   * @param {typeof fetch} fetcher
   * @param {() => string} client returns the name of this client
   */
  constructor(base, fetcher = (...request) => fetch(...request), client = () => 'web') {
    this.#base = new URL('api/v1/', base);
    this.#fetch = fetcher;
    this.#client = client;
  }

  /** @param {string} token the token. The server answers with a cookie, which the browser stores, and which no script can read. */
  async logIn(token) {
    await this.#exchange('POST', 'login', { token });
    this.#logins += 1;
  }
  /**
   * Sends a command as an HTTP request.
   * @param {string} operation its `operationId`
   * @param {import('./operations.js').Arguments} [values]
   * @param {CommandOptions} [options]
   * @returns {Promise<Answer>}
   */
  async command(operation, values, options = {}) {
    const { ifMatch, idempotencyKey, notAfter, timeout = timeoutOf(operation) } = options;
    const { method, path, body } = requestOf(operation, values);
    /** @type {Record<string, string>} */
    const fields = {};
    if (ifMatch) fields['If-Match'] = ifMatch;
    if (idempotencyKey) fields['Idempotency-Key'] = idempotencyKey;
    if (notAfter !== undefined) fields['Tonearm-Not-After'] = String(notAfter);
    return this.#exchange(method, path, body, timeout, fields);
  }
  /**
   * @param {string} itemId @param {number} [size] the maximum length of the picture's longer side, in pixels; without it the picture is not scaled
   * @param {string} [epoch] the run of the server that has the item; then the browser keeps the picture without asking again
   */
  artworkAddress(itemId, size, epoch) {
    const query = size ? `?size=${size}${epoch ? `&epoch=${encodeURIComponent(epoch)}` : ''}` : '';
    return new URL(`items/${encodeURIComponent(itemId)}/artwork${query}`, this.#base).href;
  }
  /** @param {string} path the path of a file of the library @param {number} size as of `artworkAddress` */
  libraryArtworkAddress(path, size) {
    return new URL(`library/artwork?path=${encodeURIComponent(path)}${size ? `&size=${size}` : ''}`, this.#base).href;
  }
  /**
   * Returns the address of the events. In these events, a change of the state contains only the members that have changed.
   * @param {'socket' | 'stream'} kind
   * @param {string} lastEventId an empty id means that the events begin with the present state
   */
  eventsAddress(kind, lastEventId) {
    const address = new URL(kind === 'socket' ? 'socket' : 'events', this.#base);
    if (kind === 'socket') address.protocol = address.protocol.replace('http', 'ws');
    // The type `state` includes `stateChange`.
    const without = kind === 'socket' ? ['stateChange', 'heartbeat'] : ['stateChange'];
    const types = TYPES.filter((type) => !without.includes(type)).join(',');
    address.search = `state=changes&types=${types}${lastEventId ? `&lastEventId=${encodeURIComponent(lastEventId)}` : ''}`;
    return address.href;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {number} [timeout] the maximum time for the response, in seconds
   * @param {Record<string, string>} [fields] further header fields
   * @returns {Promise<Answer>}
   */
  async #exchange(method, path, body, timeout = TIMEOUT, fields = {}) {
    /** @type {Record<string, string>} */
    const headers = { Accept: 'application/json', 'Tonearm-Client': inBytes(this.#client()), ...fields };
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

/** @param {string} text @returns {string} the text's bytes in UTF-8 as a string, which a header field can contain */
function inBytes(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** @param {string} text @returns {any} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The text is empty (a response 204), or is not JSON, such as the error page of a proxy.
  }
}
