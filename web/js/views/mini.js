// @ts-check
import { titleOf } from '../format.js';
import { t } from '../lang/lang.js';
import { pictureSize } from '../pictures.js';
import { router } from '../router.js';
import { describeSilence } from '../words.js';
import { hook, setText } from './hooks.js';
import { clearTint, tintFrom } from './tint.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The shortest movement that counts as a swipe, in pixels, and the largest movement across the direction of a swipe, as a part of its length. */
const SWIPE = 40;
const SLANT = 0.6;
/** The change of the played part that is visible in the line of the mini player. */
const VISIBLE = 0.0025;

/**
 * Shows the picture and the titles beside the controls of playback: the mini player of a phone, and the beginning of the bar of a desk. On a phone a
 * swipe to the side selects the next or the previous entry, a swipe up opens the view "now".
 * @param {Remote} remote
 */
export function mountMini(remote) {
  const { api, store } = remote;
  const player = hook('player');
  const mini = hook('mini', HTMLAnchorElement);
  const cover = hook('mini-cover', HTMLImageElement);
  const title = hook('mini-title');
  const artist = hook('mini-artist');
  let shownArtwork = '';
  let shownPart = -1;
  /** The width of the picture, in pixels. It is stored, because each reading from the browser would force a layout of the page. */
  let width = 0;
  /** The first point of a finger on the mini player. @type {{x: number, y: number, id: number} | null} */
  let start = null;
  let isSwiped = false;

  new ResizeObserver(([entry]) => {
    width = entry?.contentRect.width ?? 0;
    showCover();
  }).observe(/** @type {Element} */ (cover.parentElement));
  cover.addEventListener('load', () => {
    cover.hidden = false;
    tintFrom(cover); // The view "now" may not be visible.
  });
  cover.addEventListener('error', () => (cover.hidden = true));
  for (const element of [mini, cover]) element.draggable = false;

  mini.addEventListener('pointerdown', ({ pointerType, clientX: x, clientY: y, pointerId: id, isPrimary }) => {
    isSwiped = false;
    if (pointerType !== 'mouse' && isPrimary) start = { x, y, id };
  });
  mini.addEventListener('pointermove', (event) => {
    if (start?.id === event.pointerId) mini.style.setProperty('--drag', `${Math.round((event.clientX - start.x) / 2)}px`);
  });
  mini.addEventListener('pointercancel', end);
  mini.addEventListener('pointerup', (event) => {
    const from = start;
    end();
    if (from?.id !== event.pointerId) return;
    const [across, down] = [event.clientX - from.x, event.clientY - from.y];
    const wish = swipeOf(across, down);
    isSwiped = wish !== null;
    if (wish === 'next') remote.next();
    if (wish === 'previous') remote.previous();
    if (wish === 'open') router.go('now');
  });
  // The browser reports a swipe as a click too, if the finger is lifted over the link.
  mini.addEventListener('click', (event) => {
    if (isSwiped) event.preventDefault();
  });

  function end() {
    start = null;
    mini.style.removeProperty('--drag');
  }

  function showCover() {
    const item = store.state?.currentItem;
    if (item?.hasArtwork && width === 0) return; // It is not visible, so it is loaded later.
    const wanted = item?.hasArtwork ? api.artworkAddress(item.id, pictureSize(width, window.devicePixelRatio), store.state?.epoch) : '';
    if (wanted === shownArtwork) return;
    shownArtwork = wanted;
    if (wanted) return (cover.src = wanted);
    cover.hidden = true;
    cover.removeAttribute('src');
    clearTint();
  }

  /** Draws the line of the played part. Returns the time until it changes visibly, in seconds. */
  function frame() {
    const { state } = store;
    const duration = state?.currentItem?.duration;
    const part = duration ? Math.min(1, Math.max(0, remote.shownTime() / duration)) : 0;
    if (Math.abs(part - shownPart) >= VISIBLE || part === 0) {
      shownPart = part;
      player.style.setProperty('--line', part.toFixed(4));
    }
    const rate = Math.abs(state?.anchor.rate ?? 0);
    return duration && rate ? (VISIBLE * duration) / rate : Infinity;
  }

  return {
    frame,
    render() {
      const item = store.state?.currentItem;
      setText(title, item ? titleOf(item) : t('shell.status.empty'));
      // In other views than "now" only this line says why nothing is heard.
      const silence = describeSilence(store.state?.audioSession?.silence);
      setText(artist, silence || item?.artist || '');
      mini.dataset.silent = String(!!silence);
      mini.title = [title.textContent, silence].filter(Boolean).join(' · ');
      showCover();
      frame();
    },
  };
}

/**
 * Returns what a swipe on the mini player means; null if the finger moved too little, or not straight.
 * @param {number} across the distance to the right, in pixels
 * @param {number} down the distance downward, in pixels
 * @returns {'next' | 'previous' | 'open' | null}
 */
export function swipeOf(across, down) {
  if (Math.abs(across) >= SWIPE && Math.abs(down) <= SLANT * Math.abs(across)) return across < 0 ? 'next' : 'previous';
  if (down <= -SWIPE && Math.abs(across) <= SLANT * -down) return 'open';
  return null;
}
