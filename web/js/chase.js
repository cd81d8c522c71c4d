// @ts-check
/**
 * The chase pattern (R-SEEK-15): one operation in flight and the newest wanted value, nothing else. A finger on a slider wants sixty values a
 * second; sent one by one, each would cancel the one before and none would ever be heard.
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
  /** Grows when everything wanted so far is given up; answers to older operations are then ignored. */
  #era = 0;

  /**
   * @param {(value: V) => Promise<R>} perform carries out one operation
   * @param {(value: V, reply: R) => void} settled the newest wanted value was reached
   * @param {(value: V, error: unknown) => void} failed the newest wanted value was refused
   */
  constructor(perform, settled, failed) {
    this.#perform = perform;
    this.#settled = settled;
    this.#failed = failed;
  }

  /** Whether an operation is in flight. */
  get isBusy() {
    return this.#isBusy;
  }

  /** @param {V} value replaces what was wanted before */
  want(value) {
    this.#next = { value };
    if (!this.#isBusy) void this.#run();
  }

  /** Gives up what is wanted. The operation in flight cannot be recalled, but its outcome is no longer told. */
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
        // A newer wish may succeed where this one failed; only the newest one's failure is worth a word.
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
