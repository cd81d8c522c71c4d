// @ts-check
import { formatTime } from '../format.js';
import { number, t } from '../lang/lang.js';
import { pictureSize } from '../pictures.js';
import { h, setAttribute } from './dom.js';
import { setText } from './hooks.js';
import { quoted } from './libraryActs.js';
import { Pictures, showImage } from './libraryPictures.js';
import { makeVirtualList } from './virtualList.js';
/** @typedef {import('../state/library.js').Entry} Entry */
/** @typedef {Entry & {id?: string, isCurrent?: boolean, place?: string, isLoading?: boolean}} Row  An entry with the facts of a search result. */

/** The height of a row, and the length of the side of its picture, in pixels if the root font has 16 pixels. */
const ROW = 60;
const PICTURE = 44;

/**
 * Makes the list of a folder or of a search: only the visible rows are in the document.
 * @param {object} parts
 * @param {string} parts.label
 * @param {import('../remote.js').Remote} parts.remote
 * @param {(index: number) => Row | undefined} parts.at
 * @param {(index: number, row: Row, event: MouseEvent, button: HTMLElement) => void} parts.press
 * @param {(index: number, row: Row, button: HTMLElement) => void} parts.more
 * @param {() => boolean} [parts.hasPictures] whether the rows show pictures; otherwise only a sign of their kind
 * @param {(index: number) => boolean | undefined} [parts.isSelected] undefined while nothing can be selected
 * @param {(first: number, last: number) => void} [parts.onRange]
 */
export function makeRows({ label, remote, at, press, more, hasPictures = () => true, isSelected = () => undefined, onRange }) {
  const pictures = new Pictures((path, size) => remote.api.libraryArtworkAddress(path, size), () => list.refresh());
  const list = makeVirtualList({ label, rowHeight: ROW, create, fill, onRange });

  function create() {
    return h('div', { class: 'item' },
      h('button', { class: 'item-main', 'data-focus': true },
        h('span', { class: 'item-picture', 'aria-hidden': 'true' }),
        h('span', { class: 'item-name', dir: 'auto' }),
        h('span', { class: 'item-about', dir: 'auto' }),
        h('span', { class: 'item-time' })),
      h('button', { class: 'icon-button item-more', 'aria-haspopup': 'dialog' }));
  }

  /** @param {HTMLElement} item @param {number} index */
  function fill(item, index) {
    const row = at(index);
    const [main, dots] = /** @type {HTMLElement[]} */ ([...item.children]);
    const [picture, name, about, time] = /** @type {HTMLElement[]} */ ([...(main?.children ?? [])]);
    if (!main || !dots || !picture || !name || !about || !time) return;
    const selected = row && isSelected(index);
    item.dataset.kind = row?.kind ?? '';
    item.dataset.current = String(row?.isCurrent === true);
    setAttribute(main, 'role', selected === undefined ? null : 'checkbox');
    setAttribute(main, 'aria-checked', selected === undefined ? null : String(selected));
    setText(name, row ? row.title ?? row.name : '');
    setAttribute(name, 'title', row?.name);
    setText(about, row ? describe(row) : '');
    setText(time, row?.duration === undefined ? '' : formatTime(row.duration));
    dots.hidden = selected !== undefined || !row;
    setAttribute(dots, 'aria-label', row && t('library.more', { name: quoted(row) }));
    showImage(picture, row?.pictureId && hasPictures() ? pictures.address(row.pictureId, row.path, pictureSize(PICTURE, devicePixelRatio)) : '');
  }

  list.element.addEventListener('click', (event) => {
    const button = /** @type {Element} */ (event.target).closest('button');
    const index = button ? list.indexOf(button) : -1;
    const row = at(index);
    if (!button || !row) return;
    if (button.classList.contains('item-more')) more(index, row, button);
    else press(index, row, event, button);
  });
  // A long press on a phone causes this event too, like the secondary button of a mouse.
  list.element.addEventListener('contextmenu', (event) => {
    const index = list.indexOf(/** @type {Node} */ (event.target));
    const row = at(index);
    const button = list.row(index)?.querySelector('button');
    if (!row || !button || isSelected(index) !== undefined) return;
    event.preventDefault();
    more(index, row, button);
  });
  return list;
}

/** @param {Row} row */
function describe(row) {
  if (row.place !== undefined) return row.artist ? `${row.artist} · ${row.place}` : row.place;
  if (row.kind === 'directory') return t('library.folder');
  if (row.kind === 'playlist') return t('library.playlist');
  return row.artist ?? (row.size === undefined ? '' : describeSize(row.size));
}

/** @param {number} bytes */
function describeSize(bytes) {
  const [amount, unit] = bytes < 1e6 ? [Math.max(1, Math.round(bytes / 1e3)), 'kilobyte'] : [bytes / 1e6, 'megabyte'];
  return number(amount, { style: 'unit', unit, maximumFractionDigits: amount < 10 ? 1 : 0 });
}
