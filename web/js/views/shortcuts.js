// @ts-check
import { preference, setPreference } from '../preferences.js';
import { router } from '../router.js';
import { hook } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

const VOLUME_STEP = 0.05;

/** The keys with their names on the page, and the key of the text (`shell.keys`) that says what they do. */
export const KEYS = /** @type {const} */ ([
  [[' ', 'k'], 'space', 'play'], [['ArrowLeft'], '←', 'back'], [['ArrowRight'], '→', 'forward'], [['0'], '0', 'start'], [['n'], 'N', 'next'],
  [['p'], 'P', 'previous'], [['ArrowUp', '+', '='], '↑ +', 'louder'], [['ArrowDown', '-'], '↓ −', 'quieter'], [['m'], 'M', 'mute'],
  [['l'], 'L', 'lyrics'], [['q'], 'Q', 'queue'], [['/'], '/', 'search'], [['o'], 'O', 'open'], [['?'], '?', 'help'],
]);

/** Whether the keys act. Users can switch them off (WCAG 2.1.4), because screen readers and speech input use single keys for their commands. */
export const areKeysOn = () => preference('shortcuts') !== 'off';
/** @param {boolean} areOn */
export const setKeys = (areOn) => setPreference('shortcuts', areOn ? 'on' : 'off');

/**
 * Handles the keyboard shortcuts of the whole page, and the button that lists them.
 * @param {Remote} remote
 * @param {{open: () => void, help: (opener: HTMLElement) => void, toggleLyrics: () => void, changeVolume: (distance: number) => void}} views
 */
export function mountShortcuts(remote, { open, help, toggleLyrics, changeVolume }) {
  const button = hook('help');
  const showHelp = () => help(button);
  button.addEventListener('click', showHelp);

  /** @type {Record<typeof KEYS[number][2], (event: KeyboardEvent) => void>} */
  const actions = {
    play: () => remote.playOrPause(),
    back: ({ shiftKey }) => remote.skip(shiftKey ? -30 : -5),
    forward: ({ shiftKey }) => remote.skip(shiftKey ? 30 : 5),
    start: () => remote.seek(0),
    next: () => remote.next(),
    previous: () => remote.previous(),
    // A key that is held down raises the volume only once.
    louder: ({ repeat }) => void (repeat || changeVolume(VOLUME_STEP)),
    quieter: () => changeVolume(-VOLUME_STEP),
    mute: () => remote.toggleMute(),
    lyrics: toggleLyrics,
    queue: () => router.go('queue'),
    search: () => router.go('search'),
    open,
    help: showHelp,
  };

  document.addEventListener('keydown', (event) => {
    if (!areKeysOn() || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isTaken(event, router.route.view)) return;
    const key = shortcutKey(event);
    const found = KEYS.find(([keys]) => /** @type {readonly string[]} */ (keys).includes(key));
    if (!found) return;
    event.preventDefault();
    actions[found[2]](event);
  });
}

/**
 * Returns the key of `KEYS` that an event means. On a layout of another script (Cyrillic, Greek, Arabic, Hangul) a letter or digit means the Latin
 * one at its place on the keyboard.
 * @param {{key: string, code: string}} event
 */
export function shortcutKey({ key, code }) {
  const isOther = /^[\p{L}\p{Nd}]+$/u.test(key) && !/[\p{Script=Latin}0-9]/u.test(key);
  const place = isOther ? /^(?:Key|Digit)([A-Z0-9])$/.exec(code)?.[1] : undefined;
  return place?.toLowerCase() ?? (key.length === 1 ? key.toLowerCase() : key);
}

/**
 * Whether a pressed key already has a meaning: for the focused control (text, a slider, a list, Space on a button), for a dialog, or for the page
 * itself, which the vertical arrows scroll in every view but "now". Such a key is no shortcut.
 * @param {{key: string, target: EventTarget | null}} event
 * @param {string} view
 */
export function isTaken({ key, target }, view) {
  if (/^Arrow(Up|Down)$/.test(key) && view !== 'now') return true;
  if (target === null || !(target instanceof Element)) return false;
  if (target.closest('dialog')) return true;
  // A focused slider uses only arrow keys, Page Up, Page Down, Home and End. All other keys stay shortcuts.
  if (target instanceof HTMLInputElement && target.type === 'range') return /^(Arrow|Page|Home|End)/.test(key);
  if (target.closest('input, select, textarea, [contenteditable]')) return true;
  if (/^Arrow/.test(key)) return target.closest('[role="listbox"], [role="grid"], [role="tablist"], [role="menu"], [role="radiogroup"]') !== null;
  return key === ' ' && target.closest('button, a, summary, [tabindex="0"]') !== null;
}
