// @ts-check
import { h, setAttribute } from './dom.js';
/**
 * The number of rows that are made beyond each edge of the visible part, and the number of rows that these extra rows must not make the list exceed.
 */
const MARGIN = 4;
const MOST_ROWS = 60;

/**
 * Returns which rows are made for a visible part: the visible ones, and some beyond its edges.
 * @param {{scroll: number, height: number, rowHeight: number, count: number}} part lengths in pixels
 * @returns {{first: number, end: number}} the index of the first row, and the index after the last one
 */
export function rowsShown({ scroll, height, rowHeight, count }) {
  if (count <= 0 || height <= 0 || rowHeight <= 0) return { first: 0, end: 0 };
  const { first, last } = rowsSeen({ scroll, height, rowHeight, count });
  const margin = Math.max(0, Math.min(MARGIN, Math.floor((MOST_ROWS - (last - first + 1)) / 2)));
  return { first: Math.max(0, first - margin), end: Math.min(count, last + 1 + margin) };
}

/**
 * Returns the first and the last row that are at least partly visible; `last` is before `first` if no row is visible.
 * @param {{scroll: number, height: number, rowHeight: number, count: number}} part
 */
export function rowsSeen({ scroll, height, rowHeight, count }) {
  const start = Math.min(Math.max(0, scroll), Math.max(0, count * rowHeight - height));
  const first = Math.min(Math.floor(start / rowHeight), Math.max(0, count - 1));
  return { first, last: Math.min(count, Math.ceil((start + height) / rowHeight)) - 1 };
}

/**
 * Returns the scroll position that shows a row: the nearest position at which the whole row is visible, or the position with the row in the middle.
 * @param {{scroll: number, height: number, rowHeight: number, count: number}} part
 * @param {number} index
 * @param {boolean} [center]
 */
export function scrollFor({ scroll, height, rowHeight, count }, index, center = false) {
  const top = index * rowHeight;
  const target = center ? top - (height - rowHeight) / 2 : Math.min(Math.max(scroll, top + rowHeight - height), top);
  return Math.max(0, Math.min(target, count * rowHeight - height));
}

/**
 * Returns the row that a key selects, or null if the key selects none.
 * @param {string} key
 * @param {number} index the row that has the focus
 * @param {number} count
 * @param {number} page the number of visible rows
 */
export function rowForKey(key, index, count, page) {
  /** @type {Record<string, number>} */
  const targets = {
    ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: count - 1, PageDown: index + Math.max(1, page - 1), PageUp: index - Math.max(1, page - 1),
  };
  const target = targets[key];
  return target === undefined || count === 0 ? null : Math.min(Math.max(0, target), count - 1);
}

/**
 * Makes a list of which only the visible rows are in the document. The list scrolls by itself, so its height must be bounded by its container. The
 * Tab key reaches only one row: the row that had the focus last. The focus is then on the element of this row with `data-focus`, or otherwise on its
 * first button.
 *
 * @param {object} parts
 * @param {string} parts.label the name of the list for screen readers
 * @param {number} parts.rowHeight the height of a row in pixels if the root font has 16 pixels; it grows with the root font
 * @param {() => HTMLElement} parts.create makes an empty row
 * @param {(row: HTMLElement, index: number) => void} parts.fill shows an entry in a row, which may have shown another one
 * @param {(index: number) => void} [parts.onFocusIndex] is called after the focus has moved to another row
 * @param {(first: number, last: number) => void} [parts.onRange] is called after other rows have become visible
 * @param {{keyOf: (index: number) => string | undefined, indexOf: (key: string) => number}} [parts.identity] of the entries, so that the focus
 *   follows its entry to another index; `indexOf` returns -1 for an entry that is gone
 */
export function makeVirtualList({ label, rowHeight, create, fill, onFocusIndex, onRange, identity }) {
  const list = h('div', { class: 'virtual-rows', role: 'list', 'aria-label': label, tabindex: -1 });
  const element = h('div', { class: 'virtual-list' }, list);

  /** @type {Map<number, HTMLElement>} */
  const rows = new Map();
  /** @type {HTMLElement[]} rows without an entry, which are used again */
  const spare = [];
  let count = 0;
  let active = 0;
  /** @type {string | undefined} */
  let activeKey;
  let scroll = 0;
  let height = 0;
  let pixels = rowHeight;
  let seen = '';
  let isHeld = false;

  const part = () => ({ scroll, height, rowHeight: pixels, count });
  const hasFocus = () => list.contains(document.activeElement) && document.activeElement !== list;

  element.addEventListener('scroll', () => {
    if (element.clientHeight === 0) return;
    scroll = element.scrollTop;
    place();
  }, { passive: true });
  new ResizeObserver(measure).observe(element);

  function measure() {
    height = Math.min(element.clientHeight, innerHeight);
    const root = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    if (height === 0) return;
    if (pixels !== (rowHeight * root) / 16) {
      scroll *= (rowHeight * root) / 16 / pixels;
      pixels = (rowHeight * root) / 16;
      for (const [index, row] of rows) position(row, index);
    }
    list.style.setProperty('--row-height', `${pixels}px`);
    list.style.setProperty('block-size', `${count * pixels}px`);
    // A list that was hidden has lost its scroll position.
    if (Math.abs(element.scrollTop - scroll) > 1) element.scrollTop = scroll;
    place();
  }

  /** Makes the rows that are missing, and uses those again that are no longer needed. The focused row stays. */
  function place() {
    const { first, end } = rowsShown(part());
    const isFocused = hasFocus();
    for (const [index, row] of rows) {
      if ((index >= first && index < end) || ((isFocused || isHeld) && index === active && index < count)) continue;
      rows.delete(index);
      spare.push(row);
    }
    for (let index = first; index < end; index += 1) if (!rows.has(index)) add(index);
    for (const row of spare) row.remove();
    // Some spare rows are kept for later, because a fast scroll replaces all rows at once.
    spare.length = Math.min(spare.length, 2 * MARGIN);
    if (!isFocused && !isHeld && !rows.has(active) && rows.size > 0) setActive(rowsSeen(part()).first);
    const { first: top, last } = rowsSeen(part());
    if (seen !== `${top} ${last}` && last >= top) {
      seen = `${top} ${last}`;
      onRange?.(top, last);
    }
  }

  /** @param {number} index */
  function add(index) {
    const row = spare.pop() ?? create();
    row.setAttribute('role', 'listitem');
    rows.set(index, row);
    position(row, index);
    show(row, index);
    if (row.parentNode !== list) list.append(row);
  }

  /** @param {HTMLElement} row @param {number} index */
  function position(row, index) {
    row.style.setProperty('transform', `translateY(${index * pixels}px)`);
  }

  /** @param {HTMLElement} row @param {number} index */
  function show(row, index) {
    setAttribute(row, 'aria-setsize', count);
    setAttribute(row, 'aria-posinset', index + 1);
    fill(row, index);
    setTabbable(row, index === active);
  }

  /** @param {HTMLElement} row @param {boolean} isTabbable */
  function setTabbable(row, isTabbable) {
    for (const control of /** @type {NodeListOf<HTMLElement>} */ (row.querySelectorAll('button, a, input'))) control.tabIndex = isTabbable ? 0 : -1;
  }

  /** @param {number} index */
  function setActive(index) {
    const before = rows.get(active);
    if (before && index !== active) setTabbable(before, false);
    active = index;
    activeKey = identity?.keyOf(index);
    const row = rows.get(index);
    if (row) setTabbable(row, true);
  }

  list.addEventListener('focusin', ({ target }) => {
    const entry = [...rows].find(([, row]) => row.contains(/** @type {Node} */ (target)));
    if (!entry || (entry[0] === active && activeKey === identity?.keyOf(active))) return;
    setActive(entry[0]);
    onFocusIndex?.(active);
  });
  list.addEventListener('focusout', () => queueMicrotask(place));

  list.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.target instanceof HTMLInputElement) return;
    const { first, last } = rowsSeen(part());
    const target = rowForKey(event.key, active, count, last - first);
    if (target === null) return;
    event.preventDefault();
    const controls = [...(rows.get(active)?.querySelectorAll('button, a') ?? [])];
    focus(target, Math.max(0, controls.indexOf(/** @type {Element} */ (document.activeElement))));
  });

  /**
   * Scrolls to a row.
   * @param {number} index
   * @param {{center?: boolean}} options
   */
  function scrollTo(index, options = {}) {
    scroll = scrollFor(part(), index, options.center);
    element.scrollTop = scroll;
    place();
  }

  /**
   * Moves the focus to a row, and scrolls to it.
   * @param {number} index
   * @param {number} [control] the number of the control in the row
   */
  function focus(index, control) {
    if (index < 0 || index >= count) return;
    scrollTo(index);
    const row = rows.get(index);
    const controls = /** @type {NodeListOf<HTMLElement>} */ (row?.querySelectorAll('button, a'));
    const main = /** @type {HTMLElement | null} */ (row?.querySelector('[data-focus]'));
    ((control === undefined ? main : controls?.[control]) ?? main ?? controls?.[0])?.focus({ preventScroll: true });
    if (index !== active) setActive(index);
  }

  /** Shows the entries of all rows again. The focus follows its entry. */
  function refresh() {
    const index = activeKey === undefined ? -1 : identity?.indexOf(activeKey) ?? -1;
    if (index >= 0 && index !== active) {
      // The focused element belongs to the row of the entry. So this row moves to the entry's new index, and the two rows change places.
      const [from, to] = [rows.get(active), rows.get(index)];
      rows.delete(active);
      rows.delete(index);
      if (from) rows.set(index, from);
      if (to) rows.set(active, to);
      for (const each of [active, index]) if (rows.has(each)) position(/** @type {HTMLElement} */ (rows.get(each)), each);
      active = index;
    }
    if (active >= count && count > 0) {
      const row = rows.get(active);
      rows.delete(active);
      const other = rows.get(count - 1);
      if (row) rows.set(count - 1, row), position(row, count - 1);
      if (row && other) other.remove();
      active = count - 1;
    }
    if (count === 0 && hasFocus()) list.focus({ preventScroll: true });
    for (const [each, row] of rows) {
      if (each < count) show(row, each);
    }
    activeKey = identity?.keyOf(active);
    place();
  }

  return {
    element,
    /** @param {number} number the number of all rows */
    setCount(number) {
      count = number;
      list.style.setProperty('block-size', `${count * pixels}px`);
      scroll = Math.max(0, Math.min(scroll, count * pixels - height));
      seen = '';
      // Reading the height makes the browser lay out the page. A list without rows needs none.
      if (count > 0 && height === 0 && element.clientHeight > 0) measure();
      refresh();
    },
    refresh,
    scrollTo,
    focus,
    /** Keeps the row of an index in the document, as if the row had the focus; null ends that. @param {number | null} index */
    hold(index) {
      isHeld = index !== null;
      if (index !== null) setActive(index);
      else place();
    },
    /** The index of the row that has the focus, or had it last. */
    get active() {
      return active;
    },
    /** The first and the last visible row. */
    range: () => rowsSeen(part()),
    /** @param {number} index @returns the row's element, if the row is made */
    row: (index) => rows.get(index),
    /** @param {Node} node @returns the index of the row that contains a node; -1 if none does */
    indexOf: (node) => [...rows].find(([, row]) => row.contains(node))?.[0] ?? -1,
    /** The scroll position in pixels, also while the list is hidden. */
    get scroll() {
      return scroll;
    },
    /** The height of a row in pixels. */
    get rowHeight() {
      return pixels;
    },
  };
}
