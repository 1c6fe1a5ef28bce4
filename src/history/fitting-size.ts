import type { ImageSize } from './image-size.ts';

/** What models take at detail `high`: a longer side, or more squares of 32 pixels, is scaled down by the provider. */
const longestSide = 2048;
const mostPatches = 2500;
const patchSide = 32;

/** The largest size of the same shape that models take as it is; the same object for a picture that fits. */
export function fittingSize(size: ImageSize): ImageSize {
  if (fits(size)) return size;
  const bySide = longestSide / Math.max(size.width, size.height);
  const byArea = Math.sqrt((mostPatches * patchSide ** 2) / (size.width * size.height));
  let scale = Math.min(1, bySide, byArea);
  // A square that is covered in part counts whole.
  while (!fits(scaled(size, scale))) scale *= 0.99;
  return scaled(size, scale);
}

function fits({ width, height }: ImageSize): boolean {
  const patches = Math.ceil(width / patchSide) * Math.ceil(height / patchSide);
  return Math.max(width, height) <= longestSide && patches <= mostPatches;
}

function scaled({ width, height }: ImageSize, scale: number): ImageSize {
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}
