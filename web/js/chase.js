// @ts-check
/**
 * The chase pattern (R-SEEK-15): keeps one operation in flight, and only the newest requested value. A finger on a slider requests sixty values a
 * second. If each value were sent, it would cancel the preceding operation, and no value would take effect.
 *
 * @template V, R
 */
export class Chase {
  #perform;
  #settled;
  #failed;
  #isBusy = false;
  /** @type {{value: V} | null} */
  #next = null;
  /** Increases with each `cancel`; the results of operations that began before the last `cancel` are ignored. */
  #era = 0;

  /**
   * @param {(value: V) => Promise<R>} perform carries out one operation
   * @param {(value: V, reply: R) => void} settled called after the newest requested value was reached
   * @param {(value: V, error: unknown) => void} failed called after the newest requested value was rejected
   */
  constructor(perform, settled, failed) {
    this.#perform = perform;
    this.#settled = settled;
    this.#failed = failed;
  }

  /** Whether an operation of the chase is in flight. */
  get isBusy() {
    return this.#isBusy;
  }

  /** @param {V} value the new requested value, which replaces the value requested before */
  want(value) {
    this.#next = { value };
    if (!this.#isBusy) void this.#run();
  }

  /** Discards the requested value. The operation in flight continues, but its result is not reported. */
  cancel() {
    this.#next = null;
    this.#era += 1;
  }

  async #run() {
    this.#isBusy = true;
    while (this.#next) {
      const era = this.#era;
      const { value } = /** @type {{value: V}} */ (this.#next);
      this.#next = null;
      /** @type {() => void} */
      let tell;
      try {
        const reply = await this.#perform(value);
        tell = () => this.#settled(value, reply);
      } catch (error) {
        // Only the failure of the newest value is reported, because a newer value may succeed.
        tell = () => this.#failed(value, error);
      }
      if (!this.#next && era === this.#era) {
        this.#isBusy = false;
        tell();
        return;
      }
    }
    this.#isBusy = false;
  }
}
