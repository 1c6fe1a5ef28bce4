import type { OpenedRepository } from '../protocol/resolved-policy.ts';
import type { GuardedRepository } from './command-ground.ts';
import type { GrantedExtra } from './grants.ts';
import { isLongOption } from './commands/long-option.ts';

/** What a subcommand of git takes beyond what the sandbox gives every command. */
interface SubcommandNeeds {
  /** It changes the git folder, or files of the checkout as well. Absent: it only reads. */
  readonly changes?: 'repository' | 'checkout';
  readonly network?: true;
  /** It may sign what it makes. */
  readonly signs?: true;
  /** It writes settings about branches: always, or with an option. */
  readonly settings?: 'always' | 'upstream';
}

const reads: SubcommandNeeds = {};
const checkout: SubcommandNeeds = { changes: 'checkout' };
const signedCheckout: SubcommandNeeds = { changes: 'checkout', signs: true };
const repository: SubcommandNeeds = { changes: 'repository' };

/**
 * Subcommands that run no program but hooks and what settings name, and enter a submodule only by starting git anew. Of
 * all others, aliases among them, that is not known.
 */
const subcommands: Readonly<Record<string, SubcommandNeeds>> = {
  ...each(
    'blame cat-file cherry count-objects describe diff diff-files diff-index diff-tree for-each-ref fsck grep log ls-files ls-tree merge-base name-rev range-diff rev-list rev-parse shortlog show show-branch show-ref status var version whatchanged',
    reads,
  ),
  ...each('apply checkout clean mv reset restore rm stash switch', checkout),
  ...each('am cherry-pick merge rebase revert', signedCheckout),
  ...each('add gc reflog', repository),
  ...each('commit tag', { changes: 'repository', signs: true }),
  branch: { changes: 'repository', settings: 'always' },
  fetch: { changes: 'repository', network: true, settings: 'upstream' },
  // It changes nothing, but what it starts for the network gets no more than for the others.
  'ls-remote': { changes: 'repository', network: true },
  pull: { changes: 'checkout', network: true, signs: true },
  push: { changes: 'repository', network: true, signs: true, settings: 'upstream' },
};

function each(names: string, needs: SubcommandNeeds): Readonly<Record<string, SubcommandNeeds>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, needs]));
}

/** Undefined: it is not known what the subcommand does. */
export function needsOfSubcommand(name: string): SubcommandNeeds | undefined {
  return Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
}

/** A subcommand of plain git with the words behind it. */
export interface GitCommand {
  readonly subcommand: string;
  readonly rest: readonly string[];
}

/**
 * What these commands of one script take, all of them git. Undefined: git may have said by which name it has its folder
 * before it writes files, and a link could then lead there. Such a command runs in a call of its own.
 */
export function neededByGit(
  commands: readonly GitCommand[],
  { top, folder, common, sockets, hooks }: GuardedRepository,
): GrantedExtra | undefined {
  const all = commands.map((command) => ({ command, needs: needsOfSubcommand(command.subcommand) ?? reads }));
  if (all.slice(1).some(({ needs }) => needs.changes === 'checkout')) return undefined;
  const network = all.some(({ needs }) => needs.network === true);
  const signs = all.some(({ needs }) => needs.signs === true);
  const agents = [...(network ? [...sockets.ssh, ...sockets.names] : []), ...(signs ? sockets.gpg : [])];
  const isChanged = all.some(({ needs }) => needs.changes !== undefined);
  // Neither files that git writes nor what its hooks run may end up in settings.
  const isBare = all.every(({ needs }) => needs.changes === undefined || needs.settings !== undefined);
  const runs = isBare ? hooks.filter((name) => hooksBeforeSettings.has(name)) : hooks;
  const settings =
    runs.length === 0 &&
    all.every(({ needs }) => needs.changes !== 'checkout') &&
    all.some(
      ({ command, needs }) => needs.settings === 'always' || (needs.settings === 'upstream' && follows(command)),
    );
  const opened: OpenedRepository = { top, folder, common, ...(settings && { settings }), sockets: agents };
  return { ...(network && { network }), ...(isChanged && { repository: opened }) };
}

/** Hooks that run in the subcommands that may write settings. */
const hooksBeforeSettings = new Set(['pre-push', 'reference-transaction']);

/** Whether a branch is to follow another one from then on. */
function follows({ subcommand, rest }: GitCommand): boolean {
  return rest.some(
    (word) => isLongOption(word, 'set-upstream') || (subcommand === 'push' && /^-[A-Za-z]*u/.test(word)),
  );
}
