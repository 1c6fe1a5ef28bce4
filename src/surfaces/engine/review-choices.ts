import type { Outcome } from '../../protocol/outcome.ts';
import { gitNotRun } from './changes-to-review.ts';
import type { CommandSandbox } from './command-sandbox.ts';

/** What a repository has that a review can be asked for by name. */
export interface ReviewChoices {
  /** Undefined: no branch is checked out. */
  readonly current: string | undefined;
  /** Others than the current one, those that were committed to last first. */
  readonly branches: readonly string[];
  /** Newest first. */
  readonly commits: readonly { readonly id: string; readonly title: string }[];
}

const mostListed = 500;

/** `$0` is git. */
const scripts = {
  current: '"$0" branch --show-current 2>/dev/null',
  // The symbolic name of a remote's main branch would stand in the list twice.
  branches: `"$0" for-each-ref --count=${mostListed} --sort=-committerdate --format='%(symref)%09%(refname:short)' refs/heads refs/remotes 2>/dev/null`,
  commits: `"$0" log -n ${mostListed} --no-color --no-show-signature --format='%H%x09%s' 2>/dev/null`,
} as const;

/** Asks git, inside a sandbox that writes nothing. */
export async function reviewChoices(
  sandbox: Pick<CommandSandbox, 'capture' | 'find'>,
): Promise<ReviewChoices | Outcome> {
  const git = sandbox.find('git');
  if (git === undefined) return gitNotRun;
  const lines: Partial<Record<keyof typeof scripts, readonly string[]>> = {};
  for (const name of ['current', 'branches', 'commits'] as const) {
    const said = await sandbox.capture(['/bin/sh', '-c', scripts[name], git]);
    if ('code' in said) return said;
    lines[name] = said.text.split('\n').filter((line) => line !== '');
  }
  const [current] = lines.current ?? [];
  const branches = (lines.branches ?? []).flatMap((line) => {
    const [symbolic = '', name = ''] = line.split('\t');
    return symbolic === '' && name !== current ? [name] : [];
  });
  const commits = (lines.commits ?? []).map((line) => {
    const at = line.indexOf('\t');
    return { id: line.slice(0, at), title: line.slice(at + 1) };
  });
  return { current, branches, commits };
}
