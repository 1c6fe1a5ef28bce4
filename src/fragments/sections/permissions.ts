import type { PolicyDescription, ReachedNetwork } from '../../policy/describe-policy.ts';
import type { StandingGrants } from '../../policy/standing-grants.ts';
import type { HeldPatterns } from '../../policy/rules/held-patterns.ts';
import { type BoundedList, dashedLines } from '../text/bounded-list.ts';
import { approvalLines, type ApprovalTold, explainsScripts } from './approval-text.ts';
import {
  approvedRuns,
  approvedTitle,
  type CommandPrefix,
  howScriptsAreRead,
  listPrefixes,
} from './approved-prefixes.ts';
import { defineFamily } from '../text/define.ts';
import { byteLength, bytesPerToken } from '../text/truncate.ts';
import { heldLines } from './held-commands.ts';
import { fileLines, grantedLines } from './policy-lists.ts';
import { reachLines } from './reached-network.ts';

/** What the model is told about its permissions. Made from the same resolved policy that the sandbox enforces (I5). */
export interface PermissionsText extends PolicyDescription, ApprovalTold {
  /** Commands that begin so were approved for good. */
  readonly approvedPrefixes: readonly CommandPrefix[];
  /** What rules forbid or ask about. */
  readonly held: HeldPatterns;
  /** What the user granted beyond the rest. Absent: nothing. */
  readonly granted?: StandingGrants;
  /** The network as such a grant opened it. Absent: none did. */
  readonly opened?: ReachedNetwork;
}

const modeSentence: Readonly<Record<PermissionsText['mode'], string>> = {
  'read-only': 'Commands can look at files and change none.',
  'workspace-write': 'Commands can change files below the writable roots listed here, and nowhere else.',
  'danger-full-access': 'Commands run without a sandbox and can change anything this user can change.',
  'external-sandbox': 'Another program isolates this process; its limits are not known here.',
};

const capTokens = 6000;

/** The markers, and a line that counts what is left out, take the rest. */
const mostBytes = capTokens * bytesPerToken - 200;

export const permissionsFragment = defineFamily<PermissionsText>({
  id: 'permissions',
  purpose: 'What the sandbox allows, how to ask for more, and what is permanently approved or denied.',
  role: 'developer',
  markers: ['<permissions instructions>', '</permissions instructions>'],
  capTokens,
  section: 'permissions',
  body(told) {
    const lines = [
      `Sandbox: ${told.mode}. ${modeSentence[told.mode]}`,
      ...reachLines(told),
      ...approvalLines(told),
      ...fileLines(told),
      ...Object.values(grantedLines(told.granted)),
    ];
    // Nothing is run, so nothing is said about what would be.
    if (!told.canAsk && told.approval === 'untrusted') return `\n${lines.join('\n')}\n`;
    const isUnread = told.approvedPrefixes.length > 0 && !explainsScripts(told);
    const ruled = [
      ...heldLines(told),
      ...(isUnread ? [howScriptsAreRead] : []),
      ...titled(`${approvedTitle[approvedRuns(told)]}:`, listPrefixes(told.approvedPrefixes)),
    ];
    return `\n${[...lines, ...fitting(ruled, mostBytes - byteLength(lines.join('\n')))].join('\n')}\n`;
  },
  withdrawn: '\nThe permissions described earlier are withdrawn. Find out by trying what is allowed.\n',
});

/** Rules give way where all of them would not fit: what they hold back still fails, and what they allow only ever adds. */
function fitting(lines: readonly string[], bytes: number): readonly string[] {
  let left = bytes;
  const end = lines.findIndex((line) => (left -= byteLength(line) + 1) < 0);
  return end === -1
    ? lines
    : [...lines.slice(0, end), `… and ${lines.length - end} more lines that are not listed here`];
}

function titled(title: string, entries: BoundedList): readonly string[] {
  const lines = dashedLines(entries);
  return lines.length === 0 ? [] : [title, ...lines];
}
