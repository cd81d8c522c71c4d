// @ts-check
import { lineAt, partToShow, untilNextLine } from '../lyrics.js';
import { h } from './dom.js';
import { hook, setText } from './hooks.js';
import { rowForKey } from './virtualList.js';
/** @typedef {import('../lyrics.js').Lyrics} Lyrics */
/** @typedef {import('../remote.js').Remote} Remote */

/** The time for which the list does not follow playback after the user has moved in it, in seconds. */
const READING_TIME = 5;
/** The distance of the current line from the top of the list, as a part of the list's height. */
const READING_HEIGHT = 0.38;
/** The number of lines by which the keys for pages move the focus. */
const PAGE = 5;

/**
 * Shows the lyrics of the current item in the place of its picture, with a button that is visible only if the item has lyrics. Lyrics with times
 * follow playback, and a line seeks to its time. Only one line is in the order of the Tab key; the arrow keys move between lines.
 * @param {Remote} remote
 */
export function mountLyrics(remote) {
  const page = hook('page');
  const button = hook('lyrics-button', HTMLButtonElement);
  const panel = hook('lyrics');
  const list = hook('lyrics-lines');
  const play = hook('play');
  const plain = hook('lyrics-text');
  /** Whether the user wants to see lyrics. It stays true for the next items. */
  let isWanted = false;
  /** @type {Lyrics | null} */
  let shown = null;
  let hasSeeking = false;
  /** @type {{from: number, to: number} | undefined} */
  let part;
  /** The index of the line that is marked as current; -1 if none is. */
  let current = -1;
  /** The time of the page's clock until which the user reads elsewhere in the list, in seconds. */
  let readsUntil = 0;

  const isOpen = () => !panel.hidden;
  const row = (/** @type {number} */ index) => /** @type {HTMLElement | null} */ (list.children[index - (part?.from ?? 0)] ?? null);

  function toggle() {
    if (button.hidden) return;
    isWanted = !isWanted;
    readsUntil = 0;
    render();
    follow(true);
  }
  button.addEventListener('click', toggle);

  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
    panel.addEventListener(type, () => (readsUntil = remote.clock.now() + READING_TIME), { passive: true });
  }
  panel.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    // These keys scroll the text. So they must not reach the page, in which they are shortcuts.
    if (event.target === panel && /^(ArrowUp|ArrowDown|Page|Home|End)/.test(event.key)) return event.stopPropagation();
    if (event.key === 'Escape') toggle();
    else if (!moveFocus(event.key)) return;
    event.preventDefault();
  });
  list.addEventListener('click', ({ target }) => {
    const line = target instanceof Element ? target.closest('button') : null;
    const time = shown?.lines[(part?.from ?? 0) + Array.prototype.indexOf.call(list.children, line)]?.time;
    if (line === null || time === undefined) return;
    readsUntil = 0;
    setTabStop(line);
    remote.seek(time);
  });

  /** @param {string} key @returns {boolean} whether the key has moved the focus between the lines */
  function moveFocus(key) {
    const rows = /** @type {HTMLElement[]} */ (Array.from(list.querySelectorAll('button')));
    const at = rows.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (at < 0) return false;
    const line = rows[rowForKey(key, at, rows.length, PAGE + 1) ?? -1];
    if (!line) return false;
    setTabStop(line);
    line.focus();
    return true;
  }

  /** Makes one line the only one that the Tab key reaches. */
  function setTabStop(/** @type {HTMLElement} */ line) {
    list.querySelector('button[tabindex="0"]')?.setAttribute('tabindex', '-1');
    if (line instanceof HTMLButtonElement) line.tabIndex = 0;
  }

  /** Makes the elements of the lines around the current one, or the text without times. */
  function fill() {
    const hadFocus = list.contains(document.activeElement);
    const language = shown?.language ?? '';
    for (const element of [list, plain]) element.lang = language;
    setText(plain, shown?.text ?? '');
    plain.hidden = !shown?.text;
    list.hidden = !!shown?.text;
    const rows = shown?.lines.slice(part?.from, part?.to) ?? [];
    const properties = { class: 'lyric', dir: 'auto', tabindex: hasSeeking && -1 };
    list.replaceChildren(...rows.map(({ text }) => h(hasSeeking ? 'button' : 'p', properties, text)));
    const first = row(Math.max(current, part?.from ?? 0));
    if (first) setTabStop(first);
    // The focused line was removed, so another element gets the focus: otherwise the page would lose it.
    if (hadFocus) (first instanceof HTMLButtonElement ? first : button).focus({ preventScroll: true });
  }

  /** Marks the current line. */
  function mark() {
    list.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const line = current < 0 ? null : row(current);
    line?.setAttribute('aria-current', 'true');
    // While the user moves between the lines by keys, the tab stop stays on the user's line.
    if (line && !list.contains(document.activeElement)) setTabStop(line);
  }

  /** Scrolls the current line into view, unless the user reads elsewhere. A new list is not scrolled smoothly. */
  function follow(/** @type {boolean} */ isNew) {
    if (!isOpen() || !shown?.lines.length || remote.clock.now() < readsUntil) return;
    const line = row(Math.max(0, current));
    const behavior = /** @type {ScrollBehavior} */ (isNew ? 'instant' : 'auto');
    if (line) panel.scrollTo({ top: line.offsetTop + line.offsetHeight / 2 - panel.clientHeight * READING_HEIGHT, behavior });
  }

  /** Marks the line at the shown position. Returns the time until another line is current, in seconds. */
  function frame() {
    if (!isOpen() || !shown?.lines.length) return Infinity;
    const position = remote.shownTime();
    const index = lineAt(shown.lines, position);
    const now = partToShow(shown.lines.length, index, part);
    const isNew = now !== part;
    if (isNew || index !== current) {
      part = now;
      current = index;
      if (isNew) fill();
      mark();
      follow(isNew);
    }
    return untilNextLine(shown.lines, position, remote.store.state?.anchor.rate ?? 0);
  }

  /** Shows or hides the panel. A hidden panel has no lines. */
  function render() {
    const { value, isLoading } = remote.lyrics;
    // While the lyrics of the next item are loaded, an open panel stays, so that the page does not change twice.
    const isShown = isWanted && (value !== null || (isLoading && isOpen()));
    const focused = document.activeElement;
    button.hidden = value === null && !(isLoading && !button.hidden);
    button.setAttribute('aria-expanded', String(isShown));
    page.dataset.lyrics = isShown ? 'shown' : 'none';
    panel.hidden = !isShown;
    panel.setAttribute('aria-busy', String(isLoading));
    const losesFocus = (panel.contains(focused) && !isShown) || (focused === button && button.hidden);
    if (losesFocus) (button.hidden ? play : button).focus({ preventScroll: true });
    const lyrics = isShown ? value : null;
    if (lyrics !== shown || remote.canSeek !== hasSeeking) {
      shown = lyrics;
      hasSeeking = remote.canSeek;
      part = undefined;
      current = -1;
      readsUntil = 0;
      if (isShown) panel.scrollTop = 0; // The browser lays out the page for this.
      fill();
    }
    panel.tabIndex = shown?.text || !hasSeeking ? 0 : -1;
    frame();
  }

  return { render, frame, toggle };
}
