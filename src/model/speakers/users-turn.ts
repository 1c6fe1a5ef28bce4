import { isUntaggedWords } from '../../fragments/answers/untagged-words.ts';
import type { InputWriter } from '../../protocol/input-writer.ts';
import { inBorders, outsideBorders, withoutBorders } from './borders.ts';
import { joinContents, type MessageContent } from './message-content.ts';

/** What stands in the user's turn: words of the user, of an agent, of a tool or of Capstan. */
export interface InUsersTurn {
  /** In a message of its own. */
  readonly content: MessageContent;
  /** In a message of several speakers. */
  readonly among: () => MessageContent;
}

/** Above what an agent reads in the place of a user's words. Its instructions say which agent that is. */
const parentHeading = '[Message from the agent that started you]';

/** Above an answer whose call is not in the request. */
export const strayHeading = '[Output of a call that is not shown here:]';

/** A message of the user's role: the user's words, unless it is known that another wrote it. */
export function writtenWords(content: MessageContent, writer: InputWriter | undefined): InUsersTurn {
  if (typeof content === 'string' && isUntaggedWords(content)) {
    return always(inBorders('developer', content));
  }
  switch (writer) {
    case undefined:
      return { content, among: () => outsideBorders(content) };
    case 'program':
      return always(withoutBorders(content));
    case 'agent':
      return ofOther('agent_message', joinContents(parentHeading, content));
    case 'engine':
      return always(inBorders('developer', content));
    case 'earlier-summary':
      return always(inBorders('earlier_summary', content));
  }
}

/** What an agent or a tool said: a message of its own has a heading and no borders, and must not look as if it had. */
export function ofOther(border: 'agent_message' | 'tool_output', content: MessageContent): InUsersTurn {
  return { content: withoutBorders(content), among: () => inBorders(border, content) };
}

export function always(content: MessageContent): InUsersTurn {
  return { content, among: () => content };
}
