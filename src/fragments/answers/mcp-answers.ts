import {
  arrayAt,
  equalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  stringAt,
} from '../../protocol/json.ts';
import { escapeMarkup, quote } from '../text/markup.ts';
import { byteLength } from '../text/truncate.ts';

/** Answers to calls of MCP servers. What a server says stays behind a line of ours. */

export interface McpResultOptions {
  readonly seconds: number;
  /** Gives the picture as it is sent, or why it cannot be. Absent: the model takes no pictures. */
  picture?(dataUrl: string): { readonly dataUrl: string } | { readonly message: string };
}

/** A result beyond this is not kept in memory: no window holds it. */
const mostTextBytes = 4_000_000;
const mostBlocks = 1000;
const mostPictures = 8;

/** What the model reads of a result: plain text, or parts where pictures are among it. */
export function mcpResult(result: JsonObject, options: McpResultOptions): string | readonly JsonObject[] {
  const blocks = arrayAt(result, 'content') ?? [];
  const pictures = { left: mostPictures };
  const parts = blocks.slice(0, mostBlocks).flatMap((block) => partOf(block, options, pictures));
  const more = blocks.length > mostBlocks ? [text(`[${blocks.length - mostBlocks} more items are left out]`)] : [];
  const structured = result['structuredContent'];
  const isNew =
    structured !== undefined && structured !== null && !blocks.some((block) => saysTheSame(block, structured));
  const all = withinMemory([...parts, ...more, ...(isNew ? [text(JSON.stringify(structured))] : [])]);
  const header = `${wallTime(options.seconds)}\n${result['isError'] === true ? 'The tool reports an error.\n' : ''}Output:`;
  const words = all.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
  return words.length === all.length ? [header, ...words].join('\n') : [text(header), ...all];
}

/** What the server said, without our line before it. */
export function saidByServer(output: string | readonly JsonObject[]): string {
  if (typeof output === 'string')
    return output.replace(/^(?:Wall time: [^\n]*\n)(?:(?:The tool[^\n]*\n)?Output:\n?)?/, '');
  return output
    .slice(1)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : '[picture]'))
    .join('\n');
}

/** What a server lists or gives to read, as JSON. */
export function mcpResources(found: JsonObject, seconds: number): string {
  const all = JSON.stringify(found).toWellFormed();
  const kept = all.length <= mostTextBytes ? all : `${all.slice(0, mostTextBytes)}\n[the rest is left out]`;
  return `${wallTime(seconds)}\nOutput:\n${kept}`;
}

/** The call gave no result. */
export function mcpFailure(why: string, seconds: number): string {
  return `${wallTime(seconds)}\nThe call failed: ${why}`;
}

/** The tool stands in the list of tools only until that may change. `problem`: why its server does not run, as a sentence. */
export function mcpToolMissing({ name, server }: { readonly name: string; readonly server: string }, problem?: string) {
  if (problem !== undefined) return `Not run: ${problem}`;
  const found = 'Do without it, or search with tool_search for what it offers now.';
  return `Not run: the MCP server ${JSON.stringify(server)} no longer has the tool ${name}. ${found}`;
}

function wallTime(seconds: number): string {
  return `Wall time: ${seconds.toFixed(4)} seconds`;
}

function text(words: string): JsonObject {
  return { type: 'input_text', text: words.toWellFormed() };
}

function partOf(block: Json, { picture }: McpResultOptions, pictures: { left: number }): readonly JsonObject[] {
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

/** Servers repeat structured content as text for clients that know no better. */
function saysTheSame(block: Json, structured: Json): boolean {
  const said = isJsonObject(block) ? stringAt(block, 'text') : undefined;
  if (said === undefined || said.length > mostTextBytes) return false;
  try {
    return equalJson(JSON.parse(said) as Json, structured);
  } catch {
    return false;
  }
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
