import type { PolicyDescription } from '../../policy/describe-policy.ts';
import { isUnlimited } from '../../policy/profile-width.ts';
import { type BoundedList, boundedList, dashedLines } from '../text/bounded-list.ts';
import { defineFragment } from '../text/define.ts';
import { quote } from '../text/markup.ts';

/** The first words of a command that the user approved for good. */
export type CommandPrefix = readonly string[];

/** Where a script runs that only has approved commands. `anywhere`: there is no sandbox. */
export type ApprovedRuns = 'outside' | 'confined' | 'anywhere';

export interface AddedPrefixes {
  readonly added: readonly CommandPrefix[];
  readonly where: ApprovedRuns;
  /** Nothing else tells how a script is read. */
  readonly explained: boolean;
}

/** Prefixes are only ever added here; when one goes, the permissions are told anew. */
export const approvedPrefixesFragment = defineFragment<AddedPrefixes>({
  id: 'approved-prefixes',
  purpose: 'Command prefixes that the user approved permanently since `permissions` was sent.',
  role: 'developer',
  markers: ['<approved_command_prefixes>', '</approved_command_prefixes>'],
  capTokens: 1700,
  section: 'permissions',
  matches: (text) =>
    /^\s*<approved_command_prefixes>[\s\S]*<\/approved_command_prefixes>\s*$/i.test(text) ||
    /^\s*Approved command prefix saved:/i.test(text),
  body: ({ added, where, explained }) =>
    `\n${[
      ...(explained ? [howScriptsAreRead] : []),
      `${approvedTitle[where]}, or with one listed earlier:`,
      ...dashedLines(listPrefixes(added)),
    ].join('\n')}\n`,
});

const whereUnchanged =
  'Where sandboxed commands can change neither the programs that a script starts nor its git repository, it runs';
const unlessTyped = 'without a question, unless stdin or tty is set,';
const ifAllowed = 'if each of its commands begins with one of these';

/** The text of a list's title, up to where a word about other lists may follow. */
export const approvedTitle: Readonly<Record<ApprovedRuns, string>> = {
  outside: `${whereUnchanged} outside the sandbox, ${unlessTyped} ${ifAllowed}`,
  confined: `${whereUnchanged} in a sandbox that only denies what is not readable, ${unlessTyped} ${ifAllowed}`,
  anywhere: `A script is neither asked about nor refused, even if it destroys, ${ifAllowed}`,
};

/** As calls are decided: what must not be read keeps a sandbox around everything, though a wide one. */
export function approvedRuns({ mode, deniedPaths, deniedGlobs }: PolicyDescription): ApprovedRuns {
  if (isUnlimited(mode)) return 'anywhere';
  return deniedPaths.length + deniedGlobs.length === 0 ? 'outside' : 'confined';
}

/** As the parser does it. */
export const howScriptsAreRead =
  'How a script is read: it is split into commands at &&, ||, ;, |, & and newlines, also within ( ) and { }. If it has more than plain words in it, such as a variable, an assignment, a wildcard, a substitution, output to a file, a loop, a heredoc, xargs or find -exec, the whole script counts as one command that begins with the shell: rules that allow a command in it do not allow the script, and rules that refuse or ask still find theirs. Assignments such as CI=1, NODE_ENV=test or LANG=C before a command are ignored.';

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
