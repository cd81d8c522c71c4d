// @ts-check
import { NotLoaded } from '../late.js';
import { t } from '../lang/lang.js';
import { h, setAttribute } from './dom.js';
/** @typedef {import('../late.js').Late} Late */
/** @typedef {import('../late.js').Parts} Parts */
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('./shell.js').RouteView} RouteView */

/**
 * Returns the text that the page shows if its later parts could not be loaded, and the act that may help the user.
 * @param {unknown} error @param {() => void} again
 */
function failure(error, again) {
  const isOutdated = error instanceof NotLoaded && error.reason === 'outdated';
  return isOutdated ? { text: t('shell.outdated'), act: { text: t('shell.reload'), perform: () => location.reload() } }
    : { text: t('shell.noConnection'), act: { text: t('shell.tryNow'), perform: again } };
}

/**
 * Performs an act that needs the later parts of the page: at once if they are loaded. If they cannot be loaded, a notice says so.
 * @param {{late: Late, remote: Remote}} page
 * @param {(parts: Parts) => void} act
 * @param {Element} [element] the pressed control
 */
export async function withParts({ late, remote }, act, element) {
  if (late.parts) return act(late.parts);
  if (element) setAttribute(element, 'aria-busy', 'true');
  try {
    act(await late.load());
  } catch (error) {
    if (!(error instanceof NotLoaded)) throw error;
    const { text, act: offer } = failure(error, () => void withParts({ late, remote }, act, element));
    remote.store.say(text, true, [offer]);
  } finally {
    if (element) setAttribute(element, 'aria-busy', null);
  }
}

/**
 * Makes a view that is one of the later parts. If they cannot be loaded, the view says so.
 * @param {{late: Late, remote: Remote}} page
 * @param {(parts: Parts) => RouteView} make called once
 * @returns {RouteView & {element: HTMLElement}}
 */
export function lateView({ late, remote }, make) {
  /** @type {RouteView | null} */
  let view = null;
  /** The path that is shown; null while the view is hidden. @type {string | null} */
  let path = null;
  let isLoading = false;
  let isFailed = false;
  let wasConnected = true;
  const place = h('section', { class: 'view late' });
  const lateView = {
    element: place,
    render() {
      if (view) return view.render();
      const isConnected = remote.store.connection === 'open';
      // The file can be loaded as soon as the player can be reached again.
      if (isFailed && isConnected && !wasConnected) void open();
      wasConnected = isConnected;
    },
    /** @param {string} shown */
    shown(shown) {
      path = shown;
      if (view) view.shown?.(shown);
      else void open();
    },
    hidden() {
      path = null;
      view?.hidden?.();
    },
  };

  async function open() {
    if (isLoading) return;
    isLoading = true;
    isFailed = false;
    setAttribute(place, 'aria-busy', 'true');
    try {
      view = make(await late.load());
    } catch (error) {
      if (!(error instanceof NotLoaded)) throw error;
      isFailed = true;
      const { text, act } = failure(error, () => void open());
      const button = h('button', { class: 'primary-button', onclick: act.perform }, act.text);
      place.replaceChildren(h('div', { class: 'queue-note' }, h('p', { role: 'status' }, text), button));
      return;
    } finally {
      isLoading = false;
      setAttribute(place, 'aria-busy', null);
    }
    if (view.element) {
      lateView.element = view.element;
      place.replaceWith(view.element);
    }
    if (path === null) return;
    view.render();
    view.shown?.(path);
  }
  return lateView;
}
