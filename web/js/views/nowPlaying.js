// @ts-check
import { titleOf } from '../format.js';
import { hook, setText } from './hooks.js';
import { clearTint, tintFrom } from './tint.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('../store.js').Item} Item */

/**
 * What is loaded: its picture, title, artist and album.
 * @param {Remote} remote
 */
export function mountNowPlaying({ api, store }) {
  const page = hook('page');
  const title = hook('title');
  const artist = hook('artist');
  const album = hook('album');
  const cover = hook('cover', HTMLImageElement);
  let shownArtwork = '';

  cover.addEventListener('load', () => {
    cover.hidden = false;
    page.dataset.artwork = 'shown';
    tintFrom(cover);
  });
  cover.addEventListener('error', withoutArtwork);

  function withoutArtwork() {
    cover.hidden = true;
    page.dataset.artwork = 'none';
    clearTint();
  }

  /** @param {Item | undefined} item */
  function showArtwork(item) {
    const wanted = item?.hasArtwork ? `${store.state?.epoch} ${item.id}` : '';
    if (wanted === shownArtwork) return;
    shownArtwork = wanted;
    if (!item?.hasArtwork) {
      cover.removeAttribute('src');
      withoutArtwork();
      return;
    }
    // The picture before stays until the new one is there: no flash between two items of one album.
    cover.src = api.artworkAddress(item.id);
  }

  return {
    render() {
      const { state, connection } = store;
      const item = state?.currentItem;
      if (!state) {
        setText(title, connection === 'lost' ? 'No player there' : 'Connecting…');
        return;
      }
      setText(title, item ? titleOf(item) : 'Nothing loaded');
      setText(artist, item ? item.artist ?? '' : 'Open a file or a stream to hear it here.');
      setText(album, item?.album ?? '');
      showArtwork(item);
      const heading = item ? [titleOf(item), item.artist].filter(Boolean).join(' – ') : '';
      document.title = heading ? `${heading} · Tonearm` : 'Tonearm';
    },
  };
}
