// @ts-check
import { t } from '../lang/lang.js';
import { h } from './dom.js';
import { icon } from './icons.js';

/** @typedef {[text: string, act: () => void, icon?: string] | false | null | undefined} Choice */

let count = 0;

/**
 * Opens a sheet: a modal dialog, which slides up from the bottom of a phone, and is a card elsewhere. Escape, the close button and a press outside
 * close it; the focus then returns to the opener.
 * @param {object} sheet
 * @param {string} sheet.title
 * @param {Node | (() => Node)} sheet.content
 * @param {HTMLElement} [sheet.opener] the element that gets the focus afterwards; otherwise the element that had it before
 * @param {() => void} [sheet.closed] called once after the sheet was closed in any way
 * @returns {{close: () => void, element: HTMLDialogElement}}
 */
export function openSheet({ title, content, opener, closed }) {
  const before = opener ?? document.activeElement;
  const id = `sheet-${(count += 1)}`;
  const close = () => dialog.close();
  const dialog = h('dialog', { class: 'dialog sheet', 'aria-labelledby': id },
    h('header', { class: 'dialog-header' },
      // The heading gets the focus, so that a screen reader begins with it.
      h('h2', { id, dir: 'auto', tabindex: -1, autofocus: true }, title),
      h('button', { class: 'icon-button', 'aria-label': t('shell.close'), onclick: close }, icon('close'))),
    h('div', { class: 'sheet-content' }, typeof content === 'function' ? content() : content),
    // Screen readers ignore the live regions outside a modal dialog.
    h('p', { class: 'spoken', role: 'status' }));
  closeOnPressOutside(dialog, close);
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    closed?.();
  }, { once: true });
  document.body.append(dialog);
  dialog.showModal();
  return { close, element: dialog };
}

/**
 * Opens a sheet of choices. The sheet is closed before a chosen act is performed, so that the focus is on the opener again.
 * @param {string} title
 * @param {HTMLElement} opener
 * @param {Choice[]} choices
 * @param {(Node | false | null)[]} [before] shown above the choices
 */
export function openChoices(title, opener, choices, before = []) {
  const buttons = choices.map((choice) => choice && h('button', { class: 'choice', onclick() {
    sheet.close();
    choice[1]();
  } }, choice[2] && icon(choice[2]), choice[0]));
  const sheet = openSheet({ title, opener, content: h('div', { class: 'choices' }, ...before, ...buttons) });
  return sheet;
}

/**
 * Closes a dialog after a press outside it. The press has to begin and to end outside, because a selection of text may be dragged beyond the edge of
 * the dialog. The browser then sends a `click` to the dialog too, which must not close it.
 * @param {HTMLDialogElement} dialog
 * @param {() => void} close
 */
export function closeOnPressOutside(dialog, close) {
  let beganOutside = false;
  dialog.addEventListener('pointerdown', (event) => (beganOutside = isOutside(event)));
  dialog.addEventListener('click', (event) => {
    if (beganOutside && isOutside(event)) close();
    beganOutside = false;
  });

  /** @param {MouseEvent} event */
  function isOutside({ target, clientX: x, clientY: y }) {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    return target === dialog && (x < left || x > right || y < top || y > bottom);
  }
}
