// Keeps the files of the page, so that it opens while the player cannot be reached. It stores nothing of the API. The files of a build are in a
// folder with its own name; the server lists them in files.json. If the server has no such list (`--web`), the worker removes itself.
const SCOPE = registration.scope;
const PREFIX = `tonearm ${SCOPE} `;
/** The time, in milliseconds, that the server has to send the page. After this time, the stored page is shown. */
const PATIENCE = 3000;

const names = async () => (await caches.keys()).filter((name) => name.startsWith(PREFIX));
let filling;
let following;

/**
 * Stores the present build, if it is not stored. The build before it stays, because an open page may still use it. While a build is being stored, a
 * newer build may be installed on the server. A call during that time therefore reads the list of files again after it.
 */
function fill() {
  if (!filling) return (filling = load().finally(() => (filling = undefined)));
  return (following ??= filling.catch(() => {}).then(() => {
    following = undefined;
    return fill();
  }));
}
async function load() {
  const answer = await fetch(new URL('files.json', SCOPE), { cache: 'no-store' });
  if (answer.status === 404) {
    for (const name of await names()) await caches.delete(name);
    return registration.unregister();
  }
  if (!answer.ok) throw new Error(`files.json: ${answer.status}`);
  const { folder, files } = await answer.json();
  if (await caches.has(PREFIX + folder)) return;
  const paths = files.filter((path) => !/(\.yaml|touch-icon\.png)$/.test(path));
  const answers = await Promise.all(paths.map(async (path) => {
    const url = new URL(path, SCOPE);
    const file = await fetch(url, path === './' ? { cache: 'no-store' } : {});
    if (!file.ok) throw new Error(`${path}: ${file.status}`);
    return [url, file];
  }));
  const cache = await caches.open(PREFIX + folder);
  await Promise.all(answers.map(([url, file]) => cache.put(url, file)));
  for (const name of (await names()).slice(0, -2)) await caches.delete(name);
}

async function stored(url) {
  for (const name of (await names()).reverse()) {
    const found = await (await caches.open(name)).match(url);
    if (found) return found;
  }
}

async function page(request) {
  const shell = stored(SCOPE);
  const late = new Promise((resolve) => setTimeout(() => void shell.then((found) => found && resolve(found)), PATIENCE));
  const fresh = fetch(request).then(async (answer) => (answer.status >= 502 && (await shell)) || answer);
  return Promise.race([fresh.catch(async (error) => (await shell) ?? Promise.reject(error)), late]);
}

addEventListener('install', (event) => {
  skipWaiting();
  event.waitUntil(fill());
});
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('message', (event) => event.waitUntil(fill().catch(() => {})));
addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  const scope = new URL(SCOPE);
  if (method !== 'GET' || origin !== scope.origin || !pathname.startsWith(scope.pathname)) return;
  const path = pathname.slice(scope.pathname.length);
  if (mode === 'navigate' && (path === '' || path === 'index.html')) {
    event.respondWith(page(event.request));
    event.waitUntil(fill().catch(() => {}));
  } else if (/^[0-9a-f]{16}\//.test(path)) {
    event.respondWith(stored(url).then((found) => found ?? fetch(event.request)));
  }
});
