// @ts-check
// The parts of the page that it does not need to show the player: they are loaded after its start (late.js), all as one file.
export { readTitles } from './state/titles.js';
export { mountDrop } from './views/addDrop.js';
export { openAddress } from './views/addView.js';
export { chapterSheet } from './views/chapters.js';
export { mountExtras } from './views/extras.js';
export { historySheet } from './views/history.js';
export { keysElement } from './views/keys.js';
export { mountLibraryView } from './views/libraryView.js';
export { modeControls } from './views/modes.js';
export { outputSheet } from './views/outputs.js';
export { mountSearchView } from './views/searchView.js';
export { mountSettings } from './views/settings.js';
export { detailsSheet } from './views/signal.js';
export { sleepSheet } from './views/sleep.js';
export { speedSheet } from './views/speed.js';
