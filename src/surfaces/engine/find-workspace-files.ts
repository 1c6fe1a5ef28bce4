import { abortSignal, wholeNumber, anyText, type OptionTable, readOptions } from '../../envelope/read-options.ts';
import { folderProblem } from '../../gather/system/folder.ts';
import { deniesRead } from '../../policy/denied-reads.ts';
import { ownBelow } from '../../policy/own-places.ts';
import { isWithin } from '../../policy/paths.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { FileIndex } from '../../workspace/file-index.ts';
import { findFiles, type FoundFiles } from '../../workspace/find-files.ts';
import { loadIgnoreRules } from '../../workspace/load-ignore-rules.ts';
import { nodeWorkspaceDisk as disk } from '../../workspace/node-workspace-disk.ts';
import { Pace, Stopped } from '../../workspace/pace.ts';
import type { VisibleFiles } from '../../workspace/visible-files.ts';
import type { EngineParts } from './engine-parts.ts';

export type { FoundFile } from '../../workspace/best-files.ts';
export type { FileIndex } from '../../workspace/file-index.ts';
export type { FoundFiles } from '../../workspace/find-files.ts';

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

const findOptions = {
  cwd: { type: anyText, about: 'The folder, as an absolute path.', required: true },
  typed: { type: anyText, about: 'Letters of the path, in their order.', required: true },
  limit: { type: wholeNumber, about: 'How many are found at most.' },
  signal: { type: abortSignal, about: 'Aborting it ends the search.' },
} as const satisfies OptionTable<FindFiles>;

const mostFound = 1000;

type Searched = Pick<EngineParts, 'options' | 'base' | 'ownPlaces' | 'clock'>;

export async function findWorkspaceFiles(parts: Searched, search: FindFiles): Promise<FoundFiles | Outcome> {
  const read = readOptions<FindFiles>(search, findOptions, 'findFiles()');
  if ('code' in read) return read;
  const { cwd, typed, limit = 50, signal = new AbortController().signal } = read;
  const problem = folderProblem(cwd);
  if (problem !== undefined) return problem;
  const most = Math.max(1, Math.min(mostFound, Math.floor(limit)));
  try {
    return await findFiles({
      ...groundOf(parts, cwd),
      typed: typed.trim(),
      limit: most,
      pace: new Pace(parts.clock, signal),
    });
  } catch (error) {
    if (error instanceof Stopped) return stopped;
    throw error;
  }
}

/** The same for someone who types letter by letter. */
export function openFileIndex(parts: Searched, cwd: string): FileIndex {
  return new FileIndex({ clock: parts.clock, ground: () => groundOf(parts, cwd) });
}

/** Where is looked: without what git ignores, the engine's own places, what the machine's manager denies, and secrets. */
function groundOf({ options, base, ownPlaces }: Searched, cwd: string): Omit<VisibleFiles, 'pace'> {
  const root = disk.realPath(cwd) ?? cwd;
  const denies = (path: string): boolean => deniesRead(base.requirements, path);
  const own = ownPlaces();
  const isOwn = ownBelow(own, root);
  return {
    root,
    disk,
    rules: loadIgnoreRules(root, { osHome: options.osHome, env: options.env }, { denies }),
    excludes: (path) => isOwn(path) || denies(path) || own.secrets.some((secret) => isWithin(path, secret)),
  };
}

const stopped: Outcome = { code: 'interrupted', message: 'The search was stopped.', next: '' };
