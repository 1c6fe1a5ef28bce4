import { folderProblem } from '../../gather/system/folder.ts';
import { deniesRead } from '../../policy/denied-reads.ts';
import { isWithin } from '../../policy/paths.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { findFiles, type FoundFiles } from '../../workspace/find-files.ts';
import { loadIgnoreRules } from '../../workspace/load-ignore-rules.ts';
import { nodeWorkspaceDisk as disk } from '../../workspace/node-workspace-disk.ts';
import { Pace, Stopped } from '../../workspace/pace.ts';
import type { EngineParts } from './engine-parts.ts';

export type { FoundFile, FoundFiles } from '../../workspace/find-files.ts';

export interface FindFiles {
  /** Absolute. */
  readonly cwd: string;
  /** Letters of the path, in their order. Empty: everything fits. */
  readonly typed: string;
  /** Default: 50. */
  readonly limit?: number;
  /** The next letter was typed: what this search finds counts no more. */
  readonly signal?: AbortSignal;
}

const mostFound = 1000;

export async function findWorkspaceFiles(
  { options, base, ownPlaces, clock }: Pick<EngineParts, 'options' | 'base' | 'ownPlaces' | 'clock'>,
  { cwd, typed, limit = 50, signal = new AbortController().signal }: FindFiles,
): Promise<FoundFiles | Outcome> {
  const problem = folderProblem(cwd);
  if (problem !== undefined) return problem;
  const root = disk.realPath(cwd) ?? cwd;
  const denies = (path: string): boolean => deniesRead(base.requirements, path);
  const { secrets } = ownPlaces();
  try {
    return await findFiles({
      root,
      typed: typed.trim(),
      limit: Math.max(1, Math.min(mostFound, Math.floor(limit))),
      disk,
      rules: loadIgnoreRules(root, { osHome: options.osHome, env: options.env }, { denies }),
      excludes: (path) => denies(path) || secrets.some((secret) => isWithin(path, secret)),
      pace: new Pace(clock, signal),
    });
  } catch (error) {
    if (error instanceof Stopped) return stopped;
    throw error;
  }
}

const stopped: Outcome = { code: 'interrupted', message: 'The search was stopped.', next: '' };
