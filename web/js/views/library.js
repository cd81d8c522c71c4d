// @ts-check
import { formatTime } from '../format.js';
import { describeError } from '../words.js';
import { hook, setText } from './hooks.js';
/** @typedef {import('../link/api.js').API} API */
/** @typedef {{name: string, path: string}} Place */
/** @typedef {{name: string, path: string, kind: string, url?: string, size?: number, title?: string, duration?: number}} Entry */

/** The number of entries of a folder above which the filter is shown. */
const MANY = 12;
/**
 * `wait` is the time for which the server delays a response until titles are known, in seconds; `requests` is the maximum number of requests per
 * folder.
 */
const TITLES = { wait: 10, requests: 30 };

/**
 * Shows the media roots and their folders.
 * @param {API} api
 * @param {(url: string, isList: boolean) => void} choose called with the address of the file that the user has chosen, and whether it is a playlist
 */
export function mountLibrary(api, choose) {
  const list = hook('entries');
  const trailBar = hook('trail');
  const filter = hook('filter', HTMLInputElement);
  /**
   * The path of the present folder, as a list of folders that begins with its media root; empty while the media roots are shown.
   * @type {Place[]}
   */
  let trail = [];
  /** @type {Entry[]} */
  let entries = [];
  let isTruncated = false;
  /**
   * The elements with the texts of the rows that are shown, by the path of the row's file or folder.
   * @type {Map<string, {name: HTMLElement, more: HTMLElement}>}
   */
  let texts = new Map();
  /** The number of the newest request for a folder. Responses to requests with smaller numbers are ignored. */
  let request = 0;

  filter.addEventListener('input', showEntries);

  /** @returns {Promise<void>} */
  async function refresh(focusFirst = false) {
    request += 1;
    const mine = request;
    list.setAttribute('aria-busy', 'true');
    try {
      const listing = await api.library(trail.at(-1)?.path ?? '');
      if (mine !== request) return;
      // If the server has a single media root, the root is opened directly.
      const only = listing.entries.length === 1 ? listing.entries[0] : undefined;
      if (trail.length === 0 && only?.kind === 'directory') {
        trail = [only];
        return await refresh(focusFirst);
      }
      entries = known(listing.entries);
      isTruncated = listing.isTruncated === true;
      filter.value = '';
      showTrail();
      showEntries();
      if (focusFirst) list.querySelector('button')?.focus();
      if (listing.isComplete === false) void addTitles(mine);
    } catch (error) {
      if (mine !== request) return;
      entries = [];
      showTrail();
      list.replaceChildren(note(describeError(error)));
    } finally {
      if (mine === request) list.removeAttribute('aria-busy');
    }
  }

  /**
   * Adds titles and durations to the rows that are shown. The server reads them from the files one after the other, so they are requested repeatedly.
   * @param {number} mine the number of the request that listed the folder
   */
  async function addTitles(mine) {
    for (let count = 0; count < TITLES.requests; count += 1) {
      try {
        const listing = await api.library(trail.at(-1)?.path ?? '', TITLES.wait);
        if (mine !== request) return;
        entries = known(listing.entries);
        for (const entry of entries) {
          const row = texts.get(entry.path);
          if (row) describe(entry, row);
        }
        if (listing.isComplete !== false) return;
      } catch {
        // Without titles the rows show the names of the files, which are enough to choose a file.
        return;
      }
    }
  }

  /** @param {Place[]} places */
  function go(places) {
    trail = places;
    void refresh(true);
  }

  function showTrail() {
    const steps = [{ name: 'All folders', path: '' }, ...trail].map((place, index) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'trail-step';
      setText(button, place.name);
      if (index === trail.length) button.setAttribute('aria-current', 'page');
      button.addEventListener('click', () => go(trail.slice(0, index)));
      return button;
    });
    trailBar.replaceChildren(...steps);
    trailBar.hidden = trail.length === 0;
  }

  function showEntries() {
    const wanted = filter.value.trim().toLocaleLowerCase();
    const shown = entries.filter(({ name, title }) => `${name}\n${title ?? ''}`.toLocaleLowerCase().includes(wanted));
    filter.hidden = entries.length <= MANY;
    texts = new Map();
    const rows = shown.map(row);
    if (rows.length === 0) rows.push(note(entries.length === 0 ? 'There are no media files here.' : 'No name in this folder contains this text.'));
    if (isTruncated) rows.push(note('This folder contains more files than can be listed.'));
    list.replaceChildren(...rows);
    list.scrollTop = 0;
  }

  /** @param {Entry} entry */
  function row(entry) {
    const item = document.createElement('li');
    const button = document.createElement('button');
    const name = document.createElement('span');
    const more = document.createElement('span');
    button.type = 'button';
    button.className = 'entry';
    button.dataset.kind = entry.kind;
    name.className = 'entry-name';
    more.className = 'entry-more';
    texts.set(entry.path, { name, more });
    describe(entry, { name, more });
    button.append(name, ' ', more);
    button.addEventListener('click', () => {
      if (entry.kind === 'directory') go([...trail, entry]);
      else choose(entry.url ?? entry.path, entry.kind === 'playlist');
    });
    item.append(button);
    return item;
  }

  /**
   * @param {Entry} entry
   * @param {{name: HTMLElement, more: HTMLElement}} row
   */
  function describe(entry, { name, more }) {
    setText(name, entry.title ?? entry.name);
    name.title = entry.name;
    const length = entry.duration === undefined ? describeSize(entry.size) : formatTime(entry.duration);
    const kinds = { directory: 'folder', playlist: 'playlist' };
    setText(more, kinds[/** @type {keyof typeof kinds} */ (entry.kind)] ?? length);
  }

  /** @param {string} text */
  function note(text) {
    const item = document.createElement('li');
    item.className = 'entries-note';
    setText(item, text);
    return item;
  }

  return { refresh: () => void refresh() };
}

/** @param {number | undefined} bytes */
function describeSize(bytes) {
  if (bytes === undefined) return '';
  if (bytes < 1e6) return `${Math.max(1, Math.round(bytes / 1e3))} kB`;
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

/**
 * Returns the entries of the kinds that the page can use.
 * @param {Entry[]} entries
 */
function known(entries) {
  return entries.filter(({ kind }) => ['directory', 'audio', 'playlist'].includes(kind));
}
