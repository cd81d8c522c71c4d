// @ts-check
import { t } from '../lang/lang.js';
import { h, setAttribute } from './dom.js';
import { makeButton, setText } from './hooks.js';
import { mountTouch } from './touch.js';
/** @typedef {{element: HTMLElement, render: () => void}} Control  A control of a sheet; `render` shows the newest state. */

/**
 * The keys that move the focus between the options of a list, which are below each other.
 * @type {Record<string, number>}
 */
const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
let count = 0;

/**
 * Shows a chosen value until its request is answered, and then the value of the state. If the request has failed, the state still has the former
 * value, and a notice reports the failure.
 * @template V
 * @param {() => V} read returns the value of the state
 * @param {(value: V) => unknown} write returns a promise that ends with the answer
 * @param {() => void} render
 */
function sender(read, write, render) {
  /** @type {{value: V} | null} */
  let pending = null;
  return {
    shown: () => (pending ? pending.value : read()),
    /** @param {V} value */
    async send(value) {
      const mine = (pending = { value });
      render();
      await write(value);
      if (pending === mine) pending = null;
      render();
    },
  };
}

/**
 * Makes a choice between a few values: native radio buttons. In a list the arrow keys only move the focus, and Enter or Space chooses. Each choice
 * takes effect at once (an output is heard), so the keys must not choose the options that they pass.
 * @template {string} V
 * @param {object} choice
 * @param {string} choice.label
 * @param {{value: V, text: string, detail?: string}[]} choice.options
 * @param {() => V | undefined} choice.read
 * @param {(value: V, element: HTMLElement) => unknown} choice.write
 * @param {boolean} [choice.isList] whether the options are below each other, with their details
 * @returns {Control}
 */
export function makeChoice({ label, options, read, write, isList = false }) {
  const name = `choice-${(count += 1)}`;
  const inputs = options.map(({ value, text, detail }) => {
    const input = h('input', { type: 'radio', name, value });
    input.addEventListener('change', () => send(value));
    const row = isList
      ? h('label', { class: 'option' }, input,
        h('span', { class: 'option-text' }, h('span', { dir: 'auto' }, text), detail && h('small', {}, detail)))
      : h('label', { class: 'segment' }, input, h('span', {}, text));
    return { input, row, value };
  });
  const element = h('div', { class: isList ? 'options' : 'setting', role: 'radiogroup', 'aria-label': label },
    h('span', { class: 'setting-name', 'aria-hidden': true }, label),
    h('div', { class: isList ? 'options-list' : 'segments' }, ...inputs.map(({ row }) => row)));
  if (isList) element.addEventListener('keydown', (event) => {
    const at = inputs.findIndex(({ input }) => input === event.target);
    const step = STEPS[event.key];
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Enter') inputs[at]?.input.click();
    else if (step) inputs.at((at + step) % inputs.length)?.input.focus();
    else return;
    event.preventDefault();
  });
  const { shown, send } = sender(read, (/** @type {V} */ value) => write(value, element), render);
  function render() {
    const now = shown();
    for (const { input, value } of inputs) input.checked = value === now;
  }
  return { element, render };
}

/**
 * Makes a switch.
 * @param {object} choice
 * @param {string} choice.label
 * @param {string} [choice.detail]
 * @param {() => boolean} choice.read
 * @param {(value: boolean, element: HTMLElement) => unknown} choice.write
 * @returns {Control}
 */
export function makeSwitch({ label, detail, read, write }) {
  const input = h('input', { type: 'checkbox', role: 'switch' });
  const element = h('label', { class: 'switch setting' }, h('span', { class: 'option-text' }, label, detail && h('small', {}, detail)), input);
  const { shown, send } = sender(read, (value) => write(value, element), render);
  input.addEventListener('change', () => send(input.checked));
  function render() {
    input.checked = shown();
  }
  return { element, render };
}

/**
 * Makes a slider of a number, with its value in words. The value is sent when the slider is released, or after each press of a key.
 * @param {object} choice
 * @param {string} choice.label
 * @param {number} choice.min @param {number} choice.max @param {number} choice.step
 * @param {() => number} choice.read
 * @param {(value: number, element: HTMLElement) => unknown} choice.write
 * @param {(value: number) => string} choice.format
 * @returns {Control}
 */
export function makeSlider({ label, min, max, step, read, write, format }) {
  const value = h('output', { class: 'choice-value', 'aria-live': 'off' });
  const input = h('input', { type: 'range', class: 'level', min: 0, max: max - min, step, 'aria-label': label, dir: 'ltr' });
  const element = h('div', { class: 'setting setting-wide' }, h('span', { class: 'setting-name' }, label), value, input);
  /** @type {number | null} The value while the thumb is held; null if it is not held. */
  let held = null;

  const round = (/** @type {number} */ number) => Math.min(max, Math.max(min, min + Math.round((number - min) / step) * step));
  const sending = sender(read, (value) => write(value, element), render);
  /** @param {number} wanted */
  function hold(wanted) {
    held = round(wanted);
    show(held);
  }
  function send() {
    const wanted = held;
    held = null;
    if (wanted !== null && wanted !== read()) sending.send(Number(wanted.toFixed(4)));
    else render();
  }
  mountTouch(input, {
    dragged: (part) => hold(min + part * (max - min)),
    dropped: send,
    cancelled() {
      held = null;
      render();
    },
    tapped(_, side) {
      hold(sending.shown() + side * step);
      send();
    },
    disturbed: render,
  });
  input.addEventListener('input', () => hold(min + input.valueAsNumber));
  input.addEventListener('change', send);

  /** @param {number} shown */
  function show(shown) {
    input.valueAsNumber = shown - min;
    input.style.setProperty('--part', Math.min(1, Math.max(0, (shown - min) / (max - min))).toFixed(3));
    setText(value, format(shown));
    setAttribute(input, 'aria-valuetext', format(shown));
  }
  function render() {
    show(held ?? sending.shown());
  }
  return { element, render };
}

/**
 * Makes a row of buttons, each of which sends a value. The button of the present value is shown as pressed.
 * @template V
 * @param {string} label
 * @param {{value: V, text: string}[]} presets
 * @param {() => V | undefined} read
 * @param {(value: V, element: HTMLElement) => unknown} write
 * @returns {Control}
 */
export function makePresets(label, presets, read, write) {
  const buttons = presets.map(({ value, text }) => makeButton('pill-button', text, (button) => write(value, button)));
  return {
    element: h('div', { class: 'button-row', role: 'group', 'aria-label': label }, ...buttons),
    render() {
      const shown = read();
      buttons.forEach((button, index) => setAttribute(button, 'aria-pressed', String(presets[index]?.value === shown)));
    },
  };
}

/** @param {number} seconds */
export const inSeconds = (seconds) => (seconds === 0 ? t('now.off') : t('now.seconds', { count: seconds }));
