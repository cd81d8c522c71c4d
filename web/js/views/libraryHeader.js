// @ts-check
import { formatTime } from '../format.js';
import { list as enumerate, t } from '../lang/lang.js';
import { pictureSize } from '../pictures.js';
import { fragmentOf } from '../router.js';
import { factsOf, nameOf, trailTo } from '../state/library.js';
import { h, setAttribute } from './dom.js';
import { setEnabled, setText } from './hooks.js';
import { icon } from './icons.js';
import { wayButtons } from './libraryMenu.js';
import { Pictures, showImage } from './libraryPictures.js';
/** @typedef {import('../state/library.js').Entry} Entry */
/** @typedef {import('../state/library.js').Folder} Folder */

/** The number of entries above which a folder has a filter. */
const MANY = 8;
const PICTURE = 88;

/**
 * Makes the header of the library: the folders above, the picture and the facts of the folder, the buttons, and the filter.
 * @param {import('../remote.js').Remote} remote
 * @param {object} acts
 * @param {(way: import('./libraryActs.js').Way, button: HTMLElement) => void} acts.bring
 * @param {() => void} acts.select begins or ends the selection
 * @param {() => void} acts.selectAll
 * @param {() => void} acts.filter is called after the text of the filter has changed
 */
export function makeHeader(remote, { bring, select, selectAll, filter: filterChanged }) {
  const crumbs = h('nav', { class: 'crumbs', 'aria-label': t('library.crumbs') });
  const name = h('h2', { class: 'library-name', dir: 'auto', tabindex: -1 });
  const about = h('p', { class: 'library-about' });
  const picture = h('span', { class: 'library-picture', 'aria-hidden': 'true' });
  const ways = wayButtons(bring);
  const selectButton = h('button', {
    class: 'icon-button', 'aria-label': t('library.select'), title: t('library.select'), onclick: select,
  }, icon('select'));
  const all = h('button', { class: 'text-button', onclick: selectAll }, t('library.selectAll'));
  const done = h('button', { class: 'text-button', onclick: select }, t('library.done'));
  const choices = h('div', { class: 'library-choices' }, all, done, selectButton);
  const filter = h('input', {
    type: 'search', class: 'filter', 'aria-label': t('library.filterLabel'), placeholder: t('library.filter'), maxlength: 200, autocomplete: 'off',
    oninput: filterChanged,
  });
  const element = h('header', { class: 'library-header' },
    crumbs,
    h('div', { class: 'library-head' }, picture, h('div', { class: 'library-titles' }, name, about), choices),
    h('div', { class: 'library-actions' }, ...ways), filter);
  const pictures = new Pictures((path, size) => remote.api.libraryArtworkAddress(path, size), () => showPicture());

  let facts = factsOf([]);
  let hasPlace = false;
  let folderName = '';
  let trail = '';
  /** @type {number | null} */
  let selected = null;

  function showPicture() {
    const { picture: entry } = facts;
    const address = entry?.pictureId ? pictures.address(entry.pictureId, entry.path, pictureSize(PICTURE, devicePixelRatio)) : '';
    // The space for the picture is reserved until the picture is loaded, so that nothing moves then.
    picture.hidden = selected !== null || !hasPlace;
    showImage(picture, address);
  }

  function showAbout() {
    const { folders, files, duration, artist } = facts;
    const parts = [folders > 0 ? t('library.folders', { count: folders }) : '', files > 0 ? t('library.files', { count: files }) : ''];
    const counts = enumerate(parts.filter(Boolean), { type: 'unit' });
    const text = [artist && `\u2068${artist}\u2069`, counts, duration && formatTime(duration)].filter(Boolean).join(' · ');
    setText(about, selected === null ? text : t('library.selected', { count: selected }));
  }

  return {
    element,
    get facts() {
      return facts;
    },
    get name() {
      return folderName;
    },
    get filterText() {
      return filter.hidden ? '' : filter.value.trim();
    },
    clearFilter() {
      filter.value = '';
    },

    /** @param {Folder} folder @param {Entry[]} roots */
    show(folder, roots) {
      facts = factsOf(folder.isLoaded ? folder.entries : []);
      const places = trailTo(folder.path, roots);
      folderName = places.at(-1)?.name ?? t('library.all');
      // If there is a single media root, the first crumb is that root.
      const above = places.slice(roots.length === 1 ? 1 : 0, -1);
      const isTop = places.length === (roots.length === 1 ? 1 : 0);
      const key = JSON.stringify([above, isTop]);
      if (key !== trail) {
        trail = key;
        crumbs.hidden = isTop;
        const crumb = (/** @type {string} */ text, /** @type {string} */ path) =>
          h('a', { class: 'crumb', href: fragmentOf('library', path), dir: 'auto' }, text);
        crumbs.replaceChildren(...(isTop ? [] : [crumb(t('library.all'), ''), ...above.map((place) => crumb(place.name, place.path))]));
        crumbs.scrollLeft = crumbs.scrollWidth;
      }
      setText(name, folderName || nameOf(folder.path));
      setAttribute(name, 'title', folder.path);
      filter.hidden = folder.count <= MANY && filter.value === '';
      const isPlayable = folder.path !== '' && folder.count > 0;
      hasPlace = !!facts.picture || folder.entries.some(({ kind }) => kind === 'audio');
      for (const way of ways) way.hidden = !isPlayable && selected === null;
      selectButton.hidden = selected !== null || folder.count === 0;
      showPicture();
      showAbout();
    },

    /** @param {number | null} count the number of selected entries; null while nothing can be selected */
    showSelection(count) {
      if ((count === null) !== (selected === null)) {
        const hadFocus = choices.contains(document.activeElement);
        selectButton.hidden = count !== null;
        all.hidden = done.hidden = count === null;
        if (hadFocus) (count === null ? selectButton : done).focus();
      }
      selected = count;
      all.hidden = done.hidden = count === null;
      element.dataset.selecting = String(count !== null);
      for (const way of ways) setEnabled(way, count !== 0);
      showPicture();
      showAbout();
    },
  };
}
