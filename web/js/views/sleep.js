// @ts-check
import { t } from '../lang/lang.js';
import { mediaOf } from '../media.js';
import { h, setAttribute } from './dom.js';
import { makeButton, setText } from './hooks.js';
import { describeSleep } from './sleepText.js';
/** @typedef {import('../remote.js').Remote} Remote */

const MINUTES = [5, 10, 15, 30, 45, 60, 90];
/** The largest time of the sleep timer, in minutes, and the largest number of items. */
const LONGEST = 1440;
const MOST_ITEMS = 1000;

/**
 * The sheet of the sleep timer.
 * @param {Remote} remote
 * @param {() => void} close closes the sheet
 * @returns {import('./choices.js').Control}
 */
export function sleepSheet(remote, close) {
  const status = h('p', { class: 'sleep-status' });
  const off = button(t('now.sleep.cancel'), 'cancelSleepTimer');
  const minutes = MINUTES.map((count) => button(t('now.sleep.minutes', { count }), 'setSleepTimer', { seconds: count * 60 }));
  const item = button(t('now.sleep.endOfItem'), 'setSleepTimer', { endOfItem: true });
  const chapter = button(t('now.sleep.endOfChapter'), 'setSleepTimer', { endOfChapter: true });
  const own = numberForm(t('now.sleep.own'), t('now.sleep.unit'), LONGEST, 20, (count) => ({ seconds: count * 60 }));
  const items = numberForm(t('now.sleep.afterItems'), t('now.sleep.itemsUnit'), MOST_ITEMS, 3, (count) => ({ items: count }));

  /** @param {string} text @param {string} operation @param {object} [values] */
  function button(text, operation, values = {}) {
    return makeButton('pill-button', text, (made) => void set(operation, values, made));
  }

  /** @param {string} operation @param {object} values @param {HTMLElement} element */
  async function set(operation, values, element) {
    const done = await remote.act(operation, values, { element });
    if (!done) return;
    remote.announce(operation === 'setSleepTimer' ? t('now.sleep.set') : t('now.sleep.cancelled'));
    close();
  }

  /** @param {string} label @param {string} unit @param {number} max @param {number} value @param {(count: number) => object} request */
  function numberForm(label, unit, max, value, request) {
    const input = h('input', {
      type: 'number', class: 'number', min: 1, max, step: 1, value, required: true, inputmode: 'numeric', 'aria-label': label,
    });
    const submit = h('button', { type: 'submit', class: 'pill-button' }, t('now.sleep.start'));
    return h('form', {
      class: 'setting',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        void set('setSleepTimer', request(input.valueAsNumber), submit);
      },
    }, h('span', { class: 'setting-name' }, label), h('span', { class: 'number-row' }, input, h('span', { 'aria-hidden': true }, unit), submit));
  }

  function render() {
    const text = describeSleep(remote);
    const { kind = 'off' } = /** @type {SleepTimer} */ (remote.store.state?.sleepTimer ?? {});
    setText(status, text ? t(kind === 'time' ? 'now.sleep.in' : 'now.sleep.at', { time: text }) : t('now.sleep.offDetail'));
    off.hidden = kind === 'off';
    chapter.hidden = mediaOf(remote).chapters.length === 0;
    setAttribute(item, 'aria-pressed', String(kind === 'endOfItem'));
    setAttribute(chapter, 'aria-pressed', String(kind === 'endOfChapter'));
  }
  const element = h('div', { class: 'settings-list' }, h('div', { class: 'sleep-head' }, status, off),
    h('div', { class: 'button-row', role: 'group', 'aria-label': t('now.sleep.times') }, ...minutes), own,
    h('div', { class: 'button-row' }, item, chapter), items);
  return { element, render };
}
