// @ts-check
import { formatRate } from './format.js';
import { t } from './lang/lang.js';
export { describeError } from './problems.js';
/** @typedef {import('./store.js').PlayerState} PlayerState */

/** @typedef {'empty' | 'loading' | 'failed' | 'playing' | 'waiting' | 'paused' | 'ended'} Tone */
/**
 * @typedef {{tone: Tone, text: string, detail: string, isPlain?: boolean, retryHostTime?: number, progress?: number}} Status
 *   The texts of the status: a headline, and an optional detail. A plain status is obvious from the controls. `retryHostTime` is that of the next
 *   attempt to reach the source, `progress` the part of the way that a long seek has passed, 0…1.
 */

/** The server of an address, without a user and a password. */
const SERVER = /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i;

/** The reasons why playback waits (`reasonForWaitingToPlay`) that have a text. */
const WAITING = ['toMinimizeStalls', 'evaluatingBufferingRate', 'noItemToPlay'];

/** The reasons of an event `rateDidChange` for which the page has a text. Other reasons need none, because a client has then requested the change. */
const PAUSED = ['setRateFailed', 'audioSessionInterrupted', 'appBackgrounded', 'sleepTimer', 'itemFailed'];

/** The reasons why nobody can hear the player (`audioSession.silence`) that have a text. */
const SILENCE = ['systemSleep', 'writeFailed', 'noOutput', 'noDevice', 'deviceSuspended', 'otherAudio'];

/**
 * Returns the activity of the player in words, with the reason of that activity.
 * @param {PlayerState} state
 * @param {{reason: string, origin: string} | null} rateChange the reason and the client of the last change of the rate; null if the page has received
 *   no such event
 * @returns {Status}
 */
export function describeStatus(state, rateChange = null) {
  const item = state.currentItem;
  if (!item) return status('empty', 'empty');
  if (item.status === 'failed') {
    const reason = describeFailure(item.error) || t('shell.status.noReason');
    if (!hasStoppedAfterFailures(state)) return status('failed', 'failed', reason);
    return status('failed', 'queueStopped', t('shell.status.severalFailed', { reason }));
  }
  if (state.status === 'failed') return status('failed', 'playerFailed', t('shell.status.restart'));
  const isOpening = item.status === 'unknown';
  if (state.network && (state.rate !== 0 || isOpening)) {
    const { attempt, error, retryHostTime } = state.network; // The attempts that have failed.
    const isPlaying = state.timeControlStatus === 'playing'; // From the buffer.
    const text = t(isPlaying ? 'shell.network.lost' : 'shell.network.waits');
    const detail = t('shell.network.retry', { reason: describeFailure({ ...error, advice: '' }), attempt: attempt + 1 });
    return { tone: isOpening ? 'loading' : isPlaying ? 'playing' : 'waiting', text, detail, retryHostTime };
  }
  if (state.reasonForWaitingToPlay === 'mediaUnavailable') return status('waiting', 'waiting', t('shell.waiting.mediaUnavailable'));
  if (isOpening) {
    const [, server] = SERVER.exec(item.url) ?? [];
    return status('loading', 'loading', server ? t('shell.status.awaits', { server }) : state.rate === 0 ? '' : t('shell.status.startsLater'));
  }
  if (state.seek && !state.network) return { tone: 'waiting', text: t('link.seeking'), detail: '', progress: state.seek.progress };
  if (state.timeControlStatus === 'waitingToPlayAtSpecifiedRate') {
    const reason = state.reasonForWaitingToPlay;
    return status('waiting', 'waiting', WAITING.includes(reason) ? t(`shell.waiting.${reason}`) : spell(reason));
  }
  if (state.timeControlStatus === 'playing') {
    if (state.rate === 1) return { ...status('playing', 'playing'), isPlain: true };
    return status('playing', 'playingAt', '', { rate: formatRate(state.rate) });
  }
  const silence = state.audioSession?.silence;
  if (silence) return status('paused', 'interrupted', describeSilence(silence));
  if (state.lastPause?.silence) return status('paused', 'paused', describeSilence(state.lastPause.silence));
  if (state.audioSession?.isInterrupted) return status('paused', 'interrupted', t('shell.paused.audioSessionInterrupted'));
  if (state.ended) return status('ended', 'ended', t('shell.status.again'));
  if (rateChange && PAUSED.includes(rateChange.reason)) return status('paused', 'paused', t(`shell.paused.${rateChange.reason}`));
  const other = rateChange && !['', 'player', 'web'].includes(rateChange.origin) ? rateChange.origin : '';
  // R-LIVE-01
  const detail = item.isLive ? t('shell.paused.live') : '';
  return other ? status('paused', 'pausedBy', detail, { name: other }) : { ...status('paused', 'paused', detail), isPlain: !detail };
}

/**
 * @param {Tone} tone
 * @param {string} name the name of the headline's text
 * @param {string} [detail]
 * @param {Record<string, string>} [values] of the headline
 * @returns {Status}
 */
function status(tone, name, detail = '', values) {
  return { tone, text: t(`shell.status.${name}`, values), detail };
}

/**
 * Whether the queue has stopped because several entries in a row have failed (R-NET-07).
 * @param {PlayerState} state
 */
export function hasStoppedAfterFailures({ lastPause, queue }) {
  return lastPause?.reason === 'queueFailed' && (queue?.count ?? 0) > 1;
}

/**
 * Returns why something cannot be played, and what helps; empty if the player reported nothing. The player's sentences are English. For other
 * languages, the page has its own sentences, by the reason or code of the failure.
 * @param {Partial<import('./store.js').Failure> | undefined} error
 */
export function describeFailure(error) {
  const [code] = error?.message?.match(/\b[45]\d\d\b/) ?? [];
  for (const name of [error?.reason, error?.code]) {
    const key = `shell.failure.${name}`;
    const text = t(key, { status: code ? ` (${code})` : '' });
    if (text !== key) return text;
  }
  return [error?.message, error?.advice].filter(Boolean).join(' ');
}

/**
 * Returns why nobody can hear the player; empty if the player can be heard.
 * @param {string | undefined} silence
 */
export function describeSilence(silence) {
  if (!silence) return '';
  return SILENCE.includes(silence) ? t(`shell.silence.${silence}`) : spell(silence);
}

/**
 * Returns the name of the output, why it is silent, and whether it is: nobody can hear the player, or the output never plays audible audio. The name
 * is empty before the first output was opened.
 * @param {Pick<PlayerState, 'output' | 'audioSession'>} state
 * @returns {{name: string, reason: string, isSilent: boolean}}
 */
export function describeOutput({ output: { kind, id, name }, audioSession }) {
  const reason = describeSilence(audioSession?.silence);
  switch (kind) {
    case 'none':
      return { name: '', reason, isSilent: !!reason };
    case 'silent':
      return { name: t('now.output.silent'), reason: reason || t('now.output.silentDetail'), isSilent: true };
    case 'file':
      return { name: name ? t('shell.output.file', { name }) : t('shell.output.aFile'), reason, isSilent: true };
    default:
      return { name: name || id || spell(kind), reason, isSilent: !!reason };
  }
}

/**
 * Separates the words of a name (`toMinimizeStalls` → `to minimize stalls`), to show a name for which the page has no text.
 * @param {string} name
 */
function spell(name) {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
}
