// @ts-check
import { titleOf } from '../format.js';
import { pictureSize } from '../pictures.js';
import { hook, setText } from './hooks.js';
import { clearTint, tintFrom } from './tint.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('../store.js').Item} Item */

/**
 * Shows the picture, title, artist and album of the loaded item.
 * @param {Remote} remote
 */
export function mountNowPlaying({ api, store }) {
  const page = hook('page');
  const title = hook('title');
  const artist = hook('artist');
  const album = hook('album');
  const cover = hook('cover', HTMLImageElement);
  let shownArtwork = '';
  let shownSize = 0;
  /** The address of the original, unscaled picture, which is loaded if the scaled one cannot be loaded; empty if there is none, or it was tried. */
  let whole = '';

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
    const wanted = item?.hasArtwork ? `${store.state?.epoch} ${item.id}` : '';
    // The size of the picture's parent element (the sleeve) determines the requested size, because the picture itself may be hidden. After the window
    // has grown, a larger picture is requested.
    const size = pictureSize(cover.parentElement?.clientWidth ?? 0, window.devicePixelRatio);
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
    cover.src = api.artworkAddress(item.id, size);
  }

  return {
    render() {
      const { state, connection } = store;
      const item = state?.currentItem;
      if (!state) {
        setText(title, connection === 'lost' ? 'No connection to the player' : 'Connecting…');
        return;
      }
      setText(title, item ? titleOf(item) : 'No item is loaded');
      setText(artist, item ? item.artist ?? '' : 'Open a file or a stream to hear it here.');
      setText(album, item?.album ?? '');
      // The layout cuts off long texts.
      for (const element of [title, artist, album]) element.title = element.textContent ?? '';
      showArtwork(item);
      const heading = item ? [titleOf(item), item.artist].filter(Boolean).join(' – ') : '';
      document.title = heading ? `${heading} · Tonearm` : 'Tonearm';
    },
  };
}
