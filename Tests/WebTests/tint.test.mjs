import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dominantHue } from '../../web/js/views/tint.js';

/** Returns the pixels of a picture; each part of it is a number of pixels and their colour. */
const picture = (...parts) => parts.flatMap(([count, red, green, blue]) => Array.from({ length: count }, () => [red, green, blue, 255]).flat());
const near = (hue, wanted) => Math.abs(((hue - wanted + 540) % 360) - 180) < 6;

test('a picture of one colour has its hue', () => {
  assert.ok(near(dominantHue(picture([16, 255, 0, 0])).hue, 29));
  assert.ok(near(dominantHue(picture([16, 0, 0, 255])).hue, 264));
  assert.ok(near(dominantHue(picture([16, 0, 128, 0])).hue, 142));
});

test('a strong colour outweighs a larger area of tinted grey', () => {
  assert.ok(near(dominantHue(picture([90, 120, 122, 130], [20, 230, 90, 20])).hue, 45));
});

test('a grey picture has no strength, so the page stays grey', () => {
  assert.ok(dominantHue(picture([16, 128, 128, 128])).strength < 0.01);
  assert.ok(dominantHue(picture([16, 200, 40, 40])).strength > 0.9);
});

test('an empty picture is accepted', () => {
  const { hue, strength } = dominantHue([]);
  assert.ok(Number.isFinite(hue));
  assert.equal(strength, 0);
});
