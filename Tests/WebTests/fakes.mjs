/** Replacements for the page's timers and network: no test waits for a clock or a connection. */

// All browsers have it; Node before 19 only with a flag.
globalThis.CustomEvent ??= class CustomEvent extends Event {
  constructor(type, options) {
    super(type, options);
    this.detail = options?.detail ?? null;
  }
};

/** Time-outs that fire when the test advances them. */
export class FakeTimers {
  now = 0;
  #next = 1;
  #pending = new Map();

  start(action, seconds) {
    const timer = this.#next++;
    this.#pending.set(timer, { action, at: this.now + seconds });
    return timer;
  }
  stop(timer) {
    this.#pending.delete(timer);
  }
  get count() {
    return this.#pending.size;
  }
  /** Advances the time, and fires the due timers in the order of their deadlines. */
  advance(seconds) {
    const end = this.now + seconds;
    for (;;) {
      const due = [...this.#pending].filter(([, { at }]) => at <= end).sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0];
      if (!due) break;
      this.#pending.delete(due[0]);
      this.now = due[1].at;
      due[1].action();
    }
    this.now = end;
  }
}

/** An EventSource whose events the test sends. */
export class FakeSource extends EventTarget {
  readyState = 0;
  onopen = null;
  onerror = null;
  constructor(url) {
    super();
    this.url = url;
  }
  close() {
    this.readyState = 2;
  }
  opens() {
    this.readyState = 1;
    this.onopen?.(new Event('open'));
  }
  fails() {
    this.onerror?.(new Event('error'));
  }
  sends(type, data, lastEventId = '') {
    const event = new Event(type);
    event.data = typeof data === 'string' ? data : JSON.stringify(data);
    event.lastEventId = lastEventId;
    this.dispatchEvent(event);
  }
}

/** A promise that the test settles. */
export function deferred() {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

/** Lets all code run that waits for settled promises. */
export async function settle() {
  await new Promise((done) => setImmediate(done));
}

/** A state as the server sends it; `changes` replace members. */
export function playerState(changes = {}) {
  return {
    epoch: 'e1', revision: 1, status: 'readyToPlay', rate: 0, defaultRate: 1, timeControlStatus: 'paused', reasonForWaitingToPlay: 'none',
    ended: false, anchor: { time: 0, hostTime: 1000, rate: 0 }, volume: 1, isMuted: false, output: { kind: 'pulse', id: 'x', name: 'Speakers' },
    audioSession: { category: 'playback', isActive: true, isInterrupted: false }, lastChange: { reason: 'none', origin: 'player' },
    queue: { revision: 1, count: 1, index: 0 },
    currentItem: {
      id: 'i1', url: 'file:///music/a.flac', status: 'readyToPlay', duration: 240, isLive: false, isSeekable: true, hasArtwork: false,
    },
    ...changes,
  };
}
