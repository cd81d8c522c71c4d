// @ts-check
/** The sizes of pictures that the page requests, in pixels. They are few, so that one cached picture serves windows of slightly different sizes. */
const SIZES = [128, 256, 512, 1024];

/**
 * Returns the size of a picture to request: the smallest size with at least one pixel for each pixel of the screen. If all sizes are too small, the
 * result is the largest size.
 * @param {number} length the length of the picture's longer side on the page, in CSS pixels
 * @param {number} ratio the number of screen pixels per CSS pixel (`devicePixelRatio`)
 * @returns {number} the size of the picture, in pixels
 */
export function pictureSize(length, ratio) {
  const wanted = length * ratio;
  return SIZES.find((size) => size >= wanted) ?? SIZES[SIZES.length - 1];
}
