// @ts-check
import { t } from '../lang/lang.js';
import { preference, setPreference } from '../preferences.js';

/**
 * Returns the name of this browser, which the players' other remotes see as the author of its changes. The user chooses it in the settings; until
 * then it is the kind of the device with a number, so that two phones can be told apart.
 * @param {string} agent the browser's description of itself
 */
export function clientName(agent = navigator.userAgent) {
  const known = preference('name');
  if (known) return known;
  const name = t(`link.device.${deviceOf(agent)}`, { number: 10 + Math.floor(Math.random() * 90) });
  setPreference('name', name);
  // Without storage, the name lasts as long as the page.
  return preference('name') ?? (temporary ??= name);
}
let temporary = /** @type {string | undefined} */ (undefined);

/** Stores the name that the user has chosen for this browser. @param {string} name an empty name means the name of the device */
export function setClientName(name) {
  setPreference('name', [...name.trim()].slice(0, 40).join(''));
}

/** @param {string} agent */
function deviceOf(agent) {
  const kinds = [[/iPad|Tablet|Android(?!.*Mobile)/, 'tablet'], [/Mobi|iPhone|Android/, 'phone'], [/TV|AFT|CrKey/, 'tv']];
  return kinds.find(([pattern]) => /** @type {RegExp} */ (pattern).test(agent))?.[1] ?? 'computer';
}
