/** Replacements for the page's timers and network, so that no test waits for a clock or a connection. The texts are English. */
import { readFileSync } from 'node:fs';
import { useTexts } from '../../web/js/lang/lang.js';

useTexts(JSON.parse(readFileSync(new URL('../../web/js/lang/en.json', import.meta.url), 'utf8')), 'en');

// All browsers have `CustomEvent`; Node before version 19 has it only with a flag.
globalThis.CustomEvent ??= class CustomEvent extends Event {
  constructor(type, options) {
    super(type, options);
    this.detail = options?.detail ?? null;
  }
};

/** Timers whose time the test advances. */
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

/** Returns a promise, and the functions with which the test resolves or rejects it. */
export function deferred() {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

/** Lets the code run that waits for promises that are already settled. */
export async function settle() {
  await new Promise((done) => setImmediate(done));
}

/** Returns a state of the player as the server sends it. The members of `changes` replace those of the state. */
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
