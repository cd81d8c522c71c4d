// @ts-check
/**
 * Returns a stored preference of the user. Without storage (private windows, blocked storage) the remote still works.
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
    // Without storage the preference applies until the page is closed.
  }
}
