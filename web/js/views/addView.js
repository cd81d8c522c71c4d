// @ts-check
import { t } from '../lang/lang.js';
import { Refusal } from '../link/api.js';
import { entriesOf, lineOf, linesOf } from '../state/addresses.js';
import { describeError } from '../problems.js';
import { h, setAttribute } from './dom.js';
import { setText } from './hooks.js';
import { LibraryActs } from './libraryActs.js';
import { wayButtons } from './libraryMenu.js';
import { openSheet } from './sheet.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('./libraryActs.js').Way} Way */

/** The text that was not opened yet, so that a closed sheet does not lose it. */
let draft = '';
let number = 0;

/**
 * Opens the sheet for addresses, one on each line. A refused address keeps the sheet open, with the text and the reason.
 * @param {Remote} remote
 * @param {string} [text] addresses to offer
 */
export function openAddress(remote, text) {
  if (text) draft = text;
  const acts = new LibraryActs(remote);
  const id = `addresses-${(number += 1)}`;
  let isBusy = false;
  const field = h('textarea', {
    id, class: 'addresses', rows: 3, dir: 'ltr', inputmode: 'url', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false',
    maxlength: 1_000_000, placeholder: 'https://…', 'aria-describedby': `${id}-message`, autofocus: true, oninput: () => (draft = field.value),
  });
  field.value = draft;
  const message = h('p', { id: `${id}-message`, class: 'dialog-message', role: 'status', dir: 'auto' });
  const buttons = wayButtons(open);
  const form = h('form', { class: 'add', onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), void open('play', buttons[0])) },
    h('label', { for: id }, t('library.add.label')), field, message, h('div', { class: 'library-actions' }, ...buttons));
  // Enter opens a single address, as in a field of one line; with Shift, or with several lines, it begins a line.
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing || event.shiftKey || (field.value.includes('\n') && !event.ctrlKey && !event.metaKey)) return;
    event.preventDefault();
    void open('play', buttons[0]);
  });
  const sheet = openSheet({ title: t('library.add.title'), content: form });
  sheet.element.classList.add('add-sheet');
  field.focus();

  /** @param {string} text @param {boolean} [isError] */
  function say(text, isError = false) {
    setText(message, text);
    message.dataset.error = String(isError);
    setAttribute(field, 'aria-invalid', isError && 'true');
  }

  /** @param {Way} way @param {HTMLElement | undefined} button */
  async function open(way, button) {
    if (isBusy) return;
    const lines = linesOf(field.value);
    if (lines.length === 0) {
      say(t('library.add.empty'), true);
      return field.focus();
    }
    isBusy = true;
    say(t('library.add.busy'));
    if (button) setAttribute(button, 'aria-busy', 'true');
    const entries = entriesOf(lines);
    const texts = acts.texts(way, entries);
    try {
      const answer = await acts.send(way, entries);
      draft = '';
      sheet.close();
      acts.report(texts, answer);
    } catch (error) {
      const line = error instanceof Refusal ? lineOf(error.problem) : 0;
      const text = describeError(error);
      const address = (lines[line - 1] ?? '').slice(0, 80);
      say(line > 0 && lines.length > 1 ? t('library.add.inLine', { line, address, text }) : text, true);
      field.focus();
    }
    if (button) setAttribute(button, 'aria-busy', null);
    isBusy = false;
  }
}
