import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal, Unreachable } from '../../web/js/api.js';
import { describeError, describeOutput, describeStatus, speakStatus } from '../../web/js/words.js';
import { playerState } from './fakes.mjs';

const item = playerState().currentItem;
const waiting = { rate: 1, timeControlStatus: 'waitingToPlayAtSpecifiedRate' };

test('each state of the player has its words', () => {
  const cases = [
    [{ currentItem: undefined }, 'empty', 'Nothing loaded'],
    [{ currentItem: { ...item, status: 'unknown' } }, 'loading', 'Loading'],
    [{ rate: 1, timeControlStatus: 'playing' }, 'playing', 'Playing'],
    [{ rate: 1.5, timeControlStatus: 'playing' }, 'playing', 'Playing at 1.5×'],
    [{ ...waiting, reasonForWaitingToPlay: 'toMinimizeStalls' }, 'waiting', 'Waiting: filling the buffer'],
    [{ ...waiting, reasonForWaitingToPlay: 'evaluatingBufferingRate' }, 'waiting', 'Waiting: measuring how fast the media arrives'],
    [{ ...waiting, reasonForWaitingToPlay: 'someNewReason' }, 'waiting', 'Waiting: some new reason'],
    [{}, 'paused', 'Paused'],
    [{ ended: true }, 'ended', 'Ended: press play to hear it again'],
    [{ session: { isInterrupted: true } }, 'paused', 'Interrupted: another program took the sound'],
    [{ status: 'failed' }, 'failed', 'The player has failed: Restart Tonearm to play again.'],
  ];
  for (const [changes, tone, words] of cases) {
    const status = describeStatus(playerState(changes));
    assert.equal(status.tone, tone);
    assert.equal(speakStatus(status), words);
  }
});

test('a failed item says why in the player’s words', () => {
  const failed = { ...item, status: 'failed', error: { code: 'emptyFile', message: 'The file is empty.' } };
  const status = describeStatus(playerState({ currentItem: failed }));
  assert.deepEqual(status, { tone: 'failed', text: 'This cannot be played', detail: 'The file is empty.' });
});

test('a pause names somebody else, not this page and not the player', () => {
  const paused = (reason, origin) => speakStatus(describeStatus(playerState(), { reason, origin }));
  assert.equal(paused('setRateCalled', 'kitchen-script'), 'Paused by kitchen-script');
  assert.equal(paused('setRateCalled', 'web'), 'Paused');
  assert.equal(paused('setRateCalled', 'player'), 'Paused');
  assert.equal(paused('audioSessionInterrupted', 'player'), 'Paused: another program took the sound');
});

test('the output in use, and that nobody can hear it', () => {
  assert.deepEqual(describeOutput({ kind: 'pulse', id: 'sink1', name: 'Speakers' }), { text: 'Speakers', isSilent: false });
  assert.deepEqual(describeOutput({ kind: 'null', id: '', name: '' }), { text: 'No sound device: playing silently', isSilent: true });
  assert.deepEqual(describeOutput({ kind: 'file', id: '', name: 'out.wav' }), { text: 'Writing to out.wav', isSilent: true });
  assert.deepEqual(describeOutput({ kind: 'none', id: '', name: '' }), { text: '', isSilent: false });
});

test('a refusal is told in the server’s words, a dead network without claiming anything', () => {
  assert.equal(describeError(new Refusal(409, { title: 'No item', detail: 'There is nothing to seek in.' })), 'There is nothing to seek in.');
  assert.equal(describeError(new Refusal(404, { title: 'Not found' })), 'Not found');
  assert.equal(describeError(new Refusal(502, {})), 'The player refused (status 502).');
  assert.match(describeError(new Unreachable()), /cannot be reached/);
});
