// @ts-check
// Runs before the page is first drawn, unlike the modules, so that neither the colours nor the layout change afterwards. It is no module.
{
  const { documentElement: root } = document;
  const stored = (/** @type {string} */ name) => {
    try {
      return localStorage.getItem(`tonearm.${name}`);
    } catch {
      return null; // See js/preferences.js.
    }
  };
  const theme = stored('theme');
  if (theme === 'light' || theme === 'dark') {
    document.querySelector('link[data-hook="dark"]')?.setAttribute('media', theme === 'dark' ? 'all' : 'not all');
  }
  root.dataset.view = /^#\/(queue|library|search|settings)/.exec(location.hash)?.[1] ?? 'now';
  if (stored('queuePanel') === 'closed') root.dataset.queuePanel = 'closed';
  const languages = [stored('language') ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase());
  if (languages.find((tag) => ['en', 'de', 'ar'].includes(tag)) === 'ar') root.dir = 'rtl';
  // A tab that is opened in the background is not laid out until it is shown.
  if (document.visibilityState === 'hidden') {
    root.hidden = true;
    document.addEventListener('visibilitychange', () => (root.hidden = false), { once: true });
  }
}
