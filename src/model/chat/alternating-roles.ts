import { type ChatContent, joinContents } from './content.ts';
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

/** Adds a message where it takes its turn. Messages of the user that follow each other are one: only its end changes. */
export function addInTurn(messages: ChatMessage[], message: ChatMessage): void {
  const last = messages.at(-1);
  if (message.role === 'user' && last?.role === 'user') {
    messages[messages.length - 1] = { role: 'user', content: joinContents(contentIn(last), contentIn(message)) };
    return;
  }
  if (message.role === 'user' && last?.role === 'tool') messages.push(standIn.afterOutputs);
  if (message.role === 'assistant' && last === undefined) messages.push({ ...standIn.before });
  if (message.role === 'assistant' && last?.role === 'assistant') messages.push(standIn.between);
  messages.push(message);
}

/** The messages of a request, which must not end in one of the assistant. */
export function endedInTurn(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.at(-1)?.role === 'assistant' ? [...messages, standIn.between] : messages;
}

function contentIn(message: ChatMessage): ChatContent {
  return message['content'] as ChatContent;
}
