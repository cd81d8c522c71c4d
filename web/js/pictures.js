// @ts-check
/** The requested sizes, in pixels. They are few, so that a cached picture serves windows of similar sizes. */
const SIZES = [128, 256, 512, 1024];

/**
 * Returns the size of a picture to request: the smallest with at least one pixel for each of the screen's, or the largest size.
 * @param {number} length of the longer side on the page, CSS pixels
 * @param {number} ratio screen pixels per CSS pixel (`devicePixelRatio`)
 * @returns {number} pixels
 */
export function pictureSize(length, ratio) {
  const wanted = length * ratio;
  return SIZES.find((size) => size >= wanted) ?? SIZES[SIZES.length - 1];
}
