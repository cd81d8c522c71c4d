// @ts-check
import { preference, setPreference } from './preferences.js';
/** @typedef {'auto' | 'light' | 'dark'} Theme */

/** The media queries with which the dark style sheet applies. */
const MEDIA = { auto: '(prefers-color-scheme: dark)', light: 'not all', dark: 'all' };

/** The theme that the user has chosen; "auto" follows the system. @returns {Theme} */
export function chosenTheme() {
  const name = preference('theme');
  return name === 'light' || name === 'dark' ? name : 'auto';
}

/** @param {Theme} theme */
export function chooseTheme(theme) {
  setPreference('theme', theme);
  applyTheme(theme);
}

/** Shows the page in a theme: sets the colours of the page, of the browser's own controls, and of the browser's bars. @param {Theme} theme */
export function applyTheme(theme = chosenTheme()) {
  document.querySelector('link[data-hook="dark"]')?.setAttribute('media', MEDIA[theme]);
  document.querySelector('meta[name="color-scheme"]')?.setAttribute('content', theme === 'auto' ? 'light dark' : theme);
  const [light, dark] = document.querySelectorAll('meta[name="theme-color"]');
  light?.setAttribute('media', theme === 'auto' ? '(prefers-color-scheme: light)' : theme === 'light' ? 'all' : 'not all');
  dark?.setAttribute('media', MEDIA[theme]);
}
