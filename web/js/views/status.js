// @ts-check
import { describeFormat } from '../format.js';
import { describeOutput, describeStatus } from '../words.js';
import { hook, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Shows the activity of the player with its reason, the output, and the audio format.
 * @param {Remote} remote
 */
export function mountStatus({ store }) {
  const page = hook('page');
  const text = hook('status-text');
  const detail = hook('status-detail');
  const output = hook('output');
  const format = hook('format');
  const empty = hook('empty');
  const emptyOpen = hook('empty-open');

  return {
    render() {
      const { state, connection } = store;
      if (!state) {
        page.dataset.tone = connection === 'lost' ? 'unreachable' : 'connecting';
        return;
      }
      const status = describeStatus(state, store.rateChange);
      page.dataset.tone = status.tone;
      if (connection === 'lost') {
        status.text = 'Not connected';
        status.detail = 'this is the last known state';
      }
      // If no item is loaded, the status is empty, because the heading of the page says so. Otherwise a colon joins the headline and the detail on
      // one line; only an error has them on two lines.
      setText(text, status.tone === 'empty' ? '' : status.detail && status.tone !== 'failed' ? `${status.text}:` : status.text);
      setText(detail, status.detail);
      setText(emptyOpen, status.tone === 'failed' ? 'Open something else' : 'Open a file');
      empty.hidden = status.tone !== 'empty' && status.tone !== 'failed';

      const { text: where, isSilent } = describeOutput(state.output);
      setText(output, where);
      output.dataset.silent = String(isSilent);
      setText(format, describeFormat(state.currentItem?.format));
    },
  };
}
