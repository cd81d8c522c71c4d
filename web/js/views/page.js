// @ts-check
import { t, translate } from '../lang/lang.js';
import { router } from '../router.js';
import { readTitles } from '../state/titles.js';
import { makeTicker } from '../ticker.js';
import { mountDrop } from './addDrop.js';
import { openAddress } from './addView.js';
import { mountConnection } from './connection.js';
import { keepPage, mountExtras } from './extras.js';
import { hook } from './hooks.js';
import { drawIcons } from './icons.js';
import { mountIdle } from './idle.js';
import { keysElement } from './keys.js';
import { mountLibraryView } from './libraryView.js';
import { mountLyrics } from './lyrics.js';
import { mountMini } from './mini.js';
import { mountNotices } from './notices.js';
import { mountNow } from './nowPlaying.js';
import { mountNowRow } from './nowRow.js';
import { mountPlayerName } from './playerName.js';
import { mountQueueView } from './queueView.js';
import { mountSearchView } from './searchView.js';
import { mountSeekBar } from './seekBar.js';
import { mountSettings } from './settings.js';
import { openSheet } from './sheet.js';
import { mountShell } from './shell.js';
import { mountShortcuts } from './shortcuts.js';
import { mountStatus } from './status.js';
import { mountTransport } from './transport.js';
import { mountUndo } from './undo.js';
import { mountUnlock } from './unlock.js';
import { mountVolume } from './volume.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The longest wait for a repaint, in milliseconds. Repaints are late or missing if the window is covered, or if others keep the processor busy. */
const LATEST = 100;

/**
 * Makes the views, and draws them after each change. A hidden page is not drawn.
 * @param {Remote} remote
 * @param {string} shared addresses that another app has shared with the page; empty for none
 */
export function mountPage(remote, shared) {
  drawIcons(document);
  translate(document);
  const { store } = remote;

  const seekBar = mountSeekBar(remote);
  const row = mountNowRow(remote);
  const volume = mountVolume(remote);
  const lyrics = mountLyrics(remote);
  const mini = mountMini(remote);
  const views = [
    mountConnection(remote), mountStatus(remote), seekBar, mountTransport(remote), volume, mountNotices(remote), mountUndo(remote),
    mountUnlock(remote), lyrics, mini, row,
  ];
  const settings = mountSettings(remote, mountPlayerName(remote));
  mountExtras(remote, settings.extra);
  const shell = mountShell({
    now: mountNow(remote), queue: mountQueueView(remote), library: mountLibraryView(remote), search: mountSearchView(remote), settings,
  });
  const ticker = makeTicker(() => remote.isMoving, () => Math.min(seekBar.frame(), lyrics.frame(), mini.frame(), row.frame()));
  hook('open').addEventListener('click', () => openAddress(remote));
  hook('empty-open').addEventListener('click', () => router.go('library'));
  mountShortcuts(remote, {
    open: () => openAddress(remote), toggleLyrics: lyrics.toggle, changeVolume: volume.change,
    help: (opener) => openSheet({ title: t('shell.keys.heading'), content: keysElement, opener }),
  });
  mountIdle();

  const isHidden = () => document.visibilityState === 'hidden';
  function render() {
    if (isHidden()) return;
    for (const view of views) view.render();
    shell.render();
    ticker.check();
  }
  let frame = 0;
  let deadline = 0;
  /** Renders once before the next repaint, however many changes there are until then. */
  function schedule() {
    if (isHidden()) return;
    frame ||= requestAnimationFrame(draw);
    deadline ||= setTimeout(draw, LATEST);
  }
  function draw() {
    cancelAnimationFrame(frame);
    clearTimeout(deadline);
    frame = deadline = 0;
    render();
  }
  store.addEventListener('change', schedule);
  router.addEventListener('change', render);
  shell.show();

  /** Offers what another app has shared, as soon as the player can be controlled. */
  function offerShared() {
    if (!store.state || store.isLocked) return;
    store.removeEventListener('change', offerShared);
    openAddress(remote, shared);
  }
  if (shared) {
    store.addEventListener('change', offerShared);
    offerShared();
  }
  /** Does what can wait until the page has shown the player, and has nothing else to do: some of it sends requests. */
  function mountRest() {
    if (!store.state || store.isLocked) return;
    store.removeEventListener('change', mountRest);
    // Browsers without idle times do it a moment later.
    const whenIdle = window.requestIdleCallback ?? ((/** @type {() => void} */ act) => setTimeout(act, 500));
    whenIdle(() => {
      keepPage(remote);
      mountDrop(remote);
      readTitles(remote);
    }, { timeout: 2000 });
  }
  store.addEventListener('change', mountRest);
  mountRest();

  return { render, hidden: () => ticker.check() };
}
