import type { DecisionContext } from './call-decision.ts';
import { isPlainGit } from './plain-git.ts';
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
  // What starts git may take away the variables that keep it to its repository.
  if (analysis?.isIndirect === true) return false;
  const { folder } = ground;
  return commands?.every((words) => isPlainGit(words, folder)) === true;
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
