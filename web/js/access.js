// @ts-check
/**
 * Takes the token out of the page's address (`#token=…`): it is to stay neither in the history nor on the screen.
 * @param {{hash: string, pathname: string, search: string}} location
 * @param {{state: unknown, replaceState: (state: unknown, unused: string, url: string) => void}} history
 * @returns {string | null} null where the address has none
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
    return text; // Not encoded, and perhaps not the token either: the server knows.
  }
}
