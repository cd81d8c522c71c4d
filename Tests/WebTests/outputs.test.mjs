import assert from 'node:assert/strict';
import { test } from 'node:test';
import './fakes.mjs';
import { absentOutput, ratedOutput } from '../../web/js/views/outputs.js';

const outputs = [
  { id: 'auto', kind: 'auto', name: 'Automatic' }, { id: 'pulse', kind: 'pulse', name: 'Default' },
  { id: 'pulse:usb', kind: 'pulse', name: 'USB DAC' }, { id: 'pulse:hdmi', kind: 'pulse', name: 'Television' },
  { id: 'null', kind: 'silent', name: 'Silence' },
];
const rated = (chosenId, device) => ratedOutput({ outputs, chosenId }, device)?.id;

test('the sample rate is that of the device that plays, whether it was chosen or the sound server has selected it', () => {
  assert.equal(rated('auto', 'usb'), 'pulse:usb');
  assert.equal(rated('pulse', 'usb'), 'pulse:usb');
  assert.equal(rated('pulse:hdmi', 'hdmi'), 'pulse:hdmi');
  // Another program has moved the stream.
  assert.equal(rated('pulse:hdmi', 'usb'), 'pulse:usb');
});

test('while no device plays, the sample rate is that of the chosen output', () => {
  assert.equal(rated('auto', ''), 'auto');
  assert.equal(rated('auto', undefined), 'auto');
  assert.equal(rated('null', ''), 'null');
  assert.equal(rated('pulse:hdmi', ''), 'pulse:hdmi');
  assert.equal(rated('pulse:gone', 'gone'), undefined);
});

test('a chosen output that is away is named by its device, with the name that the state knows', () => {
  const absent = (chosenId, last) => absentOutput({ outputs, chosenId }, last);
  assert.deepEqual(absent('pulse:gone', { id: 'gone', name: 'Headphones' }), { id: 'pulse:gone', kind: 'pulse', name: 'Headphones' });
  assert.deepEqual(absent('pulse:a:b', { id: 'usb', name: 'USB DAC' }), { id: 'pulse:a:b', kind: 'pulse', name: 'a:b' });
  assert.deepEqual(absent('alsa', undefined), { id: 'alsa', kind: 'alsa', name: '' });
  assert.equal(absent('pulse:usb', undefined), undefined);
  assert.equal(absent(undefined, undefined), undefined);
});
