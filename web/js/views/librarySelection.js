// @ts-check
/** @typedef {import('../state/library.js').Entry} Entry */

/** The entries of a folder that the user has selected. */
export class Selection {
  /** @type {Set<string> | null} the paths; null while nothing can be selected */
  #paths = null;
  /** The path of the entry from which a range (a press with Shift) begins. */
  #anchor = '';

  get isOn() {
    return this.#paths !== null;
  }
  begin() {
    this.#paths ??= new Set();
  }
  end() {
    this.#paths = null;
    this.#anchor = '';
  }
  /** @param {Entry | undefined} entry */
  has(entry) {
    return !!entry && this.#paths?.has(entry.path) === true;
  }

  /**
   * Selects or deselects an entry. If `isRange` is true, all entries from the entry that was last pressed without Shift to this one are selected or
   * deselected, as that entry is.
   * @param {Entry[]} entries in the order in which they are shown
   * @param {number} index
   * @param {boolean} isRange
   */
  press(entries, index, isRange) {
    const entry = entries[index];
    if (!entry || !this.#paths) return;
    const anchor = isRange ? entries.findIndex(({ path }) => path === this.#anchor) : -1;
    if (anchor >= 0) {
      const isSelected = this.has(entries[anchor]);
      for (const each of entries.slice(Math.min(anchor, index), Math.max(anchor, index) + 1)) this.#set(each, isSelected);
    } else {
      this.#set(entry, !this.has(entry));
      this.#anchor = entry.path;
    }
  }

  /**
   * Selects all entries, or none if all are selected.
   * @param {Entry[]} entries
   * @param {boolean} [isSelected]
   */
  toggleAll(entries, isSelected = !entries.every((entry) => this.has(entry))) {
    for (const entry of entries) this.#set(entry, isSelected);
  }

  /** @param {Entry[]} entries @returns {Entry[]} the selected ones */
  of(entries) {
    return entries.filter((entry) => this.has(entry));
  }

  /** @param {Entry} entry @param {boolean} isSelected */
  #set({ path }, isSelected) {
    if (isSelected) this.#paths?.add(path);
    else this.#paths?.delete(path);
  }
}
