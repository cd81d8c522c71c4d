// @ts-check
import { t } from '../lang/lang.js';
import { addressesIn, entriesOf } from '../state/addresses.js';
import { h } from './dom.js';
import { icon } from './icons.js';
import { LibraryActs, quoted } from './libraryActs.js';
import { wayButtons } from './libraryMenu.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Offers to play addresses that are dropped anywhere on the page, or pasted while no field has the focus. Files cannot be sent to the player.
 * @param {Remote} remote
 */
export function mountDrop(remote) {
  const acts = new LibraryActs(remote);
  /** @type {HTMLElement | null} */
  let chip = null;
  /** @type {Element | null} */
  let before = null;
  /** Whether a part of this page is dragged, such as a cover. */
  let isOwn = false;

  function dismiss() {
    const hadFocus = chip?.contains(document.activeElement);
    chip?.remove();
    chip = null;
    if (hadFocus && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  }

  /** @param {string} text */
  function offer(text) {
    const entries = entriesOf(addressesIn(text));
    const [only] = entries;
    if (!only) return remote.store.say(t('library.add.noAddress'), true);
    dismiss();
    before = document.activeElement;
    const name = entries.length === 1 ? quoted(only) : t('library.add.dropped', { count: entries.length });
    const buttons = wayButtons((way, button) => {
      dismiss();
      void acts.bring(way, entries, button);
    });
    chip = h('section', { class: 'drop-chip', 'aria-label': t('library.add.offer') },
      h('p', { class: 'drop-name', dir: 'auto', title: only.name }, name),
      h('button', { class: 'icon-button', 'aria-label': t('library.add.dismiss'), onclick: dismiss }, icon('close')),
      h('div', { class: 'library-actions' }, ...buttons));
    chip.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      dismiss();
    });
    document.body.append(chip);
    buttons[0]?.focus({ preventScroll: true });
  }

  document.addEventListener('dragstart', () => (isOwn = true));
  document.addEventListener('dragend', () => (isOwn = false));
  document.addEventListener('dragover', (event) => {
    if (isOwn || isField(event.target)) return;
    event.preventDefault(); // Otherwise the browser opens what is dropped, in place of the page.
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
  });
  document.addEventListener('drop', (event) => {
    const data = event.dataTransfer;
    if (isOwn || isField(event.target) || !data) return;
    event.preventDefault();
    if (data.types.includes('Files')) return void remote.store.say(t('library.add.noUpload'), true);
    offer(data.getData('text/uri-list') || data.getData('text/plain'));
  });
  document.addEventListener('paste', (event) => {
    if (isField(event.target) || document.querySelector('dialog[open]')) return;
    const data = event.clipboardData;
    if (data?.types.includes('Files')) return void remote.store.say(t('library.add.noUpload'), true);
    const text = data?.getData('text/plain') ?? '';
    // Other text is not meant for the player.
    if (addressesIn(text).length > 0) offer(text);
  });
}

/** @param {EventTarget | null} target */
function isField(target) {
  return target instanceof Element && target.closest('input:not([type="range"]), textarea, [contenteditable]') !== null;
}
