import { hasUnreadOutput, type Item } from '../../protocol/item.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { HistoryEntry } from './entry.ts';

export function mediaContentKey(item: Item): 'content' | 'output' | undefined {
  const key = item.type === 'message' || item.type === 'agent_message' ? 'content' : 'output';
  return !hasUnreadOutput(item) && Array.isArray(item[key]) ? key : undefined;
}

export function mediaOf(part: JsonObject): 'image' | 'audio' | undefined {
  if (part['type'] === 'input_image') return 'image';
  return part['type'] === 'input_audio' ? 'audio' : undefined;
}

/** Replaces parts for which `wordsFor` returns words; returns the same object if there are none. */
export function replacePartsByText(item: Item, wordsFor: (part: JsonObject) => string | undefined): Item {
  const key = mediaContentKey(item);
  if (key === undefined) return item;
  const type = item['role'] === 'assistant' ? 'output_text' : 'input_text';
  const parts = item[key] as readonly Json[];
  const words = parts.map((part) => (isJsonObject(part) ? wordsFor(part) : undefined));
  if (words.every((text) => text === undefined)) return item;
  return { ...item, [key]: parts.map((part, at) => (words[at] === undefined ? part : { type, text: words[at] })) };
}

export type UnsupportedMedia = 'none' | 'image' | 'audio' | 'image and audio';

export function unsupportedMedia(modalities: readonly string[] | undefined): UnsupportedMedia {
  if (modalities === undefined) return 'none';
  const [image, audio] = [modalities.includes('image'), modalities.includes('audio')];
  if (image) return audio ? 'none' : 'audio';
  return audio ? 'image' : 'image and audio';
}

const places = {
  image: '[A picture stands here. It was left out because this model takes no pictures.]',
  audio: '[A recording stands here. It was left out because this model takes no sound.]',
} as const;

const addressKeys = ['image_url', 'audio_url', 'file_url'] as const;
/** Inside the request, or on the web. Any other address may name a file of the user, and no provider can use it. */
const sendable = /^(?:data|https?):/i;
const elsewhere = '[A picture or file was left out: its URL is neither http(s) nor data.]';

const standIns: Readonly<Record<UnsupportedMedia, WeakMap<Item, Item>>> = {
  none: new WeakMap(),
  image: new WeakMap(),
  audio: new WeakMap(),
  'image and audio': new WeakMap(),
};
/** Media for which some item of this process has a stand-in: usually none, and then no history needs searching. */
const haveStandIns = new Set<UnsupportedMedia>();

/** Replaces unusable media by words: the same object each time, so that the prefix stays valid. */
export function withoutUnsupportedMedia(item: Item, missing: UnsupportedMedia): Item {
  const known = standIns[missing].get(item);
  if (known !== undefined) return known;
  const standIn = rewritten(item, (media) => missing === media || missing === 'image and audio');
  if (standIn !== item) {
    standIns[missing].set(item, standIn);
    haveStandIns.add(missing);
  }
  return standIn;
}

export interface LeftOutMedia {
  readonly item: Item;
  readonly images: number;
  readonly recordings: number;
  /** Media of any kind whose address no provider can use. */
  readonly elsewhere: number;
}

export function leftOutMedia(entries: readonly HistoryEntry[], missing: UnsupportedMedia): readonly LeftOutMedia[] {
  if (!haveStandIns.has(missing)) return [];
  return entries.flatMap(({ item }) => {
    const key = standIns[missing].has(item) ? mediaContentKey(item) : undefined;
    if (key === undefined) return [];
    const parts = (item[key] as readonly Json[]).filter(isJsonObject);
    const there = parts.filter((part) => !isAddressedElsewhere(part)).map(mediaOf);
    const count = (kind: 'image' | 'audio'): number =>
      missing === 'image and audio' || missing === kind ? there.filter((each) => each === kind).length : 0;
    const elsewhere = parts.length - there.length;
    return { item, images: count('image'), recordings: count('audio'), elsewhere };
  });
}

function rewritten(item: Item, isMissing: (media: 'image' | 'audio') => boolean): Item {
  if (item.type === 'image_generation_call')
    return isMissing('image') && typeof item['result'] === 'string' ? { ...item, result: '' } : item;
  return replacePartsByText(item, (part) => {
    if (isAddressedElsewhere(part)) return elsewhere;
    const media = mediaOf(part);
    return media !== undefined && isMissing(media) ? places[media] : undefined;
  });
}

const isAddressedElsewhere = (part: JsonObject): boolean => addressKeys.some((key) => isElsewhere(part[key]));

function isElsewhere(address: Json | undefined): boolean {
  const given = isJsonObject(address) ? address['url'] : address;
  return typeof given === 'string' && !sendable.test(given);
}

/** Bytes that are read on demand. Beyond the end everything is 0. */
export type ByteReader = { readonly length: number; at(index: number): number };
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Map([...digits].map((digit, value) => [digit.charCodeAt(0), value]));

/** The bytes of base64 text, decoded on demand: a picture of megabytes has its size in its first bytes. */
export function base64ByteReader(text: string): ByteReader {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const length = Math.floor(((text.length - padding) * 3) / 4);
  const sixBits = (index: number): number => values.get(text.charCodeAt(index)) ?? 0;
  return {
    length,
    at(index) {
      if (index < 0 || index >= length) return 0;
      const group = Math.floor(index / 3) * 4;
      const place = index % 3;
      const pair = (sixBits(group + place) << 6) | sixBits(group + place + 1);
      return (pair >> (4 - 2 * place)) & 0xff;
    },
  };
}

export function bigEndian(bytes: ByteReader, at: number, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index++) value = value * 256 + bytes.at(at + index);
  return value;
}

export function littleEndian(bytes: ByteReader, at: number, count: number): number {
  let value = 0;
  for (let index = count - 1; index >= 0; index--) value = value * 256 + bytes.at(at + index);
  return value;
}

export function hasTextAt(bytes: ByteReader, at: number, latin1: string): boolean {
  for (let index = 0; index < latin1.length; index++)
    if (bytes.at(at + index) !== latin1.charCodeAt(index)) return false;
  return at + latin1.length <= bytes.length;
}
