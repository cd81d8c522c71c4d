// @ts-check
/**
 * Removes the token from the page's address (`#token=…`), so that the token stays neither in the browser's history nor on the screen.
 * @param {{hash: string, pathname: string, search: string}} location
 * @param {{state: unknown, replaceState: (state: unknown, unused: string, url: string) => void}} history
 * @returns {string | null} the token; null if the address has no token
 */
export function takeToken(location, history) {
  const parts = location.hash.replace(/^#/, '').split('&');
  const found = parts.find((part) => part.startsWith('token='));
  if (found === undefined) return null;
  const rest = parts.filter((part) => part !== found).join('&');
  history.replaceState(history.state, '', location.pathname + location.search + (rest && `#${rest}`));
  const text = found.slice('token='.length);
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // The text is not percent-encoded. The server decides whether it is a valid token.
  }
}

/**
 * Removes what another app has shared with the page (`share_target` of the manifest: `?url=…`, `?text=…`) from the address.
 * @param {{hash: string, pathname: string, search: string}} location
 * @param {{state: unknown, replaceState: (state: unknown, unused: string, url: string) => void}} history
 * @returns {string} the shared addresses, one on each line; empty if there are none
 */
export function takeShared(location, history) {
  const query = new URLSearchParams(location.search);
  const shared = ['url', 'text', 'title'].map((name) => query.get(name) ?? '');
  if (!shared.some(Boolean)) return '';
  history.replaceState(history.state, '', location.pathname + location.hash);
  // Many apps put the address into the text.
  return [...new Set(shared.join('\n').match(/https?:\/\/\S+/g))].join('\n').slice(0, 10_000);
}

/**
 * Returns the token in a text that the user has typed or pasted: the token itself, or the whole link that the player printed (`…/#token=…`), also
 * with words around it.
 * @param {string} text
 * @returns {string} empty if the text is empty
 */
export function tokenIn(text) {
  const [, found] = /[#&?]token=([^&\s]+)/.exec(text) ?? [];
  if (found === undefined) return text.trim();
  try {
    return decodeURIComponent(found);
  } catch {
    return found;
  }
}
