// @ts-check
/**
 * What this browser remembers for its user. A browser that remembers nothing (private windows, blocked storage) still has a working remote.
 * @param {string} name
 * @returns {string | null}
 */
export function preference(name) {
  try {
    return localStorage.getItem(`tonearm.${name}`);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function setPreference(name, value) {
  try {
    localStorage.setItem(`tonearm.${name}`, value);
  } catch {
    // It holds until the page is closed.
  }
}
