// @ts-check
import { t } from '../lang/lang.js';
import { h } from './dom.js';
import { areKeysOn, KEYS, setKeys } from './shortcuts.js';

/** Makes the list of the keys, with the switch for them. */
export function keysElement() {
  const rows = KEYS.flatMap(([, name, what]) => [
    h('dt', null, h('kbd', null, name === 'space' ? t('shell.keys.space') : name)), h('dd', null, t(`shell.keys.${what}`)),
  ]);
  const box = h('input', { type: 'checkbox', role: 'switch', checked: areKeysOn(), onchange: () => setKeys(box.checked) });
  return h('div', { class: 'keys-group' },
    h('label', { class: 'switch' }, h('span', null, t('shell.keys.on')), box), h('dl', { class: 'keys' }, ...rows),
    h('p', { class: 'fine-print' }, t('shell.keys.sliders')));
}
