import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSignal } from '../../web/js/views/signal.js';
import { playerState } from './fakes.mjs';

const path = (steps, source = {}) => ({ source: { sampleRate: 44100, channels: 2, isLossless: true, ...source }, steps });
const usual = { rate: 1, defaultRate: 1, volume: 1 };

test('nothing is said of audio to which nothing is done', () => {
  assert.deepEqual(describeSignal(playerState(usual), path([])), []);
});

test('each step of the signal path has words, in the order of the path', () => {
  const steps = [
    { kind: 'mix', from: 6, to: 2 }, { kind: 'resample', from: 44100, to: 48000 }, { kind: 'loudness', gain: -3.5 }, { kind: 'crossfade', seconds: 2 },
    { kind: 'serverResample', from: 48000, to: 96000 }, { kind: 'serverMix', from: 2, to: 1 }, { kind: 'round', to: 16 },
  ];
  assert.deepEqual(describeSignal(playerState(usual), path(steps, { isLossless: false })), [
    'lossy codec', 'mixed from 6 to 2 channels', 'resampled to 48 kHz', 'loudness -3.5 dB', 'Crossfade 2 s', 'resampled to 96 kHz by the sound server',
    'channels mixed to 1 by the sound server', 'rounded to 16 bits',
  ]);
});

test('the speed and the volume are described from the state, also while it is paused', () => {
  const state = playerState({ rate: 0, defaultRate: 1.5, volume: 0.8 });
  const found = describeSignal(state, path([{ kind: 'volume', volume: 0.8 }, { kind: 'unknownStep' }]));
  assert.deepEqual(found, ['time-stretched to 1.5×', 'volume 80%']);
  assert.deepEqual(describeSignal(state, undefined), found);
});
