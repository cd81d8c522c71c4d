// @ts-check
const NAMESPACE = 'http://www.w3.org/2000/svg';

/**
 * The paths of the icons, in a square of 24 units, drawn with a line (`css/controls.css`). A path that begins with `!` is filled.
 * @type {Record<string, string[]>}
 */
const PATHS = {
  now: ['M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18', '!M12 9.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 0 0 0-5.6'],
  queue: ['M4 6.5h16M4 12h10M4 17.5h10', '!M17.2 13.6v6.2l4.6-3.1z'],
  library: ['M5 4.5v15M9.5 4.5v15', 'M14 5.2l4.9 13.8'],
  search: ['M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13', 'M15.4 15.4L20.5 20.5'],
  settings: ['M4 7.5h8.5M17.5 7.5H20M4 16.5h2.5M11.5 16.5H20', 'M15 5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5M9 14a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5'],
  close: ['M7 7l10 10M17 7L7 17'],
  play: ['!M8.2 5.3v13.4a.7.7 0 0 0 1.1.6l10.2-6.7a.7.7 0 0 0 0-1.2L9.3 4.7a.7.7 0 0 0-1.1.6z'],
  pause: ['!M6.4 6.1a1.1 1.1 0 0 1 1.1-1.1h1.7a1.1 1.1 0 0 1 1.1 1.1v11.8a1.1 1.1 0 0 1-1.1 1.1H7.5a1.1 1.1 0 0 1-1.1-1.1z',
    '!M13.7 6.1a1.1 1.1 0 0 1 1.1-1.1h1.7a1.1 1.1 0 0 1 1.1 1.1v11.8a1.1 1.1 0 0 1-1.1 1.1h-1.7a1.1 1.1 0 0 1-1.1-1.1z'],
  next: ['!M5.5 6.2v11.6l8.9-5.8z', 'M17.5 6v12'],
  previous: ['!M18.5 6.2v11.6L9.6 12z', 'M6.5 6v12'],
  more: ['!' + [5.5, 12, 18.5].map((x) => `M${x} 10.4a1.6 1.6 0 1 0 0 3.2a1.6 1.6 0 0 0 0-3.2`).join('')],
  add: ['M12 5v14M5 12h14'],
  folder: ['M3.5 18.5v-12h6l2 2.5h9v9.5z'],
  lyrics: ['M4 6.5h16M4 12h11M4 17.5h14'],
  output: ['M7 3.5h10v17H7z', 'M12 11.5a3 3 0 1 0 0 6a3 3 0 0 0 0-6M12 7v.1'],
  back: ['M14.5 6l-6 6l6 6'],
  playNext: ['M4 6.5h16M4 17.5h10', '!M4.5 9.2v5.6l4.6-2.8z', 'M13 12h7'],
  select: ['M4.5 4.5h15v15h-15z', 'M8.2 12.2l2.6 2.6l5-5.4'],
  address: ['M10 14.2a4 4 0 0 0 5.9.2l2.6-2.6a4.1 4.1 0 0 0-5.8-5.8L11.5 7.2', 'M14 9.8a4 4 0 0 0-5.9-.2l-2.6 2.6a4.1 4.1 0 0 0 5.8 5.8l1.2-1.2'],
  help: ['M9.2 9.2a2.9 2.9 0 1 1 4.3 2.6c-1 .5-1.5 1.1-1.5 2.2', 'M12 17.2v.1'],
  // Further icons of the views.
  speed: ['M4.5 17.5a8.5 8.5 0 1 1 15 0', 'M12 14l4-5'],
  sleep: ['M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z'],
  chapters: ['M4 6.5h.1M4 12h.1M4 17.5h.1M8.5 6.5H20M8.5 12H20M8.5 17.5H20'],
};

/**
 * Makes an icon, which is hidden from screen readers: the control around it has the name.
 * @param {string} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const svg = document.createElementNS(NAMESPACE, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('icon');
  for (const path of PATHS[name] ?? []) {
    const shape = document.createElementNS(NAMESPACE, 'path');
    const isFilled = path.startsWith('!');
    if (isFilled) shape.classList.add('solid');
    shape.setAttribute('d', isFilled ? path.slice(1) : path);
    svg.append(shape);
  }
  return svg;
}

/**
 * Draws the icons of the elements that index.html contains: `data-icon` names the icon.
 * @param {ParentNode} root
 */
export function drawIcons(root) {
  for (const element of root.querySelectorAll('[data-icon]')) element.prepend(icon(element.getAttribute('data-icon') ?? ''));
}
