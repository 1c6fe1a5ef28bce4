import type { Draft } from '../composer/draft.ts';
import type { SlashArgument } from './slash-argument.ts';
import { findSlash, type SlashName } from './slash-table.ts';

/** The argument that the cursor of a draft stands behind. */
export interface AskedArgument {
  readonly command: SlashName;
  readonly kind: SlashArgument;
  /** Words between the name of the command and the argument. */
  readonly before: readonly string[];
  /** What is typed of it. */
  readonly typed: string;
  /** Another one may follow. */
  readonly hasNext: boolean;
}

/** Undefined: the draft is no command, or nothing is known of what may stand there. */
export function askedArgument({ text, cursor, elements }: Draft): AskedArgument | undefined {
  const [, name = '', rest = ''] = /^\/([a-z][\w-]*)[ \t]+([^\n]*)$/i.exec(text) ?? [];
  const command = name === '' ? undefined : findSlash(name.toLowerCase());
  const { completes = [] } = command ?? {};
  if (command === undefined || cursor !== text.length || elements.length > 0) return undefined;
  // The only one may have blanks in it.
  const words = completes.length > 1 ? rest.split(/[ \t]+/) : [rest];
  const before = words.slice(0, -1);
  const kind = completes[before.length];
  if (kind === undefined) return undefined;
  const hasNext = completes.length > words.length;
  return { command: command.name, kind, before, typed: words.at(-1) ?? '', hasNext };
}

/** The draft with the argument in full. */
export function withArgument({ command, before, hasNext }: AskedArgument, value: string): string {
  return `/${[command, ...before, value].join(' ')}${hasNext ? ' ' : ''}`;
}
