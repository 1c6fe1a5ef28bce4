import { byteLength, bytesPerToken } from '../fragments/text/truncate.ts';
import type { ToolSpec } from '../ports/prompt.ts';
import type { Item } from '../protocol/item.ts';
import { isJsonObject, type Json, type JsonObject, stringAt } from '../protocol/json.ts';
import { oncePerObject } from '../protocol/once-per-object.ts';
import { audioSeconds } from './audio-seconds.ts';
import { base64Bytes } from './base64-bytes.ts';
import { imageSize } from './image-size.ts';
import { mediaOf, partsKey } from './media-part.ts';
import { textTokens } from './text-tokens.ts';

/**
 * What things are taken to weigh until a provider has counted them: their JSON, as a tokeniser would count it. What is
 * not text to the model, pictures, sound and encrypted content, weighs by what it stands for, four bytes to a token.
 */

export const itemTokens = oncePerObject((item: Item) => Math.ceil(weighItem(item)));

export const toolTokens = oncePerObject((tool: ToolSpec) => Math.ceil(jsonTokens(tool)));

/** Found again at every step, and seldom other ones. */
let newestInstructions = { text: '', tokens: 0 };

export function instructionsTokens(text: string): number {
  if (text !== newestInstructions.text) newestInstructions = { text, tokens: Math.ceil(textTokens(text)) };
  return newestInstructions.tokens;
}

function weighItem(item: Item): number {
  const encrypted = wholeEncrypted(item);
  if (encrypted !== undefined) {
    return Math.max(0, Math.floor((encrypted.length * 3) / 4) - encryptionBytes) / bytesPerToken;
  }
  if (item.type === 'image_generation_call' && typeof item['result'] === 'string' && item['result'] !== '') {
    return jsonTokens({ ...item, result: '' }) + usualImageBytes / bytesPerToken;
  }
  const key = partsKey(item);
  if (key === undefined) return jsonTokens(item);
  const parts = (item[key] as readonly Json[]).map(weighPart);
  const extra = parts.reduce((sum, part) => sum + part.extra, 0);
  return jsonTokens({ ...item, [key]: parts.map(({ text }) => text) }) + extra / bytesPerToken;
}

/** Bytes of an encrypted item that are not what the model thought. */
const encryptionBytes = 650;

const encryptedTypes: ReadonlySet<string> = new Set([
  'reasoning',
  'compaction',
  'compaction_summary',
  'context_compaction',
]);

function wholeEncrypted(item: Item): string | undefined {
  return encryptedTypes.has(item.type) ? stringAt(item, 'encrypted_content') : undefined;
}

interface Weight {
  /** The part as far as it weighs as text. */
  readonly text: Json;
  /** Bytes for the rest of it. */
  readonly extra: number;
}

function weighPart(part: Json): Weight {
  if (!isJsonObject(part)) return { text: part, extra: 0 };
  if (part['type'] === 'encrypted_content') return weighEncrypted(part);
  const media = mediaOf(part);
  if (media === undefined) return { text: part, extra: 0 };
  const { key, opening } = media === 'image' ? imageUrl : audioUrl;
  const url = stringAt(part, key) ?? '';
  const start = opening.exec(url)?.[0].length;
  if (start === undefined) return { text: part, extra: 0 };
  const payload = url.slice(start);
  const extra = media === 'image' ? imageBytes(payload, part['detail']) : audioBytes(payload);
  return extra === undefined ? { text: part, extra: 0 } : { text: { ...part, [key]: url.slice(0, start) }, extra };
}

/** Only what is inside the item is weighed by what it shows; an address weighs as text. */
const imageUrl = { key: 'image_url', opening: /^data:image\/[^,]*;base64,/i };
const audioUrl = { key: 'audio_url', opening: /^data:audio\/[^,]*;base64,/i };

function weighEncrypted(part: JsonObject): Weight {
  const payload = stringAt(part, 'encrypted_content');
  if (payload === undefined) return { text: part, extra: 0 };
  return { text: { ...part, encrypted_content: '' }, extra: Math.ceil((payload.length * 9) / 16) };
}

/** A picture that the provider scales to its usual size. */
const usualImageBytes = 7373;
const patchSide = 32;
const mostPatches = 10_000;

function imageBytes(payload: string, detail: Json | undefined): number {
  if (detail !== 'original') return usualImageBytes;
  const size = imageSize(base64Bytes(payload));
  if (size === undefined) return usualImageBytes;
  const patches = Math.ceil(size.width / patchSide) * Math.ceil(size.height / patchSide);
  return Math.min(patches, mostPatches) * bytesPerToken;
}

const audioTokensPerSecond = 10;

/** Undefined when the recording does not say how long it is: then it weighs as text. */
function audioBytes(payload: string): number | undefined {
  const seconds = audioSeconds(base64Bytes(payload));
  return seconds === undefined ? undefined : Math.ceil(seconds * audioTokensPerSecond) * bytesPerToken;
}

/** What a part of a tool's output weighs by itself. */
export function partBytes(part: JsonObject): number {
  const { text, extra } = weighPart(part);
  return byteLength(JSON.stringify(text)) + extra;
}

/** What a value weighs as JSON, in tokens. The quotes, colons and commas around texts are mostly one token together. */
export function jsonTokens(value: Json): number {
  if (typeof value === 'string') return textTokens(value) + perText;
  if (typeof value !== 'object' || value === null) return textTokens(String(value)) + perText;
  if (Array.isArray(value)) return value.reduce((sum: number, each: Json) => sum + jsonTokens(each), perBrackets);
  let tokens = perBrackets;
  for (const [key, each] of Object.entries(value)) {
    if (each !== undefined) tokens += textTokens(key) + perText + jsonTokens(each);
  }
  return tokens;
}

const perText = 1;
const perBrackets = 0.5;
