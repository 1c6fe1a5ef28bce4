import type { Item } from '../protocol/item.ts';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import { mediaOf, partsKey } from './media-part.ts';

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

/**
 * The item as a model without these media is sent it: words in the place of each picture or recording. It depends on
 * the item alone and is the same object each time, so that it is encoded once and the prefix holds.
 */
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
  const key = partsKey(item);
  if (key === undefined) return item;
  const type = item['role'] === 'assistant' ? 'output_text' : 'input_text';
  const parts = item[key] as readonly Json[];
  const media = parts.map((part) => {
    const held = isJsonObject(part) ? mediaOf(part) : undefined;
    return held !== undefined && isMissing(held) ? held : undefined;
  });
  if (media.every((held) => held === undefined)) return item;
  const words = (held: 'image' | 'audio'): JsonObject => ({ type, text: places[held] });
  return { ...item, [key]: parts.map((part, index) => (media[index] === undefined ? part : words(media[index]))) };
}
