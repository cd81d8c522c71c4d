// @ts-check
/** The sizes that are asked for, pixels: few, so that a picture that has been fetched serves windows of nearly its size. */
const SIZES = [128, 256, 512, 1024];

/**
 * The size to ask a picture for: the least that has a pixel for each of the screen's, or the largest there is.
 * @param {number} length of the longer side on the page, CSS pixels
 * @param {number} ratio pixels of the screen to one of them (`devicePixelRatio`)
 * @returns {number} pixels
 */
export function pictureSize(length, ratio) {
  const wanted = length * ratio;
  return SIZES.find((size) => size >= wanted) ?? SIZES[SIZES.length - 1];
}
