// @ts-check
/**
 * The server's monotonic clock, as seen from here. Positions are computed from `anchor {time, hostTime, rate}`, so every remote that knows the
 * server's clock shows the same time, however wrong its own clock is.
 *
 * Each piece of evidence bounds the offset (server time − our time). A round trip says: the server read its clock between our sending and our
 * receiving, so the offset lies in [hostTime − received, hostTime − sent]. An event says only: it was stamped before it came, so the offset is at
 * least hostTime − received. The bounds kept are the tightest ones; the smallest round trip therefore wins. They loosen slowly as they age,
 * because no two quartz crystals agree.
 */

/** Seconds by which two clocks may drift apart in a second: quartz plus what NTP may slew. */
const DRIFT = 2e-4;
/** Bounds that contradict each other by more than this (seconds) mean that one of the clocks was stopped or set. */
const CONTRADICTION = 0.02;

/** @typedef {{value: number, at: number}} Bound  An offset in seconds, and when (our time) it was learnt. */

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

  /** Our own clock, in seconds: what `sent` and `received` are measured with. */
  now() {
    return this.#now();
  }

  /** Whether the offset is bounded at all. */
  get isKnown() {
    return this.#low !== null;
  }

  /** Half the width of what the offset may be, in seconds; infinite until a round trip was measured. */
  get uncertainty() {
    if (!this.#low || !this.#high) return Infinity;
    return Math.max(0, this.#highAt(this.#now()) - this.#lowAt(this.#now())) / 2;
  }

  /** Server time minus our time, in seconds; 0 while nothing is known. */
  get offset() {
    const now = this.#now();
    if (!this.#low) return 0;
    // With a lower bound only, the bound itself is the best guess: delays are short.
    if (!this.#high) return this.#low.value;
    return (this.#lowAt(now) + this.#highAt(now)) / 2;
  }

  /** The server's clock now, in seconds. */
  hostNow() {
    return this.#now() + this.offset;
  }

  /**
   * Takes in a round trip of `GET /api/v1/clock`.
   * @param {number} sent our time when the request left
   * @param {number} received our time when the answer was here
   * @param {number} hostTime the server's clock in between
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
   * Takes in the `hostTime` of an event. Replayed events are old and change nothing.
   * @param {number} received our time when the event came
   * @param {number} hostTime the server's clock when it was made
   */
  addEvent(received, hostTime) {
    if (!Number.isFinite(received) || !Number.isFinite(hostTime)) return;
    const value = hostTime - received;
    if (this.#high && value > this.#highAt(received) + CONTRADICTION) this.reset();
    if (!this.#low || value > this.#lowAt(received)) this.#low = { value, at: received };
  }

  /** Forgets everything: another server, or a clock that was stopped. */
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
 * Measures a few round trips, one after the other. A failed one ends it; what was learnt before stays.
 * @param {ServerClock} clock
 * @param {() => Promise<{hostTime: number}>} readHostTime asks the server
 * @param {number} rounds
 */
export async function synchronize(clock, readHostTime, rounds = 5) {
  for (let round = 0; round < rounds; round += 1) {
    const sent = clock.now();
    const { hostTime } = await readHostTime();
    clock.addRoundTrip(sent, clock.now(), hostTime);
  }
}
