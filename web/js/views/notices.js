// @ts-check
import { hook, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Shows the error of a command of the user, in a live region.
 * @param {Remote} remote
 */
export function mountNotices({ store }) {
  const notice = hook('notice');
  const text = hook('notice-text');
  hook('notice-dismiss').addEventListener('click', () => store.dismissNotice());

  return {
    render() {
      notice.hidden = store.notice === null;
      notice.dataset.error = String(store.notice?.isError ?? false);
      setText(text, store.notice?.text ?? '');
    },
  };
}
