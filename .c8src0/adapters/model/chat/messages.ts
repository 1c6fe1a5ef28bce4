import { shortTextHash } from '../../../base/digest.ts';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { InputWriter } from '../../../protocol/user-input.ts';
import { createIncrementalBuilder, type ItemAccumulator } from '../http/json-list-encoder.ts';
import { joinContents, strayOutputHeading, textPart } from '../user-role-content.ts';
import type { MessageContent, UserTurnContent } from '../user-role-content.ts';
import type { ChatDialect } from './dialect.ts';
import type { ChatCall, ChatMessage, ProjectedChatItem } from './projection.ts';
import { mediaHeading, missingOutputText, markSpeakerForRoles, projectItem } from './projection.ts';

export type ChatMessages = { readonly system: readonly string[]; readonly messages: readonly ChatMessage[] };

/**
 * Makes messages of items. One step of the model is one assistant message, directly followed by the outputs of its
 * calls, then their pictures in a user message. A list that extends the previous one gives the same messages plus new
 * ones: no message depends on what comes after its step, except that the user's last message may grow.
 */
export function messageMaker(
  dialect: ChatDialect,
): (items: readonly Item[], writers?: ReadonlyMap<Item, InputWriter>) => ChatMessages {
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

  add(item: Item, writer: InputWriter | undefined): void {
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
