// @ts-check
/** The maximum number of addresses that are taken from one text, and of its characters that are read. */
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
 * Makes library entries of lines. The scheme of each address is written in lower case, because the server does not know it in upper case.
 * @param {string[]} lines
 */
export function entriesOf(lines) {
  return lines.map((line) => ({ path: '', url: line.replace(/^(https?|file):/i, (scheme) => scheme.toLowerCase()), name: line, kind: 'audio' }));
}

/**
 * Returns the number of the line to which a problem of the server refers; 0 if it refers to none.
 * @param {{pointer?: string}} problem
 */
export function lineOf({ pointer = '' }) {
  const [, index] = /\/entries\/(\d+)(\/|$)/.exec(pointer) ?? [];
  return index === undefined ? 0 : Number(index) + 1;
}
