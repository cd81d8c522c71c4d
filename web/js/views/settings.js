// @ts-check
import { language, LANGUAGES, t } from '../lang/lang.js';
import { clientName, setClientName } from '../link/identity.js';
import { preference, setPreference } from '../preferences.js';
import { chooseTheme, chosenTheme } from '../theme.js';
import { makeChoice } from './choices.js';
import { h } from './dom.js';
import { setText } from './hooks.js';
import { keysElement } from './keys.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * The view of the settings of this browser, and of the facts about the player.
 * @param {Remote} remote
 * @param {() => import('./playerName.js').Server} about returns the name and the version of the player
 */
export function mountSettings(remote, about) {
  const { store } = remote;
  const name = h('dd', { dir: 'auto' });
  const version = h('dd');
  const kept = h('dd', { dir: 'auto' });
  const extra = h('div', { class: 'settings-extra', dataset: { hook: 'settings-extra' } });
  const element = h('section', { class: 'view settings-view', 'aria-labelledby': 'settings-heading' },
    h('h2', { id: 'settings-heading', class: 'view-heading' }, t('shell.settings')),
    group(t('shell.appearance'),
      h('label', { class: 'setting' }, h('span', null, t('shell.language')), languageChoice()),
      themeChoice(), nameField()),
    h('details', { class: 'settings-group', open: matchMedia('(hover: hover)').matches },
      h('summary', null, h('h3', null, t('shell.keys.heading'))), keysElement()),
    extra,
    group(t('shell.aboutPlayer'), h('dl', { class: 'facts' },
      h('dt', null, t('shell.name')), name,
      h('dt', null, t('shell.addressOf')), h('dd', { dir: 'ltr' }, location.origin + location.pathname),
      h('dt', null, t('shell.version')), version,
      h('dt', null, t('shell.kept')), kept),
    h('p', { class: 'fine-print' }, h('a', { href: 'openapi.yaml' }, t('shell.api')))));

  return {
    element,
    /** The place of the settings that `mountExtras` adds. */
    extra,
    render() {
      const { persistence } = store.state ?? {};
      const isBroken = persistence?.error !== undefined;
      kept.dataset.error = String(isBroken);
      const server = about();
      setText(name, server.name ?? '');
      setText(version, server.version ?? '');
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
  const choice = makeChoice({
    label: t('shell.theme.heading'), options: themes.map((value) => ({ value, text: t(`shell.theme.${value}`) })),
    read: chosenTheme, write: chooseTheme,
  });
  choice.render();
  return choice.element;
}
