// @ts-check
/**
 * Returns the element with a `data-hook`. A missing element is a bug in index.html, and stops the page at once with an error that names the hook.
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
 * Sets the text of an element only if it differs, because a live region reads each text that is set.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Enables or disables a button. A disabled button stays focusable, so that a change of the state does not move the focus.
 * @param {HTMLElement} button
 * @param {boolean} isEnabled
 */
export function setEnabled(button, isEnabled) {
  const value = String(!isEnabled);
  if (button.getAttribute('aria-disabled') !== value) button.setAttribute('aria-disabled', value);
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
