import type { DecisionContext } from './call-decision.ts';
import type { CommandGround } from './command-ground.ts';
import { isPlainGit, entersCheckout } from './plain-git.ts';
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
  const { folder, hasCompany } = ground;
  return commands?.every((words) => isPlainGit(words, folder) && !(hasCompany && entersCheckout(words))) === true;
}

/** Why git does not leave the sandbox there, whatever its words, and what the user can do. Undefined: it may. */
export function whyGitStays(
  { openSetting, openVariable, hasCompany, repository, settled }: CommandGround,
  commands: readonly (readonly string[])[],
): { readonly why: string; readonly next: string } | undefined {
  if (openSetting !== undefined) {
    return {
      why: `git could run programs from ${quotedPath(openSetting)}, which commands may have written`,
      next: 'Remove that file or folder if you do not need it, or use `--approvals ask` and answer each time. Before you run git here yourself, check what it contains.',
    };
  }
  if (openVariable !== undefined) {
    const why = `the variable ${openVariable} has programs load code from where commands can write`;
    return { why, next: 'Start Capstan without that variable, or use `--approvals ask` and answer each time.' };
  }
  if (!commands.every(([program = '']) => settled.has(program))) {
    const why = 'commands can write a folder of the PATH that stands before that of git';
    return { why, next: 'Start Capstan with a PATH in which that folder comes later.' };
  }
  if (repository === 'other') {
    const why = 'the command does not run in the repository of the workspace';
    return { why, next: 'Start Capstan in the top folder of the repository.' };
  }
  if (repository === 'protected') {
    if (hasCompany === undefined || !commands.some(entersCheckout)) return undefined;
    const why = 'it goes through the files here, and a command that still runs could lead it elsewhere meanwhile';
    return { why, next: 'End that command first, or use `--approvals ask` and answer each time.' };
  }
  return {
    why: 'git cannot be kept to the repository of the workspace',
    next: 'That is so where the repository is in a folder for temporary files, the command runs below its top folder, git trusts every folder (`safe.directory = *`), or git is older than 2.38.',
  };
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
