import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import type { UserImage } from '../../protocol/user-input.ts';
import { escapeMarkup, quote } from '../text/markup.ts';
import { byteLength } from '../text/truncate.ts';
import { shownImage } from './image-answers.ts';

/** Gives a picture as it is sent, or why it cannot be. */
export type ShowPicture = (dataUrl: string) => Promise<Omit<UserImage, 'path'> | { readonly message: string }>;

/** A result beyond this is not kept in memory: no window holds it. */
export const mostTextBytes = 4_000_000;
const mostBlocks = 1000;
const mostPictures = 8;

/**
 * The blocks of a result, in the form of MCP, as parts of an output. `last`: behind all of them. `picture`: undefined
 * where the model takes none.
 */
export async function contentParts(
  blocks: readonly Json[],
  picture: ShowPicture | undefined,
  last: readonly JsonObject[] = [],
): Promise<readonly JsonObject[]> {
  const pictures = { left: mostPictures };
  const more = blocks.length > mostBlocks ? [text(`[${blocks.length - mostBlocks} more items are left out]`)] : [];
  const parts: JsonObject[] = [];
  for (const block of blocks.slice(0, mostBlocks)) parts.push(...(await partOf(block, picture, pictures)));
  parts.push(...more);
  for (const block of last) parts.push(...(await partOf(block, picture, pictures)));
  return withinMemory(parts);
}

function text(words: string): JsonObject {
  return { type: 'input_text', text: words.toWellFormed() };
}

async function partOf(
  block: Json,
  picture: ShowPicture | undefined,
  pictures: { left: number },
): Promise<readonly JsonObject[]> {
  if (!isJsonObject(block)) return [];
  switch (block['type']) {
    case 'text':
      return [text(stringAt(block, 'text') ?? '')];
    case 'image': {
      if (picture === undefined) return [text('<image content omitted because you do not support image input>')];
      if (pictures.left === 0) return [text('<image content omitted because there are too many images>')];
      // Looking at each costs time and memory.
      pictures.left -= 1;
      const found = await picture(dataUrlOf(block));
      if ('message' in found) return [text(`<image content omitted: ${escapeMarkup(found.message)}>`)];
      return shownImage(found);
    }
    case 'audio':
      return [text('<audio content omitted because you do not support audio input>')];
    case 'resource':
      return [text(resourceText(objectAt(block, 'resource')))];
    default:
      return [text(JSON.stringify(block))];
  }
}

function dataUrlOf(block: JsonObject): string {
  const data = stringAt(block, 'data') ?? '';
  if (data.startsWith('data:')) return data;
  return `data:${stringAt(block, 'mimeType') ?? 'application/octet-stream'};base64,${data}`;
}

function resourceText(resource: JsonObject = {}): string {
  const { uri, mimeType, text: content, blob } = resource;
  const about = `Resource ${quote(String(uri))}${typeof mimeType === 'string' ? ` (${quote(mimeType)})` : ''}`;
  if (typeof content === 'string') return `${about}:\n${content}`;
  return `${about}: ${typeof blob === 'string' ? `${blob.length} characters of base64, not shown` : 'empty'}`;
}

function withinMemory(parts: readonly JsonObject[]): readonly JsonObject[] {
  let left = mostTextBytes;
  return parts.flatMap((part) => {
    const words = part['text'];
    if (typeof words !== 'string') return [part];
    if (left <= 0) return [];
    const kept = byteLength(words) <= left ? words : words.slice(0, left);
    left -= byteLength(kept);
    return [kept === words ? part : text(`${kept}\n[${words.length - kept.length} characters are left out]`)];
  });
}
