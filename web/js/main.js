// @ts-check
import { takeShared, takeToken } from './access.js';
import { chooseLanguage, direction, language, loadTexts, t, translate } from './lang/lang.js';
import './installation.js';
import { Late } from './late.js';
import { API } from './link/api.js';
import { ServerClock } from './link/clock.js';
import { clientName } from './link/identity.js';
import { Link } from './link/link.js';
import { openSocket } from './link/socket.js';
import { openStream } from './link/stream.js';
import { Playhead } from './playhead.js';
import { watchPresence } from './link/presence.js';
import { preference } from './preferences.js';
import { Remote } from './remote.js';
import { router } from './router.js';
import { Store } from './store.js';
import { applyTheme } from './theme.js';
import { makeTicker } from './ticker.js';
import { mountConnection } from './views/connection.js';
import { mountIdle } from './views/idle.js';
import { hook } from './views/hooks.js';
import { drawIcons } from './views/icons.js';
import { lateView, withParts } from './views/late.js';
import { mountLyrics } from './views/lyrics.js';
import { mountMini } from './views/mini.js';
import { mountNotices } from './views/notices.js';
import { mountNowRow } from './views/nowRow.js';
import { mountNow } from './views/nowPlaying.js';
import { mountPlayerName } from './views/playerName.js';
import { mountQueueView } from './views/queueView.js';
import { mountSeekBar } from './views/seekBar.js';
import { openSheet } from './views/sheet.js';
import { mountShell } from './views/shell.js';
import { mountShortcuts } from './views/shortcuts.js';
import { mountStatus } from './views/status.js';
import { mountTransport } from './views/transport.js';
import { mountUndo } from './views/undo.js';
import { mountUnlock } from './views/unlock.js';
import { mountVolume } from './views/volume.js';

applyTheme();
drawIcons(document);
// The token is removed from the address only when the page loads, because another page may change the address of an open page.
const token = takeToken(location, history);
const shared = takeShared(location, history);
router.update();
await loadTexts(chooseLanguage(preference('language'), navigator.languages));
document.documentElement.lang = language();
document.documentElement.dir = direction();
translate(document);

const client = () => clientName();
const api = new API(document.baseURI, undefined, client);
const clock = new ServerClock();
const store = new Store(client);
/** @type {Link} */
const link = new Link({
  connect(kind, lastEventId, listener) {
    const address = api.eventsAddress(kind, lastEventId);
    return kind === 'socket' ? openSocket(address, listener, { client }) : openStream(address, listener, { api });
  },
  probe: () => api.command('getClock', {}, { timeout: 3 }),
  isMoving: () => remote.isMoving,
});
/** @type {Remote} */
const remote = new Remote({ api, clock, store, link, playhead: new Playhead(() => clock.hostNow()) });

const late = new Late({ load: () => import('./rest.js'), isReachable: () => api.servesPage(), loaded: useParts });
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
/** @type {ReturnType<import('./late.js').Parts['mountSettings']> | null} */
let settings = null;
/**
 * Makes the settings once. Some of them act before they are shown, such as the media keys.
 * @param {import('./late.js').Parts} parts
 */
function settingsView({ mountExtras, mountSettings }) {
  if (settings) return settings;
  const view = settings = mountSettings(remote, about);
  mountExtras(remote, view.extra);
  return view;
}
/** @param {import('./late.js').Parts} parts */
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

function render() {
  for (const view of views) view.render();
  shell.render();
  ticker.check();
}
/** The longest wait for a repaint, in milliseconds. Repaints are late or missing if the window is covered, or if others keep the processor busy. */
const LATEST = 100;
let frame = 0;
let deadline = 0;
/** Renders once before the next repaint, however many changes there are until then. A hidden page is not repainted, so it renders at once. */
function schedule() {
  if (document.visibilityState === 'hidden') return render();
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

function wake() {
  remote.wake();
  render();
}
watchPresence({ seen: wake, hidden: () => ticker.check(), left: () => remote.sleep() });
// If the token is wrong, the page asks for another token.
if (token !== null) await remote.unlock(token).catch(() => store.setLocked(true));
wake();
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
