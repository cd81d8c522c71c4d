// @ts-check
import { realTimers } from './timers.js';
/** @typedef {import('./timers.js').Timers} Timers */

/** The types of the events that the page receives. The page does not need `tick`, because it computes the position from the anchor. */
const TYPES = [
  'state', 'stateChange', 'rateDidChange', 'timeJumped', 'didPlayToEndTime', 'failedToPlayToEndTime', 'playbackStalled', 'queue', 'metadata',
  'routeChange', 'interruption', 'network', 'heartbeat',
];
/**
 * The longest time without an event on a working connection, in seconds. The server sends a heartbeat every 15 s. So a longer silence means that the
 * connection is dead, even if the browser reports it open.
 */
const SILENCE = 22;
/** The maximum time until a new connection of the event stream opens or receives an event, in seconds. */
const PATIENCE = 10;
/** The waiting times after the first, second, … consecutive failure of a connection, in seconds; after further failures the last time applies. */
const PAUSES = [0.2, 1, 2, 4, 8];
/** The values of `EventSource.readyState`. */
const CONNECTING = 0;
const OPEN = 1;

/**
 * Keeps an EventSource open as long as the page exists. The browser's own reconnection is not enough: it does not detect a connection that ended
 * silently (a phone that slept, a router that lost its table), and does not reconnect after an error status.
 *
 * Dispatches `status` ({status}) and `message` ({type, data}) as CustomEvents.
 */
export class EventStream extends EventTarget {
  #address;
  #makeSource;
  #timers;
  #wallClock;
  /** @type {EventSource | null} */
  #source = null;
  #watchdog = 0;
  #retry = 0;
  #attempts = 0;
  #isLost = false;
  #startedAt = 0;
  #lastHeard = 0;
  #isWanted = false;
  #lastEventId = '';

  /**
   * @param {(lastEventId: string) => string} address returns the address of a stream with the events after `lastEventId`; an empty id means that the
   *   stream begins with the present state
   * @param {object} edges the parts of the browser that tests replace
   * @param {(url: string) => EventSource} [edges.makeSource]
   * @param {Timers} [edges.timers]
   * @param {() => number} [edges.wallClock] a clock in seconds that also runs while the machine sleeps
   */
  constructor(address, { makeSource = (url) => new EventSource(url), timers = realTimers, wallClock = () => Date.now() / 1000 } = {}) {
    super();
    this.#address = address;
    this.#makeSource = makeSource;
    this.#timers = timers;
    this.#wallClock = wallClock;
  }

  /** The id of the newest event with an id. The next connection receives the events after this event. */
  get lastEventId() {
    return this.#lastEventId;
  }

  /** Opens the event stream and keeps it open. */
  open() {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#attempts = 0;
    this.#connect();
  }

  /** Closes the event stream, so that a hidden page keeps no connection. The method `open` resumes the stream after the last received event. */
  close() {
    this.#isWanted = false;
    this.#dropConnection();
    this.#timers.stop(this.#retry);
  }

  /**
   * Reconnects immediately, unless events arrive or a new connection is being opened. The method is called after the page became visible or the
   * network returned.
   */
  wake() {
    if (!this.#isWanted) return;
    const now = this.#wallClock();
    const isAlive = this.#source?.readyState === OPEN && now - this.#lastHeard < SILENCE;
    const isOnItsWay = this.#source?.readyState === CONNECTING && now - this.#startedAt < PATIENCE;
    if (isAlive || isOnItsWay) return;
    this.#attempts = 0;
    this.#connect();
  }

  /** Begins a new event stream, whose first event is the whole state. The method is called if an event is missing. */
  restart() {
    this.#lastEventId = '';
    if (!this.#isWanted) return;
    this.#attempts = 0;
    this.#connect();
  }

  #connect() {
    this.#dropConnection();
    this.#timers.stop(this.#retry);
    this.#tellStatus(this.#isLost ? 'lost' : this.#attempts === 0 ? 'connecting' : 'reconnecting');
    this.#startedAt = this.#wallClock();
    const source = this.#makeSource(this.#address(this.#lastEventId));
    this.#source = source;
    this.#arm(PATIENCE);
    source.onopen = () => this.#heard(source);
    source.onerror = () => this.#failed(source);
    for (const type of TYPES) source.addEventListener(type, (event) => this.#receive(source, /** @type {MessageEvent} */ (event)));
  }

  #dropConnection() {
    this.#timers.stop(this.#watchdog);
    this.#source?.close();
    this.#source = null;
  }

  /** @param {EventSource} source */
  #heard(source) {
    if (source !== this.#source) return;
    this.#attempts = 0;
    this.#isLost = false;
    this.#lastHeard = this.#wallClock();
    this.#arm(SILENCE);
    this.#tellStatus('open');
  }

  /** @param {EventSource} source @param {MessageEvent} event */
  #receive(source, event) {
    if (source !== this.#source) return;
    if (event.lastEventId) this.#lastEventId = event.lastEventId;
    this.#heard(source);
    let data;
    try {
      data = JSON.parse(event.data);
    } catch {
      return; // The data are not an event of this server. If a change of the state was lost, the next change reveals the gap.
    }
    this.dispatchEvent(new CustomEvent('message', { detail: { type: event.type, data } }));
  }

  /** @param {EventSource} source */
  #failed(source) {
    if (source !== this.#source) return;
    this.#dropConnection();
    const pause = PAUSES[Math.min(this.#attempts, PAUSES.length - 1)] ?? 1;
    // One failure of a connection is often short, so only a second consecutive failure is reported as a lost connection.
    if (this.#attempts > 0) this.#isLost = true;
    this.#tellStatus(this.#isLost ? 'lost' : 'reconnecting');
    this.#attempts += 1;
    this.#retry = this.#timers.start(() => this.#connect(), pause);
  }

  /** @param {number} seconds */
  #arm(seconds) {
    this.#timers.stop(this.#watchdog);
    const source = this.#source;
    this.#watchdog = this.#timers.start(() => source && this.#failed(source), seconds);
  }

  /** @param {import('./store.js').Connection} status */
  #tellStatus(status) {
    this.dispatchEvent(new CustomEvent('status', { detail: { status } }));
  }
}
