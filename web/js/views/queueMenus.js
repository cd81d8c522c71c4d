// @ts-check
import { formatTime, titleOf } from '../format.js';
import { t } from '../lang/lang.js';
import { describeFailure } from '../words.js';
import { h } from './dom.js';
import { factsOf } from './facts.js';
import { historySheet } from './history.js';
import { openChoices, openSheet } from './sheet.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('../state/board.js').Board} Board */
/** @typedef {import('../store.js').Item} Item */
/** @typedef {ReturnType<typeof import('./queueActs.js').queueActs>} Acts */
/** @typedef {import('./sheet.js').Choice} Choice */

/**
 * The menus of the queue and of its rows.
 * @param {{remote: Remote, board: Board, acts: Acts}} parts
 */
export function queueMenus({ remote, board, acts }) {
  const { queue, store } = remote;

  /** @param {Item} item @param {number} index @param {HTMLElement} opener */
  function openRow(item, index, opener) {
    const isCurrent = item.id === store.state?.currentItem?.id;
    const isFailed = item.status === 'failed';
    const last = queue.count - 1;
    openChoices(titleOf(item), opener, [
      [t(isFailed ? 'queue.retry' : isCurrent ? 'queue.restart' : 'queue.play'), () => void acts.play(item, opener)],
      !isCurrent && [t('queue.playNext'), () => void acts.move([item.id], { position: 'next' }, opener)],
      index > 0 && [t('queue.toTop'), () => void acts.move([item.id], { index: 0 }, opener)],
      index < last && [t('queue.toEnd'), () => void acts.move([item.id], { position: 'end' }, opener)],
      last > 0 && [t('queue.toPosition'), () => openPosition([item.id], index, opener)],
      [t('queue.select'), () => board.toggle(board.rowOf(item.id))],
      [t('now.details.heading'), () => void openDetails(item, opener)],
      [t('queue.remove'), () => void acts.remove([item.id], opener)],
    ], [
      item.addedBy !== undefined && h('p', { class: 'choices-note' }, t('queue.addedBy', { name: item.addedBy })),
      isFailed && h('p', { class: 'choices-note', dir: 'auto', 'data-error': true }, describeFailure(item.error) || t('queue.failed')),
    ]);
  }

  /**
   * Asks for the new position of entries.
   * @param {string[]} ids
   * @param {number} index
   * @param {HTMLElement} opener
   */
  function openPosition(ids, index, opener) {
    const last = queue.count - ids.length + 1;
    const input = h('input', {
      id: 'queue-position', type: 'number', inputmode: 'numeric', min: 1, max: last, step: 1, required: true, value: index + 1,
    });
    const form = h('form', { class: 'address', onsubmit(/** @type {Event} */ event) {
      event.preventDefault();
      const position = Math.round(input.valueAsNumber);
      if (!(position >= 1)) return;
      sheet.close();
      if (ids.length > 1 || position - 1 !== index) void acts.move(ids, { index: Math.min(position, last) - 1 }, opener);
    } }, h('label', { for: 'queue-position' }, t('queue.position', { last })),
      h('div', { class: 'address-row' }, input, h('button', { type: 'submit', class: 'primary-button' }, t('queue.moveIt'))));
    const sheet = openSheet({ title: t('queue.toPosition'), content: form, opener });
    input.focus();
    input.select();
  }

  /** @param {Item} item @param {HTMLElement} opener */
  async function openDetails(item, opener) {
    const answer = await remote.act('getItemDetails', { id: item.id }, { element: opener, about: titleOf(item) });
    if (!answer) return;
    const { error, startTime } = answer.answer;
    const more = [[t('queue.detail.startTime'), startTime && formatTime(startTime)], [t('queue.detail.error'), describeFailure(error)]];
    const content = h('dl', { class: 'facts' }, ...factsOf(answer.answer, /** @type {any} */ (more)));
    openSheet({ title: t('now.details.heading'), content, opener });
  }

  /** @param {HTMLElement} opener */
  function openQueue(opener) {
    const { state } = store;
    const count = queue.count;
    /** @returns {Choice} */
    const edit = (/** @type {'undoEdit' | 'redoEdit'} */ command, /** @type {import('../state/queue.js').Edit | undefined} */ what) => what && [
      `${t(`queue.${command}`)}: ${t(`queue.edit.${what.kind}`, { count: what.count })} (${what.origin})`, () => void acts.revert(command, opener),
    ];
    const toggle = (/** @type {string} */ text, /** @type {() => boolean} */ isOn, /** @type {(isOn: boolean) => void} */ set) => {
      const input = h('input', { type: 'checkbox', onchange: () => set(input.checked) });
      const show = () => (input.checked = isOn());
      show();
      return { show, element: h('label', { class: 'switch choice' }, h('span', null, text), input) };
    };
    const consume = toggle(t('queue.consume'), () => store.state?.isConsuming === true, async (isConsuming) => {
      if (!(await remote.update({ isConsuming }))) consume.show();
    });
    const playback = toggle(t('queue.playbackOrder'), () => queue.order === 'playback', (isOn) => queue.setOrder(isOn ? 'playback' : 'display'));
    const sheet = openChoices(t('queue.title'), opener, [
      count > 0 && [t('queue.selectSome'), () => board.setSelecting(true)],
      [t('queue.history'), () => openHistory(opener)],
      count > 0 && [t('queue.save'), () => void acts.save(opener)],
      edit('undoEdit', queue.undo), edit('redoEdit', queue.redo),
      count > 0 && [t('queue.clearUpcoming'), () => void acts.clearUpcoming(opener)],
      count > 0 && [t('queue.clear'), () => void acts.clear(opener)],
    ], [consume.element, state?.isShuffled === true && playback.element]);
    // Another remote may change these settings while they are shown.
    const show = () => [consume, playback].forEach((one) => one.show());
    store.addEventListener('change', show);
    sheet.element.addEventListener('close', () => store.removeEventListener('change', show), { once: true });
  }

  /** @param {HTMLElement} opener */
  function openHistory(opener) {
    const sheet = openSheet({ title: t('queue.history'), opener, content: historySheet(remote, () => sheet.close()).element });
  }

  return { openRow, openQueue, openPosition };
}
