import { hintKeys } from '../keys/hint-keys.ts';
import type { Look } from '../text/look.ts';
import { findSlash, type SlashCommand, type SlashName } from '../views/slash-table.ts';
import { isCommandDraft } from '../composer/command-draft.ts';
import type { Draft } from '../composer/draft.ts';
import { readSlash } from '../composer/read-slash.ts';
import { expandDraft, isShellDraft } from '../composer/whole-draft.ts';

/** What a draft asks for. */
export type MeantDraft =
  | { readonly kind: 'message'; readonly draft: Draft }
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'slash'; readonly command: SlashCommand & { readonly name: SlashName }; readonly rest: string }
  /** It looks like a command, and is none. */
  | { readonly kind: 'refused'; readonly why: string };

export function readDraft(draft: Draft): MeantDraft {
  if (!isCommandDraft(draft)) return { kind: 'message', draft };
  const words = expandDraft(draft);
  if (isShellDraft(draft)) return { kind: 'shell', command: words.slice(1).trim() };
  const slash = readSlash(words);
  if (slash === undefined) return { kind: 'message', draft };
  const command = findSlash(slash.name);
  if (command === undefined) return { kind: 'refused', why: unknownCommand(slash.name) };
  if (command.takes === undefined && slash.rest !== '') return { kind: 'refused', why: takesNothing(slash.name) };
  return { kind: 'slash', command, rest: slash.rest };
}

function unknownCommand(name: string): string {
  return `There is no command /${name}. Type / for the list, or put a space before it to send it to the model.`;
}

function takesNothing(name: string): string {
  return `/${name} takes no words. Send it alone, or put a space before it to send all of it to the model.`;
}

/** A command that does not work while a turn runs. */
export function mustWait(name: string, look: Look): string {
  const key = hintKeys(look, 'composer');
  return `/${name} has to wait until the turn ends. ${key('Tab')} queues it, ${key('Esc')} interrupts the turn.`;
}
