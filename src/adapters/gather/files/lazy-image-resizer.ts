import type { ResizeImage, ResizerOptions } from './load-image.ts';

/** Loads the resizer when the first image is too large: few threads have one. */
export function lazyImageResizer(options: ResizerOptions): ResizeImage {
  let resizer: Promise<ResizeImage> | undefined;
  const load = async (): Promise<ResizeImage> => (await import('./image-resizer.ts')).createImageResizer(options);
  return async (image, signal) => (await (resizer ??= load()))(image, signal);
}
