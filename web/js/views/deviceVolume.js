// @ts-check
import { formatVolume } from '../format.js';
import { t } from '../lang/lang.js';
import { Chase } from '../link/chase.js';
import { h } from './dom.js';
import { hook, onPress, setText } from './hooks.js';
import { mountVolumeSlider } from './volumeSlider.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {{volume: number, isMuted: boolean}} DeviceVolume  as the contract has it; 1 is the level without amplification by the sound server */

/**
 * The volume of one output device, which belongs to the sound server and to all its programs: a guarded slider and a button for muting.
 * @param {Remote} remote
 * @param {{id: string, name: string}} output `name` is the text for users
 * @param {() => DeviceVolume} read returns the volume of the newest list of the outputs
 * @param {(list: any) => void} use takes the list of the outputs after a change
 * @returns {import('./choices.js').Control}
 */
export function deviceVolume(remote, { id, name }, read, use) {
  /** @type {number | null} The requested volume, which is shown until the sound server has it. */
  let wanted = null;
  const chase = new Chase(
    (volume) => remote.command('updateOutput', { output: id, volume }),
    (_, { answer }) => {
      wanted = null;
      use(answer);
    },
    (_, error) => {
      wanted = null;
      render();
      void remote.perform(() => Promise.reject(error));
    });
  const shown = () => Math.min(1, wanted ?? read().volume);

  const mute = h('button', { class: 'icon-button', 'aria-label': t('now.output.mute', { name }) });
  mute.append(hook('mute', HTMLButtonElement).firstElementChild?.cloneNode(true) ?? '');
  onPress(mute, async () => {
    const done = await remote.act('updateOutput', { output: id, isMuted: !read().isMuted }, { element: mute });
    if (done) use(done.answer);
  });
  const label = t('now.output.volumeOf', { name });
  const level = h('input', { type: 'range', class: 'level', min: 0, max: 1, step: 0.01, 'aria-label': label, dir: 'ltr' });
  const slider = mountVolumeSlider(level, {
    remote, read: shown, isMuted: () => read().isMuted, mute,
    write(volume) {
      wanted = Math.round(volume * 100) / 100;
      chase.want(wanted);
      render();
    },
  });
  const value = h('output', { class: 'choice-value', 'aria-live': 'off' });
  const element = h('div', { class: 'setting setting-wide device-volume', role: 'group', 'aria-label': label },
    h('span', { class: 'setting-name', dir: 'auto', 'aria-hidden': true }, name), value,
    h('div', { class: 'volume', dir: 'ltr' }, mute, level), slider.hint);

  function render() {
    // The text may be above 100 %, because another program may have set more than the level without amplification.
    setText(value, formatVolume(wanted ?? read().volume));
    slider.render();
  }
  return { element, render };
}
