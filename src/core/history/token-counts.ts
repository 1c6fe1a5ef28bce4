import { cachePerObject } from '../../base/objects.ts';
import type { ToolSpec } from '../../ports/model.ts';
import type { Item } from '../../protocol/item.ts';
import { isJsonObject, type Json, type JsonObject, stringAt } from '../../protocol/json.ts';
import type { ProviderName } from '../../protocol/provider-name.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import { byteLength, bytesPerToken } from '../fragments/text/truncate.ts';
import { base64ByteReader, mediaOf, mediaContentKey } from './media-parts.ts';
import { audioSeconds, imageSize } from './media-sizes.ts';
import { isCheckpointItem } from './sent-items.ts';
import { textTokens } from './text-tokens.ts';

/** Estimated until a provider has counted. Media and encrypted content weigh by what they represent. */

export const itemTokens = cachePerObject((item: Item) => Math.ceil(weighItem(item)));
export const toolTokens = cachePerObject((tool: ToolSpec) => Math.ceil(jsonTokens(tool)));
/** Cached, because it is requested at every step and seldom changes. */
let newestInstructions = { text: '', tokens: 0 };

export function instructionsTokens(text: string): number {
  if (text !== newestInstructions.text) newestInstructions = { text, tokens: Math.ceil(textTokens(text)) };
  return newestInstructions.tokens;
}

function weighItem(item: Item): number {
  const isEncrypted = item.type === 'reasoning' || isCheckpointItem(item);
  const encrypted = isEncrypted ? stringAt(item, 'encrypted_content') : undefined;
  if (encrypted !== undefined)
    return Math.max(0, Math.floor((encrypted.length * 3) / 4) - encryptionBytes) / bytesPerToken;
  if (item.type === 'image_generation_call' && typeof item['result'] === 'string' && item['result'] !== '')
    return jsonTokens({ ...item, result: '' }) + usualImageBytes / bytesPerToken;
  const key = mediaContentKey(item);
  if (key === undefined) return jsonTokens(item);
  const parts = (item[key] as readonly Json[]).map(weighPart);
  const extra = parts.reduce((sum, part) => sum + part.extra, 0);
  return jsonTokens({ ...item, [key]: parts.map(({ text }) => text) }) + extra / bytesPerToken;
}

/** Bytes that encryption adds to the model's thoughts. */
const encryptionBytes = 650;

interface Weight {
  /** The part that is weighed as text. */
  readonly text: Json;
  /** Bytes for the rest. */
  readonly extra: number;
}

function weighPart(part: Json): Weight {
  const asText = { text: part, extra: 0 };
  if (!isJsonObject(part)) return asText;
  const encrypted = part['type'] === 'encrypted_content' ? stringAt(part, 'encrypted_content') : undefined;
  if (encrypted !== undefined)
    return { text: { ...part, encrypted_content: '' }, extra: Math.ceil((encrypted.length * 9) / 16) };
  const media = mediaOf(part);
  if (media === undefined) return asText;
  const { key, opening } = media === 'image' ? imageUrl : audioUrl;
  const url = stringAt(part, key) ?? '';
  const start = opening.exec(url)?.[0].length;
  if (start === undefined) return asText;
  const payload = url.slice(start);
  const extra = media === 'image' ? imageBytes(payload, part['detail']) : audioBytes(payload);
  return extra === undefined ? asText : { text: { ...part, [key]: url.slice(0, start) }, extra };
}

/** Only media inside the item are weighed as media; an address is weighed as text. */
const imageUrl = { key: 'image_url', opening: /^data:image\/[^,]*;base64,/i };
const audioUrl = { key: 'audio_url', opening: /^data:audio\/[^,]*;base64,/i };
/** Weight of a picture that the provider scales to its usual size. */
const usualImageBytes = 7373;
const patchSide = 32;
const mostPatches = 10_000;

function imageBytes(payload: string, detail: Json | undefined): number {
  if (detail !== 'original') return usualImageBytes;
  const size = imageSize(base64ByteReader(payload));
  if (size === undefined) return usualImageBytes;
  const patches = Math.ceil(size.width / patchSide) * Math.ceil(size.height / patchSide);
  return Math.min(patches, mostPatches) * bytesPerToken;
}

const audioTokensPerSecond = 10;

/** Undefined if the recording does not state its duration; it is then weighed as text. */
function audioBytes(payload: string): number | undefined {
  const seconds = audioSeconds(base64ByteReader(payload));
  return seconds === undefined ? undefined : Math.ceil(seconds * audioTokensPerSecond) * bytesPerToken;
}

export function partBytes(part: JsonObject): number {
  const { text, extra } = weighPart(part);
  return byteLength(JSON.stringify(text)) + extra;
}

/** In tokens. The quotes, colons and commas around texts are mostly one token together. */
export function jsonTokens(value: Json): number {
  if (typeof value === 'string') return textTokens(value) + perText;
  if (typeof value !== 'object' || value === null) return textTokens(String(value)) + perText;
  if (Array.isArray(value)) return value.reduce((sum: number, each: Json) => sum + jsonTokens(each), perBrackets);
  let tokens = perBrackets;
  for (const [key, each] of Object.entries(value))
    if (each !== undefined) tokens += textTokens(key) + perText + jsonTokens(each);
  return tokens;
}

const perText = 1;
const perBrackets = 0.5;
/** No character weighs more in any text; JSON adds less to texts than their characters weigh. */
const perCharacter = 2;

/** Upper bound from the length alone; unbounded if there is a picture or sound. */
export function tokenUpperBound(parts: Iterable<string | Item | ToolSpec>): number {
  let characters = 0;
  for (const part of parts) {
    if (typeof part === 'string') characters += part.length;
    else if (holdsMedia(part)) return Infinity;
    else characters += JSON.stringify(part).length;
  }
  return perCharacter * characters + 1;
}

function holdsMedia(part: Item | ToolSpec): boolean {
  const key = mediaContentKey(part);
  return key !== undefined && (part[key] as readonly Json[]).some((each) => isJsonObject(each) && mediaOf(each));
}

/** Newest known tokens in the window. Only `kind` says how Capstan knows them; the number alone does not. */
export type NewestTokenCount = ProviderTokenCount | UncountedTokens;

interface Covering {
  /** Number of entries when the line was written; later ones are not included. */
  readonly upTo: number;
  /** The provider that got the request; absent if the file does not say. */
  readonly by?: ProviderName;
}

/** A provider's count of a request and its answer. It stays the newest if later answers have no count. */
export type ProviderTokenCount = Covering & { readonly kind: 'counted'; readonly usage: Usage };
/** `full`: a request was refused as too long, and none was answered since; `tokens` is the window size. */
type UncountedTokens = Covering & { readonly kind: 'estimated' | 'full'; readonly tokens: number };
export const noTokenCount: NewestTokenCount = { kind: 'estimated', tokens: 0, upTo: 0 };

/** In the shared file format, a count that is not a provider's is only a total. */
export const lastUsage = (newest: NewestTokenCount): Usage =>
  newest.kind === 'counted' ? newest.usage : { ...noUsage, total: newest.tokens };
