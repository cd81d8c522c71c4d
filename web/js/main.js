// @ts-check
import { takeToken } from './access.js';
import { chooseLanguage, direction, language, loadTexts, translate } from './lang/lang.js';
import { preference } from './preferences.js';
import { API } from './link/api.js';
import { ServerClock } from './link/clock.js';
import { EventStream } from './link/events.js';
import { Playhead } from './playhead.js';
import { watchPresence } from './link/presence.js';
import { Remote } from './remote.js';
import { Store } from './store.js';
import { makeTicker } from './ticker.js';
import { mountConnection } from './views/connection.js';
import { mountLibraryView } from './views/libraryView.js';
import { mountLyrics } from './views/lyrics.js';
import { mountNotices } from './views/notices.js';
import { mountNowRow } from './views/nowRow.js';
import { mountNowPlaying } from './views/nowPlaying.js';
import { mountOpenDialog } from './views/openDialog.js';
import { mountQueue } from './views/queue.js';
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

await loadTexts(chooseLanguage(preference('language'), navigator.languages));
document.documentElement.lang = language();
document.documentElement.dir = direction();
translate(document);

const api = new API(document.baseURI);
const clock = new ServerClock();
const store = new Store();
const stream = new EventStream((lastEventId) => api.eventsAddress(lastEventId));
const remote = new Remote({ api, clock, store, stream, playhead: new Playhead(() => clock.hostNow()) });

const seekBar = mountSeekBar(remote);
const row = mountNowRow(remote);
const lyrics = mountLyrics(remote);
const views = [
  mountConnection(remote), mountNowPlaying(remote), mountStatus(remote), seekBar, mountTransport(remote), mountQueue(remote), mountVolume(remote),
  mountNotices(remote), mountUndo(remote), mountUnlock(remote), lyrics, row,
];
views.push(mountShell({
  now: { render() {} }, queue: mountQueueView(remote), library: mountLibraryView(remote), search: mountSearchView(remote), settings: mountSettings(remote),
}));
const ticker = makeTicker(() => remote.isMoving, () => Math.min(seekBar.frame(), lyrics.frame(), row.frame()));
mountShortcuts(remote, { showOpenDialog: mountOpenDialog(remote).show, toggleLyrics: lyrics.toggle });

function render() {
  for (const view of views) view.render();
  ticker.check();
}
store.addEventListener('change', render);

function wake() {
  remote.wake();
  render();
}
/**
 * Sends the token in the page's address to the server, if the address has one. This is done only when the page loads, because another page may change
 * the address of an open page.
 */
async function unlock() {
  const token = takeToken(location, history);
  // If the token is wrong, the page asks for another token.
  if (token !== null) await remote.unlock(token).catch(() => store.setLocked(true));
}
watchPresence({ seen: wake, hidden: () => ticker.check(), left: () => stream.close() });
await unlock();
wake();
