import { defineFragment } from '../text/define.ts';

export interface HookContextText {
  readonly text: string;
}

export const hookContextFragment = defineFragment<HookContextText>({
  id: 'hook-context',
  purpose: 'What a hook had to add, once.',
  role: 'developer',
  markers: ['<hook_context>', '</hook_context>'],
  capTokens: 5000,
  separate: true,
  body: ({ text }) => `\n${text}\n`,
});
