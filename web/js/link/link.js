// @ts-check
import { Refusal } from './api.js';
import { Commands } from './commands.js';
import { ConnectionSearch } from './connectionSearch.js';
import { realTimers } from './timers.js';
/** @typedef {import('./connectionSearch.js').Kind} Kind */
/** @typedef {import('./socket.js').Connection} Connection */
/** @typedef {import('./socket.js').Listener} Listener */
/** @typedef {import('./timers.js').Timers} Timers */

/** The intervals of the pings on a working connection, while the shown position moves and otherwise, in seconds. */
const MOVING = 1.5;
const RESTING = 5;
/** The smallest and the largest time limit for the answer to a ping, in seconds. Between them, the limit is 2.5 round trips. */
const PATIENCE = 1;
const MOST_PATIENCE = 2;
/** The least silence, in seconds, after which a page that wakes up does not trust its state until the server has answered. */
const SURE = 2;
/** If a timer fires later than planned by more than this time, in seconds, the page or the machine has slept. */
const SLEPT = 1;
/** If a connection ends within this time after it was opened, in seconds, the page pauses before it reconnects. */
const SHORT = 5;
/** The time for which the connection may be in doubt before it counts as lost, in seconds. */
const LOST_AFTER = 4;
/** The time after which a socket is tried again while an event stream is used, in seconds. */
const RETRY_SOCKET = 30;

/**
 * The connection to the server, which is kept as long as the page wants it. It carries the server's events and the page's commands.
 *
 * Only answers prove that a connection works: it may be dead although the browser reports it open (a phone that slept, a router that lost its table).
 * So the link pings. If an answer is late, or the page slept, the status is `checking`. The link then waits for an answer on this connection, and
 * opens a new one at the same time; the first that answers is used.
 *
 * Dispatches `status` ({status, silence}), `message` ({type, data}) and `clock` ({sent, received, hostTime}) as CustomEvents.
 */
export class Link extends EventTarget {
  #timers;
  #now;
  #wallClock;
  #isMoving;
  #commands;
  #search;
  /** @type {Connection | null} The connection whose events are shown. */
  #live = null;
  #isWanted = false;
  /** Whether the live connection has not answered in time. Until it is verified, its events are discarded. */
  #isDoubted = false;
  #isVerifying = false;
  /** Whether the position moved when the next ping was scheduled. */
  #wasMoving = false;
  /** @type {import('../store.js').Connection} */
  #status = 'connecting';
  #lastEventId = '';
  #revision = 0;
  /** The newest revision in the discarded events. */
  #skipped = 0;
  /** The time of the newest message, by both clocks. */
  #heard = { wall: -Infinity, now: -Infinity };
  #adoptedAt = 0;
  #roundTrip = 0;
  #count = 0;
  /** @type {{id: string, sent: number} | null} */
  #ping = null;
  #timer = { ping: 0, patience: 0, lost: 0, socket: 0 };

  /**
   * @param {object} parts
   * @param {(kind: Kind, lastEventId: string, listener: Listener) => Connection} parts.connect
   * @param {() => Promise<unknown>} parts.probe sends a request by HTTP, which shows whether the server can be reached
   * @param {() => boolean} [parts.isMoving] whether the shown position moves
   * @param {Timers} [parts.timers]
   * @param {() => number} [parts.now] the page's monotonic clock, in seconds
   * @param {() => number} [parts.wallClock] a clock in seconds that also runs while the machine sleeps
   * @param {() => string} [parts.makeKey]
   * @param {import('./clock.js').ServerClock} [parts.clock] the estimate of the server's clock, for the times at which commands are given up
   */
  constructor({
    connect, probe, isMoving = () => false, timers = realTimers, now = () => performance.now() / 1000, wallClock = () => Date.now() / 1000, makeKey,
    clock,
  }) {
    super();
    this.#isMoving = isMoving;
    this.#timers = timers;
    this.#now = now;
    this.#wallClock = wallClock;
    this.#commands = new Commands({ timers, makeKey, clock });
    this.#search = new ConnectionSearch({
      connect: (kind) => this.#connect(kind, connect), probe, timers, wallClock,
      later: (action, seconds) => this.#later(action, seconds),
      isNeeded: () => this.#isWanted && (!this.#live || this.#isDoubted),
      roundTrip: () => this.#roundTrip,
      lost: () => this.#setStatus('lost'),
    });
  }

  /** The kind of the connection: `stream` if sockets do not work here. */
  get kind() {
    return this.#search.kind;
  }

  /** @type {import('../remote.js').Command} */
  command(operation, values = {}, options = {}) {
    return this.#commands.send(operation, values, options);
  }

  /** Keeps a connection from now on. */
  open() {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#doubt(this.#status === 'connecting' ? 'connecting' : 'checking');
    this.#search.begin();
  }

  /** Closes the connection, so that a hidden page keeps nothing. The method `open` resumes after the last received event. */
  close() {
    this.#isWanted = false;
    for (const timer of Object.values(this.#timer)) this.#timers.stop(timer);
    this.#search.end();
    this.#leave();
    this.#commands.abandon();
  }

  /** Checks the connection now. It is called after the page became visible or got the focus, or after the network returned. */
  wake() {
    if (!this.#isWanted) return;
    if (this.kind === 'stream') this.#trySocket();
    if (!this.#live || this.#isDoubted) this.#search.begin();
    if (!this.#live) return;
    const silence = this.#wallClock() - this.#heard.wall;
    const isUnsure = silence > SURE || silence < 0;
    if (isUnsure) this.#doubt('checking');
    if (isUnsure && this.#live.kind === 'stream') this.#distrust();
    else this.#sendPing();
  }

  /** Requests the whole state, because an event is missing. */
  restart() {
    this.#lastEventId = '';
    if (!this.#live) return;
    this.#verify();
    this.#sendPing();
  }

  /** @param {Kind} kind @param {(kind: Kind, lastEventId: string, listener: Listener) => Connection} connect @returns {Connection} */
  #connect(kind, connect) {
    /** @type {Connection} */
    const connection = connect(kind, this.#lastEventId, {
      // An event stream is used after it has been opened; a socket after its first answer or event, because a dead socket may be reported as open.
      opened: () => (kind === 'stream' ? this.#adopt(connection) : connection.send({ id: this.#newId('p'), operation: 'getClock', values: {} })),
      event: (event) => this.#receive(connection, event),
      answered: (id, error, answer) => this.#answered(connection, id, error, answer),
      closed: () => this.#ended(connection),
    });
    return connection;
  }

  /** @param {Connection} connection the connection that is used from now on */
  #adopt(connection) {
    if (!this.#search.has(connection)) return;
    this.#search.take(connection);
    this.#live?.close();
    this.#live = connection;
    this.#adoptedAt = this.#wallClock();
    this.#timers.stop(this.#timer.patience);
    this.#timers.stop(this.#timer.socket);
    if (connection.kind === 'stream') this.#timer.socket = this.#later(() => this.#trySocket(), RETRY_SOCKET);
    this.#trust();
    this.#commands.attach(connection);
    this.#schedulePing();
  }

  /** Tries whether sockets work again, while an event stream is used. */
  #trySocket() {
    this.#timers.stop(this.#timer.socket);
    this.#timer.socket = this.#later(() => this.#trySocket(), RETRY_SOCKET);
    this.#search.try('socket');
  }

  /** @param {Connection} connection a connection that could not be opened, or has ended */
  #ended(connection) {
    if (connection !== this.#live) return this.#search.remove(connection);
    this.#leave();
    this.#doubt('checking');
    // If a connection has ended soon after it was opened, the next ones may end soon too. So the search pauses before the next attempt.
    if (this.#wallClock() - this.#adoptedAt < SHORT) this.#search.resume();
    else this.#search.begin();
  }

  #leave() {
    this.#live?.close();
    this.#live = null;
    this.#ping = null;
    this.#timers.stop(this.#timer.ping);
    this.#timers.stop(this.#timer.patience);
    this.#commands.detach();
  }

  /** @param {Connection} connection @param {{type: string, data: any, id?: string}} event */
  #receive(connection, event) {
    this.#adopt(connection);
    if (connection !== this.#live) return;
    if (this.#isDoubted) return this.#skip(event.data?.revision);
    this.#hear();
    if (this.#isOld(event.id)) return;
    if (event.id) this.#lastEventId = event.id;
    this.#tell(event.type, event.data);
    if (this.#isMoving() && !this.#wasMoving && !this.#ping) this.#schedulePing();
  }

  /** @param {Connection} connection @param {string} id @param {unknown} error @param {import('./api.js').Answer} [answer] */
  #answered(connection, id, error, answer) {
    const received = this.#now();
    if (connection.kind === 'socket') this.#adopt(connection);
    if (id.startsWith('c')) this.#commands.answered(id, error, answer);
    if (connection !== this.#live || (error && !(error instanceof Refusal))) return;
    if (id.startsWith('v') && this.#isVerifying) return error ? this.#distrust() : this.#verified(answer?.answer);
    if (this.#isDoubted) return this.#verify();
    this.#hear();
    // Any answer proves the connection, so the next ping can wait.
    if (!this.#ping) this.#schedulePing();
    if (id !== this.#ping?.id) return;
    const { sent } = this.#ping;
    this.#ping = null;
    this.#timers.stop(this.#timer.patience);
    this.#roundTrip = received - sent;
    this.#search.succeeded();
    this.dispatchEvent(new CustomEvent('clock', { detail: { sent, received, hostTime: answer?.answer?.hostTime } }));
    this.#trust();
    this.#schedulePing();
  }

  /** Returns whether an event was received already, on another connection. @param {string | undefined} id the id of the event */
  #isOld(id) {
    const [epoch, number] = id?.split(':') ?? [];
    const [lastEpoch, last] = this.#lastEventId.split(':');
    return epoch === lastEpoch && Number(number) <= Number(last);
  }

  /** @param {string} type @param {any} data */
  #tell(type, data) {
    if ((type === 'state' || type === 'stateChange') && Number.isFinite(data?.revision)) this.#revision = data.revision;
    this.dispatchEvent(new CustomEvent('message', { detail: { type, data } }));
  }

  /** @param {number | undefined} revision the revision of a state in an event that is discarded */
  #skip(revision = 0) {
    this.#skipped = Math.max(this.#skipped, revision);
    this.#verify();
  }

  /**
   * Reads the state on a connection that works again, because events may be missing. Until the answer, further events are discarded, because the
   * answer contains their effect.
   */
  #verify() {
    this.#isDoubted = true;
    if (this.#isVerifying) return;
    this.#isVerifying = true;
    this.#live?.send({ id: this.#newId('v'), operation: 'getPlayer', values: {} });
  }

  /** @param {any} state */
  #verified(state) {
    if (state?.revision < this.#skipped) {
      this.#isVerifying = false; // The answer was made before an event that was discarded.
      return this.#verify();
    }
    this.#search.end();
    if (state && state.revision !== this.#revision) this.#tell('state', { ...state, resync: true });
    this.#trust();
    this.#commands.repeatAll();
    this.#sendPing();
  }

  #sendPing() {
    if (!this.#live) return;
    this.#timers.stop(this.#timer.ping);
    this.#timers.stop(this.#timer.patience);
    const patience = Math.min(MOST_PATIENCE, Math.max(PATIENCE, 2.5 * this.#roundTrip));
    this.#timer.patience = this.#later(() => this.#distrust(), patience);
    this.#ping = { id: this.#newId('p'), sent: this.#now() };
    this.#live.send({ id: this.#ping.id, operation: 'getClock', values: {} });
  }

  #schedulePing() {
    this.#timers.stop(this.#timer.ping);
    this.#wasMoving = this.#isMoving();
    if (this.#isWanted) this.#timer.ping = this.#later(() => this.#sendPing(), this.#wasMoving ? MOVING : RESTING);
  }

  /** Looks for another connection, because the live one has not answered in time. The live socket stays open, because it may still answer first. */
  #distrust() {
    if (!this.#live) return;
    this.#isDoubted = true;
    this.#isVerifying = false;
    this.#doubt('checking');
    // A stream is closed, because its commands are HTTP requests: an answer to them would not show that the stream works.
    if (this.#live.kind === 'stream') this.#leave();
    this.#search.begin();
  }

  /** @param {'checking' | 'connecting'} status */
  #doubt(status) {
    if (this.#status === 'lost') return;
    this.#setStatus(status);
    this.#timers.stop(this.#timer.lost);
    this.#timer.lost = this.#timers.start(() => this.#setStatus('lost'), LOST_AFTER);
  }

  #trust() {
    this.#isDoubted = this.#isVerifying = false;
    this.#skipped = 0;
    this.#hear();
    this.#timers.stop(this.#timer.lost);
    this.#setStatus('open');
  }

  #hear() {
    this.#heard = { wall: this.#wallClock(), now: this.#now() };
  }

  /** @param {import('../store.js').Connection} status */
  #setStatus(status) {
    if (status === this.#status && status !== 'connecting') return;
    this.#status = status;
    this.dispatchEvent(new CustomEvent('status', { detail: { status, silence: this.#now() - this.#heard.now } }));
  }

  /**
   * Starts a timer for `action`. If the timer fires much too late, the page or the machine slept. Then the connection is checked, and `action` is
   * left out.
   * @param {() => void} action
   * @param {number} seconds
   */
  #later(action, seconds) {
    const due = this.#wallClock() + seconds;
    return this.#timers.start(() => (this.#wallClock() - due > SLEPT && this.#isWanted ? this.wake() : action()), seconds);
  }

  /** @param {string} kind `p` for a ping, `v` for a verification */
  #newId(kind) {
    return `${kind}${(this.#count += 1)}`;
  }
}
