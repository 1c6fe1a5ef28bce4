import { shortTextHash } from '../../../base/digest.ts';
import { isMessage, type Item } from '../../../protocol/item.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import type { InputAuthor } from '../../../protocol/user-input.ts';
import {
  agentHeading,
  describeProviderCall,
  freeformArguments,
  namespacedToolName,
  readableArguments,
} from '../fallback-item-forms.ts';
import { createIncrementalBuilder, type ItemAccumulator } from '../http/json-list-encoder.ts';
import {
  joinContents,
  joinTexts,
  markOtherSpeaker,
  strayOutputHeading,
  textPart,
  unmarkedContent,
  userRoleContent,
  wrapDeveloperText,
  wrapEngineContent,
} from '../user-role-content.ts';
import type { ContentPart, MessageContent, UserTurnContent } from '../user-role-content.ts';
import type { ChatDialect } from './dialect.ts';

export type ChatMessages = { readonly system: readonly string[]; readonly messages: readonly ChatMessage[] };

/**
 * Makes messages of items. One step of the model is one assistant message, directly followed by the outputs of its
 * calls, then their pictures in a user message. A list that extends the previous one gives the same messages plus new
 * ones: no message depends on what comes after its step, except that the user's last message may grow.
 */
export function messageMaker(
  dialect: ChatDialect,
): (items: readonly Item[], writers?: ReadonlyMap<Item, InputAuthor>) => ChatMessages {
  const grow = createIncrementalBuilder(() => new ChatFold(dialect));
  return (input, writers) => grow({ input, writers }).completed();
}

type Output = Extract<ProjectedChatItem, { kind: 'output' }>;

class ChatFold implements ChatMessages, ItemAccumulator {
  readonly system: string[] = [];
  readonly messages: ChatMessage[] = [];
  /** The last step may still change: the model's last text may continue, or a call may get its output. */
  isOpen = false;
  readonly #dialect: ChatDialect;
  readonly #projected: ProjectedChatItem[] = [];
  /** The first item that is not in the messages yet. */
  #next = 0;
  readonly #placed = new Set<number>();
  readonly #freshId: (id: string) => string;
  /** The last message if it is the user's, in the form it takes when another one joins it. */
  #amongOthers: (() => MessageContent) | undefined;

  constructor(dialect: ChatDialect) {
    this.#dialect = dialect;
    this.#freshId = createCallIdMaker(dialect.callIds);
  }

  add(item: Item, writer: InputAuthor | undefined): void {
    this.#projected.push(projectItem(item, this.#dialect, writer));
  }

  completed(): ChatMessages {
    while (this.#next < this.#projected.length) this.#next = this.#addAt(this.#next);
    return this;
  }

  #addAt(index: number): number {
    const here = this.#projected[index]!;
    switch (here.kind) {
      case 'left-out':
      case 'gap':
        break;
      case 'message':
        this.#add(here.message);
        break;
      case 'users-turn':
        this.#addToUsersTurn(here.words);
        break;
      case 'developer':
        // Only text can be part of the `system` message.
        if (this.messages.length === 0 && typeof here.first === 'string') this.system.push(here.first);
        else this.#addToUsersTurn(here.later);
        break;
      case 'output':
        if (!this.#placed.has(index)) this.#addToUsersTurn(strayOutput(here, this.#dialect));
        break;
      case 'said':
      case 'thought':
      case 'call':
        return this.#addStep(index);
    }
    return index + 1;
  }

  #addStep(from: number): number {
    const projected = this.#projected;
    const made = { said: [] as string[], thought: [] as string[], calls: [] as ChatCall[] };
    let end = from;
    for (; end < projected.length; end++) {
      const each = projected[end]!;
      if (each.kind === 'said') made.said.push(each.text);
      else if (each.kind === 'thought') made.thought.push(each.text);
      else if (each.kind === 'call') made.calls.push(each.call);
      else if (each.kind !== 'left-out') break;
    }
    this.isOpen ||= end === projected.length;
    const calls = made.calls.map((call) => ({ call, id: this.#freshId(call.id), output: this.#outputFor(call, end) }));
    if (made.said.length === 0 && calls.length === 0) return end;
    const thought = made.thought.join('\n\n');
    const { thoughts, roles } = this.#dialect;
    this.#add({
      role: 'assistant',
      content: made.said.length === 0 ? null : made.said.join('\n\n'),
      // Servers that want thoughts returned refuse a call without them, even if there were none.
      ...(thoughts === 'returned' && (thought !== '' || calls.length > 0) && { reasoning_content: thought }),
      ...(calls.length > 0 && { tool_calls: calls.map(({ id, call }) => wireCall(id, call)) }),
    });
    for (const { id, output } of calls)
      this.#add({ role: 'tool', tool_call_id: id, content: output?.text ?? missingOutputText });
    const media = calls.flatMap(({ output }) => output?.media ?? []);
    if (media.length > 0)
      this.#addToUsersTurn(markSpeakerForRoles('tool_output', [textPart(mediaHeading), ...media], roles));
    return end;
  }

  #outputFor({ id }: ChatCall, from: number): Output | undefined {
    const index = this.#projected.findIndex(
      (each, at) => at >= from && each.kind === 'output' && each.callId === id && !this.#placed.has(at),
    );
    if (index === -1) this.isOpen = true;
    else this.#placed.add(index);
    return this.#projected[index] as Output | undefined;
  }

  #add(message: ChatMessage): void {
    const { messages } = this;
    const last = messages.at(-1);
    if (this.#dialect.roles === 'alternating' && message.role === 'assistant') {
      if (last === undefined) messages.push({ ...standIn.before });
      if (last?.role === 'assistant') messages.push(standIn.between);
    }
    messages.push(message);
  }

  /** With alternating roles, merges the messages of a turn into one that names each speaker. Only its end changes later. */
  #addToUsersTurn({ content, among }: UserTurnContent): void {
    const { messages } = this;
    const last = messages.at(-1);
    if (this.#dialect.roles === 'alternating') {
      if (last?.role === 'user' && this.#amongOthers !== undefined) {
        const joined = joinContents(this.#amongOthers(), among());
        messages[messages.length - 1] = { role: 'user', content: joined };
        this.#amongOthers = () => joined;
        return;
      }
      if (last?.role === 'tool') messages.push(standIn.afterOutputs);
      this.#amongOthers = among;
    }
    messages.push({ role: 'user', content });
  }
}

function wireCall(id: string, { name, arguments: given }: ChatCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: given } };
}

function strayOutput({ text, media }: Output, { roles }: ChatDialect): UserTurnContent {
  const words = `${strayOutputHeading}\n\n${text}`;
  return markSpeakerForRoles('tool_output', media.length === 0 ? words : [textPart(words), ...media], roles);
}

/**
 * Many templates (Mistral's, Gemma's, older ones of Llama) refuse a request unless user and assistant alternate, the
 * user first and last, with only outputs of its calls after an assistant's message. These fill the turns for which
 * history has no message.
 */
const standIn = {
  /** Before an assistant's message that is the first. */
  before: { role: 'user', content: '[What came before was left out.]' },
  /** Between two assistant messages, and after the last: the model is asked for an answer, not for the rest of one. */
  between: { role: 'user', content: 'Continue.' },
  /** Between tool outputs and a user's message: the templates count neither calls nor outputs as turns. */
  afterOutputs: { role: 'assistant', content: 'Noted.' },
} as const satisfies Record<string, ChatMessage>;

/** The messages of a request, which must not end with the assistant's. */
export const endWithUserMessage = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  messages.at(-1)?.role === 'assistant' ? [...messages, standIn.between] : messages;
/** Makes the call ids of a request, in order and unique: a server refuses a second call under one id. */
export const createCallIdMaker = (form: ChatDialect['callIds']): ((id: string) => string) =>
  form === 'nine' ? nineCharacters() : anyCharacters();

function anyCharacters(): (id: string) => string {
  const used = new Map<string, number>();
  const fresh = (id: string): string => {
    const times = (used.get(id) ?? 0) + 1;
    used.set(id, times);
    return times === 1 ? id : fresh(`${id}_${times}`);
  };
  return fresh;
}

/** Derived from the id alone if possible: stable over requests, for the server's cache. Ids of this form are kept. */
function nineCharacters(): (id: string) => string {
  const used = new Set<string>();
  return (id) => {
    for (let attempt = isNine.test(id) ? 0 : 1; ; attempt++) {
      const made = attempt === 0 ? id : digits(shortTextHash(`${attempt} ${id}`));
      if (used.has(made)) continue;
      used.add(made);
      return made;
    }
  };
}

const isNine = /^[A-Za-z0-9]{9}$/;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function digits(digest: string): string {
  let left = BigInt(`0x${digest}`);
  let text = '';
  while (text.length < 9) {
    text += alphabet[Number(left % 62n)]!;
    left /= 62n;
  }
  return text;
}

export type ChatMessage = JsonObject & { readonly role: string };
type ChatCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** An item as projected. Items of one model step are joined into one assistant message (`messages.ts`). */
type ProjectedChatItem =
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
type Rule = (item: Item, dialect: ChatDialect, writer: InputAuthor | undefined) => ProjectedChatItem;

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
const projectItem = (item: Item, dialect: ChatDialect, writer?: InputAuthor): ProjectedChatItem =>
  Object.hasOwn(rules, item.type) ? rules[item.type]!(item, dialect, writer) : gap;
export const projectedTypes: readonly string[] = Object.keys(rules);
const missingOutputText = 'No output of this call was recorded: whether it had an effect is not known.';
const mediaHeading = '[What the tools returned beside text, in order:]';

/** If any order of roles is allowed, each speaker has messages of its own, and the words need no borders. */
function usersRole(content: MessageContent, roles: Roles, writer: InputAuthor | undefined): ProjectedChatItem {
  if (content === '') return gap;
  const words = roles === 'any-order' ? unmarkedContent(content) : userRoleContent(content, writer);
  return { kind: 'users-turn', words };
}

/** Words of an agent or a tool. The heading is sufficient where every message has one speaker. */
function markSpeakerForRoles(border: 'agent_message' | 'tool_output', content: MessageContent, roles: Roles) {
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
