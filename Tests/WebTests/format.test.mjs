import assert from 'node:assert/strict';
import { test } from 'node:test';
import './fakes.mjs';
import {
  describeFormat, formatOrigin, formatPosition, formatRate, formatRemaining, formatTime, formatVolume, nameOf, speakPosition, speakTime, titleOf,
} from '../../web/js/format.js';

test('an estimated position has a sign', () => {
  assert.equal(formatPosition(62, true), '≈1:02');
  assert.equal(formatPosition(62, false), '1:02');
  assert.equal(formatPosition(62), '1:02');
});

test('the second line of an entry has its artist and the day of its publication', () => {
  const publicationDate = '2020-06-15T12:00:00.000Z';
  assert.equal(formatOrigin({ artist: 'Show', publicationDate }), 'Show · Jun 15, 2020');
  assert.equal(formatOrigin({ publicationDate }), 'Jun 15, 2020');
  assert.equal(formatOrigin({ artist: 'Band' }), 'Band');
  assert.equal(formatOrigin({}), '');
});

test('times are shown as whole elapsed seconds', () => {
  const cases = [
    [0, '0:00'], [0.999, '0:00'], [5, '0:05'], [65.9, '1:05'], [240, '4:00'], [3599.9, '59:59'], [3600, '1:00:00'], [3723, '1:02:03'],
    [360000, '100:00:00'],
  ];
  for (const [seconds, text] of cases) assert.equal(formatTime(seconds), text);
});

test('negative times have a minus sign, but never −0:00', () => {
  assert.equal(formatTime(-65), '−1:05');
  assert.equal(formatTime(-0.5), '0:00');
});

test('an unknown time is shown as dashes', () => {
  for (const seconds of [undefined, NaN, Infinity]) assert.equal(formatTime(seconds), '–:––');
  assert.equal(formatRemaining(3, undefined), '–:––');
});

test('elapsed and remaining time add up to the shown duration', () => {
  for (let position = 0; position <= 240.7; position += 0.13) {
    const remaining = formatRemaining(position, 240.7).slice(1).split(':');
    assert.equal(Math.floor(position) + Number(remaining[0]) * 60 + Number(remaining[1]), 240);
  }
  assert.equal(formatRemaining(300, 240), '−0:00');
});

test('times are spoken in words without empty parts', () => {
  const cases = [
    [0, '0 seconds'], [1, '1 second'], [60, '1 minute'], [65, '1 minute 5 seconds'], [3601, '1 hour 1 second'],
    [7322, '2 hours 2 minutes 2 seconds'], [-3, '0 seconds'],
  ];
  for (const [seconds, text] of cases) assert.equal(speakTime(seconds), text);
});

test('a position is spoken with the duration, if it is known', () => {
  assert.equal(speakPosition(65, 240), '1 minute 5 seconds of 4 minutes');
  assert.equal(speakPosition(65, undefined), '1 minute 5 seconds');
});

test('rates and volumes are shown with their units', () => {
  assert.equal(formatRate(1), '1×');
  assert.equal(formatRate(1.25), '1.25×');
  assert.equal(formatRate(0.1 + 0.2), '0.3×');
  assert.equal(formatRate(-2), '−2×');
  assert.equal(formatVolume(0.405), '41%');
});

test('a format is described in common terms, whose units stay on the lines of their values', () => {
  const describe = (format) => describeFormat(format).replaceAll('\u00a0', ' ');
  const flac = { fileType: 'flac', codec: 'flac', sampleRate: 44100, channels: 2, bitsPerSample: 16, bitRate: 811700 };
  assert.equal(describe(flac), 'FLAC · 44.1 kHz · 16 bit · stereo · 812 kbit/s');
  assert.equal(describe({ fileType: 'wav', codec: 'pcm_s24le', sampleRate: 96000, channels: 1 }), 'PCM · 96 kHz · mono');
  assert.equal(describe({ fileType: 'x', codec: 'newthing', sampleRate: 11025, channels: 5 }), 'NEWTHING · 11.03 kHz · 5 channels');
  assert.match(describeFormat(flac), /44\.1\u00a0kHz\u00a0· 16\u00a0bit\u00a0· stereo/);
  assert.equal(describe(undefined), '');
});

test('an item without a title is named by the end of its address', () => {
  const item = { id: '1', url: 'file:///music/My%20Song.flac' };
  assert.equal(titleOf({ ...item, title: 'Song' }), 'Song');
  assert.equal(titleOf(item), 'My Song.flac');
  assert.equal(titleOf({ ...item, url: 'https://radio.example/live/?token=1' }), 'live');
  assert.equal(titleOf(undefined), '');
  assert.equal(nameOf('100%/50%.mp3'), '50%.mp3');
});
