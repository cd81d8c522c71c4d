// @ts-check
import { titleOf } from '../format.js';
import { t } from '../lang/lang.js';
import { pictureSize } from '../pictures.js';
import { fragmentOf } from '../router.js';
import { h } from './dom.js';
import { hook, setText } from './hooks.js';
import { clearTint, tintFrom } from './tint.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('../store.js').Item} Item */

/**
 * The view of what plays: its picture, and its title, artist and album.
 * @param {Remote} remote
 */
export function mountNow({ api, store }) {
  const page = hook('page');
  const title = hook('title');
  const artist = hook('artist');
  const album = hook('album');
  const cover = hook('cover', HTMLImageElement);
  let shownArtwork = '';
  let shownSize = 0;
  /**
   * The address of the unscaled picture, which is loaded if the scaled picture cannot be loaded; empty if there is no picture, or after that attempt.
   */
  let whole = '';
  const sleeve = /** @type {HTMLElement} */ (cover.parentElement);
  /** The width of the picture, in pixels. It is stored, because each reading from the browser would force a layout of the page. */
  let width = 0;
  /** Whether the width is known. It is not known before the first frame; a picture of a wrong size would then be requested. */
  let isMeasured = false;
  const measured = (/** @type {number} */ newWidth) => {
    width = newWidth;
    isMeasured = true;
    showArtwork(store.state?.currentItem);
  };
  new ResizeObserver(([entry]) => measured(entry?.contentRect.width ?? 0)).observe(sleeve);
  // If the view is hidden, its width stays 0, and a small picture gives the page its tint.
  requestAnimationFrame(() => requestAnimationFrame(() => isMeasured || measured(0)));

  cover.addEventListener('load', () => {
    cover.hidden = false;
    page.dataset.artwork = 'shown';
    tintFrom(cover);
  });
  // If the scaled picture cannot be loaded, the original is requested: the browser may support a picture format that the server cannot scale.
  cover.addEventListener('error', () => {
    withoutArtwork();
    if (whole) cover.src = whole;
    whole = '';
  });

  function withoutArtwork() {
    cover.hidden = true;
    page.dataset.artwork = 'none';
    clearTint();
  }

  /** @param {Item | undefined} item */
  function showArtwork(item) {
    if (!isMeasured) return;
    const wanted = item?.hasArtwork ? `${store.state?.epoch} ${item.id}` : '';
    // The size of the picture's parent element (the sleeve) determines the requested size, because the picture itself may be hidden. After the window
    // has grown, a larger picture is requested.
    const size = pictureSize(width, window.devicePixelRatio);
    if (wanted === shownArtwork && (!wanted || size <= shownSize)) return;
    shownArtwork = wanted;
    shownSize = size;
    if (!item?.hasArtwork) {
      whole = '';
      cover.removeAttribute('src');
      withoutArtwork();
      return;
    }
    // The previous picture stays until the new picture has loaded. So the picture does not flash between two items of one album.
    whole = api.artworkAddress(item.id);
    cover.src = api.artworkAddress(item.id, size, store.state?.epoch);
  }

  /**
   * Shows a text as a link that searches for it.
   * @param {HTMLElement} element @param {string} text
   */
  function setLink(element, text) {
    element.title = text; // The layout cuts off long texts.
    if (element.textContent === text) return;
    element.replaceChildren(text && h('a', { href: fragmentOf('search', text), dir: 'auto' }, text));
  }

  return {
    render() {
      const { state, connection } = store;
      const item = state?.currentItem;
      if (!state) return setText(title, t(connection === 'lost' ? 'shell.noConnection' : 'shell.connecting'));
      setText(title, item ? titleOf(item) : t('shell.status.empty'));
      title.title = title.textContent ?? '';
      setLink(artist, item?.artist ?? '');
      if (!item) setText(artist, t('shell.emptyHint'));
      // A title from a radio station's stream has no album, so the line of the album shows the name of the station.
      if (item?.stationName && !item.album) {
        album.title = titleOf(item) === item.stationName ? '' : item.stationName;
        setText(album, album.title);
      } else {
        setLink(album, item?.album ?? '');
      }
      showArtwork(item);
    },
  };
}
