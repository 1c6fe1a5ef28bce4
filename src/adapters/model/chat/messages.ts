import { shortTextHash } from '../../../base/digest.ts';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { InputWriter } from '../../../protocol/user-input.ts';
import { joinContents, type MessageContent, strayHeading, textPart, type UserTurnContent } from '../speaker-borders.ts';
import type { ChatDialect } from './dialect.ts';
import type { ChatCall, ChatMessage, ProjectedChatItem } from './projection.ts';
import { mediaHeading, noOutput, ofOtherSpeaker, projectItem } from './projection.ts';

export type ChatMessages = { readonly system: readonly string[]; readonly messages: readonly ChatMessage[] };

interface Folded extends ChatMessages, Turns {
  readonly items: Item[];
  readonly writers: (InputWriter | undefined)[];
  readonly projected: ProjectedChatItem[];
  readonly system: string[];
  readonly messages: ChatMessage[];
  readonly placed: Set<number>;
  readonly freshId: (id: string) => string;
  /** Later items may still change the messages: the model's last text may continue, or a call may get its output. */
  isOpen: boolean;
}

/**
 * Makes messages of items. One step of the model is one assistant message, directly followed by the outputs of its
 * calls, then their pictures in a user message. A list that extends the previous one gives the same messages plus new
 * ones: no message depends on what comes after its step, except that the user's last message may grow.
 */
export function messageMaker(
  dialect: ChatDialect,
): (items: readonly Item[], writers?: ReadonlyMap<Item, InputWriter>) => ChatMessages {
  const known = new WeakMap<Item, Folded>();
  return (items, writers = noOtherWriters) => {
    const first = items[0];
    if (first === undefined) return nothing(dialect);
    const before = known.get(first);
    const folded =
      before !== undefined && !before.isOpen && beginsWith(items, writers, before) ? before : nothing(dialect);
    known.set(first, folded);
    const from = folded.items.length;
    for (let index = from; index < items.length; index++) {
      const item = items[index]!;
      const writer = writers.get(item);
      folded.items.push(item);
      folded.writers.push(writer);
      folded.projected.push(projectItem(item, dialect, writer));
    }
    for (let index = from; index < items.length;) index = addAt(index, folded, dialect);
    return folded;
  };
}

const noOtherWriters: ReadonlyMap<Item, InputWriter> = new Map();

function nothing({ callIds }: ChatDialect): Folded {
  const lists = { items: [], writers: [], projected: [], system: [], messages: [] };
  return { ...lists, placed: new Set(), freshId: uniqueCallIds(callIds), isOpen: false };
}

const beginsWith = (items: readonly Item[], writers: ReadonlyMap<Item, InputWriter>, before: Folded): boolean =>
  before.items.length <= items.length &&
  before.items.every((item, index) => Object.is(item, items[index]) && writers.get(item) === before.writers[index]);

function addAt(index: number, folded: Folded, dialect: ChatDialect): number {
  const add = adderOf(folded, dialect);
  const here = folded.projected[index]!;
  switch (here.kind) {
    case 'left-out':
    case 'gap':
      return index + 1;
    case 'message':
      add.message(here.message);
      return index + 1;
    case 'users-turn':
      add.toUsersTurn(here.words);
      return index + 1;
    case 'developer':
      // Only text can be part of the `system` message.
      if (folded.messages.length === 0 && typeof here.first === 'string') folded.system.push(here.first);
      else add.toUsersTurn(here.later);
      return index + 1;
    case 'output':
      if (!folded.placed.has(index)) add.toUsersTurn(strayOutput(here, dialect));
      return index + 1;
    default:
      return addStep(index, folded, dialect);
  }
}

interface Adder {
  readonly message: (message: ChatMessage) => void;
  readonly toUsersTurn: (words: UserTurnContent) => void;
}

function adderOf(folded: Folded, { roles }: ChatDialect): Adder {
  if (roles === 'alternating') {
    return {
      message: (message) => addInTurn(folded, message),
      toUsersTurn: (words) => addToUsersTurn(folded, words),
    };
  }
  const { messages } = folded;
  return {
    message: (message) => void messages.push(message),
    toUsersTurn: ({ content }) => void messages.push({ role: 'user', content }),
  };
}

type Output = Extract<ProjectedChatItem, { kind: 'output' }>;

function addStep(from: number, folded: Folded, dialect: ChatDialect): number {
  const { projected } = folded;
  const add = adderOf(folded, dialect);
  const made = { said: [] as string[], thought: [] as string[], calls: [] as ChatCall[] };
  let end = from;
  for (; end < projected.length; end++) {
    const each = projected[end]!;
    if (each.kind === 'said') made.said.push(each.text);
    else if (each.kind === 'thought') made.thought.push(each.text);
    else if (each.kind === 'call') made.calls.push(each.call);
    else if (each.kind !== 'left-out') break;
  }
  folded.isOpen ||= end === projected.length;
  const calls = made.calls.map((call) => ({ call, id: folded.freshId(call.id), output: outputFor(call, end, folded) }));
  if (made.said.length === 0 && calls.length === 0) return end;
  const thought = made.thought.join('\n\n');
  add.message({
    role: 'assistant',
    content: made.said.length === 0 ? null : made.said.join('\n\n'),
    // Servers that want thoughts returned refuse a call without them, even if there were none.
    ...(dialect.thoughts === 'returned' && (thought !== '' || calls.length > 0) && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls.map(({ id, call }) => wireCall(id, call)) }),
  });
  for (const { id, output } of calls) {
    add.message({ role: 'tool', tool_call_id: id, content: output?.text ?? noOutput });
  }
  const media = calls.flatMap(({ output }) => output?.media ?? []);
  if (media.length > 0)
    add.toUsersTurn(ofOtherSpeaker('tool_output', [textPart(mediaHeading), ...media], dialect.roles));
  return end;
}

function outputFor({ id }: ChatCall, from: number, folded: Folded): Output | undefined {
  const { projected, placed } = folded;
  for (let index = from; index < projected.length; index++) {
    const each = projected[index]!;
    if (each.kind !== 'output' || each.callId !== id || placed.has(index)) continue;
    placed.add(index);
    return each;
  }
  folded.isOpen = true;
  return undefined;
}

function wireCall(id: string, { name, arguments: given }: ChatCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: given } };
}

function strayOutput({ text, media }: Output, { roles }: ChatDialect): UserTurnContent {
  const words = `${strayHeading}\n\n${text}`;
  return ofOtherSpeaker('tool_output', media.length === 0 ? words : [textPart(words), ...media], roles);
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

interface Turns {
  readonly messages: ChatMessage[];
  /** The last message if it is the user's, in the form it takes when another one joins it. */
  amongOthers?: () => MessageContent;
}

function addInTurn({ messages }: Turns, message: ChatMessage): void {
  const last = messages.at(-1);
  if (message.role === 'assistant' && last === undefined) messages.push({ ...standIn.before });
  if (message.role === 'assistant' && last?.role === 'assistant') messages.push(standIn.between);
  messages.push(message);
}

/** Merges messages of the user's turn into one that names each speaker. Only its end changes later. */
function addToUsersTurn(turns: Turns, { content, among }: UserTurnContent): void {
  const { messages, amongOthers } = turns;
  const last = messages.at(-1);
  if (last?.role === 'user' && amongOthers !== undefined) {
    const joined = joinContents(amongOthers(), among());
    messages[messages.length - 1] = { role: 'user', content: joined };
    turns.amongOthers = () => joined;
    return;
  }
  if (last?.role === 'tool') messages.push(standIn.afterOutputs);
  messages.push({ role: 'user', content });
  turns.amongOthers = among;
}

/** The messages of a request, which must not end with the assistant's. */
export const endedInTurn = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  messages.at(-1)?.role === 'assistant' ? [...messages, standIn.between] : messages;
/** Makes the call ids of a request, in order and unique: a server refuses a second call under one id. */
export const uniqueCallIds = (form: ChatDialect['callIds']): ((id: string) => string) =>
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
