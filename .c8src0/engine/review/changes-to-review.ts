import { realPathSoFar } from '../../adapters/disk/file-system.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { ownPathMatcher } from '../../core/policy/paths/special-places.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ReviewTarget } from '../../protocol/thread-event.ts';
import type { CommandSandbox } from '../sandbox/command-sandbox.ts';

export interface ChangesToReview {
  readonly diff: string;
  /** Commit at which the branches part. Absent: they do not, or are not compared. */
  readonly mergeBase?: string;
}

/** Exit codes of the script: git does not start, or finds no repository. */
const notRun = 97;
const noRepository = 96;

// `$0` is git. Diff programs that a repository names are not started, since its files come from strangers. Names are
// shown unescaped; git still quotes those with control characters.
const plain = '"$0" -c core.fsmonitor=false -c core.quotePath=false';
const diff = `${plain} diff --no-color --no-ext-diff --no-textconv`;
const show = `${plain} show --no-color --no-ext-diff --no-textconv --format=medium`;
const others = '"$0" ls-files --others --exclude-standard -z';

const changeScripts = {
  uncommitted: `
    "$0" --version >/dev/null 2>&1 || exit ${notRun}
    "$0" rev-parse --git-dir >/dev/null 2>&1 || exit ${noRepository}
    if "$0" rev-parse --verify --quiet HEAD >/dev/null 2>&1; then ${diff} HEAD; else ${diff} --cached; fi 2>/dev/null
    { ${others} -- "$@" || ${others}; } 2>/dev/null |
      xargs -0 -r -n 1 ${diff} --no-index -- /dev/null 2>/dev/null
    exit 0`,
  commit: `${show} "$1^{commit}" -- 2>/dev/null`,
  known: '"$0" rev-parse --verify --quiet "$1^{commit}" 2>/dev/null',
  mergeBase: '"$0" merge-base HEAD "$1" 2>/dev/null',
  base: `${diff} "$1" -- 2>/dev/null`,
} as const;

/** Asks git in a read-only sandbox. A target in words names no change to look up. */
export async function findChangesToReview(
  sandbox: Pick<CommandSandbox, 'capture' | 'find' | 'cwd' | 'own'>,
  target: ReviewTarget,
): Promise<ChangesToReview | Outcome> {
  if (target.kind === 'words') return { diff: '' };
  const git = sandbox.find('git');
  if (git === undefined) return gitNotRun;
  const ask = (script: keyof typeof changeScripts, ...words: readonly string[]) =>
    sandbox.capture(['/bin/sh', '-c', changeScripts[script], git, ...words]);
  switch (target.kind) {
    case 'uncommitted': {
      const said = await ask('uncommitted', ...withoutOwn(sandbox));
      if ('code' in said) return said;
      if (said.exitCode === notRun) return gitNotRun;
      if (said.exitCode === noRepository) return outsideRepository;
      return said.text.trim() === '' ? nothingChanged : { diff: said.text };
    }
    case 'commit': {
      if (target.commit.startsWith('-')) return unknownPlace(target.commit);
      const said = await ask('commit', target.commit);
      if ('code' in said) return said;
      return said.exitCode === 0 ? { diff: said.text } : unknownPlace(target.commit);
    }
    case 'base': {
      if (target.branch.startsWith('-')) return unknownBranch(target.branch);
      const known = await ask('known', target.branch);
      if ('code' in known) return known;
      if (known.exitCode !== 0) return unknownBranch(target.branch);
      const found = await ask('mergeBase', target.branch);
      if ('code' in found) return found;
      const mergeBase = found.text.trim();
      if (found.exitCode !== 0 || !/^[0-9a-f]{40,64}$/.test(mergeBase)) return { diff: '' };
      const said = await ask('base', mergeBase);
      if ('code' in said) return said;
      return said.exitCode === 0 && said.text.trim() === '' ? nothingChanged : { diff: said.text, mergeBase };
    }
  }
}

/** Excludes new files of Capstan itself: the user did not make them. Committed files are shown wherever they are. */
function withoutOwn({ cwd, own }: Pick<CommandSandbox, 'cwd' | 'own'>): readonly string[] {
  const root = realPathSoFar(cwd);
  if (ownPathMatcher(own, root)(root)) return [':(exclude,top)'];
  // Git refuses a path that leads through a link; if it refuses another one, all new files are listed.
  const isInside = (path: string): boolean => path !== root && isWithin(path, root) && realPathSoFar(path) === path;
  return own.state.filter(isInside).map((path) => `:(exclude,literal)${path}`);
}

const gitNotRun: Outcome = {
  code: 'git-not-run',
  message: 'git could not be run. Capstan uses the first git in PATH that does not lie in the repository itself.',
  next: 'Install git, or correct PATH: `git --version` must work.',
};

const outsideRepository: Outcome = {
  code: 'no-repository',
  message: 'This folder is not in a git repository, so there is no commit to compare with.',
  next: 'Start Capstan in a repository, or create one here with `git init`.',
};

const nothingChanged: Outcome = {
  code: 'nothing-to-review',
  message: 'There are no changes to review.',
  next: 'Change something, or choose a commit, a branch, or what to review in words.',
};

const unknownPlace = (name: string): Outcome => ({
  code: 'review-target-unknown',
  message: `git knows no commit ${JSON.stringify(name)} here.`,
  next: 'Give the id of a commit of this repository.',
});

const unknownBranch = (name: string): Outcome => ({
  code: 'review-target-unknown',
  message: `git knows no branch ${JSON.stringify(name)} here.`,
  next: 'Give a branch or a commit of this repository; `git branch --all` lists the branches.',
});

export interface ReviewChoices {
  /** Undefined: no branch is checked out. */
  readonly current: string | undefined;
  /** Without the current one; most recently committed first. */
  readonly branches: readonly string[];
  /** Newest first. */
  readonly commits: readonly { readonly id: string; readonly title: string }[];
}

const mostListed = 500;

/** `$0` is git. */
const choiceScripts = {
  current: '"$0" branch --show-current 2>/dev/null',
  // Skip the symbolic name of a remote's main branch, which would be listed twice.
  branches: `"$0" for-each-ref --count=${mostListed} --sort=-committerdate --format='%(symref)%09%(refname:short)' refs/heads refs/remotes 2>/dev/null`,
  commits: `"$0" log -n ${mostListed} --no-color --no-show-signature --format='%H%x09%s' 2>/dev/null`,
} as const;

/** Asks git in a read-only sandbox. */
export async function listReviewChoices(
  sandbox: Pick<CommandSandbox, 'capture' | 'find'>,
): Promise<ReviewChoices | Outcome> {
  const git = sandbox.find('git');
  if (git === undefined) return gitNotRun;
  const lines: Partial<Record<keyof typeof choiceScripts, readonly string[]>> = {};
  for (const name of ['current', 'branches', 'commits'] as const) {
    const said = await sandbox.capture(['/bin/sh', '-c', choiceScripts[name], git]);
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
