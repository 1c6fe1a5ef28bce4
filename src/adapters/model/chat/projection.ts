import { isMessage, type Item } from '../../../protocol/item.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import type { InputWriter } from '../../../protocol/user-input.ts';
import {
  agentHeading,
  describeProviderCall,
  freeformArguments,
  namespacedToolName,
  readableArguments,
} from '../fallback-item-forms.ts';
import {
  type ContentPart,
  developerWords,
  engineInBorders,
  fromOtherSpeaker,
  joinTexts,
  type MessageContent,
  sameInEveryMessage,
  textPart,
  userRoleContent,
  type UserTurnContent,
} from '../speaker-borders.ts';
import type { ChatDialect } from './dialect.ts';

/** A message of a request. */
export interface ChatMessage extends JsonObject {
  readonly role: string;
}

/** A call of the model, as an assistant message holds it. */
export interface ChatCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What an item becomes. What the model made in one go is joined into one assistant message (`messages.ts`). */
export type ProjectedChatItem =
  /** A message of its own. */
  | { readonly kind: 'message'; readonly message: ChatMessage }
  /** A message of the user's role: the user's words, or an agent's. */
  | { readonly kind: 'users-turn'; readonly words: UserTurnContent }
  /** Words of the engine: part of the one `system` message if only such words come before, else of the user's turn. */
  | { readonly kind: 'developer'; readonly first: MessageContent; readonly later: UserTurnContent }
  /** Text of an assistant message. */
  | { readonly kind: 'said'; readonly text: string }
  /** What the model thought before it spoke. */
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ChatCall }
  /** An answer to a call. Its media follow all answers of the step in a user message. */
  | {
      readonly kind: 'output';
      readonly callId: string | undefined;
      readonly text: string;
      readonly media: readonly ContentPart[];
    }
  /** Nothing of it is sent. It stays in history. */
  | { readonly kind: 'left-out' }
  /** The same, and what the model made before it and after it was not made in one go. */
  | { readonly kind: 'gap' };

type Rule = (item: Item, dialect: ChatDialect, writer: InputWriter | undefined) => ProjectedChatItem;

/** Every rule by the type of its item. docs/providers.md has the same rows. */
const rules: Readonly<Record<string, Rule>> = {
  message: (item, { developer, revision, roles }, writer) => {
    if (!isMessage(item)) return gap;
    if (item.role === 'assistant') {
      return said(textAndMedia(revision === 2 ? item.content : item.content.map(refusalAsText), roles).text);
    }
    if (item.role !== 'developer' && item.role !== 'system') return usersRole(contentOf(item.content), roles, writer);
    if (revision === 2 || (developer === 'developer' && roles === 'any-order'))
      return asMessage(developer, item.content);
    const first = contentOf(item.content);
    if (first === '') return gap;
    if (roles === 'alternating')
      return { kind: 'developer', first, later: sameInEveryMessage(engineInBorders(readParts(item.content))) };
    return { kind: 'developer', first, later: sameInEveryMessage(contentInUsersTurn(item.content)) };
  },
  agent_message: (item, { roles }) => {
    const content = contentOf([agentHeading(item), ...(arrayAt(item, 'content') ?? [])]);
    return content === '' ? gap : { kind: 'users-turn', words: ofOtherSpeaker('agent_message', content, roles) };
  },
  reasoning: (item, { thoughts, roles }) => {
    const text = thoughts === 'returned' ? textAndMedia(arrayAt(item, 'content') ?? [], roles).text : '';
    return text === '' ? leftOut : { kind: 'thought', text };
  },
  function_call: (item, dialect) =>
    called(item, nameOf(item, dialect), readableArguments(stringAt(item, 'arguments') ?? '')),
  custom_tool_call: (item, dialect) =>
    called(item, nameOf(item, dialect), freeformArguments(stringAt(item, 'input') ?? '')),
  local_shell_call: (item) => called(item, 'local_shell', JSON.stringify(objectAt(item, 'action') ?? {})),
  tool_search_call: (item) => called(item, 'tool_search', JSON.stringify(item['arguments'] ?? {})),
  function_call_output: (item, dialect) => outputOf(item, item['output'], dialect),
  custom_tool_call_output: (item, dialect) => outputOf(item, item['output'], dialect),
  tool_search_output: (item, dialect) => outputOf(item, JSON.stringify(item['tools'] ?? []), dialect),
  web_search_call: (item) => said(describeProviderCall(item) ?? ''),
  image_generation_call: (item) => said(describeProviderCall(item) ?? ''),
};

const leftOut: ProjectedChatItem = { kind: 'left-out' };
const gap: ProjectedChatItem = { kind: 'gap' };

/** What an item becomes in a request of this dialect. Types without a rule are for other formats alone. */
export function projectItem(item: Item, dialect: ChatDialect, writer?: InputWriter): ProjectedChatItem {
  return Object.hasOwn(rules, item.type) ? rules[item.type]!(item, dialect, writer) : gap;
}

/** The types that have a rule. */
export const projectedTypes: readonly string[] = Object.keys(rules);

/** Stands in for the answer that a call has nowhere. */
export const noOutput = 'No output of this call was recorded: whether it had an effect is not known.';

/** Above the media of the answers before it. */
export const mediaHeading = '[What the tools returned beside text, in order:]';

function asMessage(role: string, parts: readonly Json[]): ProjectedChatItem {
  const content = contentOf(parts);
  return content === '' ? gap : { kind: 'message', message: { role, content } };
}

/** A message of the user's role. Servers that take any order keep speakers apart by messages. */
function usersRole(
  content: MessageContent,
  roles: ChatDialect['roles'],
  writer: InputWriter | undefined,
): ProjectedChatItem {
  if (content === '') return gap;
  const words = roles === 'any-order' ? sameInEveryMessage(content) : userRoleContent(content, writer);
  return { kind: 'users-turn', words };
}

/** What an agent or a tool said. Where every message has one speaker, its heading says enough. */
export function ofOtherSpeaker(
  border: 'agent_message' | 'tool_output',
  content: MessageContent,
  roles: ChatDialect['roles'],
): UserTurnContent {
  return roles === 'any-order' ? sameInEveryMessage(content) : fromOtherSpeaker(border, content);
}

function said(text: string): ProjectedChatItem {
  return text === '' ? leftOut : { kind: 'said', text };
}

function nameOf(item: Item, { revision }: ChatDialect): string | undefined {
  return revision === 2 ? stringAt(item, 'name') : namespacedToolName(item);
}

/** A call without a name of its own takes that of its item. */
function called(item: Item, name = 'unknown', given = '{}'): ProjectedChatItem {
  const id = stringAt(item, 'call_id') ?? stringAt(item, 'id') ?? 'call';
  return { kind: 'call', call: { id, name, arguments: given } };
}

function outputOf(item: Item, output: Json | undefined, { roles }: ChatDialect): ProjectedChatItem {
  const parts = Array.isArray(output) ? (output as readonly Json[]).filter(isJsonObject) : undefined;
  const plain = typeof output === 'string' ? output : '';
  const { text, media } = parts === undefined ? { text: plain, media: [] } : textAndMedia(parts, roles);
  return { kind: 'output', callId: stringAt(item, 'call_id'), text, media };
}

/** A refusal, whose words have a name of their own, as a text. */
function refusalAsText(part: Json): Json {
  const refusal = isJsonObject(part) && part['type'] === 'refusal' ? stringAt(part, 'refusal') : undefined;
  return refusal === undefined ? part : textPart(refusal);
}

/** Content parts of an item as the content of a message. */
function contentOf(parts: readonly Json[]): MessageContent {
  const read = readParts(parts);
  // Servers that know only text take no list.
  return read.every(({ type }) => type === 'text') ? joinTexts(read) : read;
}

/** Content parts of an item, each as this format has it. */
function readParts(parts: readonly Json[]): readonly ContentPart[] {
  return parts
    .filter(isJsonObject)
    .map(partOf)
    .filter((part) => part['text'] !== '');
}

/** The same of words of the engine that stand in the user's turn. */
function contentInUsersTurn(parts: readonly Json[]): MessageContent {
  return contentOf(
    parts.map((part) => {
      const text = isJsonObject(part) ? stringAt(part, 'text') : undefined;
      return text === undefined || text === '' ? part : textPart(developerWords(text));
    }),
  );
}

/** The texts of parts in one, with a line in the place of each part of media, and those parts. */
function textAndMedia(
  parts: readonly Json[],
  roles: ChatDialect['roles'],
): {
  readonly text: string;
  readonly media: readonly ContentPart[];
} {
  const read = parts.filter(isJsonObject).map(partOf);
  const media = read.filter(({ type }) => type !== 'text');
  const places = placesWhere[roles];
  const texts = read.map((part) => (part.type === 'text' ? part : textPart(places[part.type] ?? '')));
  return { text: joinTexts(texts), media };
}

/**
 * Where media of a tool's output stood: it takes text alone. In requests of the first order, other messages may come
 * between as well, but those that were sent are made again as they were.
 */
const placesWhere: Readonly<Record<ChatDialect['roles'], Readonly<Record<string, string>>>> = {
  'any-order': {
    image_url: '[A picture: it follows in the next message.]',
    input_audio: '[A recording: it follows in the next message.]',
  },
  alternating: {
    image_url: '[A picture: it follows below.]',
    input_audio: '[A recording: it follows below.]',
  },
};

/** `input_text`, `output_text`, `reasoning_text` and what else holds a text are one to this format. */
function partOf(part: JsonObject): ContentPart {
  switch (part['type']) {
    case 'input_image':
      return pictureOf(part);
    case 'input_audio':
      return recordingOf(part);
    case 'encrypted_content':
      return textPart('[Something stands here that only another provider can read. It was left out.]');
    default:
      return textPart(stringAt(part, 'text') ?? '');
  }
}

/** The finest detail has another name here. */
const details: Readonly<Record<string, string>> = { auto: 'auto', low: 'low', high: 'high', original: 'high' };

function pictureOf(part: JsonObject): ContentPart {
  const url = stringAt(part, 'image_url');
  if (url === undefined) return textPart('[A picture stands here that this wire format cannot carry.]');
  const given = stringAt(part, 'detail') ?? '';
  const detail = Object.hasOwn(details, given) ? details[given] : undefined;
  return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } };
}

const recording = /^data:audio\/(?:x-)?(wav|wave|mp3|mpeg);base64,/i;

/** Two kinds of recordings can be sent, and only inside the request. */
function recordingOf(part: JsonObject): ContentPart {
  const url = stringAt(part, 'audio_url') ?? '';
  const [opening = '', kind = ''] = recording.exec(url) ?? [];
  if (opening === '') return textPart('[A recording stands here that this wire format cannot carry.]');
  const format = kind.toLowerCase().startsWith('wav') ? 'wav' : 'mp3';
  return { type: 'input_audio', input_audio: { data: url.slice(opening.length), format } };
}
