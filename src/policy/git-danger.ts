import type { DecisionContext } from './call-decision.ts';
import { needsSandbox } from './access.ts';
import { neededByGit } from './git-needs.ts';
import type { GrantedExtra } from './grants.ts';
import { plainGit } from './plain-git.ts';
import { programName } from './commands/program-name.ts';
import { quotedPath } from './quoted-path.ts';

/**
 * What a yes to git outside the sandbox would also let run, for the question. Undefined: git is not started, or all that
 * it could reach is known, and commands can have written none of it.
 */
export function gitDanger(context: Pick<DecisionContext, 'ground' | 'analysis'>): string | undefined {
  const { ground, analysis } = context;
  if (!startsGit(analysis)) return undefined;
  if (isSafeGit(context, analysis?.commands?.filter(isGit))) return undefined;
  const place = ground?.openSetting;
  const from = place === undefined ? 'there' : `from ${quotedPath(place)}`;
  return `Git could run programs ${from} that commands may have written.`;
}

/**
 * Whether these commands of a script run no program of a repository that commands can have written. What is not known,
 * such as a script that is read in part or another folder, is not safe.
 */
export function isSafeGit(
  { ground, analysis }: Pick<DecisionContext, 'ground' | 'analysis'>,
  commands: readonly (readonly string[])[] | undefined,
): boolean {
  if (ground?.repository !== 'protected' || ground.folder === undefined || moves(analysis)) return false;
  const { folder } = ground;
  return commands?.every((words) => plainGit(words, folder) !== undefined) === true;
}

/**
 * What a script gets that rules or answers for the session let run, if git is in it: git never leaves the sandbox by
 * them. `apart`: git has to run in a call of its own. Undefined: there is no git, or no sandbox to leave.
 */
export function gitRun(
  context: Pick<DecisionContext, 'ground' | 'analysis' | 'policy'>,
): { readonly kind: 'inside'; readonly extra: GrantedExtra } | { readonly kind: 'apart' } | undefined {
  const { ground, analysis, policy } = context;
  if (!needsSandbox(policy) || !startsGit(analysis)) return undefined;
  const { git, folder = '' } = ground ?? {};
  const plain = (analysis?.commands ?? []).map((words) => plainGit(words, folder));
  const known = plain.filter((command) => command !== undefined);
  if (git?.isOpenable !== true || known.length < plain.length || !isSafeGit(context, analysis?.commands))
    return { kind: 'apart' };
  const extra = neededByGit(known, git);
  return extra === undefined ? { kind: 'apart' } : { kind: 'inside', extra };
}

export function isGit([program = '']: readonly string[]): boolean {
  return /^git(?:-|$)/.test(programName(program));
}

/** Whether a command of the script leads those behind it to another folder. */
export function moves(analysis: DecisionContext['analysis']): boolean {
  return (analysis?.seen ?? []).some(([name = '']) => /^(?:cd|pushd|popd)$/.test(name));
}

export function startsGit(analysis: DecisionContext['analysis']): boolean {
  return [...(analysis?.commands ?? []), ...(analysis?.seen ?? [])].some(isGit);
}
