import type { Item } from '../protocol/item.ts';
import { mediaOf, withWords } from './media-part.ts';

/** What a model cannot take in. */
export type MissingMedia = 'none' | 'image' | 'audio' | 'image and audio';

export function missingMedia(modalities: readonly string[] | undefined): MissingMedia {
  if (modalities === undefined) return 'none';
  const [image, audio] = [modalities.includes('image'), modalities.includes('audio')];
  if (image) return audio ? 'none' : 'audio';
  return audio ? 'image' : 'image and audio';
}

const places = {
  image: '[A picture stands here. It was left out because this model takes no pictures.]',
  audio: '[A recording stands here. It was left out because this model takes no sound.]',
} as const;

const standIns: Readonly<Record<Exclude<MissingMedia, 'none'>, WeakMap<Item, Item>>> = {
  image: new WeakMap(),
  audio: new WeakMap(),
  'image and audio': new WeakMap(),
};

/** The item with words in the place of media: the same object each time, so that the prefix holds. */
export function withoutMedia(item: Item, missing: MissingMedia): Item {
  if (missing === 'none') return item;
  const known = standIns[missing].get(item);
  if (known !== undefined) return known;
  const standIn = rewritten(item, (media) => missing === media || missing === 'image and audio');
  if (standIn !== item) standIns[missing].set(item, standIn);
  return standIn;
}

function rewritten(item: Item, isMissing: (media: 'image' | 'audio') => boolean): Item {
  if (item.type === 'image_generation_call') {
    return isMissing('image') && typeof item['result'] === 'string' ? { ...item, result: '' } : item;
  }
  return withWords(item, (part) => {
    const media = mediaOf(part);
    return media !== undefined && isMissing(media) ? places[media] : undefined;
  });
}
