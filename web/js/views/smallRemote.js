// @ts-check
import { titleOf } from '../format.js';
import { t } from '../lang/lang.js';
import { h, setAttribute } from './dom.js';
import { makeButton, setEnabled, setText } from './hooks.js';
import { icon } from './icons.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Opens a small remote in a window that stays above the others (Document Picture-in-Picture).
 * @param {Remote} remote
 */
export async function openSmallRemote(remote) {
  const { api, store } = remote;
  /** @type {Window} */
  const other = await /** @type {any} */ (window).documentPictureInPicture.requestWindow({ width: 360, height: 120 });
  const root = other.document.documentElement;
  const { lang, dir } = document.documentElement;
  Object.assign(root, { lang, dir });
  root.style.cssText = document.documentElement.style.cssText;
  for (const sheet of /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll('link[rel="stylesheet"]'))) {
    other.document.head.append(h('link', { rel: 'stylesheet', href: sheet.href, media: sheet.media || null }));
  }
  const cover = h('img', {
    class: 'small-remote-cover', alt: '', hidden: true, onerror: () => (cover.hidden = true), onload: () => (cover.hidden = false),
  });
  const [title, artist] = [h('p', { class: 'mini-title', dir: 'auto' }), h('p', { class: 'mini-artist', dir: 'auto' })];
  const play = makeButton('icon-button', icon('play'), () => remote.playOrPause(play));
  const next = makeButton('icon-button', icon('next'), () => remote.next(), t('shell.nextEntry'));
  other.document.body.className = 'small-remote';
  other.document.body.append(cover, h('div', { class: 'small-remote-text' }, title, artist), play, next);
  let shown = '';

  function render() {
    const { state, nextEntry, isSure } = store;
    const item = state?.currentItem;
    const isPlaying = !!state?.rate;
    setText(title, item ? titleOf(item) : '');
    setText(artist, isSure ? item?.artist ?? '' : t('shell.noConnection'));
    other.document.title = title.textContent ?? '';
    const picture = isPlaying ? 'pause' : 'play';
    if (play.dataset.shows !== picture) play.replaceChildren(icon(picture));
    play.dataset.shows = picture;
    setAttribute(play, 'aria-label', t(isPlaying ? 'shell.pause' : 'shell.play'));
    setEnabled(play, !!item && item.status !== 'failed');
    setEnabled(next, !!nextEntry);
    const address = item?.hasArtwork ? api.artworkAddress(item.id, 256, store.state?.epoch).toString() : '';
    if (address === shown) return;
    shown = address;
    if (address) cover.src = address;
    else cover.hidden = true;
  }
  store.addEventListener('change', render);
  other.addEventListener('pagehide', () => store.removeEventListener('change', render), { once: true });
  render();
}
