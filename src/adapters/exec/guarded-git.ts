import type { AllowedRepositories, GuardedGit } from '../../ports/workspace.ts';
import { realPath } from '../disk/file-system.ts';
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

type Variables = Readonly<Record<string, string>>;
const limitMs = 10_000;

/** `folder` holds the programs that git starts. No command may write there. */
export function createGuardedGit(folder: string): GuardedGit {
  const prepared = new Map<string, Promise<string | undefined>>();
  const programsOf = async (program: string, given: Variables): Promise<string | undefined> => {
    const made = prepared.get(program) ?? programsFor(program, folder, given).catch(() => undefined);
    prepared.set(program, made);
    const found = await made;
    // Retry later: the cause may be a full disk or a slow git.
    if (found === undefined) prepared.delete(program);
    return found;
  };
  return {
    folder,
    async variables(bounds, given) {
      const programs = await programsOf(bounds.program, given);
      if (programs === undefined) return undefined;
      const temporary = join(folder, 'tmp');
      mkdirSync(temporary, { recursive: true, mode: 0o700 });
      // Git writes the content to be signed into a file there, which no command may exchange.
      const variables = { ...guardVariables(bounds, programs, given), TMPDIR: temporary };
      const env = { ...given, ...variables };
      const [taken, refused, trusted = ''] = await Promise.all([
        gitSays(bounds, env, ['rev-parse', '--absolute-git-dir']),
        gitSays(bounds, { ...env, ...withoutRepository(env) }, ['rev-parse', '--absolute-git-dir']),
        gitSays({ ...bounds, cwd: '/' }, given, ['config', '--get-all', 'safe.directory']),
      ]);
      // A git that is too old for these variables accepts every repository, or none. When git starts itself for a local
      // remote, it drops them. Then only the user's own list of trusted folders protects, unless it trusts all.
      const trustsAll = trusted.split('\n').some((folder) => folder.endsWith('*'));
      const obeys = taken !== undefined && refused === undefined && !trustsAll;
      return obeys && bounds.folders.some((each) => each === realPath(taken)) ? variables : undefined;
    },
  };
}

/** Makes git treat all repositories as another user's and accept only those named here. The script checks GIT_DIR. */
function guardVariables({ program, top, folders, common }: AllowedRepositories, programs: string, given: Variables) {
  const first = Number.parseInt(given['GIT_CONFIG_COUNT'] ?? '0', 10) || 0;
  const settings = [
    // An empty value cancels the folders that the user's configuration names.
    ['safe.directory', ''],
    ['safe.directory', top],
    ['safe.bareRepository', 'explicit'],
    // Some subcommands enter submodules without starting git anew.
    ['submodule.recurse', 'false'],
    ['fetch.recurseSubmodules', 'false'],
    ['push.recurseSubmodules', 'no'],
  ] as const;
  const named = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    GIT_TEST_ASSUME_DIFFERENT_OWNER: '1',
    GIT_CONFIG_COUNT: String(first + settings.length),
    ...(Object.fromEntries(named) as Variables),
    GIT_EXEC_PATH: programs,
    CAPSTAN_GIT_PROGRAM: program,
    CAPSTAN_GIT_FOLDERS: folders.join('\n'),
    CAPSTAN_GIT_WORKTREES: `${common}/worktrees`,
  };
}

function withoutRepository(env: Variables): Variables {
  const keys = Object.keys(env).filter((key) => /^GIT_CONFIG_KEY_\d+$/.test(key) && env[key] === 'safe.directory');
  return Object.fromEntries(keys.map((key) => [key.replace('KEY', 'VALUE'), '']));
}

type GitCall = Pick<AllowedRepositories, 'program' | 'cwd'>;

function gitSays({ program, cwd }: GitCall, env: Variables, words: readonly string[]) {
  const options = { cwd, env, timeout: limitMs, encoding: 'utf8', maxBuffer: 1 << 16 } as const;
  return new Promise<string | undefined>((resolve) => {
    try {
      execFile(program, words, options, (error, stdout) => resolve(error === null ? stdout.trimEnd() : undefined));
    } catch {
      resolve(undefined);
    }
  });
}

async function programsFor(program: string, folder: string, env: Variables): Promise<string | undefined> {
  const { GIT_EXEC_PATH: _chosen, ...plain } = env;
  const own = await gitSays({ program, cwd: '/' }, plain, ['--exec-path']);
  if (own === undefined || own === '') return undefined;
  const names = readdirSync(own).filter((name) => name !== 'git');
  const digest = hash('sha256', JSON.stringify([own, names, guardedGitScript]));
  const target = join(folder, digest.slice(0, 16));
  if (existsSync(join(target, 'git'))) return target;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `${basename(target)}.${process.pid}`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  for (const name of names) symlinkSync(join(own, name), join(draft, name));
  writeFileSync(join(draft, 'git'), guardedGitScript, { mode: 0o700 });
  chmodSync(join(draft, 'git'), 0o700);
  try {
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process won the race.
    if (!existsSync(join(target, 'git'))) throw error;
  }
  return target;
}

/**
 * When git starts itself for another repository, such as a submodule, it finds this script instead. Git names that
 * repository in GIT_DIR, and the settings there may name programs. The script asks git for the real path of GIT_DIR,
 * which runs no such program. It refuses a repository that Capstan has not examined, and passes the real path of an
 * examined one on, so that no command can replace it.
 */
const guardedGitScript = `#!/bin/sh
if [ -n "\${GIT_DIR+set}" ]; then
  at=$("$CAPSTAN_GIT_PROGRAM" rev-parse --absolute-git-dir 2>/dev/null) || at=
  line='
'
  case "$at" in
    '' | *"$line"*) at= ;;
    "$CAPSTAN_GIT_WORKTREES"/*) ;;
    *) case "$line$CAPSTAN_GIT_FOLDERS$line" in
      *"$line$at$line"*) ;;
      *) at= ;;
    esac ;;
  esac
  if [ -z "$at" ]; then
    echo "Capstan does not let git work outside the sandbox in $(pwd -P): commands may have written that repository." >&2
    exit 128
  fi
  GIT_DIR=$at
  export GIT_DIR
fi
exec "$CAPSTAN_GIT_PROGRAM" "$@"
`;
