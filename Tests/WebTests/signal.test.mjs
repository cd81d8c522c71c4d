import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSignal } from '../../web/js/views/signal.js';
import './fakes.mjs';

/** Returns a text with ordinary spaces in place of those that keep a unit on the line of its value. */
const plain = (text) => text.replaceAll('\u00a0', ' ');
const path = (steps, source = {}, verdict = 'altered') => ({ source: { isLossless: true, ...source }, steps, verdict });

test('of audio to which nothing is done it is said that nothing is changed, but only if the verdict is bit-perfect', () => {
  assert.deepEqual(describeSignal(path([], {}, 'bitPerfect'), 1), ['nothing is changed on the way to the device']);
  assert.deepEqual(describeSignal(path([{ kind: 'mix', from: 1, to: 2 }], {}, 'bitPerfect'), 1), ['mixed from 1 to 2 channels']);
  assert.deepEqual(describeSignal(path([{ kind: 'unknownStep' }]), 1), []);
});

test('each step of the signal path has words, in the order of the path', () => {
  const steps = [
    { kind: 'mix', from: 6, to: 2 }, { kind: 'resample', from: 44100, to: 48000 }, { kind: 'loudness', gain: -3.5 },
    { kind: 'headroom', gain: -1.94 }, { kind: 'crossfade', seconds: 2 }, { kind: 'volume', volume: 0.8 }, { kind: 'serverResample', from: 48000, to: 96000 },
    { kind: 'serverMix', from: 2, to: 1 }, { kind: 'round', to: 16 }, { kind: 'dither', to: 16 },
  ];
  assert.deepEqual(describeSignal(path(steps, { isLossless: false }), 1).map(plain), [
    'lossy compression', 'mixed from 6 to 2 channels', 'sample rate converted to 48 kHz', 'equal loudness −3.5 dB',
    'quieter against distortion −1.9 dB', 'crossfade 2 s', 'volume 80%', 'sample rate converted to 96 kHz by the sound server',
    'channels mixed to 1 by the sound server', 'rounded to 16 bits', 'rounded to 16 bits with fine noise (dither)',
  ]);
});

test('a change of the speed says whether the pitch stays', () => {
  const stretch = (algorithm) => describeSignal(path([{ kind: 'timeStretch', algorithm }]), 1.5);
  assert.deepEqual(stretch('timeDomain'), ['speed 1.5×, same pitch']);
  assert.deepEqual(stretch('varispeed'), ['speed 1.5×, other pitch']);
});

test('muted audio has the volume 0', () => {
  assert.deepEqual(describeSignal(path([{ kind: 'volume', volume: 0 }]), 1), ['volume 0%']);
});
