// @ts-check
/**
 * The chase pattern (R-SEEK-15): performs one operation (such as a seek) at a time. Of the values that are requested meanwhile, it keeps only the
 * newest, and performs it next. A finger on a slider requests sixty values a second. If each value were sent, it would cancel the operation for the
 * preceding value, and no value would take effect.
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
  /** The number of calls of `cancel`. The result of an operation is ignored if the number has changed since the operation began. */
  #era = 0;

  /**
   * @param {(value: V) => Promise<R>} perform carries out the operation for a requested value
   * @param {(value: V, reply: R) => void} settled called after the operation for the newest requested value succeeded
   * @param {(value: V, error: unknown) => void} failed called after the operation for the newest requested value failed
   */
  constructor(perform, settled, failed) {
    this.#perform = perform;
    this.#settled = settled;
    this.#failed = failed;
  }

  /** @param {V} value the new requested value; it replaces an older requested value whose operation has not begun */
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
        // If a newer value was requested during the operation, the failure is not reported, because the newer value may succeed.
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
