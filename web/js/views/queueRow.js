// @ts-check
import { formatOrigin, formatTime, titleOf } from '../format.js';
import { number, t } from '../lang/lang.js';
import { h, setAttribute } from './dom.js';
import { setText } from './hooks.js';
/** @typedef {import('../store.js').Item} Item */
/** @typedef {Record<'main' | 'lead' | 'title' | 'more' | 'time' | 'handle' | 'menu', HTMLElement>} Parts */

/** @type {WeakMap<HTMLElement, Parts>} */
const parts = new WeakMap();

/** Makes a row of the queue. Its buttons have the classes `queue-main`, `queue-handle` and `queue-menu`; the list handles their clicks. */
export function createRow() {
  const lead = h('span', { class: 'queue-lead', 'aria-hidden': 'true' });
  const title = h('span', { class: 'queue-title', dir: 'auto' });
  const more = h('span', { class: 'queue-more', dir: 'auto' });
  const time = h('span', { class: 'queue-time' });
  // The spaces separate the texts in the button's name.
  const main = h('button', { class: 'queue-main', 'data-focus': true }, lead, title, ' ', more, ' ', time);
  const handle = h('button', { class: 'queue-handle' });
  const menu = h('button', { class: 'queue-menu', 'aria-haspopup': 'dialog' });
  const row = h('div', { class: 'queue-row' }, main, handle, menu);
  parts.set(row, { main, lead, title, more, time, handle, menu });
  return row;
}

/**
 * @typedef {object} RowState
 * @property {number} index the position of the entry in the queue
 * @property {boolean} isCurrent
 * @property {boolean} isNext
 * @property {boolean} isLifted
 * @property {boolean | undefined} isSelected undefined if nothing is being selected
 * @property {boolean} canMove
 */

/**
 * Shows an entry in a row.
 * @param {HTMLElement} row
 * @param {Item | undefined} item undefined while the entry is being read
 * @param {RowState} state
 */
export function fillRow(row, item, { index, isCurrent, isNext, isLifted, isSelected, canMove }) {
  const { main, lead, title, more, time, handle, menu } = /** @type {Parts} */ (parts.get(row));
  const name = item ? titleOf(item) : '';
  const isFailed = item?.status === 'failed';
  const flags = { unread: !item, current: isCurrent, failed: isFailed, lifted: isLifted, selected: isSelected === true };
  for (const [flag, isSet] of Object.entries(flags)) setAttribute(row, `data-${flag}`, isSet);
  setAttribute(main, 'aria-current', isCurrent && 'true');
  setAttribute(main, 'aria-pressed', isSelected === undefined ? null : String(isSelected));
  setAttribute(main, 'aria-label', item ? null : t('queue.unread', { position: index + 1 }));
  setAttribute(main, 'aria-disabled', item ? null : 'true');
  setText(title, name);
  setText(more, isFailed ? item.error?.message ?? t('queue.failed') : item ? formatOrigin(item) : '');
  setAttribute(more, 'data-next', isNext && !isFailed ? t('queue.next') : null);
  setAttribute(title, 'data-only', !more.textContent && !more.dataset.next);
  setText(time, item?.duration !== undefined ? formatTime(item.duration) : item?.isLive ? t('queue.live') : '');
  setAttribute(handle, 'aria-label', t('queue.move', { title: name }));
  setAttribute(menu, 'aria-label', t('queue.menuOf', { title: name }));
  handle.hidden = !canMove || !item;
  menu.hidden = !item;
  if (lead.dataset.of !== item?.id || lead.dataset.index !== String(index)) {
    lead.dataset.of = item?.id ?? '';
    lead.dataset.index = String(index);
    setText(lead, number(index + 1));
  }
}

/**
 * Shows the picture of an entry in place of its number.
 * @param {HTMLElement} row
 * @param {string} address
 */
export function showPicture(row, address) {
  const lead = parts.get(row)?.lead;
  if (lead && !lead.querySelector('img')) lead.replaceChildren(h('img', { src: address, alt: '', decoding: 'async', onerror: hide }));
}

/** @param {Event} event */
function hide({ target }) {
  /** @type {HTMLElement} */ (target).hidden = true;
}
