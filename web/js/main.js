// @ts-check
import { takeShared, takeToken } from './access.js';
import { titleOf } from './format.js';
import { chooseLanguage, direction, language, loadTexts } from './lang/lang.js';
import './installation.js';
import { API } from './link/api.js';
import { ServerClock } from './link/clock.js';
import { clientName } from './link/identity.js';
import { Link } from './link/link.js';
import { watchPresence } from './link/presence.js';
import { openSocket } from './link/socket.js';
import { openStream } from './link/stream.js';
import { Playhead } from './playhead.js';
import { preference } from './preferences.js';
import { Remote } from './remote.js';
import { router } from './router.js';
import { Store } from './store.js';
import { applyTheme } from './theme.js';
import { mountPage } from './views/page.js';

applyTheme();
// The token is removed from the address only when the page loads, because another page may change the address of an open page.
const token = takeToken(location, history);
const shared = takeShared(location, history);
router.update();
// This module is at its own path in the bundle too, so the address is the same in both.
await loadTexts(chooseLanguage(preference('language'), navigator.languages), new URL('lang/', import.meta.url));
document.documentElement.lang = language();
document.documentElement.dir = direction();

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
  clock,
});
/** @type {Remote} */
const remote = new Remote({ api, clock, store, link, playhead: new Playhead(() => clock.hostNow()) });

/**
 * The views; null until the page is visible for the first time.
 * @type {ReturnType<typeof mountPage> | null}
 */
let page = null;
/** Shows the item in the title of the window, which is visible even if the page is not. */
function entitle() {
  const item = store.state?.currentItem;
  const heading = item ? [titleOf(item), item.artist].filter(Boolean).join(' – ') : '';
  const title = heading ? `${heading} · Tonearm` : 'Tonearm';
  if (store.state && document.title !== title) document.title = title;
}
store.addEventListener('change', entitle);
/** A tab that is opened in the background only follows the state: its views are made when it is shown. */
function show() {
  if (document.visibilityState === 'hidden') return;
  page ??= mountPage(remote, shared);
  page.render();
}
function wake() {
  remote.wake();
  show();
}
watchPresence({ seen: wake, hidden: () => page?.hidden(), left: () => remote.sleep() });
show();
// If the token is wrong, the page asks for another token.
if (token !== null) await remote.unlock(token).catch(() => store.setLocked(true));
wake();
