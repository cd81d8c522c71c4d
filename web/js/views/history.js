// @ts-check
import { titleOf } from '../format.js';
import { t } from '../lang/lang.js';
import { h } from './dom.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The number of entries of the history that the sheet shows. */
const SHOWN = 50;

/**
 * The sheet of the history: the entries that were current before, the latest first. A press on one plays it.
 * @param {Remote} remote
 * @param {() => void} close
 * @returns {import('./choices.js').Control}
 */
export function historySheet(remote, close) {
  const list = h('ol', { class: 'plain-list', 'aria-busy': true });
  void read();

  async function read() {
    const page = await remote.act('getQueue', { limit: SHOWN, around: 'current' });
    const ids = [...(page?.answer.history ?? [])].reverse().slice(0, SHOWN);
    const entries = new Map((page?.answer.entries ?? []).map((/** @type {{id: string}} */ entry) => [entry.id, entry]));
    // The page of the queue that was read has no entries far from the current one, so the details of such entries are requested.
    const details = (/** @type {string} */ id) => remote.command('getItemDetails', { id }).then(({ answer }) => answer, () => null);
    const found = await Promise.all(ids.map((id) => entries.get(id) ?? details(id)));
    list.removeAttribute('aria-busy');
    const rows = found.filter(Boolean).map((entry) => {
      const row = h('button', { class: 'list-row', onclick: () => void play(entry.id, row) },
        h('span', { class: 'list-title', dir: 'auto' }, titleOf(entry)), h('span', { class: 'list-detail', dir: 'auto' }, entry.artist ?? ''));
      return h('li', {}, row);
    });
    list.replaceChildren(...(rows.length > 0 ? rows : [h('li', { class: 'fine-print' }, t('now.history.empty'))]));
  }

  /** @param {string} id @param {HTMLElement} element */
  async function play(id, element) {
    if (await remote.act('playEntry', { id }, { element })) close();
  }
  return { element: list, render() {} };
}
