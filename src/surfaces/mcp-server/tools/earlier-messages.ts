import type { Outcome } from '../../../protocol/outcome.ts';

const mostShown = 5;

/**
 * What a caller should know whose turn begins with messages that were accepted earlier: the client that sent them may
 * only have seen its connection break.
 */
export function earlierMessages(texts: readonly string[]): Outcome<'messages-waiting'> | undefined {
  if (texts.length === 0) return undefined;
  const shown = texts.slice(0, mostShown).map((text) => `“${text}”`);
  const more = texts.length > mostShown ? `; and ${texts.length - mostShown} more` : '';
  const what = texts.length === 1 ? 'a message' : `${texts.length} messages`;
  return {
    code: 'messages-waiting',
    message: `This turn begins with ${what} that the thread had accepted before and not sent: ${shown.join('; ')}${more}.`,
    next: `Do not send ${texts.length === 1 ? 'it' : 'them'} again.`,
  };
}
