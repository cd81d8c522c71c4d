// @ts-check
import { router } from '../router.js';
import { hook } from './hooks.js';
/**
 * @typedef {object} RouteView  A view that a route shows. It is rendered only while it is visible.
 * @property {HTMLElement} [element]
 * @property {() => void} render
 * @property {(path: string) => void} [shown] called after the view became visible, or its path changed
 * @property {() => void} [hidden] called after the view became invisible
 */

/**
 * Shows the view of the route.
 * @param {Record<import('../router.js').View, RouteView>} views
 */
export function mountShell(views) {
  const page = hook('page');
  const outlet = hook('outlet');
  /** @type {RouteView | null} */
  let shown = null;

  function show() {
    const { view: name, path } = router.route;
    const view = views[name];
    page.dataset.view = name;
    outlet.hidden = name === 'now';
    if (view !== shown) {
      shown?.hidden?.();
      shown = view;
      if (name !== 'now' && view.element) outlet.replaceChildren(view.element);
    }
    view.render();
    view.shown?.(path);
  }
  router.addEventListener('change', show);
  show();

  return { render: () => shown?.render() };
}
