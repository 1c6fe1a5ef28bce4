import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { escapeMarkup, quote } from '../text/markup.ts';
import { byteLength } from '../text/truncate.ts';

/** Gives a picture as it is sent, or why it cannot be. */
export type ShowPicture = (dataUrl: string) => { readonly dataUrl: string } | { readonly message: string };

/** A result beyond this is not kept in memory: no window holds it. */
export const mostTextBytes = 4_000_000;
const mostBlocks = 1000;
const mostPictures = 8;

/**
 * The blocks of a result, in the form of MCP, as parts of an output. `last`: behind all of them. `picture`: undefined
 * where the model takes none.
 */
export function contentParts(
  blocks: readonly Json[],
  picture: ShowPicture | undefined,
  last: readonly JsonObject[] = [],
): readonly JsonObject[] {
  const pictures = { left: mostPictures };
  const parts = blocks.slice(0, mostBlocks).flatMap((block) => partOf(block, picture, pictures));
  const more = blocks.length > mostBlocks ? [text(`[${blocks.length - mostBlocks} more items are left out]`)] : [];
  return withinMemory([...parts, ...more, ...last.flatMap((block) => partOf(block, picture, pictures))]);
}

function text(words: string): JsonObject {
  return { type: 'input_text', text: words.toWellFormed() };
}

function partOf(block: Json, picture: ShowPicture | undefined, pictures: { left: number }): readonly JsonObject[] {
  if (!isJsonObject(block)) return [];
  switch (block['type']) {
    case 'text':
      return [text(stringAt(block, 'text') ?? '')];
    case 'image': {
      if (picture === undefined) return [text('<image content omitted because you do not support image input>')];
      if (pictures.left === 0) return [text('<image content omitted because there are too many images>')];
      const found = picture(dataUrlOf(block));
      if ('message' in found) return [text(`<image content omitted: ${escapeMarkup(found.message)}>`)];
      pictures.left -= 1;
      return [{ type: 'input_image', image_url: found.dataUrl, detail: 'high' }];
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
