// @ts-check
/**
 * The browser's offer to install the page, which it may make before the settings exist.
 * @type {Event | null}
 */
let offer = null;
/** @type {((event: Event) => void) | null} */
let listener = null;

addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault();
  if (listener) listener(event);
  else offer = event;
}, { once: true });

/** @param {(event: Event) => void} use called once, after the browser offers to install the page */
export function whenInstallable(use) {
  listener = use;
  if (offer) use(offer);
}
