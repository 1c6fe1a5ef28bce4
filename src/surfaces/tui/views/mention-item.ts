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
 * the shell: only a skill with that very name is meant then.
 */
export function fittingTools(tools: readonly MentionItem[], typed: string): readonly MentionItem[] {
  if (/^[A-Z][A-Z\d_]*$/.test(typed)) return tools.filter(({ name }) => name.startsWith(typed));
  const wanted = typed.toLowerCase();
  const found = tools.filter(({ name }) => name.toLowerCase().includes(wanted));
  const begins = ({ name }: MentionItem): boolean => name.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((item) => !begins(item))];
}
