// @ts-check
import { titleOf } from '../format.js';
import { t } from '../lang/lang.js';
import { queueRevision } from '../link/api.js';
import { playlistFile } from '../state/arrangement.js';
import { h } from './dom.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('../state/board.js').Board} Board */
/** @typedef {import('../store.js').Item} Item */

/**
 * The acts on the queue. Each edit can be undone, and is announced once: by the offer to undo it.
 * @param {Remote} remote
 * @param {Board} board
 */
export function queueActs(remote, board) {
  const { queue, store } = remote;
  const order = () => (queue.order === 'playback' ? { order: queue.order } : {});
  const nameOf = (/** @type {string} */ id) => titleOf(queue.entries[queue.indexOf(id)]);

  /** The number of edits of this page without an answer, and the revision of the queue that the last answered one made. */
  let pending = 0;
  /** @type {import('../link/api.js').QueueRevision | null} */
  let made = null;

  /**
   * @param {string} command
   * @param {Record<string, any>} values
   * @param {string} undoText
   * @param {Element | null} [element]
   * @param {{ifMatch?: string}} [options]
   */
  const edit = (command, values, undoText, element, options) => remote.edit(async () => {
    pending += 1;
    try {
      const answer = await remote.command(command, values, options);
      made = queueRevision(answer.tag);
      return answer;
    } finally {
      pending -= 1;
    }
  }, { element, undoText });

  /**
   * Returns the condition of an edit that names an index: the edit is carried out only if the server's queue is still the one that the page shows,
   * because another client may have moved the entries. While the page does not yet show an edit of its own, there is no condition.
   */
  function unchanged() {
    const isBehind = pending > 0 || (made?.epoch === queue.epoch && made.revision > queue.revision);
    return isBehind ? {} : { ifMatch: `"queue:${queue.epoch}:${queue.revision}"` };
  }

  return {
    /**
     * Plays an entry from its start position, otherwise from the remembered position of its medium, otherwise from its start.
     * @param {Item} item
     * @param {Element | null} [element]
     */
    play: (item, element) => remote.act('playEntry', { id: item.id }, { element, about: titleOf(item) }),

    /**
     * Performs a press on a row: pauses or resumes the current entry, plays any other entry.
     * @param {Item} item @param {Element} element
     */
    press(item, element) {
      if (item.id !== store.state?.currentItem?.id) void this.play(item, element);
      else remote.playOrPause(element);
    },

    /** @param {string[]} ids @param {Element | null} [element] */
    remove(ids, element) {
      const count = ids.length;
      const text = count === 1 ? t('queue.removed', { title: nameOf(ids[0] ?? '') }) : t('queue.removedMany', { count });
      return edit('removeEntries', { ids }, text, element);
    },

    /**
     * Moves entries.
     * @param {string[]} ids in their order
     * @param {{index: number} | {position: 'next' | 'end'}} place
     * @param {Element | null} [element]
     */
    move(ids, place, element) {
      const count = ids.length;
      const title = count === 1 ? nameOf(ids[0] ?? '') : '';
      let text;
      if ('index' in place) {
        const position = place.index + 1;
        text = count === 1 ? t('queue.moved', { title, position, total: queue.count }) : t('queue.movedMany', { count, position });
      } else text = count === 1 ? t(`queue.moved-${place.position}`, { title }) : t(`queue.movedMany-${place.position}`, { count });
      return edit('moveEntries', { ids, ...place, ...order() }, text, element, 'index' in place ? unchanged() : {});
    },

    /**
     * Carries out the move that the board shows.
     * @param {Element | null} [element]
     */
    async drop(element) {
      const ids = [...board.lifted];
      const index = board.move?.to ?? 0;
      if (!board.drop()) return false;
      const done = await this.move(ids, { index }, element);
      // If the move failed, the entries have their former order. Otherwise the event of the move has arrived, or arrives soon.
      if (!done) board.endMove();
      return true;
    },

    /** @param {Element | null} [element] */
    clearUpcoming: (element) => edit('clearUpcoming', {}, t('queue.clearedUpcoming'), element),
    /** @param {Element | null} [element] */
    clear: (element) => edit('clearQueue', {}, t('queue.cleared', { count: queue.count }), element),

    /**
     * Reverts or repeats the last edit, whoever made it.
     * @param {'undoEdit' | 'redoEdit'} command
     * @param {Element | null} [element]
     */
    async revert(command, element) {
      const ifMatch = `"queue:${queue.epoch}:${queue.revision}"`;
      if (await remote.perform(() => remote.command(command, {}, { ifMatch }), { element })) remote.announce(t(`queue.${command}Done`));
    },

    /**
     * Saves the queue as a playlist file on the user's device.
     * @param {Element | null} [element]
     */
    save: (element) => remote.perform(async () => {
      await queue.readAll();
      const address = URL.createObjectURL(new Blob([playlistFile(queue.entries)], { type: 'audio/x-mpegurl' }));
      h('a', { href: address, download: `${t('queue.title')}.m3u8` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    }, { element, waitText: t('queue.reading') }),
  };
}
