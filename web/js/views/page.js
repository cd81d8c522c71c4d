// @ts-check
import { t, translate } from '../lang/lang.js';
import { router } from '../router.js';
import { Late } from '../late.js';
import { makeTicker } from '../ticker.js';
import { mountConnection } from './connection.js';
import { hook } from './hooks.js';
import { drawIcons } from './icons.js';
import { mountIdle } from './idle.js';
import { lateView, withParts } from './late.js';
import { mountLyrics } from './lyrics.js';
import { mountMini } from './mini.js';
import { mountNotices } from './notices.js';
import { mountNow } from './nowPlaying.js';
import { mountNowRow } from './nowRow.js';
import { mountPlayerName } from './playerName.js';
import { mountQueueView } from './queueView.js';
import { mountSeekBar } from './seekBar.js';
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
  const { api, store } = remote;
  const late = new Late({ load: () => import('../rest.js'), isReachable: () => api.servesPage(), loaded: useParts });
  const page = { late, remote };

  const seekBar = mountSeekBar(remote);
  const row = mountNowRow(page);
  const volume = mountVolume(remote);
  const lyrics = mountLyrics(remote);
  const mini = mountMini(remote);
  const views = [
    mountConnection(remote), mountStatus(remote), seekBar, mountTransport(remote), volume, mountNotices(remote), mountUndo(remote),
    mountUnlock(remote), lyrics, mini, row,
  ];
  const about = mountPlayerName(remote);
  /** @type {ReturnType<import('../late.js').Parts['mountSettings']> | null} */
  let settings = null;
  /**
   * Makes the settings once. Some of them act before they are shown, such as the media keys.
   * @param {import('../late.js').Parts} parts
   */
  function settingsView({ mountExtras, mountSettings }) {
    if (settings) return settings;
    const view = settings = mountSettings(remote, about);
    mountExtras(remote, view.extra);
    return view;
  }
  /** @param {import('../late.js').Parts} parts */
  function useParts(parts) {
    settingsView(parts);
    parts.mountDrop(remote);
    parts.readTitles(remote);
  }
  const shell = mountShell({
    now: mountNow(remote), queue: mountQueueView(remote),
    library: lateView(page, (parts) => parts.mountLibraryView(remote)),
    search: lateView(page, (parts) => parts.mountSearchView(remote)),
    settings: lateView(page, settingsView),
  });
  const ticker = makeTicker(() => remote.isMoving, () => Math.min(seekBar.frame(), lyrics.frame(), mini.frame(), row.frame()));
  /** @param {string} [text] addresses to offer */
  const openAddress = (text) => void withParts(page, (parts) => parts.openAddress(remote, text), hook('open'));
  hook('open').addEventListener('click', () => openAddress());
  hook('empty-open').addEventListener('click', () => router.go('library'));
  mountShortcuts(remote, {
    open: openAddress, toggleLyrics: lyrics.toggle, changeVolume: volume.change,
    help: (opener) => void withParts(page, ({ keysElement }) => openSheet({ title: t('shell.keys.heading'), content: keysElement, opener }), opener),
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
    openAddress(shared);
  }
  if (shared) {
    store.addEventListener('change', offerShared);
    offerShared();
  }
  /** Loads the later parts when the page has nothing else to do, after it has shown the player. */
  function loadRest() {
    if (!store.state || store.isLocked) return;
    store.removeEventListener('change', loadRest);
    // Browsers without idle times load them a moment later.
    const whenIdle = window.requestIdleCallback ?? ((/** @type {() => void} */ act) => setTimeout(act, 500));
    whenIdle(() => void late.load().catch(() => {}), { timeout: 2000 });
  }
  store.addEventListener('change', loadRest);
  loadRest();

  return { render, hidden: () => ticker.check() };
}
