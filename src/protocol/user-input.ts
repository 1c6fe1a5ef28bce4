import type { Outcome } from './outcome.ts';

/** What a user submits: words, pictures, or both. */
export interface UserInput {
  readonly text: string;
  /** In the order in which they were given; they stand before the words. */
  readonly images: readonly UserImage[];
  /** Files that were meant as pictures and are none. The user is warned, and the model learns of them. */
  readonly unusableImages?: readonly UnusableImage[];
}

export interface UnusableImage {
  /** As the user wrote it. */
  readonly path: string;
  readonly problem: Outcome;
}

export interface UserImage {
  /** As the user wrote it: what the model reads and screens show. */
  readonly path: string;
  /** `data:image/…;base64,…` */
  readonly dataUrl: string;
  /** Present where the picture was larger than models take, and was made smaller. */
  readonly resized?: ResizedImage;
}

export interface ResizedImage {
  /** As in `4000x3000`. */
  readonly from: string;
  readonly to: string;
}

export function words(text: string): UserInput {
  return { text, images: [] };
}
