// @ts-check
/** The most addresses that one text is taken for, and the most characters of it that are read. */
const MOST = 1000;
const MOST_CHARACTERS = 1_000_000;

/** The beginnings of addresses that the server knows. */
const ADDRESS = /^(https?:\/\/|file:\/|\/)\S/i;

/**
 * Returns the lines of a text that a user has typed as addresses. Empty lines and comments, as playlist files have them, are left out.
 * @param {string} text
 */
export function linesOf(text) {
  const lines = text.slice(0, MOST_CHARACTERS).split(/[\r\n]+/).map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#')).slice(0, MOST);
}

/**
 * Returns the addresses in a text that was pasted or dropped; empty if a line is something else, such as prose.
 * @param {string} text
 */
export function addressesIn(text) {
  const lines = linesOf(text);
  return lines.every((line) => ADDRESS.test(line)) ? lines : [];
}

/**
 * Returns the entries of lines. Of an address with upper-case letters in its scheme, the scheme is written as the server knows it.
 * @param {string[]} lines
 */
export function entriesOf(lines) {
  return lines.map((line) => ({ path: '', url: line.replace(/^(https?|file):/i, (scheme) => scheme.toLowerCase()), name: line, kind: 'audio' }));
}

/**
 * Returns the number of the line that a problem of the server is about; 0 if it is about none.
 * @param {{pointer?: string}} problem
 */
export function lineOf({ pointer = '' }) {
  const [, index] = /\/entries\/(\d+)(\/|$)/.exec(pointer) ?? [];
  return index === undefined ? 0 : Number(index) + 1;
}
