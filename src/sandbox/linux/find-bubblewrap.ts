import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin } from '../../policy/paths.ts';
import type { SandboxRefused } from '../../ports/sandbox.ts';
import type { Spawn } from '../../ports/spawn.ts';
import type { Bubblewrap } from './bubblewrap.ts';
import { probeBubblewrap } from './probe-bubblewrap.ts';

export interface BubblewrapSearch {
  /** The search path of this process. */
  readonly path: string;
  /** A program below this folder could have been written by the agent, and is not trusted when the search path leads to it. */
  readonly cwd: string;
  /** Named by the user. */
  readonly chosen?: string;
  /** Came with the package. */
  readonly packaged?: string;
}

/** Programs that may be bubblewrap, best first, links followed. */
export function bubblewrapCandidates({ path, cwd, chosen, packaged }: BubblewrapSearch): readonly string[] {
  const workplace = realPath(cwd) ?? cwd;
  const isForeign = (program: string) => workplace === '/' || !isWithin(program, workplace);
  const searched = path
    .split(':')
    // An empty entry means the working folder.
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => executable(join(folder, 'bwrap')))
    .filter((program) => program !== undefined && isForeign(program));
  const named = [chosen, packaged].map((program) => (program ? executable(program) : undefined));
  return [...new Set([...searched, ...named].filter((program) => program !== undefined))];
}

/** The first candidate that can build a sandbox here, or why there is none. */
export async function findBubblewrap(search: BubblewrapSearch, spawn: Spawn): Promise<Bubblewrap | SandboxRefused> {
  const problems: SandboxRefused[] = [];
  for (const program of bubblewrapCandidates(search)) {
    const found = await probeBubblewrap(program, spawn);
    if (found.kind === 'bubblewrap') return found;
    problems.push(found);
  }
  return problems[0] ?? missing;
}

const missing: SandboxRefused = {
  kind: 'refused',
  code: 'sandbox-missing',
  message: 'Commands need a sandbox under this policy, and bubblewrap, which builds it, was not found.',
  next: 'Install the package "bubblewrap" so that `bwrap` is on the PATH, or set CAPSTAN_BWRAP to its path.',
};

function executable(program: string): string | undefined {
  try {
    const real = realpathSync(program);
    accessSync(real, constants.X_OK);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
