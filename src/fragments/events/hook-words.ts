import { defineFragment } from '../text/define.ts';
import { escapeMarkup, escapeText, unescapeText } from '../text/markup.ts';
import { truncateMiddle } from '../text/truncate.ts';

export const hookContextFragment = defineFragment<{ readonly text: string }>({
  id: 'hook-context',
  purpose: 'Text that a hook added, once.',
  role: 'developer',
  markers: ['<hook_context>', '</hook_context>'],
  capTokens: 5000,
  separate: true,
  body: ({ text }) => `\n${text}\n`,
});

/** What stands in the place of a text that is too long: its beginning and end, and where all of it is. */
export function savedHookOutput(preview: string, path: string): string {
  return `${preview}\n\nFull hook output saved to: ${path}`;
}

const prompt = /^\s*<hook_prompt(?:\s[^>]*)?>(?<words>[^]*)<\/hook_prompt>\s*$/i;
const context = /^\s*<hook_context>\n?(?<words>[^]*?)\n?<\/hook_context>\s*$/i;

/** Other programs read this one as XML, so all of it is escaped. */
export const hookPromptFragment = defineFragment<{ readonly runId: string; readonly prompt: string }>({
  id: 'hook-prompt',
  purpose: 'A hook kept the turn from ending and says what is left to do.',
  role: 'user',
  markers: ['<hook_prompt hook_run_id="ID">', '</hook_prompt>'],
  capTokens: 5000,
  markersFor: ({ runId }) => [
    `<hook_prompt hook_run_id="${escapeMarkup(truncateMiddle(runId, { mode: 'bytes', limit: 200 }))}">`,
    '</hook_prompt>',
  ],
  matches: (text) => prompt.test(text),
  body: ({ prompt }) => escapeText(prompt),
});

/** What a hook said, without the tags and escapes of the fragment that carried it; undefined when no hook did. */
export function hookWords(text: string): string | undefined {
  const asked = prompt.exec(text)?.groups?.['words'];
  if (asked !== undefined) return unescapeText(asked);
  return context.exec(text)?.groups?.['words'];
}
