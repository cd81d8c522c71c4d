import assert from 'node:assert/strict';
import { test } from 'node:test';
import './fakes.mjs';
import { swipeOf } from '../../web/js/views/mini.js';
import { stepsOf } from '../../web/js/views/transport.js';
import { isTaken, shortcutKey } from '../../web/js/views/shortcuts.js';

test('a swipe on the mini player selects an entry or opens the player, and a short or slanting one does nothing', () => {
  const cases = [
    [-60, 5, 'next'], [60, -10, 'previous'], [0, -60, 'open'], [10, -50, 'open'], [-39, 0, null], [0, -39, null], [0, 80, null], [60, 50, null],
    [-50, -50, null], [0, 0, null],
  ];
  for (const [across, down, wish] of cases) assert.equal(swipeOf(across, down), wish, `${across}, ${down}`);
});

test('a long item has buttons to skip, a short one in a queue those for entries, and one that cannot be sought none', () => {
  assert.equal(stepsOf({ hasQueue: true, canSeek: true, duration: 240 }), 'step');
  assert.equal(stepsOf({ hasQueue: false, canSeek: true, duration: 240 }), 'skip');
  assert.equal(stepsOf({ hasQueue: false, canSeek: true, duration: 7200 }), 'skip');
  assert.equal(stepsOf({ hasQueue: true, canSeek: true, duration: 7200 }), 'both');
  assert.equal(stepsOf({ hasQueue: true, canSeek: false, duration: 0 }), 'step');
  assert.equal(stepsOf({ hasQueue: false, canSeek: false, duration: 0 }), 'none');
});

test('on a layout without Latin letters, a shortcut is the key at its place, and otherwise the letter on the key', () => {
  const cases = [
    ['т', 'KeyN', 'n'], ['Т', 'KeyN', 'n'], ['ν', 'KeyN', 'n'], ['ى', 'KeyN', 'n'], ['لا', 'KeyB', 'b'], ['ㅜ', 'KeyN', 'n'], ['٠', 'Digit0', '0'],
    // AZERTY, Dvorak and German: the letter counts, also an accented one, and so does punctuation.
    ['M', 'Semicolon', 'm'], ['à', 'Digit0', 'à'], ["'", 'KeyQ', "'"], ['ö', 'Semicolon', 'ö'], ['n', 'KeyL', 'n'], ['/', 'KeyQ', '/'],
    // A letter without a Latin one at its place, keys with a name, and an input method.
    ['ж', 'Semicolon', 'ж'], ['ArrowLeft', 'ArrowLeft', 'ArrowLeft'], ['Process', 'KeyN', 'Process'], [' ', 'Space', ' '],
  ];
  for (const [key, code, expected] of cases) assert.equal(shortcutKey({ key, code }), expected, `${key} at ${code}`);
});

test('the vertical arrows scroll every view but "now"', () => {
  for (const view of ['queue', 'library', 'search', 'settings']) assert.ok(isTaken({ key: 'ArrowDown', target: null }, view));
  assert.ok(!isTaken({ key: 'ArrowDown', target: null }, 'now'));
  assert.ok(!isTaken({ key: 'm', target: null }, 'queue'));
});
