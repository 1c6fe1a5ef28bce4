import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import type { Answer } from '../../../protocol/question.ts';
import type { UserImage } from '../../../protocol/user-input.ts';
import { escapeMarkup, quote } from '../text/escape-markup.ts';
import { byteLength } from '../text/truncate.ts';
import { toolFailedText } from './tool-calls.ts';

export type PreparePicture = (dataUrl: string) => Promise<Omit<UserImage, 'path'> | { readonly message: string }>;
/** Larger results are not kept in memory: no context window holds them. */
export const mostTextBytes = 4_000_000;
const mostBlocks = 1000;
const mostPictures = 8;

/** Output parts for MCP result blocks, then for `last`. `picture` is undefined if the model takes no pictures. */
export async function mcpContentParts(
  blocks: readonly Json[],
  picture: PreparePicture | undefined,
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

const text = (words: string): JsonObject => ({ type: 'input_text', text: words.toWellFormed() });
/** An output as surfaces show it. */
export const textWithPictureMarks = (output: string | readonly JsonObject[]): string =>
  typeof output === 'string' ? output : output.map((part) => stringAt(part, 'text') ?? '[picture]').join('\n');

async function partOf(
  block: Json,
  picture: PreparePicture | undefined,
  pictures: { left: number },
): Promise<readonly JsonObject[]> {
  if (!isJsonObject(block)) return [];
  switch (block['type']) {
    case 'text':
      return [text(stringAt(block, 'text') ?? '')];
    case 'image': {
      if (picture === undefined) return [text('<image content omitted because you do not support image input>')];
      if (pictures.left === 0) return [text('<image content omitted because there are too many images>')];
      // Each attempt costs time and memory.
      pictures.left -= 1;
      const found = await picture(dataUrlOf(block));
      return 'message' in found
        ? [text(`<image content omitted: ${escapeMarkup(found.message)}>`)]
        : imageOutputParts(found);
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

/** A picture in a call's answer, followed by a note if it was made smaller. */
export function imageOutputParts({ dataUrl, resized }: Omit<UserImage, 'path'>): readonly JsonObject[] {
  const image = { type: 'input_image', image_url: dataUrl, detail: 'high' };
  if (resized === undefined) return [image];
  const text = `The image was resized from ${resized.from} to ${resized.to} pixels.`;
  return [image, { type: 'input_text', text }];
}

export type ClientResult = { readonly output: string | readonly JsonObject[]; readonly ok: boolean };

export async function clientResult(
  given: JsonObject | undefined,
  picture: PreparePicture | undefined,
): Promise<ClientResult> {
  const content = given?.['content'];
  const ok = given?.['success'] !== false;
  const noResult = { output: toolFailedText('the client gave no result.'), ok: false };
  if (typeof content === 'string') return content === '' && !ok ? noResult : { output: content.toWellFormed(), ok };
  const blocks = given === undefined ? undefined : arrayAt(given, 'content');
  if (blocks === undefined || (blocks.length === 0 && !ok)) return noResult;
  const parts = await mcpContentParts(blocks.map(asBlock), picture);
  const words = parts.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
  return { output: words.length === parts.length ? words.join('\n') : parts, ok };
}

/** Codex clients use their own names for result parts. */
function asBlock(block: Json): Json {
  if (!isJsonObject(block)) return block;
  switch (block['type']) {
    case 'inputText':
    case 'input_text':
      return { type: 'text', text: stringAt(block, 'text') ?? '' };
    case 'inputImage':
    case 'input_image': {
      const url = stringAt(block, 'imageUrl') ?? stringAt(block, 'image_url') ?? '';
      if (url.startsWith('data:')) return { type: 'image', data: url };
      return { type: 'text', text: '<image content omitted: it is no data URL>' };
    }
    case 'inputAudio':
    case 'input_audio':
      return { type: 'audio' };
    default:
      return block;
  }
}

export function unansweredToolText({ kind, note, by }: Answer): string {
  const more = note === undefined || note.trim() === '' ? '' : ` It says: ${note}`;
  if (kind === 'lapsed') return 'Not run: the turn was interrupted before the client gave a result.';
  if (by !== undefined)
    return 'Not run: the tool belongs to a client that is not connected. Do without it, or tell the user what is needed.';
  return `Not run: the client refused the call${kind === 'stopped' ? ' and stopped the turn' : ''}.${more}`;
}

/** A picture between two texts that name it, so the user's words can refer to it. `number` counts from 1. */
export const imageParts = ({ path, dataUrl }: UserImage, number: number): readonly JsonObject[] => [
  { type: 'input_text', text: `<image name=[Image #${number}] path="${path.replace(/["\r\n]/g, ' ')}">` },
  { type: 'input_image', image_url: dataUrl, detail: 'high' },
  { type: 'input_text', text: '</image>' },
];

/** True for a text that labels the picture next to it. Without that picture, the user wrote the text. */
export function isImageLabel(content: readonly JsonObject[], index: number): boolean {
  const label = /^<(\/?)image\b[^>]*>$/.exec(String(content[index]?.['text'] ?? '').trim());
  return label !== null && content[label[1] === '' ? index + 1 : index - 1]?.['type'] === 'input_image';
}
