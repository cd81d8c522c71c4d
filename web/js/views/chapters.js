// @ts-check
import { formatTime } from '../format.js';
import { t } from '../lang/lang.js';
import { mediaOf } from '../media.js';
import { h, setAttribute } from './dom.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The largest number of chapters in the list. A longer list is of no use to a reader, and is probably from a damaged medium. */
const MOST = 1000;

/**
 * The sheet of the chapters: a press on one seeks to it.
 * @param {Remote} remote
 * @returns {import('./choices.js').Control}
 */
export function chapterSheet(remote) {
  const media = mediaOf(remote);
  const list = h('ol', { class: 'plain-list chapter-list' });
  /** @type {readonly unknown[] | null} */
  let shown = null;
  let current = -2;

  /** @param {number} start @param {string} title */
  function seek(start, title) {
    media.seek(start);
    remote.announce(t('now.inChapter', { time: formatTime(start), chapter: title }));
  }

  function render() {
    if (shown !== media.chapters) {
      shown = media.chapters;
      current = -2;
      list.replaceChildren(...media.chapters.slice(0, MOST).map(({ title, start, end }, index) => h('li', {}, h('button', {
        class: 'list-row', onclick: () => seek(start, title),
      }, h('span', { class: 'list-title', dir: 'auto' }, title || t('now.chapters.number', { count: index + 1 })),
      h('span', { class: 'list-detail', dir: 'ltr' }, `${formatTime(start)} · ${formatTime(end - start)}`)))));
    }
    const now = media.chapterAt(remote.shownTime());
    if (now === current) return;
    current = now;
    [...list.children].forEach((row, index) => setAttribute(/** @type {Element} */ (row.firstElementChild), 'aria-current', index === now && 'true'));
    list.children[now]?.scrollIntoView?.({ block: 'nearest' });
  }
  return { element: list, render };
}
