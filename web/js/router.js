// @ts-check
/** @typedef {'now' | 'queue' | 'library' | 'search' | 'settings'} View */
/** @typedef {{view: View, path: string}} Route  A view; `path` is the folder of the library or the text to search for, otherwise empty. */

/** @type {readonly View[]} */
const VIEWS = ['now', 'queue', 'library', 'search', 'settings'];

/**
 * Returns the route that a fragment names: `#/queue`, `#/library/<percent-encoded path>`, `#/search/<percent-encoded text>`. Everything else is the
 * view "now".
 * @param {string} fragment
 * @returns {Route}
 */
export function parseRoute(fragment) {
  const [, name = '', rest = ''] = /^#\/([a-z]+)(?:\/(.*))?$/s.exec(fragment) ?? [];
  const view = VIEWS.find((one) => one === name) ?? 'now';
  if (view !== 'library' && view !== 'search') return { view, path: '' };
  try {
    return { view, path: decodeURIComponent(rest) };
  } catch {
    return { view, path: '' }; // The fragment was typed by hand, and is not percent-encoded.
  }
}

/**
 * Returns the fragment of a route.
 * @param {View} view
 * @param {string} [path]
 */
export function fragmentOf(view, path = '') {
  return `#/${view}${path && `/${encodeURIComponent(path).replaceAll('%2F', '/')}`}`;
}

/** The route that the page's address names. It dispatches `change` after another route was chosen, also by the browser's Back. */
export class Router extends EventTarget {
  #window;
  /** @type {Route} */
  #route;

  /** @param {Pick<Window, 'location' | 'addEventListener'>} window */
  constructor(window) {
    super();
    this.#window = window;
    this.#route = parseRoute(window.location.hash);
    window.addEventListener('hashchange', () => this.update());
  }

  get route() {
    return this.#route;
  }

  /**
   * Shows another view, as a new step of the browser's history.
   * @param {View} view
   * @param {string} [path]
   */
  go(view, path = '') {
    if (view === this.#route.view && path === this.#route.path) return;
    this.#window.location.hash = fragmentOf(view, path);
    this.update(); // The browser's own event follows later; the view changes at once.
  }

  /**
   * Shows another view in place of the present one, so that Back does not return to this one.
   * @param {View} view
   * @param {string} [path]
   */
  replace(view, path = '') {
    this.#window.location.replace(fragmentOf(view, path));
    this.update();
  }

  /** Reads the address again, after the page itself has changed it. */
  update() {
    const { view, path } = parseRoute(this.#window.location.hash);
    if (view === this.#route.view && path === this.#route.path) return;
    this.#route = { view, path };
    this.dispatchEvent(new Event('change'));
  }
}

/** The route of this page. Outside a browser (in tests of views' logic) it stays at "now". */
export const router = new Router(globalThis.window ?? { location: { hash: '' }, addEventListener() {} });
