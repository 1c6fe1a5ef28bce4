import { dashedLines } from '../text/bounded-list.ts';
import { type CommandPrefix, listPrefixes } from './command-prefixes.ts';
import { defineFragment } from '../text/define.ts';

export interface ApprovedPrefixesText {
  readonly added: readonly CommandPrefix[];
}

/** Prefixes are only ever added here; when one goes, the permissions are told anew. */
export const approvedPrefixesFragment = defineFragment<ApprovedPrefixesText>({
  id: 'approved-prefixes',
  purpose: 'Command prefixes that were approved for good since the permissions were told.',
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
