import type { InputWriter } from '../../protocol/input-writer.ts';
import type { Item } from '../../protocol/item.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { textPart } from '../speakers/message-content.ts';
import { type InUsersTurn, strayHeading } from '../speakers/users-turn.ts';
import { addInTurn, addToUsersTurn, type Turns } from './alternating-roles.ts';
import { freshIds } from './call-ids.ts';
import type { ChatDialect } from './dialect.ts';
import {
  type ChatCall,
  type ChatMessage,
  mediaHeading,
  noOutput,
  ofOtherSpeaker,
  projectItem,
  type Projected,
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
  readonly projected: Projected[];
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
  return { ...lists, placed: new Set(), freshId: freshIds(callIds), isOpen: false };
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
  readonly toUsersTurn: (words: InUsersTurn) => void;
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

type Output = Extract<Projected, { kind: 'output' }>;

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

function strayOutput({ text, media }: Output, { roles }: ChatDialect): InUsersTurn {
  const words = `${strayHeading}\n\n${text}`;
  return ofOtherSpeaker('tool_output', media.length === 0 ? words : [textPart(words), ...media], roles);
}
