import type { PolicyDescription } from '../../policy/describe-policy.ts';
import type { NetworkAccess } from '../../protocol/permission-profile.ts';
import { type BoundedList, boundedList, dashedLines } from '../text/bounded-list.ts';
import { approvalLines, type ApprovalTold } from './approval-text.ts';
import { type CommandPrefix, listPrefixes } from './approved-prefixes.ts';
import { defineFamily } from '../text/define.ts';
import { quote } from '../text/markup.ts';
import type { NetworkRule } from '../../envelope/settings.ts';
import { listRules } from './network-rules.ts';

/** What the model is told about its permissions. Made from the same resolved policy that the sandbox enforces (I5). */
export interface PermissionsText extends PolicyDescription, ApprovalTold {
  /** Commands that begin so were approved for good. */
  readonly approvedPrefixes: readonly CommandPrefix[];
  readonly networkRules: readonly NetworkRule[];
}

const modeSentence: Readonly<Record<PermissionsText['mode'], string>> = {
  'read-only': 'Commands can look at files and change none.',
  'workspace-write': 'Commands can change files below the writable roots listed here, and nowhere else.',
  'danger-full-access': 'Commands run without a sandbox and can change anything this user can change.',
  'external-sandbox': 'Another program isolates this process; its limits are not known here.',
};

const networkSentence: Readonly<Record<NetworkAccess, string>> = {
  restricted: 'Connections to anywhere, this machine included, fail.',
  enabled: 'Commands can use the network.',
};

export const permissionsFragment = defineFamily<PermissionsText>({
  id: 'permissions',
  purpose: 'What the sandbox allows, how to ask for more, and what is permanently approved or denied.',
  role: 'developer',
  markers: ['<permissions instructions>', '</permissions instructions>'],
  capTokens: 6000,
  section: 'permissions',
  body(told) {
    const lines = [
      `Sandbox: ${told.mode}. ${modeSentence[told.mode]}`,
      `Network: ${told.network}. ${networkSentence[told.network]}`,
      ...approvalLines(told),
      ...(told.readsEverything ? [] : ['Reading is limited to what commands need and to the roots listed here.']),
      ...list('Writable roots', told.writableRoots),
      ...list('Not writable until the user creates them', told.missingRoots),
      ...list('Read-only inside them, and shown as empty folders where they do not exist', told.readOnlyPaths),
      ...list('Read-only wherever they exist already', told.keptGlobs),
      ...list('Not readable, and no request can change that', told.deniedPaths),
      ...titled('Commands that begin with one of these run without a question:', listPrefixes(told.approvedPrefixes)),
      ...titled('Saved network rules:', listRules(told.networkRules)),
    ];
    return `\n${lines.join('\n')}\n`;
  },
  withdrawn: '\nThe permissions described earlier are withdrawn. Find out by trying what is allowed.\n',
});

/** Paths are quoted as JSON: a name with a newline or a quote in it stays one name. */
function list(title: string, paths: readonly string[]): readonly string[] {
  const { kept, left } = boundedList(paths.map(quote), { count: 100, characters: 4000 });
  const tail = left === 0 ? [] : [`… and ${left} more that are not listed here`];
  return paths.length === 0 ? [] : [`${title}: ${[...kept, ...tail].join(', ')}`];
}

function titled(title: string, entries: BoundedList): readonly string[] {
  const lines = dashedLines(entries);
  return lines.length === 0 ? [] : [title, ...lines];
}
