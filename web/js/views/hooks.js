// @ts-check
/**
 * The element that has this `data-hook`. A missing one is a mistake in index.html and stops the page at once, by name.
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
 * Sets a text only where it differs: a live region must not speak again what it has said.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Whether a button can be used now. It stays focusable, so that the focus is not lost when the state changes under the finger.
 * @param {HTMLElement} button
 * @param {boolean} isEnabled
 */
export function setEnabled(button, isEnabled) {
  const value = String(!isEnabled);
  if (button.getAttribute('aria-disabled') !== value) button.setAttribute('aria-disabled', value);
}

/**
 * Calls `action` on a click, unless the button is disabled by `setEnabled`.
 * @param {HTMLElement} button
 * @param {() => void} action
 */
export function onPress(button, action) {
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') action();
  });
}
