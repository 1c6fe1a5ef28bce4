import { joinContents, type MessageContent } from '../speakers/message-content.ts';
import type { InUsersTurn } from '../speakers/users-turn.ts';
import type { ChatMessage } from './projection.ts';

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
export interface Turns {
  readonly messages: ChatMessage[];
  /** The last message, if it is the user's, as it is once another one joins it. */
  amongOthers?: () => MessageContent;
}

/** Adds a message of the assistant or of a tool where it takes its turn. */
export function addInTurn({ messages }: Turns, message: ChatMessage): void {
  const last = messages.at(-1);
  if (message.role === 'assistant' && last === undefined) messages.push({ ...standIn.before });
  if (message.role === 'assistant' && last?.role === 'assistant') messages.push(standIn.between);
  messages.push(message);
}

/**
 * Adds to the user's turn. Messages that follow each other there are one, in which each speaker can be told from the
 * others. Later ones change only the end of a message that has several.
 */
export function addToUsersTurn(turns: Turns, { content, among }: InUsersTurn): void {
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
