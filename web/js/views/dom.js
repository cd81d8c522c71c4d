// @ts-check
/**
 * Makes an element: `h('button', { class: 'row', onclick: play }, 'Play')`. Strings become text, never markup.
 * A button submits no form, unless its type says so.
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 * @param {Record<string, any> | null} [properties] `dataset: {…}` sets data attributes, `on…` a listener; every other one is an attribute: false,
 *   null and undefined omit it, true makes it empty
 * @param {...(Node | string | number | false | null | undefined)} children false, null and undefined are omitted
 * @returns {HTMLElementTagNameMap[N]}
 */
export function h(name, properties, ...children) {
  const element = document.createElement(name);
  if (name === 'button') setAttribute(element, 'type', 'button');
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (key === 'dataset') Object.assign(element.dataset, value);
    else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else setAttribute(element, key, value);
  }
  for (const child of children) {
    if (child !== false && child !== null && child !== undefined) element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/**
 * Sets an attribute, but only if it differs: false, null and undefined remove it, true makes it empty.
 * @param {Element} element
 * @param {string} name
 * @param {string | number | boolean | null | undefined} value
 */
export function setAttribute(element, name, value) {
  if (value === false || value === null || value === undefined) return element.removeAttribute(name);
  const text = value === true ? '' : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}
