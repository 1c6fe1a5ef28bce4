import { type BoundedList, boundedList, dashedLines } from '../text/bounded-list.ts';
import { defineFragment } from '../text/define.ts';
import { quote } from '../text/markup.ts';

/** The first words of a command that the user approved for good. */
export type CommandPrefix = readonly string[];

/** Prefixes are only ever added here; when one goes, the permissions are told anew. */
export const approvedPrefixesFragment = defineFragment<{ readonly added: readonly CommandPrefix[] }>({
  id: 'approved-prefixes',
  purpose: 'Command prefixes that the user approved permanently since `permissions` was sent.',
  role: 'developer',
  markers: ['<approved_command_prefixes>', '</approved_command_prefixes>'],
  capTokens: 1500,
  section: 'permissions',
  matches: (text) =>
    /^\s*<approved_command_prefixes>[\s\S]*<\/approved_command_prefixes>\s*$/i.test(text) ||
    /^\s*Approved command prefix saved:/i.test(text),
  body: ({ added }) =>
    `\nCommands that begin with one of these now run without a question:\n${dashedLines(listPrefixes(added)).join('\n')}\n`,
});

/** Each once, short ones first, so that what a long list leaves out is the most special. */
export function listPrefixes(prefixes: readonly CommandPrefix[]): BoundedList {
  const sorted = prefixes.toSorted(
    (a, b) => a.length - b.length || letters(a) - letters(b) || compare(a.join('\0'), b.join('\0')),
  );
  const lines = sorted.map((prefix) => `[${prefix.map(quote).join(', ')}]`);
  return boundedList([...new Set(lines)], { count: 100, characters: 5000 });
}

function letters(prefix: CommandPrefix): number {
  return prefix.reduce((sum, token) => sum + token.length, 0);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
