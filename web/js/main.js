// @ts-check
import { takeToken } from './access.js';
import { chooseLanguage, direction, language, loadTexts, translate } from './lang/lang.js';
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
import { mountDrop } from './views/addDrop.js';
import { mountAdd, openAddress } from './views/addView.js';
import { mountConnection } from './views/connection.js';
import { mountLibraryView } from './views/libraryView.js';
import { mountIdle } from './views/idle.js';
import { drawIcons } from './views/icons.js';
import { mountLyrics } from './views/lyrics.js';
import { mountMini } from './views/mini.js';
import { mountNotices } from './views/notices.js';
import { mountNowRow } from './views/nowRow.js';
import { mountNow } from './views/nowPlaying.js';
import { mountQueueView } from './views/queueView.js';
import { mountSearchView } from './views/searchView.js';
import { mountSeekBar } from './views/seekBar.js';
import { mountSettings } from './views/settings.js';
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

const seekBar = mountSeekBar(remote);
const row = mountNowRow(remote);
const volume = mountVolume(remote);
const lyrics = mountLyrics(remote);
const mini = mountMini(remote);
const views = [
  mountConnection(remote), mountStatus(remote), seekBar, mountTransport(remote), volume, mountNotices(remote), mountUndo(remote),
  mountUnlock(remote), lyrics, mini, row,
];
const shell = mountShell({
  now: mountNow(remote), queue: mountQueueView(remote), library: mountLibraryView(remote), search: mountSearchView(remote), settings: mountSettings(remote),
});
const ticker = makeTicker(() => remote.isMoving, () => Math.min(seekBar.frame(), lyrics.frame(), mini.frame(), row.frame()));
mountAdd(remote);
mountDrop(remote);
mountShortcuts(remote, { open: () => openAddress(remote), toggleLyrics: lyrics.toggle, changeVolume: volume.change });
mountIdle();

function render() {
  for (const view of views) view.render();
  shell.render();
  ticker.check();
}
let drawing = 0;
/** Renders once before the next repaint, however many changes there are until then. A hidden page is not repainted, so it renders at once. */
function schedule() {
  if (document.visibilityState === 'hidden') return render();
  drawing ||= requestAnimationFrame(() => {
    drawing = 0;
    render();
  });
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
