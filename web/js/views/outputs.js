// @ts-check
import { kilohertz } from '../format.js';
import { t } from '../lang/lang.js';
import { describeSilence } from '../words.js';
import { makeChoice } from './choices.js';
import { deviceVolume } from './deviceVolume.js';
import { h, setAttribute } from './dom.js';
import { setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */
/**
 * @typedef {{id: string, kind: string, name: string, volume?: number, isMuted?: boolean, outputRate?: string}} Output  with `volume` if it is a
 *   device that has one
 * @typedef {{outputs: Output[], chosenId?: string}} Outputs
 */

/**
 * The time between two readings of the outputs while the sheet is open, in seconds. Other programs change volumes, and devices appear and disappear.
 */
const INTERVAL = 1.5;

/** The choices of the sample rate. */
const RATES = ['auto', 'item', 'device', '44100', '48000', '96000', '192000'];

/** @param {Pick<Output, 'kind' | 'name'> & {id?: string}} output */
export function nameOutput({ id, kind, name }) {
  return kind === 'auto' || kind === 'silent' || ((kind === 'pulse' || kind === 'alsa') && (id === kind || !name)) ? t(`now.output.${kind}`) : name;
}

/** @param {Outputs} list @param {string | undefined} id */
const find = ({ outputs }, id) => outputs.find((output) => output.id === id);

/**
 * Returns the chosen output if it is not in the list, because its device or its server is away: playback waits for it.
 * @param {Outputs} list
 * @param {{id: string, name: string} | undefined} last the output in the state, which may be the lost one
 * @returns {Output | undefined}
 */
export function absentOutput(list, last) {
  const { chosenId = '' } = list;
  if (!chosenId || find(list, chosenId)) return undefined;
  const kind = chosenId.split(':', 1)[0] ?? '';
  const device = chosenId.slice(kind.length + 1);
  return { id: chosenId, kind, name: device && device === last?.id ? last.name : device };
}

/**
 * Returns the output whose choice of the sample rate is in force: the device that plays, if it is in the list; otherwise the chosen output.
 * @param {Outputs} list
 * @param {string | undefined} device the id of the device in the state
 */
export const ratedOutput = (list, device) => find(list, `pulse:${device}`) ?? find(list, list.chosenId);

/**
 * The sheet of the outputs: why none is heard, which one plays, and the volume of each device.
 * @param {Remote} remote
 * @returns {import('./choices.js').Control & {closed: () => void}}
 */
export function outputSheet(remote) {
  const list = h('div', { class: 'settings-list', 'aria-busy': true });
  /** @type {Outputs} */
  let known = { outputs: [] };
  let shown = '';
  const silence = h('p', { class: 'silence', role: 'status', hidden: true });
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
    // The controls are made again only if their choices change, because that takes the focus away.
    const rates = [...new Set([...RATES, ...known.outputs.map(({ outputRate = 'auto' }) => outputRate)])];
    const absent = absentOutput(known, remote.store.state?.output);
    const names = JSON.stringify([rates, known.outputs.map(({ id, name }) => [id, name]), devices.length, absent]);
    let hadFocus = false;
    if (names !== shown) {
      shown = names;
      hadFocus = list.contains(document.activeElement);
      controls = [choice(absent), ...devices.map(volumeOf), rate(rates)];
      list.replaceChildren(silence, ...controls.map(({ element }) => element));
    }
    render();
    if (hadFocus) /** @type {HTMLElement | null} */ (list.querySelector('input:checked') ?? list.querySelector('input'))?.focus();
  }

  /** @param {Output | undefined} absent */
  function choice(absent) {
    return makeChoice({
      label: t('now.output.choose'), isList: true,
      options: [...known.outputs, ...(absent ? [absent] : [])].map((output) => ({
        value: output.id, text: nameOutput(output),
        detail: output === absent ? t('now.output.absent')
          : output.kind === 'auto' || output.kind === 'silent' ? t(`now.output.${output.kind}Detail`) : '',
      })),
      read: () => known.chosenId,
      write: (id, element) => choose(id, element),
    });
  }

  /** @param {Output} output */
  function volumeOf(output) {
    const { id } = output;
    const read = () => {
      const { volume = 0, isMuted = false } = find(known, id) ?? {};
      return { volume, isMuted };
    };
    return deviceVolume(remote, { id, name: nameOutput(output) }, read, use);
  }

  const rated = () => ratedOutput(known, remote.store.state?.output.id);

  /**
   * Makes the choice of the sample rate of the output that `rated` returns. The label contains the name of this output, so the label changes with it.
   * @param {string[]} rates the choices, including the rates that other clients have fixed
   */
  function rate(rates) {
    const { element, render } = makeChoice({
      label: '', isList: true, read: () => rated()?.outputRate,
      options: rates.map((value) => (+value
        ? { value, text: kilohertz(+value) }
        : { value, text: t(`now.output.rate_${value}`), detail: t(`now.output.rate_${value}Detail`) })),
      write: async (outputRate) => {
        const done = await remote.act('updateOutput', { output: rated()?.id, outputRate }, { element });
        if (done) use(done.answer);
      },
    });
    return {
      element,
      render() {
        const { id = '', name = '' } = rated() ?? {};
        element.hidden = !id; // The chosen device is away.
        // Outputs without a certain device share one choice.
        const label = t(id.startsWith('pulse:') ? 'now.output.rateOf' : 'now.output.rate', { name });
        setAttribute(element, 'aria-label', label);
        setText(/** @type {HTMLElement} */ (element.firstChild), label);
        render();
      },
    };
  }

  /** @param {string} id @param {HTMLElement} element */
  async function choose(id, element) {
    const done = await remote.act('setOutput', { id }, { element, waitText: t('now.output.waiting') });
    if (!done) return;
    use(done.answer);
    const output = find(known, id);
    remote.announce(t('now.output.moved', { name: output ? nameOutput(output) : id }));
  }

  function render() {
    // If the output has changed, another remote has chosen it, or the former one was lost.
    const { output, audioSession } = remote.store.state ?? {};
    const reason = describeSilence(audioSession?.silence);
    silence.hidden = !reason;
    setText(silence, reason && t('now.output.silentNow', { reason }));
    if (output !== shownOutput) {
      shownOutput = output;
      void remote.command('listOutputs').then(({ answer }) => isOpen && use(answer), () => {});
    }
    for (const control of controls) control.render();
  }
  return { element: list, render, closed: () => (isOpen = false) };
}
