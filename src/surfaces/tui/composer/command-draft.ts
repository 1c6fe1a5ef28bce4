import { type Draft, replaceIn, withCursor } from './draft.ts';
import { readSlash } from './read-slash.ts';

/** Whether words would be a command if the user typed them: for the shell, or for Capstan. */
export function isCommandText(words: string): boolean {
  return words.startsWith('!') || readSlash(words) !== undefined;
}

/** Whether a draft is a command: its first sign was typed, and is no part of what an element stands for. */
export function isCommandDraft({ text, elements }: Draft): boolean {
  return elements[0]?.start !== 0 && isCommandText(text);
}

/** A command for the user's shell: the `!` was typed, and is no part of what an element stands for. */
export function isShellDraft(draft: Draft): boolean {
  return draft.text.startsWith('!') && isCommandDraft(draft);
}

/** The draft as a message, whatever it begins with: behind a blank there is no command. */
export function asMessage(draft: Draft): Draft {
  return isCommandDraft(draft) ? withCursor(replaceIn(draft, [0, 0], ' '), draft.cursor + 1) : draft;
}
