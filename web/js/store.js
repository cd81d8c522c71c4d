// @ts-check
/**
 * @typedef {{time: number, hostTime: number, rate: number}} Anchor
 * @typedef {{code: string, message: string, reason?: string, advice?: string}} Failure
 * @typedef {object} Format
 * @property {string} fileType
 * @property {string} codec
 * @property {number} sampleRate
 * @property {number} channels
 * @property {number} [bitsPerSample]
 * @property {number} [bitRate]
 *
 * @typedef {object} Item
 * @property {string} id
 * @property {string} url
 * @property {'unknown' | 'readyToPlay' | 'failed'} status
 * @property {Failure} [error]
 * @property {string} [title]
 * @property {string} [artist] several artists are separated by commas
 * @property {string[]} [artists] the artists one by one; absent if there is only one
 * @property {string} [album]
 * @property {string} [genre] several genres are separated by commas
 * @property {string[]} [genres] the genres one by one; absent if there is only one
 * @property {string} [streamTitle] the title that a radio station announces for the audio that is heard
 * @property {string} [stationName] the name of the radio station
 * @property {number} [duration] the duration in seconds; absent while unknown, or if the item has no end
 * @property {boolean} isLive
 * @property {boolean} isSeekable
 * @property {boolean} hasArtwork
 * @property {Format} [format]
 * @property {string} [picture] the address of a picture that the library has of a medium that was not opened yet; the page adds it
 * @property {string} [addedBy] the name of the client that added the entry
 * @property {string} [publicationDate] the date on which the episode was published, as its podcast feed gives it
 *
 * @typedef {object} PlayerState  The player's state: one immutable document, sent in `state` events.
 * @property {string} epoch the identifier of the server's run, which changes at each start of the server
 * @property {number} revision the number of the state, which increases by one with every change
 * @property {string} status
 * @property {number} rate the requested rate; 0 means paused
 * @property {number} defaultRate
 * @property {string} timeControlStatus
 * @property {string} reasonForWaitingToPlay
 * @property {boolean} ended
 * @property {Anchor} anchor
 * @property {boolean} [isPositionEstimated] whether the positions since the last seek are only estimated
 * @property {number} volume
 * @property {boolean} isMuted
 * @property {boolean} [isConsuming] whether an entry that was current is removed after another entry became current, except by the command `previous`
 * @property {boolean} [isShuffled] whether the entries play in a random order
 * @property {{kind: string, id: string, name: string, error?: {code: string, message: string}}} output
 * @property {{category: string, isActive: boolean, isInterrupted: boolean, silence?: string}} audioSession `silence`: why nobody can hear the player
 * @property {{error: Failure, attempt: number, retryHostTime: number}} [network]
 * @property {{target: number, progress: number}} [seek] the seek in progress, if it takes long
 * @property {{isKept: boolean, error?: {code: string, message: string}}} persistence
 * @property {{reason: string, origin: string}} lastChange
 * @property {{reason: string, origin: string, hostTime: number, silence?: string}} [lastPause] while paused: why and by whom
 * @property {{revision: number, count: number, index: number}} [queue]
 * @property {{start: number, end: number}} [loop] the repeated part of the current item, in seconds of media time
 * @property {Item} [currentItem]
 * @property {NextEntry} [nextEntry] the entry that `next` selects; absent at the end of the queue
 *
 * @typedef {{id: string, url: string, title?: string, artist?: string, duration?: number}} NextEntry
 *
 * @typedef {'connecting' | 'open' | 'checking' | 'lost'} Connection
 * @typedef {{text: string, isError: boolean, actions: Action[]}} Notice  the buttons of a notice are its actions
 * @typedef {{text: string, perform: () => void}} Action
 * @typedef {{text: string, phase: 'offered' | 'busy' | 'done'}} Undo
 */

/**
 * The data of the page. Only the methods of this class change it, and each change dispatches one event `change`. A view draws only what the store
 * contains.
 */
export class Store extends EventTarget {
  /** @type {PlayerState | null} */
  #state = null;
  /** @type {Connection} */
  #connection = 'connecting';
  #ownName;
  #checkedSince = 0;
  #isLocked = false;
  /** @type {Notice | null} */
  #notice = null;
  #announcement = { text: '', number: 0 };
  /** @type {Undo | null} */
  #undo = null;
  /** @type {{reason: string, origin: string} | null} */
  #rateChange = null;

  /** @param {() => string} ownName returns the name of this browser, by which the player knows it */
  constructor(ownName = () => 'web') {
    super();
    this.#ownName = ownName;
  }

  get state() {
    return this.#state;
  }
  get connection() {
    return this.#connection;
  }
  /** The time at which the status of the connection last changed, on the page's clock in milliseconds. */
  get checkedSince() {
    return this.#checkedSince;
  }
  /** Whether the server requires a token that the page has not sent. */
  get isLocked() {
    return this.#isLocked;
  }
  get notice() {
    return this.#notice;
  }
  /** The offer to undo an edit of the queue, or the progress or the result of that undo; null if nothing is offered. */
  get undo() {
    return this.#undo;
  }
  /**
   * The reason of the last change of the rate, and the client that caused it (an empty text means this browser); null if they are not known. While
   * the player is paused, the state contains them too, so that they are known after a reload.
   */
  get rateChange() {
    const change = this.#state?.lastPause ?? this.#rateChange;
    return change && { ...change, origin: this.isOwn(change.origin) ? '' : change.origin };
  }
  /** Returns whether the name of the author of a change is the name of this browser. @param {string} origin */
  isOwn(origin) {
    return origin === this.#ownName();
  }
  /** The next entry of the queue, if an entry follows. */
  get nextEntry() {
    return this.#state?.nextEntry;
  }
  /** Whether the queue has other entries than the current one. */
  get hasQueue() {
    return (this.#state?.queue?.count ?? 0) > 1;
  }
  /** Whether the connection is known to work, or was never used. */
  get isSure() {
    return this.#connection === 'open' || this.#connection === 'connecting';
  }
  /** Whether the stored state is current; false means that it is the last state of which the page was sure. */
  get isCurrent() {
    return this.#state !== null && this.isSure;
  }

  /**
   * Stores a state from the event stream. A state of the same epoch (one run of the server) is ignored if its revision is not newer than that of the
   * stored state. A state of another epoch is stored with any revision, because a restarted server counts from the beginning.
   * @param {unknown} document
   * @returns {boolean} whether the state was stored
   */
  receiveState(document) {
    if (!isPlayerState(document)) return false;
    const isOtherEpoch = document.epoch !== this.#state?.epoch;
    if (this.#state && !isOtherEpoch && document.revision <= this.#state.revision) return false;
    if (isOtherEpoch) this.#rateChange = null;
    this.#state = document;
    this.#changed();
    return true;
  }

  /**
   * Returns the state after a change (`stateChange`): its members replace those of the stored state. A member that the change names, but does not
   * contain, has no value any more.
   * @param {any} change
   * @returns {unknown} the whole state; null if the change does not follow the stored state, so that events between them are missing; the stored
   * state if the change is older than it
   */
  applying(change) {
    const state = this.#state;
    if (!state || typeof change !== 'object' || change === null || change.epoch !== state.epoch) return null;
    if (change.revision <= state.revision) return state;
    if (change.revision !== state.revision + 1 || !Array.isArray(change.changed)) return null;
    const names = new Set(change.changed);
    const kept = Object.entries(state).filter(([name]) => !names.has(name));
    return { ...Object.fromEntries(kept), ...change };
  }

  /** @param {{reason: string, origin: string}} change the reason and the client of a `rateDidChange` event */
  receiveRateChange({ reason, origin }) {
    this.#rateChange = { reason, origin };
    this.#changed();
  }

  /** @param {Connection} connection */
  setConnection(connection) {
    if (connection === this.#connection) return;
    this.#connection = connection;
    this.#checkedSince = performance.now();
    this.#changed();
  }

  /** @param {boolean} isLocked */
  setLocked(isLocked) {
    if (isLocked === this.#isLocked) return;
    this.#isLocked = isLocked;
    this.#changed();
  }

  /**
   * Shows a notice in the live region until it is dismissed.
   * @param {string} text
   * @param {boolean} [isError]
   * @param {Action[]} [actions]
   * @returns {Notice}
   */
  say(text, isError = false, actions = []) {
    const notice = { text, isError, actions };
    this.#notice = notice;
    this.#changed();
    return notice;
  }

  /** @param {Notice | null} [which] the notice to dismiss; if another one is shown, nothing happens */
  dismissNotice(which = this.#notice) {
    if (!this.#notice || which !== this.#notice) return;
    this.#notice = null;
    this.#changed();
  }

  /** The newest text for the live region, which only screen readers read, and its number, with which the same text can be announced again. */
  get announcement() {
    return this.#announcement;
  }
  /** @param {string} text */
  announce(text) {
    this.#announcement = { text, number: this.#announcement.number + 1 };
    this.#changed();
  }

  /** @param {Undo | null} undo */
  offerUndo(undo) {
    if (undo === this.#undo) return;
    this.#undo = undo;
    this.#changed();
  }

  /** Notifies the views of a change outside the store: of the estimate of the server's clock, or of a requested position or volume. */
  touch() {
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

/**
 * Whether a document has the members with which the page computes. A document of another program, or of another version of the server, may not have
 * them, and would break the page.
 * @param {any} document
 * @returns {document is PlayerState}
 */
function isPlayerState(document) {
  return (
    typeof document === 'object' && document !== null &&
    typeof document.epoch === 'string' && Number.isFinite(document.revision) &&
    typeof document.anchor === 'object' && document.anchor !== null &&
    ['time', 'hostTime', 'rate'].every((name) => Number.isFinite(document.anchor[name]))
  );
}
