import type { Outcome } from '../../../protocol/outcome.ts';
import { type UserImage, type UserInput, words } from '../../../protocol/user-input.ts';
import type { Draft } from '../composer/draft.ts';
import { messageWords, picturesOf } from '../composer/whole-draft.ts';

export interface DraftReader {
  /** Whether the model that gets it can see pictures. */
  readonly takesPictures: boolean;
  readonly model: string;
  /** Reads a picture by its path, or out of a data URL. */
  load(source: string): Promise<UserImage | Outcome>;
}

/** What a draft says to the engine, or why it cannot be sent as it is. */
export async function userInputOf(
  draft: Draft,
  { takesPictures, model, load }: DraftReader,
): Promise<UserInput | Outcome> {
  const input = words(messageWords(draft));
  const sources = picturesOf(draft);
  if (sources.length === 0) return input;
  if (!takesPictures) return noPictures(model);
  const images: UserImage[] = [];
  for (const source of sources) {
    const image = await load(source);
    if ('code' in image) return image;
    images.push(image);
  }
  return { ...input, images };
}

/** Said when a picture is added, and again when it would be sent. */
export function noPictures(model: string): Outcome {
  return {
    code: 'model-without-pictures',
    message: `${model} does not take pictures.`,
    next: 'Choose another model with /model, or send the message without pictures.',
  };
}
