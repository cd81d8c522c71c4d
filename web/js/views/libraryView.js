// @ts-check
import { t } from '../lang/lang.js';
import { router } from '../router.js';
import { libraryOf } from '../state/library.js';
import { matcher } from '../state/search.js';
import { describeError } from '../problems.js';
import { h } from './dom.js';
import { setText } from './hooks.js';
import { LibraryActs } from './libraryActs.js';
import { makeHeader } from './libraryHeader.js';
import { wayChoices } from './libraryMenu.js';
import { Places } from './libraryPlaces.js';
import { makeRows } from './libraryRows.js';
import { Selection } from './librarySelection.js';
import { openChoices } from './sheet.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('../state/library.js').Entry} Entry */
/** @typedef {import('../state/library.js').Folder} Folder */

/**
 * The view of the library: a folder of the player, and what can be done with it.
 * @param {Remote} remote
 */
export function mountLibraryView(remote) {
  const library = libraryOf(remote);
  const acts = new LibraryActs(remote);
  const places = new Places();
  const selection = new Selection();
  let path = '';
  /** @type {Folder} */
  let folder = library.list('', Infinity);
  /**
   * The entries that the filter leaves, or null without a filter.
   * @type {Entry[] | null}
   */
  let filtered = null;
  let isShown = false;
  let isFirstAwaited = false;
  let isRestored = false;
  let isPending = false;
  let wasReady = false;
  let currentUrl = '';
  let facts = '';

  const at = (/** @type {number} */ index) => (filtered ?? folder.entries)[index];
  const row = (/** @type {number} */ index) => {
    const entry = at(index);
    return entry && { ...entry, isCurrent: entry.url !== undefined && entry.url === currentUrl };
  };
  const header = makeHeader(remote, {
    bring: (way, button) => {
      const chosen = selection.isOn ? selection.of(folder.entries) : [{ path: folder.path, name: header.name, kind: 'directory' }];
      if (chosen.length === 0) return;
      void acts.bring(way, chosen, button);
      if (selection.isOn) endSelection();
    },
    select: () => (selection.isOn ? endSelection() : beginSelection()),
    selectAll: () => (selection.toggleAll(filtered ?? folder.entries), showSelection()),
    filter: showEntries,
  });
  const list = makeRows({
    label: t('library.entriesIn'), remote, at: row, press, more,
    hasPictures: () => header.facts.hasPictures,
    isSelected: (index) => (selection.isOn ? selection.has(at(index)) : undefined),
    onRange: watch,
  });
  const noteText = h('span', null);
  const again = h('button', { class: 'text-button', onclick: () => void folder.load() }, t('library.tryAgain'));
  const note = h('p', { class: 'library-note', role: 'status' }, noteText, again);
  const element = h('section', { class: 'view library-view', 'aria-label': t('library.all') }, header.element, note, list.element);

  list.element.addEventListener('scroll', () => isShown && isRestored && places.keep(path, list.scroll), { passive: true });
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && selection.isOn) endSelection();
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey) && selection.isOn && !(event.target instanceof HTMLInputElement)) {
      selection.toggleAll(filtered ?? folder.entries, true);
      showSelection();
    } else return;
    event.preventDefault();
  });

  /** @param {number} index @param {Entry} entry @param {MouseEvent} event @param {HTMLElement} button */
  function press(index, entry, event, button) {
    const isSelecting = event.shiftKey || event.ctrlKey || event.metaKey;
    if (isSelecting && !selection.isOn) beginSelection();
    if (selection.isOn) return select(index, event.shiftKey);
    if (entry.kind !== 'directory') return void acts.tap(at(index) ?? entry, folder.entries, button);
    router.go('library', entry.path);
    isFirstAwaited = event.detail === 0;
    focusFirst();
  }

  /** If the folder was opened with the keyboard, its first row gets the focus, as soon as there is one. */
  function focusFirst() {
    if (!isFirstAwaited || folder.count === 0) return;
    isFirstAwaited = false;
    const { activeElement } = document;
    if (element.contains(activeElement) || activeElement?.contains(element)) list.focus(0);
  }

  /** @param {number} index @param {Entry} entry @param {HTMLElement} button */
  function more(index, entry, button) {
    openChoices(entry.title ?? entry.name, button, [
      ...wayChoices((way) => void acts.bring(way, [entry], button)),
      entry.kind === 'audio' && [t('library.playFrom'), () => void acts.playFrom(at(index) ?? entry, folder.entries, button), 'folder'],
      [t('library.select'), () => (beginSelection(), select(index)), 'select'],
    ]);
  }

  /** @param {number} index @param {boolean} [isRange] */
  function select(index, isRange = false) {
    selection.press(filtered ?? folder.entries, index, isRange);
    showSelection();
  }
  function beginSelection() {
    selection.begin();
    showSelection();
  }
  function endSelection() {
    selection.end();
    showSelection();
  }
  function showSelection() {
    header.showSelection(selection.isOn ? selection.of(folder.entries).length : null);
    list.refresh();
  }

  /** @param {number} first @param {number} last */
  function watch(first, last) {
    if (!isShown) return;
    const index = (/** @type {Entry | undefined} */ entry, /** @type {number} */ otherwise) => (entry ? folder.entries.indexOf(entry) : otherwise);
    if (!filtered) folder.watch(first, last);
    else if (filtered.length > 0) folder.watch(index(filtered[first], 0), index(filtered[last], first));
  }

  function showEntries() {
    const wanted = header.filterText;
    filtered = wanted ? folder.entries.filter(matcher(wanted)) : null;
    list.setCount(filtered ? filtered.length : folder.count);
    focusFirst();
    if (!isRestored && folder.count > 0) {
      isRestored = true;
      list.element.scrollTop = places.scrollOf(path);
      list.element.dispatchEvent(new Event('scroll'));
    }
    showNote();
  }

  function showNote() {
    const count = filtered ? filtered.length : folder.count;
    const error = !folder.isLoading && folder.error ? describeError(folder.error) : '';
    const about = folder.count === 0 ? 'empty' : count === 0 ? 'noMatch' : folder.isTruncated && 'truncated';
    const key = folder.isLoaded ? about : folder.count === 0 && 'loading';
    const text = error || (key ? t(`library.${key}`) : '');
    setText(noteText, text);
    note.hidden = text === '';
    element.dataset.loading = String(key === 'loading' && !error);
    again.hidden = !error;
  }

  /** Shows what is new in the folder, or in the list of the media roots above it. */
  function update() {
    if (!isShown) return;
    const roots = library.list('', Infinity);
    const only = roots.entries[0];
    // A single media root is shown in place of the list of the roots.
    const isSingle = path === '' && roots.isLoaded && roots.count === 1 && only?.kind === 'directory';
    if (isSingle && folder.path !== only.path) return show(only.path);
    header.show(folder, roots.entries);
    // If only titles have become known, the rows are filled again without a new layout.
    const key = `${folder.path} ${folder.count} ${folder.isLoaded}`;
    if (key === facts && !filtered) {
      list.refresh();
      showNote();
    } else showEntries();
    facts = key;
    header.showSelection(selection.isOn ? selection.of(folder.entries).length : null);
  }

  /** Many changes of a folder are shown once a frame. */
  function updateSoon() {
    if (!isPending) requestAnimationFrame(() => ((isPending = false), update()));
    isPending = true;
  }

  /** @param {string} shownPath */
  function show(shownPath) {
    folder.removeEventListener('change', updateSoon);
    folder.ignore();
    folder = library.list(shownPath);
    folder.addEventListener('change', updateSoon);
    isRestored = false;
    facts = '';
    selection.end();
    header.clearFilter();
    update();
    if (!filtered && folder.count > 0) watch(list.range().first, list.range().last);
  }

  return {
    element,
    render() {
      const { store } = remote;
      const isReady = store.connection === 'open' && !store.isLocked;
      if (isReady && !wasReady && folder.error) void folder.load();
      wasReady = isReady;
      const url = store.state?.currentItem?.url ?? '';
      if (url === currentUrl) return;
      currentUrl = url;
      list.refresh();
    },
    /** @param {string} shown */
    shown(shown) {
      const isBack = isShown && path !== '' && path.startsWith(shown === '' ? '/' : `${shown}/`);
      const from = path;
      // The tab returns to the folder that was shown last; pressed again, it shows the media roots.
      if (!isShown && shown === '' && places.last) return queueMicrotask(() => router.replace('library', places.last));
      if (isShown && shown === path && folder.path !== '') return;
      const roots = library.list('');
      if (!isShown) roots.addEventListener('change', updateSoon);
      isShown = true;
      path = shown;
      places.keepLast(shown);
      show(path);
      if (isBack && (document.activeElement?.contains(element) || element.contains(document.activeElement))) {
        const index = folder.entries.findIndex((entry) => from === entry.path || from.startsWith(`${entry.path}/`));
        if (index >= 0) list.focus(index);
      }
    },
    hidden() {
      isShown = isFirstAwaited = false;
      folder.ignore();
      library.list('', Infinity).removeEventListener('change', updateSoon);
    },
  };
}
