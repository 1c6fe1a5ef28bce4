import { defineFragment, isBetween } from './define.ts';

export interface InternalContextText {
  /** Which part of the program steers, such as `goal`: letters, digits and underscores. */
  readonly source: string;
  readonly text: string;
}

export const internalContextFragment = defineFragment<InternalContextText>({
  id: 'internal-context',
  purpose: 'A part of the program steers the model, such as a goal that goes on.',
  role: 'user',
  markers: ['<codex_internal_context source="SOURCE">', '</codex_internal_context>'],
  capTokens: 5000,
  separate: true,
  markersFor: ({ source }) => [`<codex_internal_context source="${sourceName(source)}">`, '</codex_internal_context>'],
  matches: (text) =>
    /^\s*<codex_internal_context source="[a-z][a-z0-9_]*">[\s\S]*<\/codex_internal_context>\s*$/.test(text) ||
    isBetween(text, ['<goal_context>', '</goal_context>']),
  body: ({ text }) => `\n${text}\n`,
});

function sourceName(source: string): string {
  const name = source
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, '_')
    .slice(0, 50);
  return /^[a-z]/.test(name) ? name : `source_${name}`;
}
