import { nearestKey } from '../../../config/nearest-key.ts';
import { hintKeys } from '../keys/hint-keys.ts';
import type { Look } from '../text/look.ts';
import { findSlash, slashCommands, type SlashCommand, type SlashName } from '../views/slash-table.ts';
import { isCommandDraft, isShellDraft } from '../composer/command-draft.ts';
import { type Draft, type DraftElement, partOf } from '../composer/draft.ts';
import { readSlash } from '../composer/read-slash.ts';
import { canQuoteBehind, shellPath } from '../composer/shell-path.ts';
import { expandDraft } from '../composer/whole-draft.ts';

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
  if (isShellDraft(draft)) {
    const unsafe = draft.elements.find((element) => isUnsafe(draft, element));
    if (unsafe !== undefined) return { kind: 'refused', why: insideQuotes(draft.text.slice(unsafe.start, unsafe.end)) };
    return { kind: 'shell', command: words.slice(1).trim() };
  }
  const slash = readSlash(words);
  if (slash === undefined) return { kind: 'message', draft };
  const command = findSlash(slash.name);
  if (command === undefined) return { kind: 'refused', why: unknownCommand(slash.name) };
  if (command.takes === undefined && slash.rest !== '') return { kind: 'refused', why: takesNothing(slash.name) };
  return { kind: 'slash', command, rest: slash.rest };
}

/** A path that has to be quoted, where quotes would not be read as such. */
function isUnsafe(draft: Draft, { start, payload }: DraftElement): boolean {
  if (payload.kind !== 'mention' || payload.path === undefined || shellPath(payload.path) === payload.path)
    return false;
  const before = expandDraft({ ...partOf(draft, [0, start]), cursor: 0 });
  return !canQuoteBehind(before.slice(1));
}

function insideQuotes(label: string): string {
  return `The shell would not take ${label} as one name there. Put it outside of quotes, comments, substitutions and calculations.`;
}

function unknownCommand(name: string): string {
  const listed = slashCommands.filter((command) => !('isAlias' in command)).map((command) => command.name);
  const nearest = nearestKey(name, listed);
  const meant = nearest === undefined ? '' : ` Did you mean /${nearest}?`;
  return `There is no command /${name}.${meant} Type / for the list, or put a space before it to send it to the model.`;
}

function takesNothing(name: string): string {
  return `/${name} takes no words. Send it alone, or put a space before it to send all of it to the model.`;
}

/** A command that does not work while a turn runs. */
export function mustWait(name: string, look: Look): string {
  const key = hintKeys(look, 'composer');
  return `/${name} has to wait until the turn ends. ${key('Tab')} queues it, ${key('Esc')} interrupts the turn.`;
}
