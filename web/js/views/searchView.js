// @ts-check
import { titleOf } from '../format.js';
import { t } from '../lang/lang.js';
import { preference, setPreference } from '../preferences.js';
import { router } from '../router.js';
import { folderOf, libraryOf, nameOf } from '../state/library.js';
import { matcher, readRecent, withRecent } from '../state/search.js';
import { h } from './dom.js';
import { setText } from './hooks.js';
import { LibraryActs } from './libraryActs.js';
import { wayChoices } from './libraryMenu.js';
import { makeRows } from './libraryRows.js';
import { openChoices } from './sheet.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('./libraryRows.js').Row} Row */
/** @typedef {import('../state/search.js').Progress} Progress */

/** The pause after a typed letter before the search begins, in milliseconds, and the largest number of results from the queue that are shown. */
const PAUSE = 250;
const FROM_QUEUE = 200;

/**
 * The view of the search: in the queue, and in a source such as the folders.
 * @param {Remote} remote
 * @param {import('../state/search.js').Source} source
 */
export function mountSearchView(remote, source = libraryOf(remote)) {
  const acts = new LibraryActs(remote);
  let recent = readRecent(preference('searches'));
  let text = '';
  /** @type {Row[]} */
  let rows = [];
  /** @type {Progress | null} */
  let progress = null;
  let abort = new AbortController();
  let timer = 0;
  let currentId = '';

  const field = h('input', {
    type: 'search', class: 'filter search-field', 'aria-label': t('library.search.label'), placeholder: t('library.search.placeholder'),
    maxlength: 200, autocomplete: 'off', enterkeyhint: 'search', dir: 'auto',
  });
  const said = h('span', null);
  const stop = h('button', { class: 'text-button', onclick: () => end() }, t('library.search.stop'));
  // The summary changes with each folder that was searched, so it is not announced. Only the number of results is announced, once.
  const summary = h('p', { class: 'library-note' }, said, stop);
  const result = h('p', { class: 'hidden-text', role: 'status' });
  const recentBox = h('div', { class: 'recent' });
  const list = makeRows({
    label: t('library.search.results'), remote, press, more,
    at(index) {
      const row = rows[index];
      return row && { ...row, isCurrent: row.id !== undefined && row.id === currentId };
    },
  });
  const element = h('section', { class: 'view search-view', 'aria-label': t('shell.search') },
    h('form', { role: 'search', onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), remember(), begin()) }, field),
    summary, result, recentBox, list.element);

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(begin, PAUSE);
  });

  /** @param {number} index @param {Row} row @param {MouseEvent} event @param {HTMLElement} button */
  function press(index, row, event, button) {
    remember();
    const { id } = row;
    if (id !== undefined) void remote.act('playEntry', { id }, { element: button, about: row.title ?? row.name });
    else if (row.kind === 'directory') router.go('library', row.path);
    else void acts.tap(row, [row], button);
  }

  /** @param {number} index @param {Row} row @param {HTMLElement} button */
  function more(index, row, button) {
    const title = row.title ?? row.name;
    const bring = wayChoices((way) => (remember(), void acts.bring(way, [row], button)));
    openChoices(title, button, row.id === undefined
      ? [...bring, row.path !== '' && [t('library.showFolder'), () => router.go('library', folderOf(row.path)), 'folder']]
      : [[t('library.play'), () => press(index, row, new MouseEvent('click'), button), 'play'], ...bring.slice(1)]);
  }

  function remember() {
    recent = withRecent(recent, text);
    setPreference('searches', JSON.stringify(recent));
  }

  /** Ends the search. The results that were found so far stay. */
  function end() {
    abort.abort();
    if (progress?.state === 'searching') progress = { ...progress, state: 'limit' };
    show();
  }

  async function begin() {
    clearTimeout(timer);
    const wanted = field.value.trim();
    if (wanted === text && (rows.length > 0 || progress?.state === 'searching')) return;
    abort.abort();
    const { signal } = (abort = new AbortController());
    text = wanted;
    rows = [];
    progress = null;
    list.setCount(0);
    list.scrollTo(0);
    show();
    if (wanted === '') return;
    await Promise.allSettled([searchQueue(wanted, signal), searchSource(wanted, signal)]);
    if (signal.aborted) return;
    setText(result, rows.length === 0 ? t('library.search.none') : t('library.shown', { count: rows.length }));
  }

  /** @param {string} wanted @param {AbortSignal} signal */
  async function searchQueue(wanted, signal) {
    const { queue } = remote;
    queue.use();
    try {
      await queue.readAll(() => !signal.aborted);
      if (signal.aborted) return;
      const matches = matcher(wanted, titleOf);
      /** @type {Row[]} */
      const found = [];
      for (const entry of queue.entries) {
        if (!entry || found.length >= FROM_QUEUE || !matches(entry)) continue;
        const place = t(entry.id === queue.currentId ? 'library.search.current' : 'library.search.inQueue');
        found.push({ ...entry, name: titleOf(entry), path: '', kind: 'audio', place });
      }
      rows = [...found, ...rows];
      show();
    } finally {
      queue.release();
    }
  }

  /** @param {string} wanted @param {AbortSignal} signal */
  async function searchSource(wanted, signal) {
    for await (const step of source.search(wanted, signal)) {
      if (signal.aborted) return;
      progress = step.progress;
      for (const entry of step.found) rows.push({ ...entry, place: nameOf(folderOf(entry.path)) });
      show();
    }
  }

  function show() {
    list.setCount(rows.length);
    const { state = 'searching', folders = 0, files = 0, failed = 0 } = progress ?? {};
    const parts = [rows.length > 0 ? t('library.shown', { count: rows.length }) : state !== 'searching' && t('library.search.none'),
      t(`library.search.${state}`, { count: files, folders }), failed > 0 && t('library.search.failed', { count: failed })];
    setText(said, text === '' ? t('library.search.hint') : parts.filter(Boolean).join(' · '));
    stop.hidden = text === '' || state !== 'searching';
    if (text === '' || rows.length === 0) setText(result, '');
    showRecent();
  }

  function showRecent() {
    recentBox.hidden = text !== '' || recent.length === 0;
    if (recentBox.hidden) return recentBox.replaceChildren();
    const button = (/** @type {string} */ one) => h('button', {
      class: 'pill-button', dir: 'auto', onclick: () => ((field.value = one), field.focus(), void begin()),
    }, one);
    const clear = h('button', {
      class: 'text-button', onclick: () => ((recent = []), setPreference('searches', '[]'), field.focus(), showRecent()),
    }, t('library.search.clear'));
    recentBox.replaceChildren(h('h2', { class: 'recent-title' }, t('library.search.recent')), ...recent.map(button), clear);
  }

  return {
    element,
    render() {
      const id = remote.store.state?.currentItem?.id ?? '';
      if (id === currentId) return;
      currentId = id;
      list.refresh();
    },
    /** @param {string} wanted a text that a link searches for; empty if there is none */
    shown(wanted) {
      if (wanted) field.value = wanted;
      void begin();
      show();
      if (matchMedia('(hover: hover)').matches) field.focus();
    },
    hidden: end,
  };
}
