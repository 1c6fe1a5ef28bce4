import { defineFragment, defineWithdrawal } from './define.ts';
import { oneLine } from './markup.ts';

/** Which window this is, for a model that keeps notes across windows. */
export interface ContextWindowText {
  readonly agent: string;
  readonly first: string;
  readonly current: string;
  readonly previous?: string;
  /** What is worth noting before the window ends. */
  readonly notesHint?: string;
}

export const contextWindowFragment = defineFragment<ContextWindowText>({
  id: 'context-window',
  purpose: 'Which window this is, by its id, and which came before.',
  role: 'developer',
  markers: ['<context_window>', '</context_window>'],
  capTokens: 700,
  separate: true,
  section: 'context_window',
  body({ agent, first, current, previous, notesHint }) {
    const lines = [
      `Agent name: ${oneLine(agent)}`,
      `First context window id: ${oneLine(first)}`,
      `Current context window id: ${oneLine(current)}`,
      ...(previous === undefined ? [] : [`Previous context window id: ${oneLine(previous)}`]),
      ...(notesHint === undefined ? [] : [notesHint]),
    ];
    return `\n${lines.join('\n')}\n`;
  },
});

export const contextWindowWithdrawnFragment = defineWithdrawal(contextWindowFragment, {
  body: '\nContext windows are no longer told by id; what was said about them no longer holds.\n',
});

export interface ContextWindowGuidanceText {
  readonly text: string;
}

export const contextWindowGuidanceFragment = defineFragment<ContextWindowGuidanceText>({
  id: 'context-window-guidance',
  purpose: 'How to deal with a window that comes to its end.',
  role: 'developer',
  markers: ['<context_window_guidance>', '</context_window_guidance>'],
  capTokens: 600,
  section: 'context_window_guidance',
  body: ({ text }) => `\n${text}\n`,
});

export const contextWindowGuidanceWithdrawnFragment = defineWithdrawal(contextWindowGuidanceFragment, {
  body: '\nThe guidance about context windows given before no longer holds.\n',
});
