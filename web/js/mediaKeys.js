// @ts-check
import { titleOf } from './format.js';
import { mediaOf } from './media.js';
/** @typedef {import('./remote.js').Remote} Remote */

/** The length of the silence, in seconds. Chromium ignores audio that is shorter than 5 s. */
const SILENCE = 10;
const RATE = 8000;

/**
 * Shows the item on the lock screen and in the system's media controls, and obeys the keyboard's media keys. A browser offers these only to a page
 * that plays audio of its own, so the page plays silence while the player plays. If the browser stops the silence, the player continues: a closed
 * laptop must not stop the music of the house.
 */
export class MediaKeys {
  #remote;
  #audio = new Audio();
  #isOn = false;
  #isWanted = false;
  /** Whether the browser has stopped the silence, for example for a call. The silence then stays off until the user touches the page. */
  #isStopped = false;
  #shown = '';

  /** @param {Remote} remote */
  constructor(remote) {
    this.#remote = remote;
    remote.store.addEventListener('change', () => this.#update());
    // A browser lets a page play only after the user has touched it.
    const touched = () => {
      this.#isStopped = false;
      this.#update();
    };
    addEventListener('pointerup', touched);
    addEventListener('keyup', touched);
    this.#audio.addEventListener('pause', () => (this.#isStopped = this.#isWanted && this.#audio.paused));
  }

  /** @param {boolean} isOn */
  use(isOn) {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    const remote = this.#remote;
    const { store } = remote;
    const seek = (/** @type {number} */ time) => mediaOf(remote).seek(time);
    /** @type {Record<string, (details: any) => void>} */
    const actions = {
      play: () => !store.state?.rate && remote.playOrPause(),
      pause: () => store.state?.rate && remote.playOrPause(),
      nexttrack: () => remote.next(),
      previoustrack: () => remote.previous(),
      seekto: ({ seekTime }) => seek(seekTime),
      seekbackward: ({ seekOffset }) => seek(remote.shownTime() - (seekOffset || 10)),
      seekforward: ({ seekOffset }) => seek(remote.shownTime() + (seekOffset || 30)),
    };
    for (const [name, act] of Object.entries(actions)) {
      navigator.mediaSession.setActionHandler(/** @type {MediaSessionAction} */ (name), isOn ? act : null);
    }
    if (isOn && !this.#audio.src) {
      Object.assign(this.#audio, { src: URL.createObjectURL(silence()), loop: true });
    }
    this.#update();
  }

  #update() {
    const session = navigator.mediaSession;
    const { state } = this.#remote.store;
    const item = state?.currentItem;
    const isPlaying = this.#isOn && !!item && !!state?.rate;
    this.#isWanted = isPlaying;
    if (isPlaying && this.#audio.paused && !this.#isStopped) void this.#audio.play().catch(() => {});
    if (!isPlaying && !this.#audio.paused) this.#audio.pause();
    session.playbackState = !this.#isOn || !item ? 'none' : isPlaying ? 'playing' : 'paused';
    const { title = '', artist = '', album = '' } = item ?? {};
    const key = this.#isOn && item ? [item.id, title, artist, album, item.hasArtwork].join('\n') : '';
    if (key !== this.#shown) {
      this.#shown = key;
      const artwork = item?.hasArtwork ? [{ src: this.#remote.api.artworkAddress(item.id, 512, state?.epoch).toString() }] : [];
      session.metadata = item && key ? new MediaMetadata({ title: titleOf(item), artist, album, artwork }) : null;
    }
    if (!key || !item?.duration) return session.setPositionState();
    const position = Math.min(Math.max(0, this.#remote.shownTime()), item.duration);
    session.setPositionState({ duration: item.duration, position, playbackRate: Math.abs(state?.rate ?? 0) || 1 });
  }
}

/** Returns silence as a WAV file with samples of 8 bits. */
function silence() {
  const size = SILENCE * RATE;
  const view = new DataView(new ArrayBuffer(44 + size));
  new Uint8Array(view.buffer, 44).fill(128);
  [0x52494646, 0, 0x57415645, 0x666d7420, 0, 0, 0, 0, 0, 0x64617461].forEach((word, index) => view.setUint32(4 * index, word));
  const fields = [[4, 36 + size], [16, 16], [20, 0x10001], [24, RATE], [28, RATE], [32, 0x80001], [40, size]];
  for (const [at, value] of fields) view.setUint32(at, value, true);
  return new Blob([view], { type: 'audio/wav' });
}
