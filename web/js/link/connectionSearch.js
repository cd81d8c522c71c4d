// @ts-check
import { Refusal } from './api.js';
/** @typedef {import('./socket.js').Connection} Connection */
/** @typedef {'socket' | 'stream'} Kind */
/** @typedef {(kind: Kind) => Connection} Connect */

/** The pauses before the next attempt after the first, second, … failure, in seconds; after further failures, the last pause applies. */
const PAUSES = [0.2, 0.5, 1, 1, 2];
/**
 * The time after which a further attempt begins, even if no attempt has failed, in seconds. Each attempt except the first also sends a request by
 * HTTP.
 */
const HEDGE = 1.5;
/**
 * The lifetime of an attempt: `LIFETIME` seconds while the time of a round trip is not known; otherwise `ROUND_TRIPS` round trips, but at least
 * `SHORT_LIFETIME` seconds.
 */
const LIFETIME = 5;
const SHORT_LIFETIME = 2;
const ROUND_TRIPS = 6;
/** The number of connections that are opened before the server has responded by HTTP. Browsers delay the sockets of a page whose sockets fail. */
const DIRECT = 4;
/** The age of an attempt up to which no further attempt is made, even if the server responds by HTTP, in seconds. */
const YOUNG = 0.5;
/** The number of sockets that could not be opened, while HTTP works, after which the search opens an event stream instead. */
const REFUSALS = 2;
/** The pause of the search after a connection that has ended soon after it was opened, in seconds. */
const CALM = 0.5;
/** The number of failures (of connections and of requests by HTTP, without a success between them) after which the server counts as lost. */
const LOST = 5;

/** The search for a connection to the server: several attempts may be in progress, and the first one that works is used. */
export class ConnectionSearch {
  #connect;
  #probe;
  #timers;
  #later;
  #wallClock;
  #isNeeded;
  #lost;
  #roundTrip;
  /** @type {Set<Connection>} */
  #candidates = new Set();
  /**
   * The kind of connection that is looked for: `stream` if sockets do not work here.
   * @type {Kind}
   */
  kind = 'socket';
  #refusals = 0;
  #attempts = 0;
  /** The number of connections that were opened before the server had responded by HTTP. */
  #sockets = 0;
  #failures = 0;
  #probes = 0;
  #triedAt = -Infinity;
  #timer = 0;

  /**
   * @param {object} parts
   * @param {Connect} parts.connect
   * @param {() => Promise<unknown>} parts.probe sends a request by HTTP, which shows whether the server can be reached
   * @param {import('./timers.js').Timers} parts.timers
   * @param {(action: () => void, seconds: number) => number} parts.later starts a timer whose action is left out if the page slept
   * @param {() => number} parts.wallClock
   * @param {() => boolean} parts.isNeeded whether no connection works
   * @param {() => number} parts.roundTrip the time of a round trip, in seconds; 0 if it is not known
   * @param {() => void} parts.lost called after several failures
   */
  constructor({ connect, probe, timers, later, wallClock, isNeeded, roundTrip, lost }) {
    this.#connect = connect;
    this.#probe = probe;
    this.#timers = timers;
    this.#later = later;
    this.#wallClock = wallClock;
    this.#isNeeded = isNeeded;
    this.#roundTrip = roundTrip;
    this.#lost = lost;
  }

  /** Begins at once, as if nothing had failed. */
  begin() {
    this.#attempts = this.#failures = this.#sockets = 0;
    // Several reasons to begin may arrive together, as after a page has become visible.
    if (this.#candidates.size > 0 && this.#wallClock() - this.#triedAt < YOUNG) return;
    for (const candidate of this.#candidates) this.#drop(candidate);
    this.#attempt();
  }
  /** Continues after a connection that has ended soon after it was opened. */
  resume() {
    this.#attempts = this.#failures = this.#sockets = 0;
    this.#timers.stop(this.#timer);
    this.#timer = this.#later(() => this.#attempt(), CALM);
  }
  /** Ends the search. */
  end() {
    this.#timers.stop(this.#timer);
    for (const candidate of this.#candidates) this.#drop(candidate);
  }
  /** Sets the counts of failures to 0, because a connection has proved to work. */
  succeeded() {
    this.#failures = this.#refusals = 0;
  }

  /** Returns whether a connection is still being opened. @param {Connection} connection */
  has(connection) {
    return this.#candidates.has(connection);
  }
  /**
   * Takes a connection out of the search, and ends the other attempts.
   * @param {Connection} connection
   */
  take(connection) {
    this.#candidates.delete(connection);
    this.kind = connection.kind;
    this.#failures = 0;
    this.end();
  }
  /** @param {Connection} connection a connection that could not be opened */
  remove(connection) {
    if (!this.#candidates.delete(connection)) return;
    if (connection.kind === 'socket') this.#refusals += 1;
    this.#failed();
  }

  /**
   * Opens a connection. A browser opens only one socket to a server at a time, so an older attempt is closed.
   * @param {Kind} kind
   */
  try(kind) {
    for (const candidate of this.#candidates) if (candidate.kind === kind) this.#drop(candidate);
    this.#triedAt = this.#wallClock();
    const candidate = this.#connect(kind);
    this.#candidates.add(candidate);
    const roundTrip = this.#roundTrip();
    this.#timers.start(() => {
      if (!this.#candidates.has(candidate)) return;
      candidate.close();
      this.remove(candidate);
    }, roundTrip > 0 ? Math.max(SHORT_LIFETIME, ROUND_TRIPS * roundTrip) : LIFETIME);
  }

  /** @param {Connection} candidate */
  #drop(candidate) {
    this.#candidates.delete(candidate);
    candidate.close();
  }

  #attempt() {
    this.#timers.stop(this.#timer);
    if (!this.#isNeeded()) return;
    this.#timer = this.#later(() => this.#attempt(), HEDGE);
    this.#attempts += 1;
    if (this.#sockets < DIRECT && this.#candidates.size === 0) {
      this.#sockets += 1;
      this.try(this.kind);
    }
    if (this.#attempts > 1) void this.#tryByHTTP();
  }

  async #tryByHTTP() {
    this.#probes += 1;
    try {
      await this.#probe();
      this.#probes -= 1;
    } catch (error) {
      this.#probes -= 1;
      this.#refusals = 0;
      // Without an accepted token no connection is possible, so the search ends. It starts again only with a call of `begin`.
      if (error instanceof Refusal && error.status === 401) return this.end();
      return this.#failed();
    }
    if (!this.#isNeeded()) return;
    const isRefused = this.kind === 'socket' && this.#refusals >= REFUSALS;
    if (isRefused) this.kind = 'stream';
    if (isRefused || this.#wallClock() - this.#triedAt > YOUNG) this.try(this.kind);
  }

  #failed() {
    if (!this.#isNeeded()) return;
    this.#failures += 1;
    if (this.#failures >= LOST) this.#lost();
    if (this.#candidates.size > 0 || this.#probes > 0) return;
    this.#timers.stop(this.#timer);
    this.#timer = this.#later(() => this.#attempt(), PAUSES[Math.min(this.#failures, PAUSES.length) - 1] ?? 1);
  }
}
