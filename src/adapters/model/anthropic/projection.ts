import { shortTextHash } from '../../../base/digest.ts';
import { isMessage, type Item } from '../../../protocol/item.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { arrayAt, isJsonObject, objectAt, objectsAt, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import type { InputAuthor } from '../../../protocol/user-input.ts';
import { agentHeading, describeProviderCall, namespacedToolName } from '../fallback-item-forms.ts';
import {
  wrapInBorders,
  inTag,
  joinTexts,
  partsIn,
  strayOutputHeading,
  textPart,
  userRoleContent,
  escapeTags,
} from '../user-role-content.ts';
import type { ContentPart, MessageContent } from '../user-role-content.ts';

/** Made from the item alone, so that a longer history begins with the same blocks. Blocks are JSON texts. */
export type ProjectedItem =
  /** Engine text: part of `system` at the beginning, otherwise of the user's turn. */
  | { readonly kind: 'developer'; readonly texts: readonly string[] }
  | { readonly kind: 'user'; readonly blocks: readonly string[] }
  | { readonly kind: 'assistant'; readonly blocks: readonly string[] }
  /** Placed before the model's next output, or dropped. */
  | { readonly kind: 'thinking'; readonly block: string }
  /** `input` is the JSON text of an object. */
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: string }
  /** `content`: JSON text of a string or blocks; absent if nothing came. `stray`: used when the call is missing. */
  | { readonly kind: 'result'; readonly id: string; readonly content?: string; readonly stray: () => readonly string[] }
  | { readonly kind: 'nothing' };

const nothing: ProjectedItem = { kind: 'nothing' };
/** `isMarked`: foreign text in the user's turn is tagged. Older revisions tagged only agents' reports. */
export type SpeakerContext = { readonly isMarked: boolean; readonly writer?: InputAuthor | undefined };

export function projectForMessages(item: Item, { isMarked, writer }: SpeakerContext): ProjectedItem {
  switch (item.type) {
    case 'message':
      return projectMessage(item, { isMarked, writer });
    case 'agent_message': {
      if (isMarked) {
        const parts = contentParts([agentHeading(item), ...(arrayAt(item, 'content') ?? [])]);
        return { kind: 'user', blocks: blocksOf(wrapInBorders('agent_message', contentIn(parts))) };
      }
      const author = stringAt(item, 'author') ?? 'agent';
      const said = textsOf(arrayAt(item, 'content') ?? []).map((text) => escapeTags(`${author}:\n${text}`));
      return { kind: 'user', blocks: said.map((text) => textBlock(inTag('agent_message', text))) };
    }
    case 'reasoning': {
      const block = thinkingBlock(item);
      return block === undefined ? nothing : { kind: 'thinking', block };
    }
    case 'function_call':
      return projectCall(item, argumentsObject(stringAt(item, 'arguments') ?? ''));
    // A free-text tool offered as a function has one parameter, `input`.
    case 'custom_tool_call':
      return projectCall(item, JSON.stringify({ input: stringAt(item, 'input') ?? '' }));
    case 'local_shell_call':
      return projectCall({ ...item, name: 'local_shell' }, JSON.stringify(objectAt(item, 'action') ?? {}));
    case 'tool_search_call':
      return projectCall({ ...item, name: 'tool_search' }, JSON.stringify(objectAt(item, 'arguments') ?? {}));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return projectResult(item, item['output'], isMarked);
    case 'tool_search_output':
      return projectResult(item, JSON.stringify(arrayAt(item, 'tools') ?? []), isMarked);
    case 'web_search_call':
    case 'image_generation_call':
      return { kind: 'assistant', blocks: [textBlock(describeProviderCall(item)!)] };
    default:
      return nothing;
  }
}

/** A text block. Blank texts are refused by the format; callers must leave them out. */
export const textBlock = (text: string): string => JSON.stringify({ type: 'text', text });
export const isBlankText = (text: string): boolean => text.trim() === '';

function projectMessage(item: Item, { isMarked, writer }: SpeakerContext): ProjectedItem {
  if (!isMessage(item)) return nothing;
  const { role, content } = item;
  if (role === 'assistant') return { kind: 'assistant', blocks: textsOf(content).map(textBlock) };
  if (role === 'user' && !isMarked) return { kind: 'user', blocks: content.flatMap(partBlocks) };
  if (role === 'user') {
    const parts = contentParts(content);
    const blocks = parts.length === 0 ? [] : blocksOf(userRoleContent(contentIn(parts), writer).among());
    return { kind: 'user', blocks };
  }
  return { kind: 'developer', texts: textsOf(content) };
}

const textsOf = (parts: readonly Json[]): readonly string[] =>
  parts
    .filter(isJsonObject)
    .map(wordsOf)
    .filter((text) => !isBlankText(text));

const wordsOf = (part: JsonObject): string =>
  stringAt(part, 'text') ?? stringAt(part, 'refusal') ?? standIns[String(part['type'])] ?? '';

const standIns: Readonly<Record<string, string>> = {
  input_image: '[A picture stands here. It was left out because the provider cannot take it.]',
  input_audio: '[A recording stands here. It was left out because the provider takes no sound.]',
  encrypted_content: '[Something stands here that only another provider can read. It was left out.]',
};

/** Parts of a user's message or an output. A picture holds the text of its block. */
const contentParts = (parts: readonly Json[]): readonly ContentPart[] =>
  parts.filter(isJsonObject).flatMap((part): readonly ContentPart[] => {
    const image = part['type'] === 'input_image' ? imageBlock(stringAt(part, 'image_url') ?? '') : undefined;
    if (image !== undefined) return [{ type: 'image', block: image }];
    const text = wordsOf(part);
    return isBlankText(text) ? [] : [textPart(text)];
  });

const contentIn = (parts: readonly ContentPart[]): MessageContent =>
  parts.every(({ type }) => type === 'text') ? joinTexts(parts) : parts;
const blocksOf = (content: MessageContent): readonly string[] =>
  partsIn(content).map((part) => stringAt(part, 'block') ?? textBlock(stringAt(part, 'text') ?? ''));
const partBlocks = (part: Json): readonly string[] => blocksOf(contentParts([part]));

/** The thinking as the provider wrote it. Undefined if another format made it. */
function thinkingBlock(item: Item): string | undefined {
  const opaque = decodeOpaqueThinking(stringAt(item, 'encrypted_content') ?? '');
  if (opaque === undefined) return undefined;
  if (opaque.kind === 'redacted') return JSON.stringify({ type: 'redacted_thinking', data: opaque.data });
  const thinking = objectsAt(item, 'summary')
    .map((part) => stringAt(part, 'text') ?? '')
    .join('');
  return JSON.stringify({ type: 'thinking', thinking, signature: opaque.signature });
}

function projectCall(item: Item, input: string): ProjectedItem {
  const [id, name] = [stringAt(item, 'call_id') ?? '', stringAt(item, 'name') ?? ''];
  if (id === '' || name === '') return nothing;
  return { kind: 'call', id, name: wireName(namespacedToolName(item)!), input };
}

/** The arguments as written if they are an object. The format accepts nothing else, so other arguments are quoted. */
function argumentsObject(text: string): string {
  if (isBlankText(text)) return '{}';
  return parseJsonObject(text) === undefined ? JSON.stringify({ malformed_arguments: text }) : text;
}

function projectResult(item: Item, output: Json | undefined, isMarked: boolean): ProjectedItem {
  const isText = typeof output === 'string';
  const text = isText && !isBlankText(output) ? [textPart(output)] : [];
  const parts = Array.isArray(output) ? contentParts(output as readonly Json[]) : text;
  const stray = (): readonly string[] => (isMarked && parts.length > 0 ? strayBlocks(parts) : blocksOf(parts));
  const id = stringAt(item, 'call_id') ?? '';
  // An event from outside has no call and expects no answer.
  if (id === '') return { kind: 'user', blocks: stray() };
  if (parts.length === 0) return { kind: 'result', id, stray };
  return { kind: 'result', id, content: isText ? JSON.stringify(output) : `[${blocksOf(parts).join(',')}]`, stray };
}

const strayBlocks = (parts: readonly ContentPart[]): readonly string[] =>
  blocksOf(wrapInBorders('tool_output', contentIn([textPart(strayOutputHeading), ...parts])));
const allowed = /^[a-zA-Z0-9_-]{1,64}$/;
export const wireName = (name: string): string => (allowed.test(name) ? name : withDigest(name));
/** A call id that the format allows: deterministic, and distinct for distinct ids. */
export const wireCallId = (id: string): string => (allowed.test(id) ? id : withDigest(id));
const withDigest = (text: string): string =>
  `${text.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 47)}_${shortTextHash(text)}`;

/**
 * Thinking that only its provider can read, kept in `encrypted_content` of a reasoning item together with its format,
 * so that other formats can ignore it. The signature is for the model that had the thought: `history/sent-items.ts`
 * recognises the mark and sends the item to that model alone.
 */
type OpaqueThinking =
  /** The signature proves that the text in the same item is the model's thinking. */
  { readonly kind: 'signed'; readonly signature: string } | { readonly kind: 'redacted'; readonly data: string };

const signed = 'anthropic/thinking:';
const redacted = 'anthropic/redacted_thinking:';
export const encodeOpaqueThinking = (opaque: OpaqueThinking): string =>
  opaque.kind === 'signed' ? `${signed}${opaque.signature}` : `${redacted}${opaque.data}`;

export function decodeOpaqueThinking(stored: string): OpaqueThinking | undefined {
  if (stored.startsWith(signed)) return { kind: 'signed', signature: stored.slice(signed.length) };
  return stored.startsWith(redacted) ? { kind: 'redacted', data: stored.slice(redacted.length) } : undefined;
}

/** Block of a picture by data URL or web address; undefined if the format cannot take it. */
export function imageBlock(address: string): string | undefined {
  if (/^https?:\/\//i.test(address)) return JSON.stringify({ type: 'image', source: { type: 'url', url: address } });
  // Split without a regular expression, which is slow on megabytes of base64.
  const comma = address.indexOf(',');
  const [scheme = '', ...parameters] = address.slice(0, Math.max(0, comma)).toLowerCase().split(';');
  const format = /^data:image\/(jpeg|jpg|png|gif|webp)$/.exec(scheme)?.[1];
  const data = address.slice(comma + 1);
  if (format === undefined || !parameters.includes('base64') || data === '') return undefined;
  const media_type = `image/${format === 'jpg' ? 'jpeg' : format}`;
  return JSON.stringify({ type: 'image', source: { type: 'base64', media_type, data } });
}
