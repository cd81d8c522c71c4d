// @ts-check
import { Acts } from './acts.js';
import { Unreachable } from './link/api.js';
import { synchronize } from './link/clock.js';
import { t } from './lang/lang.js';
import { canRepeat, describeError } from './problems.js';
import { CurrentLyrics } from './lyrics.js';
import { News } from './news.js';
import { positionAt } from './playhead.js';
import { QueueModel } from './state/queue.js';
import { QueueSteps } from './queueSteps.js';
import { Wanted } from './wanted.js';
import { realTimers } from './link/timers.js';
import { QueueUndo } from './undo.js';
/** @typedef {import('./link/api.js').API} API */
/** @typedef {import('./link/clock.js').ServerClock} ServerClock */
/** @typedef {import('./link/link.js').Link} Link */
/** @typedef {import('./playhead.js').Playhead} Playhead */
/** @typedef {import('./store.js').PlayerState} PlayerState */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./link/api.js').Answer} Answer */
/** @typedef {import('./link/api.js').CommandOptions} CommandOptions */
/** @typedef {(operation: string, values?: Record<string, any>, options?: CommandOptions) => Promise<Answer>} Command */
/** @typedef {import('./link/timers.js').Timers} Timers */

/**
 * The largest accepted uncertainty of the server's clock, in seconds. If the uncertainty is larger, the clock is measured again after the first of
 * the following intervals, or after the second one (the shorter) if the uncertainty is infinite; both are in seconds.
 */
const TOLERABLE_UNCERTAINTY = 0.1;
const MEASURE_INTERVAL = 60;
const RETRY_INTERVAL = 2;
/**
 * The page considers a value in the state equal to the requested one up to these differences: of positions and host times, in seconds, and of the
 * volume, 0…1.
 */
const SLACK = 0.05;
const SAME_VOLUME = 0.005;
/**
 * After a silence of the connection of at least this time, in seconds, the page must have slept, because it would have noticed the silence earlier.
 */
const SLEPT = 4;
/** The position in an item, in seconds, after which the button "previous" seeks to the item's beginning instead of the previous entry. */
const RESTART = 3;

/**
 * The remote without its views: turns events into the store's state, and the user's actions into requests. The page shows only what the player has
 * confirmed. There are two exceptions: the target of a seek and a requested volume are shown before the player confirms them.
 *
 * Dispatches each event of the server as a CustomEvent of the same type, with the event's data as `detail`, after the store has received it.
 */
export class Remote extends EventTarget {
  #link;
  #acts;
  #steps;
  #measuredAt = -Infinity;
  #isMeasuring = false;
  #seekSentAt = 0;
  #sureTime = 0;
  /** @type {import('./store.js').Notice | null} */
  #unreachableNotice = null;

  /**
   * @param {{api: API, clock: ServerClock, playhead: Playhead, link: Link, store: Store, timers?: Timers}} parts
   */
  constructor({ api, clock, playhead, link, store, timers = realTimers }) {
    super();
    this.api = api;
    this.clock = clock;
    this.playhead = playhead;
    this.store = store;
    this.#link = link;
    this.#steps = new QueueSteps(store);
    const common = {
      state: () => store.state,
      changed: () => store.touch(),
      failed: (/** @type {unknown} */ error) => this.#sayFailure(error),
      timers,
    };
    this.seekTarget = new Wanted({
      ...common,
      perform: (time) => {
        this.#seekSentAt = clock.hostNow();
        return this.#acts.attend(() => this.#answer('seek', { time }), { waitText: t('link.seeking') });
      },
      // A state shows the effect of the newest seek if its anchor is later than the request, or has the position that the response reported. Other
      // anchors may belong to an earlier seek.
      isMet: (state, _, reply) => state.anchor.hostTime >= this.#seekSentAt - SLACK || Math.abs(state.anchor.time - reply?.time) < SLACK,
    });
    this.volumeTarget = new Wanted({
      ...common,
      perform: (volume) => this.#acts.attend(() => this.#answer('updatePlayer', { volume })),
      isMet: (state, volume) => Math.abs(state.volume - volume) < SAME_VOLUME,
    });
    /** @type {Command} */
    const command = (...request) => this.command(...request);
    this.undo = new QueueUndo({ command, store, timers, failed: common.failed });
    this.#acts = new Acts({ store, timers, undo: this.undo, failed: (error, options) => this.#sayFailure(error, options) });
    this.lyrics = new CurrentLyrics({ api: { lyrics: (id) => this.#answer('getLyrics', { id }) }, timers, changed: common.changed });
    this.news = new News(this, timers);
    this.queue = new QueueModel({ command, events: this, timers });
    api.unauthorized = () => store.setLocked(true);
    /** @type {Record<string, (detail: any) => void>} */
    const heard = {
      message: (event) => this.#receive(event),
      status: (change) => this.#connectionChanged(change),
      clock: ({ sent, received, hostTime }) => clock.addRoundTrip(sent, received, hostTime),
    };
    for (const [type, act] of Object.entries(heard)) link.addEventListener(type, (event) => act(/** @type {CustomEvent} */ (event).detail));
  }

  /**
   * Sends a command of the contract.
   * @type {Command}
   */
  command(operation, values = {}, options = {}) {
    return this.#link.command(operation, values, options);
  }
  /**
   * Performs an act of the user: the control is marked as busy until the answer, and a failure is shown.
   * @template T
   * @param {() => Promise<T>} send
   * @param {import('./acts.js').ActOptions} [options]
   * @returns {Promise<T | undefined>} undefined if the act failed
   */
  perform(send, options) {
    return this.#acts.perform(send, options);
  }
  /**
   * Performs a command as an act of the user.
   * @param {string} operation
   * @param {Record<string, any>} [values]
   * @param {import('./acts.js').ActOptions} [options]
   */
  act(operation, values, options) {
    return this.perform(() => this.command(operation, values), options);
  }
  /**
   * Performs an edit of the queue, and then offers to undo it.
   * @param {() => Promise<Answer>} send
   * @param {import('./acts.js').ActOptions & {undoText?: string | null}} [options] `undoText` says what was done
   */
  edit(send, options) {
    return this.#acts.edit(send, options);
  }
  /** @param {string} text what an act has done; a screen reader reads it */
  announce(text) {
    this.store.announce(text);
  }

  /**
   * The media time that the page shows, in seconds: the target of a seek in progress, otherwise the position that is heard. While it is not sure that
   * the connection works, it is the last position that was sure.
   */
  shownTime() {
    return this.seekTarget.value ?? (this.store.isSure ? this.playhead.position(this.store.state) : this.#sureTime);
  }
  /** The volume that the page shows, 0…1: the requested volume if one is requested, otherwise the player's. */
  shownVolume() {
    return this.volumeTarget.value ?? this.store.state?.volume ?? 1;
  }
  /** The rate that the page shows: the requested rate of playback, or, while paused, the rate with which `play` would start. */
  shownRate() {
    const state = this.store.state;
    return state ? (state.rate !== 0 ? state.rate : state.defaultRate) : 1;
  }
  /** Whether the shown media time advances automatically. */
  get isMoving() {
    const { state, isCurrent } = this.store;
    return isCurrent && !!state?.currentItem && state.anchor.rate !== 0 && this.seekTarget.value === null;
  }
  /** Whether the current item has a duration and supports seeking, so that the page shows a time line. */
  get canSeek() {
    const item = this.store.state?.currentItem;
    return !!item && item.status === 'readyToPlay' && item.isSeekable && item.duration !== undefined;
  }

  /**
   * Requests the action of the play button: pause if the player plays or waits to play, otherwise play. The request is not "toggle", because the
   * toggles of two remotes would cancel each other.
   * @param {Element} [element] the pressed control
   */
  playOrPause(element) {
    const state = this.store.state;
    if (state?.currentItem) void this.act(state.rate !== 0 ? 'pause' : 'play', {}, { element });
  }
  /** @param {number} time the target of the seek in seconds, clamped to the item */
  seek(time) {
    if (!this.canSeek) return;
    const duration = this.store.state?.currentItem?.duration ?? 0;
    this.seekTarget.want(Math.min(Math.max(0, time), duration));
  }
  /** @param {number} offset the distance from the shown time to the target of the seek, in seconds; negative to seek backward */
  skip(offset) {
    this.seek(this.shownTime() + offset);
  }
  next() {
    if (this.store.nextEntry) void this.perform(() => this.#steps.take((current) => this.#answer('nextEntry', { current })));
  }
  /** Makes the previous entry current. After `RESTART` seconds of an item, or in the first entry, seeks to the item's beginning instead. */
  previous() {
    const isFirst = !this.store.hasQueue || this.store.state?.queue?.index === 0;
    if (isFirst || (this.canSeek && this.shownTime() > RESTART)) this.seek(0);
    else void this.perform(() => this.#steps.take((current) => this.#answer('previousEntry', { current })));
  }
  /** @param {number} volume the volume, clamped to 0…1 */
  setVolume(volume) {
    if (!this.store.state) return;
    this.volumeTarget.want(Math.round(Math.min(Math.max(0, volume), 1) * 100) / 100);
  }
  /** @param {Element} [element] the pressed control */
  toggleMute(element) {
    const state = this.store.state;
    if (state) void this.update({ isMuted: !state.isMuted }, element);
  }
  /**
   * Sets the rate with which `play` starts, and, during playback, also the present rate.
   * @param {number} rate
   * @param {Element} [element] the pressed control
   */
  setRate(rate, element) {
    return this.update(this.store.state?.rate ? { rate, defaultRate: rate } : { defaultRate: rate }, element);
  }
  /**
   * Changes settings of the player.
   * @param {Record<string, unknown>} changes members of the body of `updatePlayer`
   * @param {Element} [element] the pressed control
   */
  update(changes, element) {
    return this.act('updatePlayer', changes, { element });
  }
  /**
   * Sends a token to the server. If the request fails, the function throws its error, and the caller displays the error.
   * @param {string} token
   */
  async unlock(token) {
    await this.api.logIn(token);
    this.store.setLocked(false);
    this.store.dismissNotice();
    this.wake();
  }

  /** Checks the connection, and with it the server's clock, after the page became visible or the network returned. */
  wake() {
    this.#link.open();
    this.#link.wake();
  }
  /** Closes the connection, because the page is not seen any more. */
  sleep() {
    this.#link.close();
  }

  /** @param {string} operation @param {Record<string, any>} values */
  async #answer(operation, values) {
    return (await this.command(operation, values)).answer;
  }

  /** @param {unknown} error @param {{about?: string, again?: () => void}} [options] */
  #sayFailure(error, options = {}) {
    const { about, again } = options;
    const text = describeError(error);
    const isUncertain = error instanceof Unreachable;
    const notice = this.store.say(
      about ? t('link.about', { name: about, text }) : text, true, canRepeat(error) && again ? [{ text: t('link.again'), perform: again }] : [],
    );
    if (isUncertain) this.#unreachableNotice = notice;
  }

  /** @param {{type: string, data: any}} event */
  #receive({ type, data }) {
    this.clock.addEvent(this.clock.now(), data?.hostTime);
    if (type === 'state') this.#receiveState(data);
    if (type === 'stateChange') this.#receiveChange(data);
    if (type === 'rateDidChange') this.store.receiveRateChange(data);
    this.dispatchEvent(new CustomEvent(type, { detail: data }));
    // An event that contradicts the estimate of the clock removes the upper bound of the clock's offset: the uncertainty is then infinite. Such a
    // clock is measured again soon.
    const interval = this.clock.uncertainty === Infinity ? RETRY_INTERVAL : MEASURE_INTERVAL;
    const isStale = this.clock.uncertainty > TOLERABLE_UNCERTAINTY && this.clock.now() - this.#measuredAt > interval;
    if (isStale) void this.#measureClock();
  }

  /** @param {unknown} change */
  #receiveChange(change) {
    const state = this.store.applying(change);
    if (state === null) this.#link.restart();
    else this.#receiveState(state);
  }

  /** @param {unknown} document */
  #receiveState(document) {
    const before = this.store.state;
    if (!this.store.receiveState(document)) return;
    const state = /** @type {PlayerState} */ (this.store.state);
    if (before && before.epoch !== state.epoch) {
      // The server was restarted, perhaps on another machine. So the bounds of the old server's clock do not apply to its clock.
      this.clock.reset();
      this.clock.addEvent(this.clock.now(), /** @type {any} */ (document).hostTime);
      void this.#measureClock();
    }
    if (before?.epoch !== state.epoch || before.currentItem?.id !== state.currentItem?.id) this.seekTarget.drop();
    const { currentItem: item } = state;
    const isSameItem = before?.epoch === state.epoch && before.currentItem?.id === item?.id;
    if (item && isSameItem && before?.currentItem !== item) this.dispatchEvent(new CustomEvent('metadata', { detail: { itemId: item.id, ...item } }));
    this.undo.stateArrived(state);
    this.news.stateArrived(state, before);
    this.lyrics.stateArrived(state);
    this.seekTarget.stateArrived(state);
    this.volumeTarget.stateArrived(state);
  }

  /** @param {{status: import('./store.js').Connection, silence: number}} change `silence` is the time since the newest message, in seconds */
  #connectionChanged({ status, silence }) {
    const { store } = this;
    if (status === store.connection) return;
    if (store.isSure) this.#sureTime = this.#lastSurePosition(silence);
    store.setConnection(status);
    if (status === 'lost') this.#giveUpTargets();
    if (status === 'open') {
      store.dismissNotice(this.#unreachableNotice);
      void this.#measureClock();
    }
  }

  /**
   * The position that is shown now. After a sleep of the page, it is the position before the sleep, because what has happened since is not known.
   * @param {number} silence
   */
  #lastSurePosition(silence) {
    const { state } = this.store;
    if (!state?.currentItem || silence < SLEPT) return this.playhead.position(state);
    return positionAt(state.anchor, this.clock.hostNow() - silence, state.currentItem.duration, state.loop);
  }

  /**
   * Discards the requested position and volume after the connection was lost. Their requests may never be answered, and meanwhile the page must not
   * show them as carried out.
   */
  #giveUpTargets() {
    const targets = [this.seekTarget, this.volumeTarget].filter(({ value }) => value !== null);
    for (const target of targets) target.drop();
    if (targets.length > 0) this.#sayFailure(new Unreachable());
  }

  async #measureClock() {
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    this.#measuredAt = this.clock.now();
    try {
      await synchronize(this.clock, () => this.#answer('getClock', {}));
    } catch {
      // After a failed measurement, the host times of events still bound the clock's offset. The next connection measures again.
    }
    this.#isMeasuring = false;
    this.store.touch();
  }
}
