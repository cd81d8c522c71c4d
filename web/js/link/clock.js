// @ts-check
/**
 * An estimate of the server's monotonic clock. Positions are computed from `anchor {time, hostTime, rate}`. So every remote that knows the server's
 * clock shows the same time, even if the remote's own clock is wrong.
 *
 * Each measurement bounds the offset of the two clocks (server time − page time). In a round trip the server reads its clock between the page's
 * sending and receiving, so the offset is in [hostTime − received, hostTime − sent]. An event was stamped before it arrived, so the offset is at
 * least hostTime − received. The tightest bounds of the offset are kept, which are the bounds of the shortest round trip. The bounds widen slowly
 * with age, because no two quartz crystals have the same frequency.
 */

/**
 * The maximum drift between the server's clock and the page's clock, in seconds per second. Clocks drift because a quartz is inexact, and because NTP
 * makes a clock run faster or slower to correct it.
 */
const DRIFT = 2e-4;
/** If the lower bound of the offset exceeds the upper bound by more than this time, in seconds, one of the two clocks was stopped or set. */
const CONTRADICTION = 0.02;

/** @typedef {{value: number, at: number}} Bound  a bound of the clocks' offset in seconds, and the page's time of its measurement */

export class ServerClock {
  /** @type {() => number} */
  #now;
  /** @type {Bound | null} */
  #low = null;
  /** @type {Bound | null} */
  #high = null;

  /** @param {() => number} now the page's own monotonic clock, in seconds */
  constructor(now = () => performance.now() / 1000) {
    this.#now = now;
  }

  /** The time of the page's own clock now, in seconds. */
  now() {
    return this.#now();
  }

  /** The uncertainty of the offset: half the width of its possible range, in seconds; infinite until a round trip was measured. */
  get uncertainty() {
    if (!this.#low || !this.#high) return Infinity;
    return Math.max(0, this.#highAt(this.#now()) - this.#lowAt(this.#now())) / 2;
  }

  /** The estimated offset of the clocks: server time minus page time, in seconds; 0 until it is known. */
  get offset() {
    const now = this.#now();
    if (!this.#low) return 0;
    // Without an upper bound, the lower bound is the best estimate of the offset: it is too low only by the delay of an event, which is short.
    if (!this.#high) return this.#low.value;
    return (this.#lowAt(now) + this.#highAt(now)) / 2;
  }

  /**
   * The estimated time of the server's clock at a time of the page's clock, in seconds; undefined until it is known.
   * @param {number} time
   */
  hostAt(time) {
    return this.#low ? time + this.offset : undefined;
  }

  /** The estimated time of the server's clock now, in seconds. */
  hostNow() {
    return this.#now() + this.offset;
  }

  /**
   * Adds the measurement of a round trip of `GET /api/v1/clock`.
   * @param {number} sent the page's time when the request was sent
   * @param {number} received the page's time when the response was received
   * @param {number} hostTime the time of the server's clock between sending and receiving
   */
  addRoundTrip(sent, received, hostTime) {
    if (![sent, received, hostTime].every(Number.isFinite) || received < sent) return;
    const low = { value: hostTime - received, at: received };
    const high = { value: hostTime - sent, at: received };
    const isContradicted =
      (this.#high && low.value > this.#highAt(received) + CONTRADICTION) ||
      (this.#low && high.value < this.#lowAt(received) - CONTRADICTION);
    if (isContradicted) this.reset();
    if (!this.#low || low.value > this.#lowAt(received)) this.#low = low;
    if (!this.#high || high.value < this.#highAt(received)) this.#high = high;
  }

  /**
   * Adds the `hostTime` of an event as a lower bound of the offset. The bound of a replayed event is too low to have an effect, because the event is
   * old.
   * @param {number} received the page's time when the event arrived
   * @param {number} hostTime the time of the server's clock when the event was created
   */
  addEvent(received, hostTime) {
    if (!Number.isFinite(received) || !Number.isFinite(hostTime)) return;
    const value = hostTime - received;
    if (this.#high && value > this.#highAt(received) + CONTRADICTION) this.reset();
    if (!this.#low || value > this.#lowAt(received)) this.#low = { value, at: received };
  }

  /**
   * Discards all bounds of the offset. The bounds are invalid if the page has connected to another run of the server, or if one of the two clocks was
   * stopped or set.
   */
  reset() {
    this.#low = null;
    this.#high = null;
  }

  /** @param {number} now */
  #lowAt(now) {
    const bound = /** @type {Bound} */ (this.#low);
    return bound.value - DRIFT * Math.max(0, now - bound.at);
  }

  /** @param {number} now */
  #highAt(now) {
    const bound = /** @type {Bound} */ (this.#high);
    return bound.value + DRIFT * Math.max(0, now - bound.at);
  }
}

/**
 * Measures some round trips of `GET /api/v1/clock`, one after the other. If a request fails, the function throws its error; the clock keeps the
 * measurements of the preceding round trips.
 * @param {ServerClock} clock
 * @param {() => Promise<{hostTime: number}>} readHostTime requests the time of the server's clock
 * @param {number} rounds the number of round trips
 */
export async function synchronize(clock, readHostTime, rounds = 5) {
  for (let round = 0; round < rounds; round += 1) {
    const sent = clock.now();
    const { hostTime } = await readHostTime();
    clock.addRoundTrip(sent, clock.now(), hostTime);
  }
}
