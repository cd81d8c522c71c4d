// @ts-check
import { router } from '../router.js';
import { h } from './dom.js';
import { hook, onAttention, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Shows the newest notice with its buttons, in a live region, and makes screen readers read the newest announcement.
 * @param {Remote} remote
 */
export function mountNotices({ store, news }) {
  const notice = hook('notice');
  const text = hook('notice-text');
  const actions = hook('notice-actions');
  const announcement = hook('announcement');
  /** @type {import('../store.js').Notice | null} */
  let shown = null;
  let read = 0;
  /** The live region of the newest sheet, if one is open: screen readers ignore those outside of it. @returns {HTMLElement | undefined} */
  const inSheet = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll('dialog[open] > .spoken')]).at(-1);
  hook('notice-dismiss').addEventListener('click', () => store.dismissNotice());
  onAttention(notice, (isAttended) => news.hold(isAttended));

  return {
    render() {
      if (store.notice !== shown) {
        shown = store.notice;
        notice.dataset.error = String(shown?.isError ?? false);
        setText(text, shown?.text ?? '');
        const sheet = inSheet();
        if (shown && sheet) setText(sheet, shown.text);
        actions.replaceChildren(...(shown?.actions ?? []).map((action) => h('button', {
          class: 'text-button',
          onclick() {
            store.dismissNotice();
            action.perform();
          },
        }, action.text)));
      }
      notice.hidden = !shown || (shown === news.failure && router.route.view === 'now');
      if (store.announcement.number === read) return;
      read = store.announcement.number;
      // A screen reader reads a text only if it differs from the former one. So every second announcement ends with a space.
      setText(inSheet() ?? announcement, store.announcement.text + (read % 2 ? '\u00a0' : ''));
    },
  };
}
