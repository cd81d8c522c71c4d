// @ts-check
import { formatTime, nameOf, titleOf } from './format.js';
import { t } from './lang/lang.js';
import { describeFailure, hasStoppedAfterFailures } from './words.js';
/** @typedef {import('./link/timers.js').Timers} Timers */
/** @typedef {import('./remote.js').Remote} Remote */
/** @typedef {import('./store.js').Notice} Notice */
/** @typedef {import('./store.js').PlayerState} PlayerState */

/** The time for which news are shown, in seconds. A pointer or the focus on them extends it. */
const PATIENCE = 10;
/** The least position at which a failed entry can be resumed, in seconds. An entry that failed earlier is played from its beginning. */
const SHORT = 1;

/** Shows notices of the changes that other remotes have made, and of failures, with buttons for what the user may want to do next. */
export class News {
  #remote;
  #timers;
  /**
   * The notice of the newest news, which expires.
   * @type {Notice | null}
   */
  #notice = null;
  /**
   * The notice about the current entry that cannot be played, its id, and whether the queue has stopped with it.
   * @type {{id: string, hasStopped: boolean, notice: Notice | null}}
   */
  #failed = { id: '', hasStopped: false, notice: null };
  /**
   * The current entry that has failed, and the text that is shown if the queue leaves it by itself; null if no current entry has failed.
   * @type {{id: string, text: string} | null}
   */
  #left = null;
  #timer = 0;
  #isHeld = false;

  /** @param {Remote} remote @param {Timers} timers */
  constructor(remote, timers) {
    this.#remote = remote;
    this.#timers = timers;
    for (const [type, act] of /** @type {[string, (data: any) => void][]} */ ([
      ['rateDidChange', (change) => this.#rateChanged(change)],
      ['entryFailed', (failure) => this.#entryFailed(failure)],
      ['failedToPlayToEndTime', ({ error }) => this.#stopped(error)],
    ])) remote.addEventListener(type, (event) => act(/** @type {CustomEvent} */ (event).detail ?? {}));
  }

  /** @param {PlayerState} state @param {PlayerState | null} before the state before it; null if it is the first one */
  stateArrived(state, before) {
    this.#currentFailed(state);
    this.#leftFailed(state);
    const { reason, origin } = state.lastChange ?? {};
    // If the state does not continue the former one, or if no other remote made the change, there is no news.
    if (!before || before.epoch !== state.epoch || !this.#isForeign(origin)) return;
    const key = reason === 'itemChanged' && before.currentItem?.id !== state.currentItem?.id ? 'chose'
      : reason === 'queueChanged' && before.queue?.revision !== state.queue?.revision ? 'edited' : null;
    if (key) this.#tell(t(`link.news.${key}`, { name: origin, title: titleOf(state.currentItem) }));
  }

  /** The notice that the current entry cannot be played. The view "now" does not need it, because it shows the failure itself. */
  get failure() {
    return this.#failed.notice;
  }

  /** The position at which the current entry has failed, in seconds, if playback can continue there; otherwise 0. */
  get #failedAt() {
    const { currentItem: item, anchor } = this.#remote.store.state ?? {};
    return item?.status === 'failed' && anchor && anchor.time >= SHORT ? anchor.time : 0;
  }

  /** The text of the button that opens the current entry again. */
  get retryText() {
    const position = this.#failedAt;
    return position > 0 ? t('link.news.resumeAt', { time: formatTime(position) }) : t('link.news.retry');
  }

  /** Opens the current entry again after it has failed. */
  retry() {
    const { store } = this.#remote;
    if (this.#failed.notice) store.dismissNotice(this.#failed.notice);
    if (this.#failed.id) this.#retry(this.#failed.id);
  }

  /** @param {boolean} isHeld whether a pointer or the focus is on the news; meanwhile they do not expire */
  hold(isHeld) {
    this.#isHeld = isHeld;
    this.#arm();
  }

  /** @param {{rate: number, reason: string, origin: string}} change */
  #rateChanged({ rate, reason, origin }) {
    if (reason !== 'setRateCalled' || !this.#isForeign(origin)) return;
    if (rate !== 0) return this.#tell(t('link.news.played', { name: origin }));
    const remote = this.#remote;
    this.#tell(t('link.news.paused', { name: origin }), {
      text: t('link.news.resume'), perform: () => void remote.act('play'),
    });
  }

  /** @param {{entryId?: string, url?: string, error?: Partial<import('./store.js').Failure>}} failure */
  #entryFailed({ entryId = '', url = '', error }) {
    const { currentItem: item } = this.#remote.store.state ?? {};
    const isCurrent = entryId === item?.id;
    const text = t('link.news.entryFailed', { title: isCurrent ? titleOf(item) : nameOf(url), reason: describeFailure(error) });
    if (isCurrent) this.#left = { id: entryId, text }; // The state says so too, as long as the queue stays there.
    else this.#tell(text);
  }

  /**
   * Says why the queue has left an entry by itself.
   * @param {PlayerState} state
   */
  #leftFailed({ currentItem, lastChange }) {
    const left = this.#left;
    if (!left || currentItem?.id === left.id) return;
    this.#left = null;
    if (lastChange?.origin === 'player') this.#tell(left.text, { text: t('link.news.retry'), perform: () => this.#retry(left.id) });
  }

  /** @param {Partial<import('./store.js').Failure> | undefined} error */
  #stopped(error) {
    const text = describeFailure(error) || t('link.news.stopped');
    const title = titleOf(this.#remote.store.state?.currentItem);
    this.#remote.store.say(title ? t('link.about', { name: title, text }) : text, true);
  }

  /**
   * Says why the current entry cannot be played, until another one is current.
   * @param {PlayerState} state
   */
  #currentFailed(state) {
    const { store } = this.#remote;
    const { currentItem: item, nextEntry } = state;
    const id = item?.status === 'failed' ? item.id : '';
    const hasStopped = hasStoppedAfterFailures(state);
    if (id === this.#failed.id && hasStopped === this.#failed.hasStopped) return;
    if (this.#failed.notice) store.dismissNotice(this.#failed.notice);
    this.#failed = { id, hasStopped, notice: null };
    if (!item || !id) return;
    const actions = [{ text: this.retryText, perform: () => this.#retry(id) }];
    if (nextEntry) actions.unshift({ text: t('link.news.skip'), perform: () => this.#remote.next() });
    const text = t(hasStopped ? 'link.news.queueStopped' : 'link.news.entryFailed', { title: titleOf(item), reason: describeFailure(item.error) });
    this.#failed.notice = store.say(text, true, actions);
  }

  /** @param {string} id the entry that is opened again */
  #retry(id) {
    const { store } = this.#remote;
    // An entry that has failed keeps its position, from which `play` continues.
    const isResumed = this.#failedAt > 0 && store.state?.currentItem?.id === id;
    const send = () => (isResumed ? this.#remote.command('play') : this.#remote.command('playEntry', { id }));
    void this.#remote.perform(send, { about: titleOf(store.state?.currentItem) });
    this.#failed.id = ''; // If it fails again, that is told again.
  }

  /** @param {string} text @param {import('./store.js').Action} [action] */
  #tell(text, action) {
    const { store } = this.#remote;
    if (store.notice?.isError) return; // A failure is more important.
    this.#notice = store.say(text, false, action ? [action] : []);
    this.#arm();
  }

  #arm() {
    this.#timers.stop(this.#timer);
    if (!this.#notice || this.#isHeld) return;
    this.#timer = this.#timers.start(() => {
      this.#remote.store.dismissNotice(this.#notice);
      this.#notice = null;
    }, PATIENCE);
  }

  /** @param {string | undefined} origin */
  #isForeign(origin) {
    return !!origin && origin !== 'player' && !this.#remote.store.isOwn(origin);
  }
}
