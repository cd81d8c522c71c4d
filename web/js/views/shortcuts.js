// @ts-check
import { preference, setPreference } from '../preferences.js';
import { mountDialog } from './dialogs.js';
import { hook, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

const VOLUME_STEP = 0.05;

/**
 * Handles the keyboard shortcuts of the whole page, and the dialog that lists the shortcuts. Users can switch the shortcuts off (WCAG 2.1.4), because
 * screen readers and speech input use single keys for commands of their own.
 * @param {Remote} remote
 * @param {{showOpenDialog: () => void, toggleLyrics: () => void}} views
 */
export function mountShortcuts(remote, { showOpenDialog, toggleLyrics }) {
  const dialog = mountDialog('help');
  const enabled = hook('shortcuts-enabled', HTMLInputElement);
  enabled.checked = preference('shortcuts') !== 'off';
  enabled.addEventListener('change', () => setPreference('shortcuts', enabled.checked ? 'on' : 'off'));
  hook('help').addEventListener('click', dialog.show);

  /** @type {{keys: string[], shown: string, does: string, action: (event: KeyboardEvent) => void}[]} */
  const shortcuts = [
    { keys: [' ', 'k'], shown: 'Space', does: 'Play or pause', action: () => remote.playOrPause() },
    { keys: ['ArrowLeft'], shown: '←', does: 'Back 5 seconds, with Shift 30', action: ({ shiftKey }) => remote.skip(shiftKey ? -30 : -5) },
    { keys: ['ArrowRight'], shown: '→', does: 'Forward 5 seconds, with Shift 30', action: ({ shiftKey }) => remote.skip(shiftKey ? 30 : 5) },
    { keys: ['ArrowUp'], shown: '↑', does: 'Louder', action: () => remote.setVolume(remote.shownVolume() + VOLUME_STEP) },
    { keys: ['ArrowDown'], shown: '↓', does: 'Quieter', action: () => remote.setVolume(remote.shownVolume() - VOLUME_STEP) },
    { keys: ['m'], shown: 'M', does: 'Mute', action: () => remote.toggleMute() },
    { keys: ['Home'], shown: 'Home', does: 'Go to the start of the item', action: () => remote.seek(0) },
    { keys: ['n'], shown: 'N', does: 'Next entry of the queue', action: () => remote.next() },
    { keys: ['p'], shown: 'P', does: 'Start of the item, or the previous entry', action: () => remote.previous() },
    { keys: ['l'], shown: 'L', does: 'Show or hide the lyrics', action: toggleLyrics },
    { keys: ['o'], shown: 'O', does: 'Open a file or a stream', action: showOpenDialog },
    { keys: ['?'], shown: '?', does: 'This help', action: dialog.show },
  ];
  hook('keys').replaceChildren(...shortcuts.flatMap(({ shown, does }) => describe(shown, does)));

  document.addEventListener('keydown', (event) => {
    if (!enabled.checked || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isTaken(event)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const shortcut = shortcuts.find(({ keys }) => keys.includes(key));
    if (!shortcut) return;
    event.preventDefault();
    shortcut.action(event);
  });
}

/**
 * Whether the focused element needs the pressed key itself, so that the key is no shortcut: for text, for a dialog's own keys, or Space on a button.
 * @param {KeyboardEvent} event
 */
function isTaken({ key, target }) {
  if (!(target instanceof Element)) return false;
  if (target.closest('dialog')) return true;
  // A focused slider uses only arrow keys, Page Up, Page Down, Home and End. All other keys stay shortcuts.
  if (target instanceof HTMLInputElement && target.type === 'range') return /^(Arrow|Page|Home|End)/.test(key);
  if (target.closest('input, select, textarea')) return true;
  return key === ' ' && target.closest('button, a') !== null;
}

/** @param {string} key @param {string} does */
function describe(key, does) {
  const term = document.createElement('dt');
  const cap = document.createElement('kbd');
  const text = document.createElement('dd');
  setText(cap, key);
  setText(text, does);
  term.append(cap);
  return [term, text];
}
