import { defined } from '../../protocol/defined.ts';
import type { Item } from '../../protocol/item.ts';
import { type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { isBlankText } from './projection.ts';
import { storeOpaque } from './opaque-thinking.ts';

/** A block of an answer while it arrives. */
export type AnswerBlock = { readonly itemId: string | undefined } & (
  | { readonly kind: 'text'; readonly texts: string[] }
  | { readonly kind: 'thinking'; readonly texts: string[]; readonly signatures: string[] }
  | { readonly kind: 'redacted'; readonly data: string }
  | {
      readonly kind: 'call';
      readonly callId: string;
      readonly name: string;
      /** Pieces of the JSON text of its arguments. */
      readonly texts: string[];
      /** The arguments of a server that gives them at once. */
      readonly given: JsonObject;
    }
);

/** The item of an answer is named after its message and its place in it. */
export interface BlockPlace {
  readonly messageId: string;
  readonly index: number;
}

/** Undefined for a block that a provider of tools of its own sends, or one of a type that is not known. */
export function beginBlock(block: JsonObject, place: BlockPlace): AnswerBlock | undefined {
  switch (block['type']) {
    case 'text':
      return { kind: 'text', itemId: itemIdAt('msg', place), texts: [stringAt(block, 'text') ?? ''] };
    case 'thinking': {
      const [text, signature] = [stringAt(block, 'thinking') ?? '', stringAt(block, 'signature') ?? ''];
      return { kind: 'thinking', itemId: itemIdAt('rs', place), texts: [text], signatures: [signature] };
    }
    case 'redacted_thinking':
      return { kind: 'redacted', itemId: itemIdAt('rs', place), data: stringAt(block, 'data') ?? '' };
    case 'tool_use': {
      const [callId, name] = [stringAt(block, 'id') ?? '', stringAt(block, 'name') ?? ''];
      const given = objectAt(block, 'input') ?? {};
      return { kind: 'call', itemId: itemIdAt('fc', place), callId, name, texts: [], given };
    }
    default:
      return undefined;
  }
}

/** Adds a piece, and gives the words in it that can be shown. */
export function extendBlock(block: AnswerBlock, delta: JsonObject): string {
  if (block.kind === 'redacted') return '';
  const [kind, key] = deltaTypes[String(delta['type'])] ?? [];
  const text = key === undefined ? '' : (stringAt(delta, key) ?? '');
  if (kind === 'signature' && block.kind === 'thinking') block.signatures.push(text);
  if (kind !== block.kind) return '';
  block.texts.push(text);
  return text;
}

const deltaTypes: Readonly<Record<string, readonly [kind: string, key: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
  input_json_delta: ['call', 'partial_json'],
};

/** The item that a block became; undefined if there is nothing in it. A call without a name cannot be answered. */
export function blockItem(block: AnswerBlock): Item | 'unreadable' | undefined {
  const id = defined({ id: block.itemId });
  switch (block.kind) {
    case 'text': {
      const text = block.texts.join('');
      if (isBlankText(text)) return undefined;
      return { type: 'message', ...id, role: 'assistant', content: [{ type: 'output_text', text }] };
    }
    case 'thinking': {
      const [text, signature] = [block.texts.join(''), block.signatures.join('')];
      if (text === '' && signature === '') return undefined;
      const summary = text === '' ? [] : [{ type: 'summary_text', text }];
      // Without a signature the provider takes no thinking back.
      const stored = signature === '' ? undefined : storeOpaque({ kind: 'signed', signature });
      return { type: 'reasoning', ...id, summary, ...defined({ encrypted_content: stored }) };
    }
    case 'redacted': {
      if (block.data === '') return undefined;
      const stored = storeOpaque({ kind: 'redacted', data: block.data });
      return { type: 'reasoning', ...id, summary: [], encrypted_content: stored };
    }
    case 'call': {
      const { callId, name, texts, given } = block;
      if (callId === '' || name === '') return 'unreadable';
      const written = texts.join('');
      const text = isBlankText(written) ? JSON.stringify(given) : written;
      return { type: 'function_call', ...id, name, arguments: text, call_id: callId };
    }
  }
}

/** Undefined where the server does not name its messages: the thread names the item then. */
function itemIdAt(prefix: string, { messageId, index }: BlockPlace): string | undefined {
  const name = messageId.replace(/^msg_/, '').replaceAll(/[^a-zA-Z0-9-]/g, '-');
  return name === '' ? undefined : `${prefix}_${name.slice(0, 64)}-${index}`;
}
