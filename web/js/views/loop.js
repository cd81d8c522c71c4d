// @ts-check
import { formatTime } from '../format.js';
import { t } from '../lang/lang.js';
import { mediaOf } from '../media.js';
import { h } from './dom.js';
import { makeButton, setEnabled, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/** The shortest part that can be repeated, in seconds. */
const SHORTEST = 0.1;
/** The beginning of a loop whose end is not set yet. @type {{id: string, start: number} | null} */
let pending = null;
/** Whether this page has set a loop, which the newest state may not have yet. */
let isAsked = false;

/**
 * Returns the repeated part of the current item; without an end if only its beginning is set.
 * @param {Remote} remote
 * @returns {{start: number, end?: number} | null}
 */
export function pendingLoop(remote) {
  const { state } = remote.store;
  if (pending && pending.id === state?.currentItem?.id) return { start: pending.start };
  return state?.loop ?? null;
}

/** Sets the beginning of the loop to the position that the page shows. @param {Remote} remote @param {HTMLElement} [element] */
export function setStart(remote, element) {
  const { state } = remote.store;
  const start = remote.shownTime();
  if (!state?.currentItem || !mediaOf(remote).range) return;
  if (state.loop && start < state.loop.end - SHORTEST) return void repeat(remote, start, state.loop.end, element);
  pending = { id: state.currentItem.id, start };
  remote.announce(t('now.loop.from', { time: formatTime(start) }));
  remote.store.touch();
}

/**
 * Sets the end of the loop to the position that the page shows. If no beginning is set, the loop begins at the start of the item.
 * @param {Remote} remote
 * @param {HTMLElement} [element]
 */
export function setEnd(remote, element) {
  const start = pendingLoop(remote)?.start ?? 0;
  const end = remote.shownTime();
  if (mediaOf(remote).range && end >= start + SHORTEST) void repeat(remote, start, end, element);
}

/** @param {Remote} remote @param {HTMLElement} [element] */
export function clear(remote, element) {
  const isSet = isAsked || !!remote.store.state?.loop;
  if (!pending && !isSet) return;
  pending = null;
  isAsked = false;
  remote.store.touch();
  if (isSet) void remote.act('clearLoop', {}, { element });
  remote.announce(t('now.loop.cleared'));
}

/** @param {Remote} remote @param {number} start @param {number} end @param {HTMLElement} [element] */
async function repeat(remote, start, end, element) {
  isAsked = true;
  const done = await remote.act('setLoop', { start, end }, { element });
  if (!done) return;
  pending = null;
  remote.store.touch();
  remote.announce(t('now.loop.set', { start: formatTime(start), end: formatTime(end) }));
}

/**
 * Handles a key of the focused position bar: A and B set the ends, X clears.
 * @param {Remote} remote
 * @param {string} key
 * @returns {boolean} whether the key belongs to the loop
 */
export function loopKey(remote, key) {
  const act = { a: setStart, b: setEnd, x: clear }[key.toLowerCase()];
  act?.(remote);
  return !!act;
}

/** The part of a sheet with the buttons for the loop. @param {Remote} remote */
export function loopControls(remote) {
  const text = h('span', { class: 'choice-value', dir: 'ltr' });
  const act = (/** @type {string} */ name, /** @type {typeof clear} */ perform) =>
    makeButton('pill-button', t(name), (button) => void perform(remote, button));
  const [from, to, none] = [act('now.loop.setStart', setStart), act('now.loop.setEnd', setEnd), act('now.loop.clear', clear)];
  const element = h('div', { class: 'setting setting-wide', role: 'group', 'aria-label': t('now.loop.title') },
    h('span', { class: 'setting-name' }, t('now.loop.title')), text, h('div', { class: 'button-row' }, from, to, none));
  return {
    element,
    render() {
      const loop = pendingLoop(remote);
      setText(text, loop ? `${formatTime(loop.start)} – ${loop.end === undefined ? '…' : formatTime(loop.end)}` : '');
      for (const button of [from, to]) setEnabled(button, !!mediaOf(remote).range);
      setEnabled(none, !!loop);
    },
  };
}
