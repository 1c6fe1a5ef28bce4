import { visibleLine } from '../../terminal/visible-text.ts';
import type { DraftPayload } from './draft.ts';
import { shellPath } from './shell-path.ts';

type Mention = Extract<DraftPayload, { kind: 'mention' }>;

/** What a mention says. In a command for the shell, a path is one word. */
export function mentionWords({ text, path }: Mention, { isShell }: { readonly isShell: boolean }): string {
  return isShell && path !== undefined ? shellPath(path) : text;
}

/** How a path stands in a draft: as it is said, with a sign for every character that hides. */
export function mentionLabel(mention: Mention, place: { readonly isShell: boolean }): string {
  return visibleLine(mentionWords(mention, place));
}
