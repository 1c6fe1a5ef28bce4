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
  wrapDeveloperText,
  wrapEngineContent,
  markOtherSpeaker,
  joinTexts,
  unmarkedContent,
  textPart,
  userRoleContent,
} from '../user-role-content.ts';
import type { ContentPart, MessageContent, UserTurnContent } from '../user-role-content.ts';
import type { ChatDialect } from './dialect.ts';

export type ChatMessage = JsonObject & { readonly role: string };
export type ChatCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** An item as projected. Items of one model step are joined into one assistant message (`messages.ts`). */
export type ProjectedChatItem =
  | { readonly kind: 'message'; readonly message: ChatMessage }
  | { readonly kind: 'users-turn'; readonly words: UserTurnContent }
  /** Engine text: part of the one `system` message if only such text precedes it, otherwise of the user's turn. */
  | { readonly kind: 'developer'; readonly first: MessageContent; readonly later: UserTurnContent }
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'call'; readonly call: ChatCall }
  /** Output of a call. Its media follow all outputs of the step in a user message. */
  | {
      readonly kind: 'output';
      readonly callId: string | undefined;
      readonly text: string;
      readonly media: readonly ContentPart[];
    }
  /** Not sent, but kept in history. */
  | { readonly kind: 'left-out' }
  /** Not sent, and separates model steps: what the model made before and after it was not one step. */
  | { readonly kind: 'gap' };

type Roles = ChatDialect['roles'];
type Rule = (item: Item, dialect: ChatDialect, writer: InputWriter | undefined) => ProjectedChatItem;

/** One rule per item type. docs/providers.md has the same rows. */
const rules: Readonly<Record<string, Rule>> = {
  message: (item, { developer, revision, roles }, writer) => {
    if (!isMessage(item)) return gap;
    if (item.role === 'assistant')
      return said(textAndMedia(revision === 2 ? item.content : item.content.map(refusalAsText), roles).text);
    if (item.role !== 'developer' && item.role !== 'system') return usersRole(contentOf(item.content), roles, writer);
    const content = contentOf(item.content);
    if (content === '') return gap;
    if (revision === 2 || (developer === 'developer' && roles === 'any-order'))
      return { kind: 'message', message: { role: developer, content } };
    const isBordered = roles === 'alternating';
    const later = isBordered ? wrapEngineContent(readParts(item.content)) : contentInUsersTurn(item.content);
    return { kind: 'developer', first: content, later: unmarkedContent(later) };
  },
  agent_message: (item, { roles }) => {
    const content = contentOf([agentHeading(item), ...(arrayAt(item, 'content') ?? [])]);
    return content === '' ? gap : { kind: 'users-turn', words: markSpeakerForRoles('agent_message', content, roles) };
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
/** Types without a rule are for other formats only. */
export const projectItem = (item: Item, dialect: ChatDialect, writer?: InputWriter): ProjectedChatItem =>
  Object.hasOwn(rules, item.type) ? rules[item.type]!(item, dialect, writer) : gap;
export const projectedTypes: readonly string[] = Object.keys(rules);
export const missingOutputText = 'No output of this call was recorded: whether it had an effect is not known.';
export const mediaHeading = '[What the tools returned beside text, in order:]';

/** If any order of roles is allowed, each speaker has messages of its own, and the words need no borders. */
function usersRole(content: MessageContent, roles: Roles, writer: InputWriter | undefined): ProjectedChatItem {
  if (content === '') return gap;
  const words = roles === 'any-order' ? unmarkedContent(content) : userRoleContent(content, writer);
  return { kind: 'users-turn', words };
}

/** Words of an agent or a tool. The heading is sufficient where every message has one speaker. */
export function markSpeakerForRoles(border: 'agent_message' | 'tool_output', content: MessageContent, roles: Roles) {
  return roles === 'any-order' ? unmarkedContent(content) : markOtherSpeaker(border, content);
}

const said = (text: string): ProjectedChatItem => (text === '' ? leftOut : { kind: 'said', text });
const nameOf = (item: Item, { revision }: ChatDialect): string | undefined =>
  revision === 2 ? stringAt(item, 'name') : namespacedToolName(item);

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

function refusalAsText(part: Json): Json {
  const refusal = isJsonObject(part) && part['type'] === 'refusal' ? stringAt(part, 'refusal') : undefined;
  return refusal === undefined ? part : textPart(refusal);
}

function contentOf(parts: readonly Json[]): MessageContent {
  const read = readParts(parts);
  // Text-only servers accept no list.
  return read.every(({ type }) => type === 'text') ? joinTexts(read) : read;
}

const readParts = (parts: readonly Json[]): readonly ContentPart[] =>
  parts
    .filter(isJsonObject)
    .map(partOf)
    .filter((part) => part['text'] !== '');

const contentInUsersTurn = (parts: readonly Json[]): MessageContent =>
  contentOf(
    parts.map((part) => {
      const text = isJsonObject(part) ? stringAt(part, 'text') : undefined;
      return text === undefined || text === '' ? part : textPart(wrapDeveloperText(text));
    }),
  );

/** The joined texts, with a placeholder line for each media part, and the media parts. */
function textAndMedia(parts: readonly Json[], roles: Roles) {
  const read = parts.filter(isJsonObject).map(partOf);
  const media = read.filter(({ type }) => type !== 'text');
  const places = placesWhere[roles];
  const texts = read.map((part) => (part.type === 'text' ? part : textPart(places[part.type] ?? '')));
  return { text: joinTexts(texts), media };
}

/** For media in a tool's output, which takes only text. Do not reword: Capstan must reproduce requests that it sent. */
const placesWhere: Readonly<Record<Roles, Readonly<Record<string, string>>>> = {
  'any-order': {
    image_url: '[A picture: it follows in the next message.]',
    input_audio: '[A recording: it follows in the next message.]',
  },
  alternating: {
    image_url: '[A picture: it follows below.]',
    input_audio: '[A recording: it follows below.]',
  },
};

/** `input_text`, `output_text`, `reasoning_text` and every other part with text are the same in this format. */
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

/** This format names the finest detail differently. */
const details: Readonly<Record<string, string>> = { auto: 'auto', low: 'low', high: 'high', original: 'high' };

function pictureOf(part: JsonObject): ContentPart {
  const url = stringAt(part, 'image_url');
  if (url === undefined) return textPart('[A picture stands here that this wire format cannot carry.]');
  const given = stringAt(part, 'detail') ?? '';
  const detail = Object.hasOwn(details, given) ? details[given] : undefined;
  return { type: 'image_url', image_url: { url, detail } };
}

const recording = /^data:audio\/(?:x-)?(wav|wave|mp3|mpeg);base64,/i;

/** Only two kinds of recordings can be sent, and only inline. */
function recordingOf(part: JsonObject): ContentPart {
  const url = stringAt(part, 'audio_url') ?? '';
  const [opening = '', kind = ''] = recording.exec(url) ?? [];
  if (opening === '') return textPart('[A recording stands here that this wire format cannot carry.]');
  const format = kind.toLowerCase().startsWith('wav') ? 'wav' : 'mp3';
  return { type: 'input_audio', input_audio: { data: url.slice(opening.length), format } };
}
