// @ts-check
import { describeFormat, formatRate, formatVolume } from '../format.js';
import { date, t } from '../lang/lang.js';
import { mediaOf } from '../media.js';
import { describeOutput } from '../words.js';
import { chapterSheet } from './chapters.js';
import { h, setAttribute } from './dom.js';
import { historySheet } from './history.js';
import { hook, setText } from './hooks.js';
import { icon } from './icons.js';
import { pendingLoop } from './loop.js';
import { modeControls } from './modes.js';
import { outputSheet } from './outputs.js';
import { openSheet } from './sheet.js';
import { detailsSheet } from './signal.js';
import { sleepSheet } from './sleep.js';
import { describeSleep } from './sleepText.js';
import { speedSheet } from './speed.js';
/** @typedef {import('../remote.js').Remote} Remote */
/** @typedef {import('./choices.js').Control & {closed?: () => void}} Content */

/**
 * The row of buttons in the view "now", which open sheets, and the chips: of the output, and of the settings that are not as usual.
 * @param {Remote} remote
 */
export function mountNowRow(remote) {
  const media = mediaOf(remote);
  /** @type {Content | null} The content of the open sheet. */
  let shown = null;
  let close = () => {};

  /** @param {string} name @param {string} picture @param {string} title @param {() => Content} make */
  function makeButton(name, picture, title, make) {
    const text = h('span', { class: 'row-text' });
    const properties = { class: 'row-button', dataset: { name }, 'aria-haspopup': 'dialog', onclick: () => show(title, make(), button) };
    const button = h('button', properties, icon(picture), text);
    return {
      button,
      text,
      /** @param {string} value the present value, which is shown beside the icon; empty if it is the usual one */
      set(value) {
        setText(text, value);
        setAttribute(button, 'aria-label', value ? t('now.named', { name: title, value }) : title);
      },
    };
  }

  /** @param {string} title @param {Content} content @param {HTMLElement} opener */
  function show(title, content, opener) {
    close();
    shown = content;
    content.render();
    const sheet = openSheet({ title, content: content.element, opener, closed() {
      content.closed?.();
      if (shown === content) shown = null;
    } });
    close = sheet.close;
  }

  const speed = makeButton('speed', 'speed', t('now.speed.title'), () => speedSheet(remote));
  const sleep = makeButton('sleep', 'sleep', t('now.sleep.title'), () => sleepSheet(remote, () => close()));
  const chapters = makeButton('chapters', 'chapters', t('now.chapters.title'), () => chapterSheet(remote));
  const output = makeButton('output', 'output', t('now.output.title'), () => outputSheet(remote));
  const more = makeButton('more', 'more', t('now.more'), moreSheet);
  output.text.dir = 'auto';
  hook('now-row').prepend(h('div', { class: 'row-buttons' }, ...[speed, sleep, chapters, output, more].map(({ button }) => button)));

  /** @returns {Content} */
  function moreSheet() {
    const controls = modeControls(remote);
    /** @param {string} title @param {() => Content} make */
    const link = (title, make) => h('button', { class: 'pill-button', onclick: () => show(title, make(), more.button) }, title);
    const links = h('div', { class: 'button-row' }, link(t('now.details.heading'), () => detailsSheet(remote)),
      link(t('now.history.title'), () => historySheet(remote, () => close())));
    const element = h('div', { class: 'settings-list' }, links, ...controls.map((one) => one.element));
    return { element, render: () => controls.forEach((one) => one.render()) };
  }

  const chips = h('div', { class: 'chips', role: 'group', 'aria-label': t('now.chips') });
  hook('now-extra').prepend(chips);
  /** The chips by their names; each is made once, so that it keeps the focus. @type {Map<string, HTMLElement>} */
  const made = new Map();

  /** Shows the chips in `wanted`, and hides all other chips. @param {Chip[]} wanted */
  function showChips(wanted) {
    for (const [name, element] of made) if (!wanted.some((one) => one.name === name)) element.hidden = true;
    for (const { name, text, act, place } of wanted) {
      let chip = made.get(name);
      if (!chip) {
        chip = h(act ? 'button' : 'span', { class: 'chip', dataset: { name } }, place && icon('output'), h('span', { dir: 'auto' }));
        chip.addEventListener('click', () => act?.(/** @type {HTMLElement} */ (chip)));
        made.set(name, chip);
        chips.append(chip);
      }
      chip.hidden = false;
      setText(/** @type {HTMLElement} */ (chip.lastChild), text);
      if (place) mark(chip, place);
    }
  }

  const signal = hook('signal');
  const verdict = hook('verdict');
  const format = hook('format');
  signal.addEventListener('click', () => show(t('now.details.heading'), detailsSheet(remote), signal));

  /**
   * Shows the verdict (whether the device plays the medium unchanged) and the format, in a line that opens the details.
   * @param {any} state
   */
  function renderSignal({ currentItem, signalPath: path }) {
    const { verdict: name, reason } = path ?? {};
    // An alteration is named with its reason.
    setText(verdict, name ? t(`now.signal.${name === 'altered' ? `${name}_${reason}` : name}`) : '');
    verdict.dataset.verdict = name;
    setText(format, describeFormat(currentItem?.format));
    const value = [verdict, format].map((one) => one.textContent).filter(Boolean).join(' · ');
    signal.hidden = !value;
    setAttribute(signal, 'aria-label', t('now.named', { name: t('now.details.signal'), value }));
  }

  function render() {
    const { state } = remote.store;
    if (!state) return;
    const rate = remote.shownRate();
    speed.set(rate === 1 ? '' : formatRate(rate));
    sleep.set(describeSleep(remote));
    chapters.button.hidden = media.chapters.length === 0;
    chapters.set('');
    const place = describeOutput(state);
    setText(output.text, place.name || t('now.output.title'));
    mark(output.button, place);
    more.set('');
    renderSignal(state);
    showChips([
      // The width of the page decides whether this chip shows the name of the output, or the button in the row (now.css).
      {
        name: 'place', text: place.name || t('now.output.title'), place,
        act: (/** @type {HTMLElement} */ element) => show(t('now.output.title'), outputSheet(remote), element),
      },
      ...chipsOf(remote, (element) => show(t('now.more'), moreSheet(), element)),
    ]);
    shown?.render();
  }

  return {
    render,
    /** Draws what changes with time alone, such as the rest of the sleep timer. Returns the time until that changes, in seconds. */
    frame() {
      const { kind } = /** @type {{kind: string}} */ (remote.store.state?.sleepTimer ?? { kind: 'off' });
      if (kind === 'time') sleep.set(describeSleep(remote));
      shown?.render();
      return kind === 'time' || shown ? 1 : Infinity;
    },
  };
}

/** @typedef {ReturnType<typeof describeOutput>} Place */
/** @typedef {{name: string, text: string, act?: (element: HTMLElement) => void, place?: Place}} Chip  `place` if it shows the output */

/**
 * Marks a control that opens the sheet of the outputs if nobody can hear the output, and names it with the reason.
 * @param {HTMLElement} element
 * @param {Place} place
 */
function mark(element, { name, reason, isSilent }) {
  const value = [name, reason].filter(Boolean).join(' · ');
  const title = t('now.output.title');
  setAttribute(element, 'aria-label', value ? t('now.named', { name: title, value }) : title);
  setAttribute(element, 'aria-haspopup', 'dialog');
  element.title = value;
  element.dataset.silent = String(isSilent);
}

/**
 * Returns the chips for the settings that differ from the usual ones.
 * @param {Remote} remote
 * @param {(element: HTMLElement) => void} showMore opens the sheet in which they can be changed
 * @returns {Chip[]}
 */
function chipsOf(remote, showMore) {
  const state = /** @type {any} */ (remote.store.state);
  const loop = pendingLoop(remote);
  /** @type {(Chip | false)[]} */
  const chips = [
    state.rate !== 0 && state.defaultRate !== state.rate
      && { name: 'defaultRate', text: t('now.chip.defaultRate', { rate: formatRate(state.defaultRate) }) },
    state.audioTimePitchAlgorithm !== 'timeDomain' && Math.abs(remote.shownRate()) !== 1
      && { name: 'algorithm', text: t(`now.speed.${state.audioTimePitchAlgorithm}`) },
    state.repeatMode !== 'off' && { name: 'repeatMode', text: t(`now.chip.repeat_${state.repeatMode}`), act: showMore },
    state.isShuffled && { name: 'isShuffled', text: t('now.modes.isShuffled'), act: showMore },
    state.isConsuming && { name: 'isConsuming', text: t('now.modes.isConsuming'), act: showMore },
    state.crossfadeDuration > 0 && { name: 'crossfade', text: t('now.chip.crossfade', { count: state.crossfadeDuration }), act: showMore },
    state.loudnessNormalization !== 'off' && { name: 'loudness', text: t(`now.chip.loudness_${state.loudnessNormalization}`), act: showMore },
    state.actionAtItemEnd !== 'advance' && { name: 'actionAtItemEnd', text: t(`now.chip.end_${state.actionAtItemEnd}`), act: showMore },
    !state.automaticallyWaitsToMinimizeStalling && { name: 'waits', text: t('now.chip.waitsNot'), act: showMore },
    !!loop && { name: 'loop', text: t(loop.end === undefined ? 'now.chip.loopFrom' : 'now.chip.loop'), act: showMore },
    !!state.fade && { name: 'fade', text: t(`now.chip.fade_${state.fade.kind}`, { volume: formatVolume(state.fade.to) }) },
    !!state.scheduledStart && {
      name: 'scheduledStart', text: t('now.chip.start', { time: startTime(remote, state.scheduledStart) }),
      act: (element) => void remote.act('pause', {}, { element }),
    },
  ];
  return chips.filter((chip) => chip !== false);
}

/** @param {Remote} remote @param {{hostTime: number, date?: string}} start */
function startTime(remote, start) {
  const milliseconds = start.date ? Date.parse(start.date) : Date.now() + (start.hostTime - remote.clock.hostNow()) * 1000;
  return date(milliseconds, { timeStyle: 'medium' });
}
