// @ts-check
import { whenInstallable } from '../installation.js';
import { t } from '../lang/lang.js';
import { MediaKeys } from '../mediaKeys.js';
import { preference, setPreference } from '../preferences.js';
import { openSmallRemote } from './smallRemote.js';
import { makeSwitch } from './choices.js';
import { h } from './dom.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Adds the settings of the functions that this browser has in addition to the page (media keys, the screen, a small window, installation). A setting
 * is added only if the function works at the page's address: most of them need a secure address (HTTPS, or this machine).
 * @param {Remote} remote
 * @param {Element} place
 */
export function mountExtras(remote, place) {
  const list = h('section', { class: 'settings-group', hidden: true }, h('h3', null, t('extra.heading')));
  place.append(list);

  /** @param {Element} row */
  function add(row) {
    list.hidden = false;
    list.append(row);
  }
  /** @param {string} name @param {string} label @param {string} detail @param {(isOn: boolean) => void} apply */
  function option(name, label, detail, apply) {
    const read = () => preference(name) === 'on';
    const control = makeSwitch({ label, detail, read, write(isOn) {
      setPreference(name, isOn ? 'on' : 'off');
      apply(isOn);
    } });
    control.render();
    add(control.element);
    apply(read());
  }
  /** @param {string} label @param {string} detail @param {string} text @param {() => unknown} act */
  function act(label, detail, text, act) {
    const button = h('button', { class: 'pill-button', onclick: act }, text);
    const row = h('div', { class: 'switch setting' }, h('span', { class: 'option-text' }, label, h('small', null, detail)), button);
    add(row);
    return row;
  }

  if ('mediaSession' in navigator) {
    const keys = new MediaKeys(remote);
    option('mediaKeys', t('extra.mediaKeys'), t('extra.mediaKeysHint'), (isOn) => keys.use(isOn));
  }
  if (!isSecureContext) return;
  if ('wakeLock' in navigator) option('wakeLock', t('extra.wakeLock'), t('extra.wakeLockHint'), keepAwake(remote));
  if ('documentPictureInPicture' in window) {
    act(t('extra.smallRemote'), t('extra.smallRemoteHint'), t('extra.open'), () => void openSmallRemote(remote));
  }
  whenInstallable((event) => {
    const row = act(t('extra.installTitle'), t('extra.installHint'), t('extra.install'), () => {
      void /** @type {any} */ (event).prompt();
      row.remove();
    });
    addEventListener('appinstalled', () => row.remove(), { once: true });
  });
}

/**
 * Stores the page in the browser, by a service worker, so that it opens while the player cannot be reached.
 * @param {Remote} remote
 */
export function keepPage({ store }) {
  if (!isSecureContext || !('serviceWorker' in navigator)) return;
  let epoch = store.state?.epoch;
  void navigator.serviceWorker.register(new URL('sw.js', document.baseURI)).catch(() => {});
  // Another run of the server may have another build of the page, so the service worker is asked to look for a new one.
  store.addEventListener('change', () => {
    if (epoch && store.state && store.state.epoch !== epoch) navigator.serviceWorker.controller?.postMessage('check');
    epoch = store.state?.epoch;
  });
}

/**
 * Keeps the screen on while music plays in a visible page. The browser ends each lock when the page is hidden.
 * @param {Remote} remote
 * @returns {(isOn: boolean) => void}
 */
function keepAwake({ store }) {
  /** @type {Promise<WakeLockSentinel | null> | null} */
  let lock = null;
  let isOn = false;
  const update = () => {
    const isWanted = isOn && document.visibilityState === 'visible' && !!store.state?.rate;
    if (isWanted && !lock) {
      const mine = (lock = navigator.wakeLock.request('screen').catch(() => null));
      void mine.then((one) => one?.addEventListener('release', () => lock === mine && (lock = null)));
    } else if (!isWanted && lock) {
      void lock.then((one) => one?.release());
      lock = null;
    }
  };
  store.addEventListener('change', update);
  document.addEventListener('visibilitychange', update);
  return (value) => {
    isOn = value;
    update();
  };
}
