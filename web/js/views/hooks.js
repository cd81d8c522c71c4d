// @ts-check
import { h, setAttribute } from './dom.js';
/**
 * Returns the element whose attribute `data-hook` has this name. A missing element is a bug in index.html. The function then throws an error that
 * names the hook, and the page does not start.
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} name
 * @param {new () => E} [type]
 * @returns {E}
 */
export function hook(name, type) {
  const element = document.querySelector(`[data-hook="${name}"]`);
  if (!(element instanceof (type ?? HTMLElement))) throw new Error(`index.html has no proper data-hook="${name}"`);
  return /** @type {E} */ (element);
}

/**
 * Sets the text of an element, but only if the new text differs from the present one. A screen reader reads each text that is set in a live region,
 * even an equal one.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes a button, which does nothing while it is disabled by `setEnabled`.
 * @param {string} className
 * @param {Node | string} content
 * @param {(button: HTMLButtonElement) => void} act
 * @param {string} [label] its name, if its content is an icon
 */
export function makeButton(className, content, act, label) {
  const button = h('button', { class: className, 'aria-label': label }, content);
  onPress(button, () => act(button));
  return button;
}

/** Moves the focus to the view, if the element that had it is no longer shown: otherwise a screen reader would begin at the top of the page. */
export function focusMain() {
  const { activeElement } = document;
  const isNowhere = activeElement === null || activeElement === document.body || activeElement.getClientRects().length === 0;
  if (isNowhere) hook('main').focus({ preventScroll: true });
}

/**
 * Reports whether a pointer or the focus is on an element, after each change.
 * @param {HTMLElement} element
 * @param {(isAttended: boolean) => void} report
 */
export function onAttention(element, report) {
  let isPointedAt = false;
  for (const type of ['pointerenter', 'pointerleave', 'focusin', 'focusout']) {
    element.addEventListener(type, (event) => {
      if ('pointerType' in event) isPointedAt = type === 'pointerenter' && event.pointerType === 'mouse';
      // During a focus event, `document.activeElement` is not yet the newly focused element. So it is read after the event.
      queueMicrotask(() => report(isPointedAt || element.contains(document.activeElement)));
    });
  }
}

/**
 * Enables or disables a button. A disabled button stays focusable, so that a change of the state does not move the focus.
 * @param {HTMLElement} button
 * @param {boolean} isEnabled
 */
export function setEnabled(button, isEnabled) {
  setAttribute(button, 'aria-disabled', String(!isEnabled));
}

/**
 * Calls `action` on a click on the button, unless the button is disabled by `setEnabled`.
 * @param {HTMLElement} button
 * @param {() => void} action
 */
export function onPress(button, action) {
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') action();
  });
}
