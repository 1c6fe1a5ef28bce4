import { shortTextHash } from '../../../base/digest.ts';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { InputWriter } from '../../../protocol/user-input.ts';
import { joinContents, type MessageContent, strayHeading, textPart, type UserTurnContent } from '../speaker-borders.ts';
import type { ChatDialect } from './dialect.ts';
import {
  type ChatCall,
  type ChatMessage,
  mediaHeading,
  noOutput,
  ofOtherSpeaker,
  type ProjectedChatItem,
  projectItem,
} from './projection.ts';

/** What a request holds of a list of items. */
export interface ChatMessages {
  /** Words of the engine at the very beginning, for the one `system` message. */
  readonly system: readonly string[];
  readonly messages: readonly ChatMessage[];
}

/** A list of items as messages, as far as it was read. */
interface Folded extends ChatMessages, Turns {
  readonly items: Item[];
  readonly writers: (InputWriter | undefined)[];
  readonly projected: ProjectedChatItem[];
  readonly system: string[];
  readonly messages: ChatMessage[];
  /** Places of answers that stand behind their call already. */
  readonly placed: Set<number>;
  /** Gives the next call its id. */
  readonly freshId: (id: string) => string;
  /** What comes next may change the messages: the model's last words may go on, or a call may get its answer. */
  isOpen: boolean;
}

/**
 * Makes messages of items. What the model made in one go is one assistant message, its calls are answered directly
 * behind it, and the pictures of the answers follow in a user message. A list that continues from the one before gives
 * the same messages and those of what is new: nothing of a message depends on what comes after its step, except that a
 * user's last message may go on.
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

function beginsWith(items: readonly Item[], writers: ReadonlyMap<Item, InputWriter>, before: Folded): boolean {
  return (
    before.items.length <= items.length &&
    before.items.every((item, index) => Object.is(item, items[index]) && writers.get(item) === before.writers[index])
  );
}

/** Adds what stands at this place, and gives the next one. */
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
      // Only a text can be a part of the `system` message.
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

/** What the model made in one go, the answers to its calls, and what they hold beside text. */
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
  const calls = made.calls.map((call) => ({
    call,
    id: folded.freshId(call.id),
    output: outputFor(call, end, folded),
  }));
  if (made.said.length === 0 && calls.length === 0) return end;
  const thought = made.thought.join('\n\n');
  add.message({
    role: 'assistant',
    content: made.said.length === 0 ? null : made.said.join('\n\n'),
    // Where thoughts go back, a call without them is refused, even if there were none.
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

/** The first answer to the call that is not placed yet: usually it follows at once. */
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
 * Templates of many models (Mistral's, Gemma's, older ones of Llama) refuse a request unless the user and the assistant
 * take turns, the user first and last, with nothing but the outputs of its calls behind an assistant's message. Where
 * history has no message for a turn, one of these stands in.
 */
const standIn = {
  /** Before an assistant's message that nothing comes before. */
  before: { role: 'user', content: '[What came before was left out.]' },
  /** Between two messages of the assistant, and behind the last one: it is asked for an answer, not for the rest of one. */
  between: { role: 'user', content: 'Continue.' },
  /** Between outputs of tools and a user's message: the templates count neither calls nor outputs as a turn. */
  afterOutputs: { role: 'assistant', content: 'Noted.' },
} as const satisfies Record<string, ChatMessage>;

/** Messages that take turns, as far as they are made. */
interface Turns {
  readonly messages: ChatMessage[];
  /** The last message, if it is the user's, as it is once another one joins it. */
  amongOthers?: () => MessageContent;
}

/** Adds a message of the assistant or of a tool where it takes its turn. */
function addInTurn({ messages }: Turns, message: ChatMessage): void {
  const last = messages.at(-1);
  if (message.role === 'assistant' && last === undefined) messages.push({ ...standIn.before });
  if (message.role === 'assistant' && last?.role === 'assistant') messages.push(standIn.between);
  messages.push(message);
}

/**
 * Adds to the user's turn. Messages that follow each other there are one, in which each speaker can be told from the
 * others. Later ones change only the end of a message that has several.
 */
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

/** The messages of a request, which must not end in one of the assistant. */
export function endedInTurn(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.at(-1)?.role === 'assistant' ? [...messages, standIn.between] : messages;
}

/** The id of each call of a request, in order: no two have one, because a server refuses a second call under one id. */
export function uniqueCallIds(form: ChatDialect['callIds']): (id: string) => string {
  return form === 'nine' ? nineCharacters() : anyCharacters();
}

/** The id as it is, unless an earlier call of the request has it. */
function anyCharacters(): (id: string) => string {
  const used = new Map<string, number>();
  const fresh = (id: string): string => {
    const times = (used.get(id) ?? 0) + 1;
    used.set(id, times);
    return times === 1 ? id : fresh(`${id}_${times}`);
  };
  return fresh;
}

/**
 * Nine letters and digits, made from the id alone unless an earlier call has them: the same in every request of a
 * thread, so that the server's cache holds. Those that the server made are such already, and stay.
 */
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
