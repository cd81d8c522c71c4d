// @ts-check
import { formatRate } from './format.js';
import { Refusal, Unreachable } from './link/api.js';
/** @typedef {import('./store.js').PlayerState} PlayerState */

/** @typedef {'empty' | 'loading' | 'failed' | 'playing' | 'waiting' | 'paused' | 'ended'} Tone */
/** @typedef {{tone: Tone, text: string, detail: string}} Status  The texts of the status: a headline, and an optional detail. */

/** The texts for the reasons why playback waits (`reasonForWaitingToPlay`). */
const WAITING = new Map([
  ['toMinimizeStalls', 'filling the buffer'],
  ['evaluatingBufferingRate', 'measuring how fast the media arrives'],
  ['noItemToPlay', 'the queue has no item to play'],
]);

/** The texts for the reasons of an event `rateDidChange`, if no client has requested the change of the rate. */
const PAUSED = new Map([
  ['setRateFailed', 'the player could not play at that speed'],
  ['audioSessionInterrupted', 'another program is using the sound device'],
  ['appBackgrounded', 'the program went to the background'],
]);

/**
 * Returns the activity of the player in words, with the reason of that activity.
 * @param {PlayerState} state
 * @param {{reason: string, origin: string} | null} rateChange the reason and the client of the last change of the rate; null if the page has received
 *   no such event
 * @returns {Status}
 */
export function describeStatus(state, rateChange = null) {
  const item = state.currentItem;
  if (!item) return { tone: 'empty', text: 'No item is loaded', detail: '' };
  if (item.status === 'failed') {
    return { tone: 'failed', text: 'The item cannot be played', detail: item.error?.message ?? 'The player reported no reason.' };
  }
  if (state.status === 'failed') return { tone: 'failed', text: 'The player has failed', detail: 'Restart Tonearm to play again.' };
  if (item.status === 'unknown') {
    return { tone: 'loading', text: 'Loading', detail: state.rate === 0 ? '' : 'Playback starts when the item is ready.' };
  }
  if (state.timeControlStatus === 'waitingToPlayAtSpecifiedRate') {
    return { tone: 'waiting', text: 'Waiting', detail: WAITING.get(state.reasonForWaitingToPlay) ?? spell(state.reasonForWaitingToPlay) };
  }
  if (state.timeControlStatus === 'playing') {
    return { tone: 'playing', text: state.rate === 1 ? 'Playing' : `Playing at ${formatRate(state.rate)}`, detail: '' };
  }
  if (state.audioSession?.isInterrupted) return { tone: 'paused', text: 'Interrupted', detail: 'another program is using the sound device' };
  if (state.ended) return { tone: 'ended', text: 'Ended', detail: 'press play to hear it again' };
  const reason = rateChange && PAUSED.get(rateChange.reason);
  if (reason) return { tone: 'paused', text: 'Paused', detail: reason };
  return { tone: 'paused', text: `Paused${bySomebodyElse(rateChange)}`, detail: '' };
}

/** @param {{reason: string, origin: string} | null} change */
function bySomebodyElse(change) {
  return change && !['', 'player', 'web'].includes(change.origin) ? ` by ${change.origin}` : '';
}

/**
 * Returns the texts of the status as one sentence, for the live region.
 * @param {Status} status
 */
export function speakStatus({ text, detail }) {
  return detail ? `${text}: ${detail}` : text;
}

/**
 * Returns the name of the output, or the text of the output's error, and whether the output plays no audible audio.
 * @param {PlayerState['output'] | undefined} output
 * @returns {{text: string, isSilent: boolean}}
 */
export function describeOutput(output) {
  if (!output) return { text: '', isSilent: false };
  const { error } = output;
  if (error && output.kind !== 'silent') return { text: error.message, isSilent: true };
  switch (output.kind) {
    case 'none':
      return { text: '', isSilent: false };
    case 'silent':
      return { text: `No sound device: playing silently${error ? `. ${error.message}` : ''}`, isSilent: true };
    case 'file':
      return { text: output.name ? `Writing to ${output.name}` : 'Writing to a file', isSilent: true };
    default:
      return { text: output.name || output.id || spell(output.kind), isSilent: false };
  }
}

/**
 * Returns a sentence about an error. The sentence states only what is known: for example, not that a request without a response had no effect.
 * @param {unknown} error
 */
export function describeError(error) {
  if (error instanceof Unreachable) return 'The player cannot be reached. The request may not have been carried out.';
  if (error instanceof Refusal) return error.message;
  return 'Something went wrong in this page. Reload it and try again.';
}

/**
 * Separates the words of a name (`toMinimizeStalls` → `to minimize stalls`), to show a name for which the page has no text.
 * @param {string} name
 */
function spell(name) {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
}
