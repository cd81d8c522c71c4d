// @ts-check
/**
 * An estimate of the server's monotonic clock. Positions are computed from `anchor {time, hostTime, rate}`. So every remote that knows the server's
 * clock shows the same time, even if its own clock is wrong.
 *
 * Each measurement bounds the offset (server time − our time). In a round trip the server reads its clock between our sending and receiving, so
 * the offset is in [hostTime − received, hostTime − sent]. An event was stamped before it arrived, so the offset is at least hostTime − received.
 * The tightest bounds are kept, which are those of the shortest round trip. They widen slowly with age, because no two quartz crystals have the
 * same frequency.
 */

/** Maximum drift between two clocks, in seconds per second: the error of the quartz plus the slew of NTP. */
const DRIFT = 2e-4;
/** Bounds that contradict each other by more than this (seconds) mean that one of the clocks was stopped or set. */
const CONTRADICTION = 0.02;

/** @typedef {{value: number, at: number}} Bound  An offset in seconds, and the time (ours) of its measurement. */

export class ServerClock {
  /** @type {() => number} */
  #now;
  /** @type {Bound | null} */
  #low = null;
  /** @type {Bound | null} */
  #high = null;

  /** @param {() => number} now our own monotonic clock, in seconds */
  constructor(now = () => performance.now() / 1000) {
    this.#now = now;
  }

  /** Our own clock, in seconds. `sent` and `received` are times of this clock. */
  now() {
    return this.#now();
  }

  /** Whether the offset is bounded at all. */
  get isKnown() {
    return this.#low !== null;
  }

  /** Half the width of the offset's range, in seconds; infinite until a round trip was measured. */
  get uncertainty() {
    if (!this.#low || !this.#high) return Infinity;
    return Math.max(0, this.#highAt(this.#now()) - this.#lowAt(this.#now())) / 2;
  }

  /** Server time minus our time, in seconds; 0 until it is known. */
  get offset() {
    const now = this.#now();
    if (!this.#low) return 0;
    // Without an upper bound, the lower bound is the best estimate, because delays are short.
    if (!this.#high) return this.#low.value;
    return (this.#lowAt(now) + this.#highAt(now)) / 2;
  }

  /** The server's clock now, in seconds. */
  hostNow() {
    return this.#now() + this.offset;
  }

  /**
   * Adds a round trip of `GET /api/v1/clock`.
   * @param {number} sent our time when the request was sent
   * @param {number} received our time when the response was received
   * @param {number} hostTime the server's clock between the two
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
   * Adds the `hostTime` of an event. Replayed events are old, and have no effect.
   * @param {number} received our time when the event arrived
   * @param {number} hostTime the server's clock when the event was created
   */
  addEvent(received, hostTime) {
    if (!Number.isFinite(received) || !Number.isFinite(hostTime)) return;
    const value = hostTime - received;
    if (this.#high && value > this.#highAt(received) + CONTRADICTION) this.reset();
    if (!this.#low || value > this.#lowAt(received)) this.#low = { value, at: received };
  }

  /** Discards all bounds: the server is another one, or a clock was stopped. */
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
 * Measures some round trips, one after the other. Stops after a failed one; earlier measurements are kept.
 * @param {ServerClock} clock
 * @param {() => Promise<{hostTime: number}>} readHostTime requests the server's clock
 * @param {number} rounds
 */
export async function synchronize(clock, readHostTime, rounds = 5) {
  for (let round = 0; round < rounds; round += 1) {
    const sent = clock.now();
    const { hostTime } = await readHostTime();
    clock.addRoundTrip(sent, clock.now(), hostTime);
  }
}
