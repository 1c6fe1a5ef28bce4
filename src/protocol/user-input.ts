/** What a user submits: words, pictures, or both. */
export interface UserInput {
  readonly text: string;
  /** In the order in which they were given; they stand before the words. */
  readonly images: readonly UserImage[];
}

export interface UserImage {
  /** As the user wrote it: what the model is told and screens show. */
  readonly path: string;
  /** `data:image/…;base64,…` */
  readonly dataUrl: string;
}

export function words(text: string): UserInput {
  return { text, images: [] };
}
