// @ts-check
import { language, LANGUAGES, t } from '../lang/lang.js';
import { clientName, setClientName } from '../link/identity.js';
import { preference, setPreference } from '../preferences.js';
import { chooseTheme, chosenTheme } from '../theme.js';
import { h } from './dom.js';
import { hook, setText } from './hooks.js';
import { keysElement } from './shortcuts.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {{name?: string, version?: string}} Server */

/**
 * The view of the settings of this browser, and of what the player is. Shows the player's name at the top of the page too.
 * @param {Remote} remote
 */
export function mountSettings(remote) {
  const { store } = remote;
  const name = h('dd', { dir: 'auto' });
  const version = h('dd');
  const kept = h('dd', { dir: 'auto' });
  const title = hook('player-name');
  /** The run of the server whose name is shown. */
  let known = '';
  const element = h('section', { class: 'view settings-view', 'aria-labelledby': 'settings-heading' },
    h('h2', { id: 'settings-heading', class: 'view-heading' }, t('shell.settings')),
    group(t('shell.appearance'),
      h('label', { class: 'setting' }, h('span', null, t('shell.language')), languageChoice()),
      themeChoice(), nameField()),
    h('details', { class: 'settings-group', open: matchMedia('(hover: hover)').matches },
      h('summary', null, h('h3', null, t('shell.keys.heading'))), keysElement()),
    h('div', { class: 'settings-extra', dataset: { hook: 'settings-extra' } }),
    group(t('shell.aboutPlayer'), h('dl', { class: 'facts' },
      h('dt', null, t('shell.name')), name,
      h('dt', null, t('shell.addressOf')), h('dd', { dir: 'ltr' }, location.origin + location.pathname),
      h('dt', null, t('shell.version')), version,
      h('dt', null, t('shell.kept')), kept),
    h('p', { class: 'fine-print' }, h('a', { href: 'openapi.yaml' }, t('shell.api')))));

  async function identify() {
    const { epoch } = store.state ?? {};
    if (!epoch || epoch === known) return;
    known = epoch;
    try {
      /** @type {Server} */
      const server = (await remote.command('getServer')).answer ?? {};
      setText(name, server.name ?? '');
      setText(title, server.name ?? '');
      setText(version, server.version ?? '');
    } catch {
      known = ''; // The name is not important enough for a notice. It is requested again with the next state.
    }
  }
  store.addEventListener('change', () => void identify());

  return {
    element,
    render() {
      const { persistence } = store.state ?? {};
      const isBroken = persistence?.error !== undefined;
      kept.dataset.error = String(isBroken);
      setText(kept, !persistence ? '' : isBroken ? t('shell.notKept', { reason: persistence.error?.message ?? '' })
        : t(persistence.isKept ? 'shell.isKept' : 'shell.keepsNothing'));
    },
  };
}

/** @param {string} heading @param {...Node} content */
function group(heading, ...content) {
  return h('section', { class: 'settings-group' }, h('h3', null, heading), ...content);
}

function languageChoice() {
  const choice = preference('language') ?? 'auto';
  const options = [['auto', t('shell.automatic', { name: LANGUAGES.get(language()) ?? '' })], ...LANGUAGES];
  const select = h('select', {
    class: 'select',
    onchange() {
      setPreference('language', select.value);
      location.reload(); // Every text of the page was written in the former language.
    },
  }, ...options.map(([value, name]) => h('option', { value, selected: value === choice, lang: value !== 'auto' && value }, name)));
  return select;
}

/** Makes the field of the name under which other remotes see what this browser has done. */
function nameField() {
  const field = h('input', {
    id: 'browser-name', class: 'field', dir: 'auto', maxlength: 40, autocomplete: 'off', value: clientName(), 'aria-describedby': 'browser-name-hint',
    onchange() {
      setClientName(field.value);
      field.value = clientName();
    },
  });
  const hint = h('span', { class: 'fine-print hint', id: 'browser-name-hint' }, t('shell.browserNameHint'));
  return h('div', { class: 'setting' }, h('div', null, h('label', { for: 'browser-name' }, t('shell.browserName')), hint), field);
}

function themeChoice() {
  const themes = /** @type {const} */ (['auto', 'light', 'dark']);
  const segments = themes.map((theme) => h('label', { class: 'segment' },
    h('input', { type: 'radio', name: 'theme', value: theme, checked: theme === chosenTheme(), onchange: () => chooseTheme(theme) }),
    h('span', null, t(`shell.theme.${theme}`))));
  return h('div', { class: 'setting', role: 'group', 'aria-labelledby': 'theme-heading' },
    h('span', { id: 'theme-heading' }, t('shell.theme.heading')), h('div', { class: 'segments' }, ...segments));
}
