// @ts-check
import { formatTime } from '../format.js';
import { t } from '../lang/lang.js';
import { pictureSize } from '../pictures.js';
import { router } from '../router.js';
import { totalDuration } from '../state/arrangement.js';
import { Board } from '../state/board.js';
import { h } from './dom.js';
import { makeButton, setText } from './hooks.js';
import { icon } from './icons.js';
import { queueActs } from './queueActs.js';
import { mountQueueDrag } from './queueDrag.js';
import { mountQueueKeys } from './queueKeys.js';
import { queueMenus } from './queueMenus.js';
import { createRow, fillRow, showPicture } from './queueRow.js';
import { makeVirtualList } from './virtualList.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** How long the list rests before it requests pictures, and before the number of found entries is announced, in milliseconds. */
const PICTURE_PAUSE = 250;
const ANNOUNCE_PAUSE = 900;

/**
 * The view of the queue: as a route of its own, and as the panel beside the other views.
 * @param {Remote} remote
 */
export function mountQueueView(remote) {
  const { queue, store } = remote;
  const board = new Board(queue);
  const acts = queueActs(remote, board);
  const menus = queueMenus({ remote, board, acts });
  const list = makeVirtualList({
    label: t('queue.list'), rowHeight: 60, create: createRow, fill, onRange: () => askForPictures(),
    identity: { keyOf: (row) => board.entry(row)?.id, indexOf: (id) => board.rowOf(id) },
  });
  const button = (/** @type {string} */ name, /** @type {string} */ label, /** @type {(element: HTMLElement) => void} */ act) =>
    makeButton('icon-button', icon(name), act, t(label));
  const textButton = (/** @type {string} */ label, /** @type {(element: HTMLElement) => void} */ act) => makeButton('text-button', t(label), act);
  /** A button that performs an act on the selected entries. */
  const selectedButton = (/** @type {string} */ label, /** @type {(ids: string[], element: HTMLElement) => void} */ act) =>
    textButton(label, (element) => {
      const ids = board.inOrder(board.selected ?? []);
      if (ids.length > 0) act(ids, element);
    });

  const summary = h('p', { class: 'queue-summary' });
  const filterName = t('queue.filter');
  const filter = h('input', {
    type: 'search', class: 'filter', 'aria-label': filterName, placeholder: filterName, autocomplete: 'off', maxlength: 200, hidden: true,
  });
  const search = button('search', 'queue.filter', toggleFilter);
  const jump = button('now', 'queue.jump', () => showCurrent(true));
  search.setAttribute('aria-expanded', 'false');
  const menu = button('more', 'queue.menu', menus.openQueue);
  menu.setAttribute('aria-haspopup', 'dialog');
  const selected = h('p', { class: 'queue-selected' });
  const selection = h('div', { class: 'queue-selection', role: 'group', 'aria-label': t('queue.selection'), hidden: true },
    selected,
    textButton('queue.done', () => board.setSelecting(false)),
    selectedButton('queue.playNext', (ids, element) => void acts.move(ids, { position: 'next' }, element)),
    selectedButton('queue.moveIt', (ids, element) => menus.openPosition(ids, queue.indexOf(ids[0]), element)),
    selectedButton('queue.remove', (ids, element) => void acts.remove(ids, element)),
    textButton('queue.selectAll', async (element) => {
      if (await remote.perform(() => queue.readAll(), { element, waitText: t('queue.reading') })) board.selectRows(0, board.count - 1);
    }));
  const note = h('div', { class: 'queue-note', hidden: true }, h('p', null),
    h('button', { class: 'primary-button', onclick: () => router.go('library') }, t('queue.openLibrary')));
  const element = h('section', { class: 'view queue-view', 'aria-labelledby': 'queue-heading' },
    h('header', { class: 'queue-header' }, h('div', null, h('h2', { id: 'queue-heading' }, t('queue.title')), summary), search, jump, menu),
    filter, selection, note, list.element);

  const drop = (/** @type {Element | null} */ handle) => acts.drop(handle);
  mountQueueDrag({ list, board, drop });
  mountQueueKeys({ remote, list, board, drop, remove });

  let isUsed = false;
  let isScrolled = false;
  let looks = '';
  let pictureTimer = 0;
  let announceTimer = 0;
  let isReading = false;

  /** @param {HTMLElement} row @param {number} position */
  function fill(row, position) {
    const item = board.entry(position);
    const id = item?.id;
    fillRow(row, item, {
      index: board.isFiltered ? board.indexOf(position) : position,
      isCurrent: id !== undefined && id === queue.currentId, isNext: id !== undefined && id === queue.nextId,
      isLifted: board.isLiftedEntry(id), isSelected: board.selected ? id !== undefined && board.selected.has(id) : undefined,
      canMove: !board.isFiltered && queue.count > 1,
    });
  }

  function askForPictures() {
    clearTimeout(pictureTimer);
    pictureTimer = window.setTimeout(() => {
      const { first, last } = list.range();
      const items = [];
      for (let position = first; position <= last && isUsed; position += 1) {
        const item = board.entry(position);
        if (item) items.push(item);
        const row = list.row(position);
        if (!row || !item || item.id === queue.currentId) continue;
        const address = item.hasArtwork ? remote.api.artworkAddress(item.id, pictureSize(44, devicePixelRatio), queue.epoch) : item.picture;
        if (address) showPicture(row, address);
      }
      queue.see(items);
    }, PICTURE_PAUSE);
  }

  /** @param {number} position */
  function remove(position) {
    const id = board.entry(position)?.id;
    if (id === undefined) return;
    void acts.remove(board.selected?.has(id) ? board.inOrder(board.selected) : [id], list.row(position));
  }

  list.element.addEventListener('click', (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const control = target.closest('button');
    const position = list.indexOf(target);
    const item = board.entry(position);
    if (!control || !item) return;
    if (control.matches('.queue-menu')) menus.openRow(item, board.indexOf(position), control);
    // A handle that is pressed without a drag, as by a screen reader, asks for the new position.
    else if (control.matches('.queue-handle')) menus.openPosition([item.id], board.indexOf(position), control);
    else if (event.shiftKey) board.selectTo(position);
    else if (event.ctrlKey || event.metaKey || board.selected) board.toggle(position);
    else if (item.status === 'failed') menus.openRow(item, board.indexOf(position), control);
    else acts.press(item, control);
  });
  list.element.addEventListener('contextmenu', (event) => {
    const position = list.indexOf(/** @type {Node} */ (event.target));
    const item = board.entry(position);
    const opener = list.row(position)?.querySelector('.queue-menu');
    if (event.defaultPrevented || !item || !(opener instanceof HTMLElement)) return;
    event.preventDefault();
    menus.openRow(item, board.indexOf(position), opener);
  });

  function toggleFilter() {
    filter.hidden = !filter.hidden;
    search.setAttribute('aria-expanded', String(!filter.hidden));
    if (filter.hidden) setFilter('');
    else filter.focus();
  }
  filter.addEventListener('input', () => setFilter(filter.value));
  filter.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') search.click(), search.focus();
  });

  /** @param {string} text */
  function setFilter(text) {
    filter.value = text;
    board.setFilter(text);
    list.scrollTo(0);
    clearTimeout(announceTimer);
    if (!board.isFiltered) return;
    announceTimer = window.setTimeout(() => board.isFiltered && remote.announce(t('queue.found', { count: board.count })), ANNOUNCE_PAUSE);
    void readAll();
  }

  /** Reads all entries of the queue, because the filter can find only entries that have been read. */
  async function readAll() {
    if (isReading || queue.isComplete) return;
    isReading = true;
    await queue.readAll(() => board.isFiltered && isUsed).catch(() => {});
    isReading = false;
    draw();
  }

  /** @param {boolean} isFocused whether the row gets the focus */
  function showCurrent(isFocused) {
    if (board.isFiltered) toggleFilter();
    const known = board.rowOf(queue.currentId);
    const row = known < 0 && queue.order === 'display' ? store.state?.queue?.index ?? -1 : known;
    if (row < 0) return;
    list.scrollTo(row, { center: true });
    if (isFocused) list.focus(row);
  }

  function draw() {
    if (!isUsed) return;
    const { count } = queue;
    const total = queue.isComplete && count > 0 ? totalDuration(queue.entries) : null;
    const parts = [t('queue.count', { count }), total !== null && formatTime(total), store.state?.isConsuming && t('queue.consuming')];
    const shown = board.isFiltered ? t('queue.foundOf', { count: board.count, total: count }) : parts.filter(Boolean).join(' · ');
    setText(summary, queue.isReady ? shown : '');
    const text = queue.isFailed ? t('queue.unreadable') : !queue.isReady ? t('queue.reading') : count === 0 ? t('queue.empty')
      : board.isFiltered && board.count === 0 ? t(isReading ? 'queue.reading' : 'queue.noMatch') : '';
    note.hidden = text === '';
    setText(/** @type {HTMLElement} */ (note.firstElementChild), text);
    /** @type {HTMLElement} */ (note.lastElementChild).hidden = !queue.isReady || count > 0;
    list.element.hidden = board.count === 0;
    for (const each of [search, jump]) each.hidden = count === 0;
    selection.hidden = board.selected === null;
    setText(selected, t('queue.selectedCount', { count: board.selected?.size ?? 0 }));
    list.setCount(board.count);
    if (!isScrolled && count > 0) {
      isScrolled = true;
      showCurrent(false);
    }
    askForPictures();
  }
  board.addEventListener('change', draw);

  return {
    element,
    render() {
      if (!isUsed) return;
      const { state } = store;
      if (queue.order === 'playback' && state?.isShuffled === false) queue.setOrder('display');
      element.dataset.playing = String(state?.timeControlStatus === 'playing' && store.isCurrent);
      // The list depends only on these parts of the state. Other changes of the state, which are frequent, do not draw it again.
      const now = JSON.stringify([state?.isConsuming, state?.currentItem?.id]);
      if (now !== looks) draw();
      looks = now;
    },
    shown() {
      if (!isUsed) queue.use();
      isUsed = true;
      draw();
    },
    hidden() {
      if (isUsed) queue.release();
      isUsed = false;
      clearTimeout(pictureTimer);
    },
  };
}
