import type { ImageSize } from '../../history/image-size.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ImageFormat } from './image-format.ts';

export interface ImageToResize {
  readonly bytes: Uint8Array;
  readonly format: ImageFormat;
  readonly to: ImageSize;
}

export type ResizeResult =
  | { readonly kind: 'resized'; readonly format: ImageFormat; readonly bytes: Uint8Array }
  /** `why` completes a sentence. */
  | { readonly kind: 'failed'; readonly why: string };

export type ResizeImage = (image: ImageToResize, signal?: AbortSignal) => Promise<ResizeResult>;

export interface ResizerOptions {
  /** The folder of the package, built or not. */
  readonly root: string;
  readonly clock: Clock;
}
