import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { useTexts } from '../../web/js/lang/lang.js';
import { Refusal, Unreachable } from '../../web/js/link/api.js';
import { describeError, describeFailure, describeOutput, describeSilence, describeStatus } from '../../web/js/words.js';
import { playerState } from './fakes.mjs';

/** The texts of a status as one sentence. */
const speakStatus = ({ text, detail }) => (detail ? `${text}: ${detail}` : text);

const english = JSON.parse(readFileSync(new URL('../../web/js/lang/en.json', import.meta.url), 'utf8'));
const item = playerState().currentItem;
const waiting = { rate: 1, timeControlStatus: 'waitingToPlayAtSpecifiedRate' };

test('each state of the player has its text', () => {
  const cases = [
    [{ currentItem: undefined }, 'empty', 'No item is loaded'],
    [{ currentItem: { ...item, status: 'unknown' } }, 'loading', 'Loading'],
    [{ currentItem: { ...item, status: 'unknown', url: 'https://me:secret@radio.example:8000/live' } }, 'loading',
      'Loading: waiting for data from radio.example:8000'],
    [{ rate: 1, timeControlStatus: 'playing' }, 'playing', 'Playing'],
    [{ rate: 1.5, timeControlStatus: 'playing' }, 'playing', 'Playing at 1.5×'],
    [{ ...waiting, reasonForWaitingToPlay: 'toMinimizeStalls' }, 'waiting', 'Waiting: filling the buffer'],
    [{ ...waiting, network: { error: { code: 'network', message: 'The server is away.' }, attempt: 3, retryHostTime: 9 } }, 'waiting',
      'Waiting for the source: The server is away. Attempt 4 follows'],
    [{ rate: 1, timeControlStatus: 'playing', network: { error: { code: 'network', message: 'It is away.' }, attempt: 1, retryHostTime: 9 } }, 'playing',
      'Connection to the source lost: It is away. Attempt 2 follows'],
    [{ ...waiting, reasonForWaitingToPlay: 'evaluatingBufferingRate' }, 'waiting', 'Waiting: measuring how fast the media arrives'],
    [{ ...waiting, currentItem: { ...item, status: 'unknown' }, reasonForWaitingToPlay: 'mediaUnavailable' }, 'waiting',
      'Waiting: the disk or network share with the file is not there; playback goes on when it is'],
    [{ ...waiting, reasonForWaitingToPlay: 'someNewReason' }, 'waiting', 'Waiting: some new reason'],
    [{}, 'paused', 'Paused'],
    [{ ended: true }, 'ended', 'Ended: press play to hear it again'],
    [{ audioSession: { isInterrupted: true } }, 'paused', 'Interrupted: another program is using the sound device'],
    [{ audioSession: { isInterrupted: true, silence: 'noOutput' } }, 'paused',
      'Interrupted: the sound server does not answer, or the device is not there'],
    [{ audioSession: { isInterrupted: true, silence: 'someNewReason' } }, 'paused', 'Interrupted: some new reason'],
    [{ lastPause: { reason: 'audioSessionInterrupted', origin: 'player', hostTime: 9, silence: 'noDevice' } }, 'paused',
      'Paused: the sound server has no device'],
    [{ status: 'failed' }, 'failed', 'The player has failed: Restart Tonearm to play again.'],
  ];
  for (const [changes, tone, words] of cases) {
    const status = describeStatus(playerState(changes));
    assert.equal(status.tone, tone);
    assert.equal(speakStatus(status), words);
  }
});

test('while an item is opened again and again, its status says why, also if it is not to play', () => {
  const network = { error: { code: 'network', message: 'It is away.', reason: 'cannotConnect', advice: 'Check it.' }, attempt: 1, retryHostTime: 9 };
  for (const rate of [0, 1]) {
    const status = describeStatus(playerState({ rate, network, currentItem: { ...item, status: 'unknown' } }));
    assert.equal(speakStatus(status), 'Waiting for the source: It is away. Attempt 2 follows');
    assert.equal(status.tone, 'loading');
  }
  assert.equal(speakStatus(describeStatus(playerState({ rate: 0, network }))), 'Paused');
});

test('a seek that takes long has its progress, also if it waits for bytes, unless the connection is lost (R-SEEK-23)', () => {
  for (const progress of [0, 0.4]) {
    for (const state of [{ rate: 1, timeControlStatus: 'playing' }, waiting, {}]) {
      const status = describeStatus(playerState({ ...state, seek: { target: 90, progress } }));
      assert.deepEqual(status, { tone: 'waiting', text: 'Waiting for the new position…', detail: '', progress });
    }
  }
  const network = { error: { code: 'network', message: 'It is away.' }, attempt: 1, retryHostTime: 9 };
  assert.equal(describeStatus(playerState({ ...waiting, network, seek: { target: 90, progress: 0 } })).progress, undefined);
  assert.equal(describeStatus(playerState({ rate: 1, timeControlStatus: 'playing' })).text, 'Playing');
});

test('in other languages than English a failure has a sentence of the page, with the status of the server', () => {
  const error = { code: 'network', message: 'The server responded with status 404.', reason: 'badResponse', advice: 'Open it in a browser.' };
  assert.equal(describeFailure(error), 'The server responded with status 404. Open it in a browser.');
  useTexts({ shell: { failure: { network: 'Weg.', badResponse: 'Fehler{status}.' } } }, 'de');
  try {
    assert.equal(describeFailure(error), 'Fehler (404).');
    assert.equal(describeFailure({ code: 'network', message: 'It is away.' }), 'Weg.');
    assert.equal(describeFailure({ code: 'unknown', message: 'It broke.' }), 'It broke.');
    assert.equal(describeFailure(undefined), '');
  } finally {
    useTexts(english, 'en');
  }
});

test('a failed item shows the player’s reason', () => {
  const failed = { ...item, status: 'failed', error: { code: 'emptyFile', message: 'The file is empty.' } };
  const status = describeStatus(playerState({ currentItem: failed }));
  assert.deepEqual(status, { tone: 'failed', text: 'The item cannot be played', detail: 'The file is empty.' });
});

test('the pause of a live stream says that the programme continues live (R-LIVE-01)', () => {
  const status = describeStatus(playerState({ currentItem: { ...item, isLive: true, duration: undefined } }));
  assert.equal(speakStatus(status), 'Paused: if it takes longer than 10 seconds, the programme continues live');
  assert.equal(status.isPlain, false);
});

test('a failed item shows what helps, and that the queue has stopped with it', () => {
  const failed = { ...item, status: 'failed', error: { code: 'network', message: 'It is away.', advice: 'Check the address.' } };
  const told = (changes) => speakStatus(describeStatus(playerState({ currentItem: failed, rate: 0, ...changes })));
  const lastPause = { reason: 'queueFailed', origin: 'player', hostTime: 9 };
  assert.equal(told({}), 'The item cannot be played: It is away. Check the address.');
  assert.equal(told({ lastPause, queue: { revision: 1, count: 1, index: 0 } }), 'The item cannot be played: It is away. Check the address.');
  assert.equal(told({ lastPause, queue: { revision: 1, count: 8, index: 4 } }),
    'The queue has stopped: Several entries in a row cannot be played, at last this one: It is away. Check the address.');
});

test('a pause names its origin, unless it is this page or the player', () => {
  const paused = (reason, origin) => speakStatus(describeStatus(playerState(), { reason, origin }));
  assert.equal(paused('setRateCalled', 'kitchen-script'), 'Paused by kitchen-script');
  assert.equal(paused('setRateCalled', 'web'), 'Paused');
  assert.equal(paused('setRateCalled', 'player'), 'Paused');
  assert.equal(paused('audioSessionInterrupted', 'player'), 'Paused: another program is using the sound device');
});

test('the output is shown by name, and marked if it is silent', () => {
  const output = (kind, name, silence) => describeOutput({ output: { kind, id: kind, name }, audioSession: { silence } });
  assert.deepEqual(output('pulse', 'Speakers'), { name: 'Speakers', reason: '', isSilent: false });
  assert.deepEqual(output('pulse', ''), { name: 'pulse', reason: '', isSilent: false });
  assert.deepEqual(output('silent', 'No sound'), { name: 'Silence', reason: 'The clock runs, nothing is heard', isSilent: true });
  assert.deepEqual(output('file', 'out.wav'), { name: 'Writing to out.wav', reason: '', isSilent: true });
  assert.deepEqual(output('none', ''), { name: '', reason: '', isSilent: false });
});

test('an output that nobody can hear keeps its name, and has the reason in words', () => {
  const output = (kind, name, silence) => describeOutput({ output: { kind, id: '', name }, audioSession: { silence } });
  const reason = 'the sound server does not answer, or the device is not there';
  assert.deepEqual(output('pulse', 'Speakers', 'noOutput'), { name: 'Speakers', reason, isSilent: true });
  assert.deepEqual(output('none', '', 'noOutput'), { name: '', reason, isSilent: true });
  assert.equal(output('silent', 'No sound', 'systemSleep').reason, 'the machine sleeps');
  assert.equal(output('pulse', 'Speakers', 'someNewReason').reason, 'some new reason');
});

test('each reason that the contract names has a sentence', () => {
  const contract = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8');
  const [, names] = contract.match(/^    SilenceReason:[^]*?enum: \[(.*)\]/m);
  assert.deepEqual(names.split(', ').sort(), Object.keys(english.shell.silence).sort());
  for (const name of names.split(', ')) assert.equal(describeSilence(name), english.shell.silence[name]);
});

test('a refusal is shown with the server’s message, and a network failure as unreachable', () => {
  assert.equal(describeError(new Refusal(409, { title: 'No item', detail: 'There is nothing to seek in.' })), 'There is nothing to seek in.');
  assert.equal(describeError(new Refusal(404, { title: 'Not found' })), 'Not found');
  assert.equal(describeError(new Refusal(502, {})), 'The player refused (status 502). Try again in a moment.');
  assert.match(describeError(new Unreachable()), /not known whether this was done/);
  assert.match(describeError(new Unreachable(false)), /Nothing was changed/);
});
