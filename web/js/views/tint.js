// @ts-check
/** The width and height to which a picture is scaled before its colour is computed, in pixels. */
const SIZE = 24;
const BINS = 24;
/**
 * The largest differences of the hue, in degrees, and of the colourfulness that are not visible. Such a change is not made, because each change makes
 * the browser draw the whole page.
 */
const SAME = { hue: 4, strength: 0.04 };

/** The tint of the page; null without one. @type {{hue: number, strength: number} | null} */
let shown = null;

/**
 * Gives the page the hue of a picture. The lightness and the strength of the page's colours do not depend on the picture, so that text is always
 * readable.
 * @param {HTMLImageElement} image a loaded image from this server
 */
export function tintFrom(image) {
  const canvas = document.createElement('canvas');
  canvas.width = SIZE;
  canvas.height = SIZE;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return;
  let pixels;
  try {
    context.drawImage(image, 0, 0, SIZE, SIZE);
    pixels = context.getImageData(0, 0, SIZE, SIZE).data;
  } catch {
    return clearTint(); // The picture cannot be decoded, or the browser blocks reading its canvas.
  }
  const { hue, strength } = dominantHue(pixels);
  const turn = Math.abs(hue - (shown?.hue ?? Infinity));
  // Two sizes of one picture give slightly different tints.
  if (shown && Math.min(turn, 360 - turn) < SAME.hue && Math.abs(strength - shown.strength) < SAME.strength) return;
  shown = { hue, strength };
  const style = document.documentElement.style;
  style.setProperty('--hue', hue.toFixed(1));
  style.setProperty('--tint', strength.toFixed(2));
}

/** Restores the page's own colour, without the hue of a picture. */
export function clearTint() {
  shown = null;
  document.documentElement.style.removeProperty('--hue');
  document.documentElement.style.removeProperty('--tint');
}

/**
 * Returns the hue that dominates a picture, in degrees of the Oklab colour space, and the colourfulness of the picture, 0…1.
 * @param {ArrayLike<number>} pixels the red, green, blue and alpha values of the pixels, 0…255
 */
export function dominantHue(pixels) {
  /** @type {{a: number, b: number, weight: number}[]} */
  const bins = Array.from({ length: BINS }, () => ({ a: 0, b: 0, weight: 0 }));
  let total = 0;
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    const { a, b } = toOklab(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0);
    const chroma = Math.hypot(a, b);
    total += chroma;
    const angle = (Math.atan2(b, a) / (2 * Math.PI) + 1) % 1;
    const bin = bins[Math.min(BINS - 1, Math.floor(angle * BINS))];
    if (!bin) continue;
    // The weight of a pixel is the square of its colourfulness (chroma), so that a small area of strong colour outweighs a large area of tinted grey.
    bin.weight += chroma * chroma;
    bin.a += a * chroma;
    bin.b += b * chroma;
  }
  // The pixels of a colour on the border of two hue bins are divided between both bins. So the weights of a bin's two neighbours are added to its
  // own.
  const around = bins.map((bin, index) => {
    const near = [bin, bins[(index + BINS - 1) % BINS] ?? bin, bins[(index + 1) % BINS] ?? bin];
    const sum = (/** @type {'a' | 'b' | 'weight'} */ part) => near.reduce((total, { [part]: value }) => total + value, 0);
    return { a: sum('a'), b: sum('b'), weight: sum('weight') };
  });
  const best = around.reduce((winner, candidate) => (candidate.weight > winner.weight ? candidate : winner));
  const count = Math.max(1, pixels.length / 4);
  return { hue: ((Math.atan2(best.b, best.a) * 180) / Math.PI + 360) % 360, strength: Math.min(1, total / count / 0.06) };
}

/**
 * Converts a colour from sRGB to the two colour axes of Oklab (Ottosson 2020).
 * @param {number} red @param {number} green @param {number} blue
 */
function toOklab(red, green, blue) {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return { a: 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, b: 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s };
}

/** @param {number} value the value of a colour channel, 0…255 */
function linear(value) {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
