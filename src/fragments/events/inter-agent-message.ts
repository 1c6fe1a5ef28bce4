import { defineFragment } from '../text/define.ts';
import { withoutLineBreaks } from '../text/markup.ts';

export interface InterAgentMessageText {
  readonly type: 'MESSAGE' | 'NEW_TASK' | 'FINAL_ANSWER';
  readonly taskName: string;
  readonly sender: string;
  readonly payload: string;
}

/** It stands in an item of its own type, which says what it is; so it has no markers. */
export const interAgentMessageFragment = defineFragment<InterAgentMessageText>({
  id: 'inter-agent-message',
  purpose: 'What another agent wrote to this one.',
  role: 'assistant',
  capTokens: 10_000,
  separate: true,
  body: ({ type, taskName, sender, payload }) =>
    `Message Type: ${type}\nTask name: ${withoutLineBreaks(taskName)}\nSender: ${withoutLineBreaks(sender)}\nPayload:\n${payload}`,
});
