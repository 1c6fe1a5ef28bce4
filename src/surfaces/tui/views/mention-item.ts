import type { MentionToken } from '../composer/mention-token.ts';

/** Something that a message can name. */
export interface MentionItem {
  readonly kind: 'file' | 'folder' | 'skill' | 'plugin';
  /** The path below the working folder, or the name. */
  readonly name: string;
  readonly about: string;
  /** What the model reads. */
  readonly text: string;
}

/** What a user may choose among. */
export const mentionFilters = ['all', 'files', 'tools'] as const;

export type MentionFilter = (typeof mentionFilters)[number];

export function isOfFilter({ kind }: MentionItem, filter: MentionFilter): boolean {
  const isFile = kind === 'file' || kind === 'folder';
  return filter === 'all' || (filter === 'files') === isFile;
}

/**
 * Tools whose names fit what was typed, those that begin with it first. What is typed in capitals may be a variable of
 * the shell: only a skill with such a name is meant then. Among files, a tool must begin with it, or one of its words.
 */
export function fittingTools(
  tools: readonly MentionItem[],
  { sign, typed }: Pick<MentionToken, 'sign' | 'typed'>,
): readonly MentionItem[] {
  if (/^[A-Z][A-Z\d_]*$/.test(typed)) return tools.filter(({ name }) => name.startsWith(typed));
  const wanted = typed.toLowerCase();
  const placeOf = ({ name }: MentionItem): number => name.toLowerCase().indexOf(wanted);
  const fits = (item: MentionItem): boolean => {
    const place = placeOf(item);
    return sign === '$' ? place >= 0 : place === 0 || (place > 0 && /[^a-z\d]/i.test(item.name[place - 1] ?? ''));
  };
  const found = tools.filter(fits);
  return [...found.filter((item) => placeOf(item) === 0), ...found.filter((item) => placeOf(item) > 0)];
}
