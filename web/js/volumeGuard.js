// @ts-check
import { realTimers } from './link/timers.js';
/** @typedef {import('./link/timers.js').Timers} Timers */

/** The volume up to which any single gesture may raise, 0…1. */
const FREE = 0.7;
/** The volume above which every raise needs a second gesture. */
const LOUD = 0.85;
/** The largest raise by one gesture between the two volumes above (`FREE` and `LOUD`). */
const RISE = 0.25;
/** The time in which a second gesture confirms a raise, and in which a confirmed raise can be continued, in seconds. */
const PATIENCE = 6;
/** The difference of volumes that only rounding makes: steps of 5 % do not add up exactly. */
const ROUNDING = 0.001;

/**
 * Returns the highest volume that one gesture reaches.
 * @param {number} before the volume before the gesture, 0…1
 */
export function ceiling(before) {
  return before >= LOUD ? before : Math.min(Math.max(FREE, before + RISE), LOUD);
}

/**
 * Protects ears from a sudden raise: a gesture that would raise the volume above its ceiling stops there, and only a second gesture within a few
 * seconds goes on. A gesture is a drag, a tap, or a pressed key with its repetitions.
 */
export class VolumeGuard {
  #timers;
  #changed;
  #ceiling = 1;
  #isRefused = false;
  #timer = 0;
  /** @type {'none' | 'asked' | 'confirmed'} */
  #phase = 'none';

  /**
   * @param {() => void} changed called when `isAsking` has changed
   * @param {Timers} timers
   */
  constructor(changed, timers = realTimers) {
    this.#changed = changed;
    this.#timers = timers;
  }

  /** Whether a raise was stopped, and a second gesture would confirm it. */
  get isAsking() {
    return this.#phase === 'asked';
  }

  /** @param {number} volume the volume before a gesture that begins now */
  begin(volume) {
    this.#isRefused = false;
    this.#ceiling = this.#phase === 'none' ? ceiling(volume) : 1;
  }

  /**
   * Returns the volume that the gesture may set.
   * @param {number} wanted
   */
  limit(wanted) {
    if (wanted <= this.#ceiling + ROUNDING) return wanted;
    this.#isRefused = true;
    this.#enter('asked');
    return this.#ceiling;
  }

  /**
   * Ends a gesture. If it was the second gesture, which has confirmed a raise, further raises need no confirmation for some seconds.
   * @param {number} volume the volume after the gesture
   */
  end(volume) {
    if (this.#isRefused) return;
    if (volume <= FREE) this.#enter('none');
    else if (this.#phase !== 'none') this.#enter('confirmed');
  }

  /** @param {'none' | 'asked' | 'confirmed'} phase */
  #enter(phase) {
    this.#timers.stop(this.#timer);
    if (phase !== 'none') this.#timer = this.#timers.start(() => this.#enter('none'), PATIENCE);
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#changed();
  }
}
