// @ts-check
import { preference, setPreference } from '../preferences.js';
import { fragmentOf, router } from '../router.js';
import { setAttribute } from './dom.js';
import { focusMain, hook } from './hooks.js';
/**
 * @typedef {object} RouteView  A view that a route shows. It is rendered only while it is visible.
 * @property {HTMLElement} [element] absent if the view is a part of index.html
 * @property {() => void} render
 * @property {(path: string) => void} [shown] called after the view became visible, or its path changed
 * @property {() => void} [hidden] called after the view became invisible
 */

/** The windows that have space for the queue beside another view (css/layout.css). */
const HAS_PANEL = '(min-width: 1100px)';

/**
 * Shows the view of the route, and the queue beside it if the window is wide enough and the user has not closed it.
 * @param {Record<import('../router.js').View, RouteView>} views
 */
export function mountShell(views) {
  const main = hook('main');
  const outlet = hook('outlet');
  const panel = hook('queue-panel');
  const button = hook('queue-button', HTMLButtonElement);
  const tabs = /** @type {HTMLAnchorElement[]} */ ([...hook('tabs').querySelectorAll('a')]);
  const wide = matchMedia(HAS_PANEL);
  /**
   * The visible views, each with the element that contains it; null for a view that is a part of index.html.
   * @type {Map<RouteView, HTMLElement | null>}
   */
  let visible = new Map();
  /** The scroll positions of the views in the outlet. @type {Map<string, number>} */
  const scrolled = new Map();
  let shownKey = '';

  function show() {
    const { view: name, path } = router.route;
    const key = fragmentOf(name, path);
    const isPanelOpen = wide.matches && name !== 'queue' && preference('queuePanel') !== 'closed';
    /** @type {typeof visible} */
    const next = new Map([[views[name], views[name].element ? outlet : null]]);
    if (isPanelOpen) next.set(views.queue, panel);
    if (key !== shownKey && shownKey) scrolled.set(shownKey, main.scrollTop);

    document.documentElement.dataset.view = name;
    outlet.hidden = next.get(views[name]) === null;
    panel.hidden = !isPanelOpen;
    delete document.documentElement.dataset.queuePanel; // Of js/early.js.
    setAttribute(button, 'aria-expanded', String(isPanelOpen || name === 'queue'));
    for (const tab of tabs) setAttribute(tab, 'aria-current', tab.hash === fragmentOf(name) && 'page');
    for (const [view] of visible) if (!next.has(view)) view.hidden?.();
    for (const [view, place] of next) if (view.element && place && view.element.parentElement !== place) place.replaceChildren(view.element);

    const before = visible;
    visible = next;
    for (const [view, place] of next) {
      const isRoute = view === views[name];
      if (before.get(view) === place && !(isRoute && key !== shownKey)) continue;
      view.render();
      view.shown?.(isRoute ? path : '');
    }
    // To set the scroll position, the browser has to lay out the page. The first view needs no scroll position, so this is avoided at the start.
    if (key !== shownKey && shownKey) {
      main.scrollTop = scrolled.get(key) ?? 0;
      focusMain();
    }
    shownKey = key;
  }

  button.addEventListener('click', () => {
    if (router.route.view === 'queue') return router.go('now');
    setPreference('queuePanel', panel.hidden ? 'open' : 'closed');
    show();
  });
  router.addEventListener('change', show);
  wide.addEventListener('change', show);

  return {
    show,
    render() {
      for (const view of visible.keys()) view.render();
    },
  };
}
