import { nearestConfigKey } from '../../../core/config/keys/check-values.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { type UserImage, type UserInput, words } from '../../../protocol/user-input.ts';
import { findSlash, type NamedCommand, slashCommands } from '../commands/slash-commands.ts';
import { hintKeyMapper } from '../screen/keys/key-map.ts';
import type { Look } from '../screen/text/look.ts';
import { canQuoteBehind, mentionText, renumberElements, quoteShellPath } from './draft-elements.ts';
import type { DraftServices } from './draft-services.ts';
import {
  escapeCommandDraft,
  isCommandDraft,
  isCommandText,
  isShellDraft,
  movedElements,
  parseSlashCommand,
  sliceDraft,
} from './draft.ts';
import type { Draft, DraftElement } from './draft.ts';

export type ParsedDraft =
  | { readonly kind: 'message'; readonly draft: Draft }
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'slash'; readonly command: NamedCommand; readonly rest: string }
  /** The draft looks like a command, but Capstan cannot run it. */
  | { readonly kind: 'refused'; readonly why: string };

export function parseDraft(draft: Draft): ParsedDraft {
  if (!isCommandDraft(draft)) return { kind: 'message', draft };
  const words = expandDraft(draft);
  if (isShellDraft(draft)) {
    const unsafe = draft.elements.find((element) => isUnsafe(draft, element));
    if (unsafe !== undefined) {
      const label = draft.text.slice(unsafe.start, unsafe.end);
      const next = 'Put it outside of quotes, comments, substitutions and calculations.';
      return { kind: 'refused', why: `The shell would not take ${label} as one name there. ${next}` };
    }
    return { kind: 'shell', command: words.slice(1).trim() };
  }
  const slash = parseSlashCommand(words);
  if (slash === undefined) return { kind: 'message', draft };
  const command = findSlash(slash.name);
  if (command === undefined) return { kind: 'refused', why: unknownCommand(slash.name) };
  if (command.takes === undefined && slash.rest !== '') {
    const next = 'Send it alone, or put a space before it to send all of it to the model.';
    return { kind: 'refused', why: `/${slash.name} takes no words. ${next}` };
  }
  return { kind: 'slash', command, rest: slash.rest };
}

/** True for a path that needs quotes where quotes would not work. */
function isUnsafe(draft: Draft, { start, payload }: DraftElement): boolean {
  if (payload.kind !== 'mention' || payload.path === undefined || quoteShellPath(payload.path) === payload.path)
    return false;
  return !canQuoteBehind(expandDraft({ ...sliceDraft(draft, [0, start]), cursor: 0 }).slice(1));
}

function unknownCommand(name: string): string {
  const listed = slashCommands.filter(({ isAlias }) => isAlias !== true).map((command) => command.name);
  const nearest = nearestConfigKey(name, listed);
  const meant = nearest === undefined ? '' : ` Did you mean /${nearest}?`;
  return `There is no command /${name}.${meant} Type / for the list, or put a space before it to send it to the model.`;
}

export function commandMustWaitMessage(name: string, look: Look): string {
  const key = hintKeyMapper(look, 'composer');
  return `/${name} has to wait until the turn ends. ${key('Tab')} queues it, ${key('Esc')} interrupts the turn.`;
}

/** Expands pastes and mentions. Pictures keep their labels, which the model knows. */
export function expandDraft(draft: Draft): string {
  const isShell = isShellDraft(draft);
  return draft.elements.toReversed().reduce((all, { start, end, payload }) => {
    if (payload.kind === 'image') return all;
    const words = payload.kind === 'mention' ? mentionText(payload, { isShell }) : payload.text;
    return all.slice(0, start) + words + all.slice(end);
  }, draft.text);
}

/** Text for the model, without the blank that keeps a message from being a command. */
export function draftMessageText(draft: Draft): string {
  const words = expandDraft(draft);
  return words.startsWith(' ') && isCommandText(words.slice(1)) ? words.slice(1) : words;
}

/** The draft as plain text. If its expanded elements would make it a command, a blank before it prevents that. */
export function draftPlainText(draft: Draft): string {
  const words = expandDraft(draft);
  return isCommandText(words) && !isCommandDraft(draft) ? ` ${words}` : words;
}

export const picturesOf = ({ elements }: Draft): readonly string[] =>
  elements.flatMap(({ payload }) => (payload.kind === 'image' ? [payload.source] : []));

/** Trims blanks, except one that keeps a message from being a command. */
export function trimDraft({ text, cursor, elements }: Draft): Draft {
  const trimmed = text.trim();
  const by = text.length - text.trimStart().length;
  const at = Math.max(0, Math.min(trimmed.length, cursor - by));
  const draft = { text: trimmed, cursor: at, elements: movedElements(elements, -by) };
  return by === 0 ? draft : escapeCommandDraft(draft);
}

/** Joins two drafts into a message, not a command, and renumbers elements. The cursor stays in the second. */
export function joinDrafts(before: Draft, second: Draft): Draft {
  if (second.text === '') return { ...before, cursor: before.text.length };
  const first = escapeCommandDraft(before);
  const by = first.text.length + 1;
  return renumberElements({
    text: `${first.text}\n${second.text}`,
    cursor: second.cursor + by,
    elements: [...first.elements, ...movedElements(second.elements, by)],
  });
}

export function joinAll(drafts: readonly Draft[]): Draft | undefined {
  const [first, ...rest] = drafts;
  return first && rest.reduce(joinDrafts, first);
}

type PictureReader = Pick<DraftServices, 'takesPictures' | 'model'> & {
  load(source: string): Promise<UserImage | Outcome>;
};

export async function draftToUserInput(draft: Draft, reader: PictureReader): Promise<UserInput | Outcome> {
  const input = words(draftMessageText(draft));
  const sources = picturesOf(draft);
  if (sources.length === 0) return input;
  if (!reader.takesPictures) return modelTakesNoPictures(reader.model);
  const images: UserImage[] = [];
  for (const source of sources) {
    const image = await reader.load(source);
    if ('code' in image) return image;
    images.push(image);
  }
  return { ...input, images };
}

/** Reported when a picture is added, and again on sending. */
export const modelTakesNoPictures = (model: string): Outcome => ({
  code: 'model-without-pictures',
  message: `${model} does not take pictures.`,
  next: 'Choose another model with /model, or send the message without pictures.',
});
