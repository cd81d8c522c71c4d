// @ts-check
import { t } from '../lang/lang.js';
import { makeChoice } from './choices.js';
import { deviceVolume } from './deviceVolume.js';
import { h } from './dom.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {{id: string, kind: string, name: string, volume?: number, isMuted?: boolean}} Output  with `volume` if it is a device that has one */

/** The time between two readings of the outputs while the sheet is open, in seconds: other programs change volumes, and devices come. */
const INTERVAL = 1.5;

/** @param {Output} output */
export function nameOutput({ kind, name }) {
  return kind === 'auto' || kind === 'silent' || (kind === 'pulse' && !name) ? t(`now.output.${kind}`) : name;
}

/**
 * The sheet of the outputs: which one plays, and the volume of each device.
 * @param {Remote} remote
 * @returns {import('./choices.js').Control & {closed: () => void}}
 */
export function outputSheet(remote) {
  const list = h('div', { class: 'settings-list', 'aria-busy': true });
  /** @type {{outputs: Output[], chosenId?: string}} */
  let known = { outputs: [] };
  let shown = '';
  /** @type {import('./choices.js').Control[]} */
  let controls = [];
  let isOpen = true;
  let shownOutput = remote.store.state?.output;
  void read();

  async function read() {
    const answer = await remote.act('listOutputs');
    if (!isOpen) return;
    if (answer) use(answer.answer);
    setTimeout(() => isOpen && document.visibilityState === 'visible' && void read(), INTERVAL * 1000);
  }

  /** @param {typeof known} answer */
  function use(answer) {
    known = answer;
    list.removeAttribute('aria-busy');
    const devices = known.outputs.filter(({ volume }) => volume !== undefined);
    const names = JSON.stringify([known.outputs.map(({ id, name }) => [id, name]), devices.map(({ id }) => id)]);
    if (names !== shown) {
      shown = names;
      controls = [choice(), ...devices.map(volumeOf)];
      list.replaceChildren(...controls.map(({ element }) => element));
    }
    render();
  }

  function choice() {
    return makeChoice({
      label: t('now.output.choose'), isList: true,
      options: known.outputs.map((output) => ({
        value: output.id, text: nameOutput(output),
        detail: output.kind === 'auto' || output.kind === 'silent' ? t(`now.output.${output.kind}Detail`) : '',
      })),
      read: () => known.chosenId,
      write: (id, element) => choose(id, element),
    });
  }

  /** @param {Output} output */
  function volumeOf(output) {
    const { id } = output;
    const read = () => {
      const { volume = 0, isMuted = false } = known.outputs.find((one) => one.id === id) ?? {};
      return { volume, isMuted };
    };
    return deviceVolume(remote, { id, name: nameOutput(output) }, read, use);
  }

  /** @param {string} id @param {HTMLElement} element */
  async function choose(id, element) {
    const done = await remote.act('setOutput', { id }, { element, waitText: t('now.output.waiting') });
    if (!done) return;
    use(done.answer);
    const chosen = known.outputs.find((output) => output.id === id);
    remote.announce(t('now.output.moved', { name: chosen ? nameOutput(chosen) : id }));
  }

  function render() {
    // The output was changed by another remote, or was lost.
    const { output } = remote.store.state ?? {};
    if (output !== shownOutput) {
      shownOutput = output;
      void remote.command('listOutputs').then(({ answer }) => isOpen && use(answer), () => {});
    }
    for (const control of controls) control.render();
  }
  return { element: list, render, closed: () => (isOpen = false) };
}
