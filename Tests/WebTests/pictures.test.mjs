// @ts-check
import assert from 'node:assert/strict';
import test from 'node:test';
import { pictureSize } from '../../web/js/pictures.js';

test('a picture is requested in the smallest of a few sizes that has a pixel for each of the screen', () => {
  assert.equal(pictureSize(128, 1), 128);
  assert.equal(pictureSize(129, 1), 256);
  assert.equal(pictureSize(300, 1.5), 512);
  assert.equal(pictureSize(340, 3), 1024);
});

test('a picture is requested in the largest size at most, and in the smallest size for no length', () => {
  assert.equal(pictureSize(2000, 2), 1024);
  assert.equal(pictureSize(0, 1), 128);
});
