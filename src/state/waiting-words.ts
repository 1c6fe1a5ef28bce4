import { isMessage, messageText } from '../protocol/item.ts';
import { oneLine } from './one-line.ts';
import type { WaitingMessage } from './waiting.ts';

/** The beginning of what was said, in one line; of what has no words, what it is. */
export function waitingWords(message: WaitingMessage, characters: number): string {
  if (message.kind === 'words') {
    const { text, images } = message.input;
    return oneLine(text, characters) || (images.length > 0 ? '[Image]' : '(nothing)');
  }
  const { item } = message;
  return (isMessage(item) ? oneLine(messageText(item), characters) : '') || `[${item.type}]`;
}
