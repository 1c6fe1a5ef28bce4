import { isMessage, type Item } from '../../protocol/item.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  parseJsonObject,
  stringAt,
} from '../../protocol/json.ts';
import { textDigest } from '../../protocol/text-digest.ts';
import { withoutTags } from '../http/border-tags.ts';
import { didItself, nameWithSpace } from '../http/plainer-forms.ts';
import { inTag } from '../http/developer-words.ts';
import { readOpaque } from './opaque-thinking.ts';
import { imageBlock } from './picture.ts';

/**
 * What becomes of one item in a Messages body. This is the one place that decides it, and it looks at the item alone,
 * so that a longer history begins with the same blocks. Blocks are JSON texts.
 */
export type ProjectedItem =
  /** Words of the engine: part of `system` at the beginning, else a part of the user's turn. */
  | { readonly kind: 'developer'; readonly texts: readonly string[] }
  | { readonly kind: 'user'; readonly blocks: readonly string[] }
  | { readonly kind: 'assistant'; readonly blocks: readonly string[] }
  /** Stands before what the model said or did next, or nowhere. */
  | { readonly kind: 'thinking'; readonly block: string }
  /** `input` is the JSON text of an object. */
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: string }
  /** `content` is the JSON text of a string or of blocks. Absent: the tool gave nothing. */
  | { readonly kind: 'result'; readonly id: string; readonly content?: string; readonly blocks: readonly string[] }
  /** The format has no place for it. */
  | { readonly kind: 'nothing' };

const nothing: ProjectedItem = { kind: 'nothing' };

export function projectForMessages(item: Item): ProjectedItem {
  switch (item.type) {
    case 'message':
      return projectMessage(item);
    case 'agent_message': {
      const author = stringAt(item, 'author') ?? 'agent';
      const texts = textsOf(arrayAt(item, 'content') ?? []).map((text) =>
        inTag('agent_message', withoutTags(`${author}:\n${text}`)),
      );
      return { kind: 'user', blocks: texts.map(textBlock) };
    }
    case 'reasoning': {
      const block = thinkingBlock(item);
      return block === undefined ? nothing : { kind: 'thinking', block };
    }
    case 'function_call':
      return projectCall(item, argumentsObject(stringAt(item, 'arguments') ?? ''));
    // A tool that takes free text has one parameter of that name where it is offered as a function.
    case 'custom_tool_call':
      return projectCall(item, JSON.stringify({ input: stringAt(item, 'input') ?? '' }));
    case 'local_shell_call':
      return projectCall({ ...item, name: 'local_shell' }, JSON.stringify(objectAt(item, 'action') ?? {}));
    case 'tool_search_call':
      return projectCall({ ...item, name: 'tool_search' }, JSON.stringify(objectAt(item, 'arguments') ?? {}));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return projectResult(item, item['output']);
    case 'tool_search_output':
      return projectResult(item, JSON.stringify(arrayAt(item, 'tools') ?? []));
    // The format has no block for it.
    case 'web_search_call':
    case 'image_generation_call':
      return { kind: 'assistant', blocks: [textBlock(didItself(item)!)] };
    default:
      return nothing;
  }
}

/** A block of text. Blank ones are refused: they are left out before. */
export function textBlock(text: string): string {
  return JSON.stringify({ type: 'text', text });
}

export function isBlankText(text: string): boolean {
  return text.trim() === '';
}

function projectMessage(item: Item): ProjectedItem {
  if (!isMessage(item)) return nothing;
  const { role, content } = item;
  if (role === 'assistant') return { kind: 'assistant', blocks: textsOf(content).map(textBlock) };
  if (role === 'user') return { kind: 'user', blocks: content.flatMap(partBlocks) };
  return { kind: 'developer', texts: textsOf(content) };
}

function textsOf(parts: readonly Json[]): readonly string[] {
  return parts.flatMap((part) => {
    const text = isJsonObject(part) ? wordsOf(part) : '';
    return isBlankText(text) ? [] : [text];
  });
}

/** What a part says in words; for one that says nothing in words, what stands in its place. */
function wordsOf(part: JsonObject): string {
  const text = stringAt(part, 'text') ?? stringAt(part, 'refusal');
  if (text !== undefined) return text;
  return standIns[String(part['type'])] ?? '';
}

const standIns: Readonly<Record<string, string>> = {
  input_image: '[A picture stands here. It was left out because the provider cannot take it.]',
  input_audio: '[A recording stands here. It was left out because the provider takes no sound.]',
  encrypted_content: '[Something stands here that only another provider can read. It was left out.]',
};

/** A part of a user's message or of an output. */
function partBlocks(part: Json): readonly string[] {
  if (!isJsonObject(part)) return [];
  const image = part['type'] === 'input_image' ? imageBlock(stringAt(part, 'image_url') ?? '') : undefined;
  if (image !== undefined) return [image];
  const text = wordsOf(part);
  return isBlankText(text) ? [] : [textBlock(text)];
}

/** Only what this format made itself, whole as it came. */
function thinkingBlock(item: Item): string | undefined {
  const opaque = readOpaque(stringAt(item, 'encrypted_content') ?? '');
  if (opaque === undefined) return undefined;
  if (opaque.kind === 'redacted') return JSON.stringify({ type: 'redacted_thinking', data: opaque.data });
  const parts = arrayAt(item, 'summary') ?? [];
  const thinking = parts.map((part) => (isJsonObject(part) ? (stringAt(part, 'text') ?? '') : '')).join('');
  return JSON.stringify({ type: 'thinking', thinking, signature: opaque.signature });
}

function projectCall(item: Item, input: string): ProjectedItem {
  const [id, name] = [stringAt(item, 'call_id') ?? '', stringAt(item, 'name') ?? ''];
  if (id === '' || name === '') return nothing;
  return { kind: 'call', id, name: wireName(nameWithSpace(item)!), input };
}

/** The arguments as they were written if they are an object. The format takes nothing else, so others are quoted. */
function argumentsObject(text: string): string {
  if (isBlankText(text)) return '{}';
  return parseJsonObject(text) === undefined ? JSON.stringify({ malformed_arguments: text }) : text;
}

function projectResult(item: Item, output: Json | undefined): ProjectedItem {
  const isText = typeof output === 'string';
  const text = isText && !isBlankText(output) ? [textBlock(output)] : [];
  const blocks = Array.isArray(output) ? (output as readonly Json[]).flatMap(partBlocks) : text;
  const id = stringAt(item, 'call_id') ?? '';
  // An event from outside is answered by none and asks for none.
  if (id === '') return { kind: 'user', blocks };
  if (blocks.length === 0) return { kind: 'result', id, blocks };
  return { kind: 'result', id, content: isText ? JSON.stringify(output) : `[${blocks.join(',')}]`, blocks };
}

const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/** The name of a tool as the format allows it. */
export function wireName(name: string): string {
  return allowed.test(name) ? name : withDigest(name);
}

/** The id of a call as the format allows it: the same for the same id, and another for another. */
export function wireCallId(id: string): string {
  return allowed.test(id) ? id : withDigest(id);
}

function withDigest(text: string): string {
  return `${text.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 47)}_${textDigest(text)}`;
}
