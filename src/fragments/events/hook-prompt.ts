import { defineFragment } from '../text/define.ts';
import { escapeMarkup, escapeText } from '../text/markup.ts';
import { truncateMiddle } from '../text/truncate.ts';

export interface HookPromptText {
  readonly runId: string;
  readonly prompt: string;
}

/** Other programs read this one as XML, so all of it is escaped. */
export const hookPromptFragment = defineFragment<HookPromptText>({
  id: 'hook-prompt',
  purpose: 'A hook did not let the turn end and says what is still to be done.',
  role: 'user',
  markers: ['<hook_prompt hook_run_id="ID">', '</hook_prompt>'],
  capTokens: 5000,
  separate: true,
  markersFor: ({ runId }) => [
    `<hook_prompt hook_run_id="${escapeMarkup(truncateMiddle(runId, { mode: 'bytes', limit: 200 }))}">`,
    '</hook_prompt>',
  ],
  matches: (text) => /^\s*<hook_prompt(?:\s[^>]*)?>[\s\S]*<\/hook_prompt>\s*$/i.test(text),
  body: ({ prompt }) => escapeText(prompt),
});
