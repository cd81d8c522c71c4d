// @ts-check
import { Refusal, timeoutOf, Unreachable } from './api.js';
import { isChange } from './operations.js';
/** @typedef {import('./api.js').Answer} Answer */
/** @typedef {import('./api.js').CommandOptions} CommandOptions */
/** @typedef {import('./timers.js').Timers} Timers */
/**
 * @typedef {object} Message  a command on its way
 * @property {string} id
 * @property {string} operation
 * @property {Record<string, any>} values
 * @property {string} [ifMatch]
 * @property {string} [idempotencyKey]
 * @property {number} [notAfter] the time of the server's clock after which the command must not be carried out, because the page has given it up
 */
/** @typedef {{send: (message: Message) => void}} Carrier  a connection that carries commands */
/**
 * @typedef {object} Pending
 * @property {Message} message
 * @property {(answer: Answer) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {number} timeout
 * @property {number} timer
 * @property {number} deadline the time of the page's clock at which the command fails
 * @property {Carrier | null} carrier the connection on which the command was last sent; null if it was not sent yet
 * @property {boolean} isRepeated
 * @property {boolean} isTimedAgain whether the server has refused the command as too late, by a wrong estimate of its clock
 */

/** The longest time for which a command waits for a connection, in seconds. After this time the command fails. */
const UNSENT = 5;
/** The pause before a repeated command is sent once more, in seconds, if the server answers that it still carries out the first one. */
const IN_PROGRESS = 0.5;

/**
 * The commands that have no answer yet. If the connection on which a command was sent has ended, or may have lost the command, the command is sent
 * once more, within its time limit. If it then gets no answer either, it fails with `Unreachable`, because its effect is unknown. A change has a key
 * (`Idempotency-Key`), by which the server carries it out only once, unless it is restarted in between.
 */
export class Commands {
  #timers;
  #makeKey;
  #clock;
  /** @type {Map<string, Pending>} */
  #pending = new Map();
  #count = 0;
  /** @type {Carrier | null} */
  #carrier = null;

  /**
   * @param {{timers: Timers, makeKey?: () => string, clock?: Pick<import('./clock.js').ServerClock, 'now' | 'hostAt'>}} parts without a clock, the
   *   server carries out a command whenever it arrives
   */
  constructor({ timers, makeKey = randomKey, clock }) {
    this.#timers = timers;
    this.#makeKey = makeKey;
    this.#clock = clock;
  }

  /**
   * @param {string} operation
   * @param {Record<string, any>} values
   * @param {CommandOptions} options
   * @returns {Promise<Answer>}
   */
  send(operation, values, { ifMatch, idempotencyKey, timeout = timeoutOf(operation) }) {
    const id = `c${(this.#count += 1)}`;
    const message = { id, operation, values, ifMatch, idempotencyKey: idempotencyKey ?? (isChange(operation) ? this.#makeKey() : undefined) };
    return new Promise((resolve, reject) => {
      /** @type {Pending} */
      const pending = { message, resolve, reject, timeout, timer: 0, deadline: Infinity, carrier: null, isRepeated: false, isTimedAgain: false };
      this.#pending.set(id, pending);
      pending.timer = this.#timers.start(() => this.#giveUp(pending), UNSENT);
      this.#transmit(pending);
    });
  }

  /**
   * Uses a connection from now on. Commands without an answer that were sent on another connection are repeated.
   * @param {Carrier} carrier
   */
  attach(carrier) {
    this.#carrier = carrier;
    for (const pending of [...this.#pending.values()]) if (pending.carrier !== carrier) this.#repeat(pending);
  }

  /** The connection has ended: commands wait for another one. */
  detach() {
    this.#carrier = null;
  }

  /** Repeats the commands without an answer, because a connection that is still used may have lost them. */
  repeatAll() {
    for (const pending of [...this.#pending.values()]) this.#repeat(pending);
  }

  /** Lets all commands without an answer fail. */
  abandon() {
    for (const pending of [...this.#pending.values()]) this.#giveUp(pending);
  }

  /**
   * Receives an answer, from any connection.
   * @param {string} id
   * @param {unknown} error null if the command succeeded
   * @param {Answer} [answer]
   */
  answered(id, error, answer) {
    const pending = this.#pending.get(id);
    if (!pending) return;
    if (error instanceof Refusal && pending.isRepeated && error.problem.type?.endsWith('/request-in-progress')) {
      this.#timers.start(() => this.#pending.has(id) && this.#transmit(pending), IN_PROGRESS);
      return;
    }
    // After a sleep of the page or a change of the server, the time was computed by an old estimate. The answers since have corrected it.
    if (error instanceof Refusal && !pending.isTimedAgain && error.problem.type?.endsWith('/command-expired')) {
      pending.isTimedAgain = true;
      return this.#transmit(pending);
    }
    this.#end(pending);
    if (error === null && answer) pending.resolve(answer);
    else pending.reject(error);
  }

  /** @param {Pending} pending */
  #transmit(pending) {
    if (!this.#carrier) return;
    if (!pending.carrier) {
      this.#timers.stop(pending.timer);
      pending.timer = this.#timers.start(() => this.#giveUp(pending), pending.timeout);
      pending.deadline = (this.#clock?.now() ?? 0) + pending.timeout;
    }
    const notAfter = isChange(pending.message.operation) ? this.#clock?.hostAt(pending.deadline) : undefined;
    if (notAfter !== undefined) pending.message.notAfter = Math.max(0, notAfter);
    pending.carrier = this.#carrier;
    this.#carrier.send(pending.message);
  }

  /** @param {Pending} pending */
  #repeat(pending) {
    if (pending.carrier && pending.isRepeated) return this.#giveUp(pending);
    pending.isRepeated = pending.carrier !== null;
    this.#transmit(pending);
  }

  /** @param {Pending} pending */
  #giveUp(pending) {
    this.#end(pending);
    pending.reject(new Unreachable(pending.carrier !== null));
  }

  /** @param {Pending} pending */
  #end(pending) {
    this.#timers.stop(pending.timer);
    this.#pending.delete(pending.message.id);
  }
}

/** Returns a new random key. The function `crypto.randomUUID` exists only in secure contexts. */
export function randomKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
