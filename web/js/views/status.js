// @ts-check
import { formatVolume } from '../format.js';
import { t } from '../lang/lang.js';
import { describeStatus } from '../words.js';
import { h } from './dom.js';
import { hook, setText } from './hooks.js';
/** @typedef {import('../remote.js').Remote} Remote */

/**
 * Shows the activity of the player with its reason. Plain playing and pausing have no text, because the controls show them.
 * @param {Remote} remote
 */
export function mountStatus({ clock, news, store }) {
  const page = hook('page');
  const text = hook('status-text');
  const detail = hook('status-detail');
  const empty = hook('empty');
  const emptyOpen = hook('empty-open');
  const retry = h('button', { class: 'pill-button', hidden: true, onclick: () => news.retry() });
  empty.prepend(retry);
  // The countdown is hidden from screen readers, because they would read each number.
  const countdown = h('span', { 'aria-hidden': true });
  detail.after(' ', countdown);
  let timer = 0;
  /** The host time of the next attempt to reach the source; 0 if there is none. */
  let retryAt = 0;

  /** Shows the time until the next attempt to reach the source, and counts it down while it is visible. */
  function count() {
    clearTimeout(timer);
    const rest = store.isCurrent ? retryAt - clock.hostNow() : 0;
    setText(countdown, rest > 0 ? t('shell.network.in', { count: Math.ceil(rest) }) : '');
    if (rest > 0) timer = setTimeout(count, 1000 * (rest - Math.ceil(rest) + 1));
  }

  const view = {
    render() {
      const { state, connection } = store;
      if (!state) {
        page.dataset.tone = connection === 'lost' ? 'unreachable' : 'connecting';
        return;
      }
      const status = describeStatus(state, store.rateChange);
      page.dataset.tone = status.tone;
      if (connection === 'lost') Object.assign(status, { text: t('shell.status.notConnected'), detail: t('shell.status.lastKnown'), isPlain: false });
      const isHidden = status.isPlain || status.tone === 'empty'; // If no item is loaded, the heading of the view says so.
      // A colon joins the headline and the detail on one line; only an error has them on two lines.
      setText(text, isHidden ? '' : status.detail && status.tone !== 'failed' ? `${status.text}:` : status.text);
      setText(detail, isHidden ? '' : status.detail);
      retryAt = status.retryHostTime ?? 0;
      count();
      if (status.progress) setText(countdown, formatVolume(status.progress));
      setText(emptyOpen, t(status.tone === 'failed' ? 'shell.openOther' : 'shell.openFile'));
      retry.hidden = status.tone !== 'failed';
      setText(retry, news.retryText);
      empty.hidden = status.tone !== 'empty' && status.tone !== 'failed';
    },
  };
  return view;
}
