import type { Config } from '../config/config.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { fileSystem, reasonOf } from './file-system.ts';
import { inside, projectFolders } from './project-folders.ts';

/** Where to look, and for what. */
export interface InstructionPlaces {
  /** The user folder, whose file holds for all projects. */
  readonly home: string;
  /** Absolute, as the user wrote it: links in it are kept, and its parents are the ones in its spelling. */
  readonly cwd: string;
  readonly config: Pick<Config, 'projectDocMaxBytes' | 'projectDocFallbackFilenames' | 'projectRootMarkers' | 'trust'>;
}

export type InstructionProblem = Outcome<'instructions-unreadable' | 'instructions-cut'>;

/** A regular file that is there. `version` changes whenever the file does. */
export interface InstructionFile {
  readonly path: string;
  readonly version: string;
  readonly modifiedMs: number;
}

export interface FoundInstructions {
  /** In order of preference: the first that is not blank counts. */
  readonly personal: readonly InstructionFile[];
  /** From the project's root down to the working folder: all count. */
  readonly project: readonly InstructionFile[];
  readonly problems: readonly InstructionProblem[];
}

const usualNames = ['AGENTS.override.md', 'AGENTS.md'];

/** Which files apply now. Looks at names only and reads nothing. */
export function findInstructionFiles({ home, cwd, config }: InstructionPlaces): FoundInstructions {
  const problems: InstructionProblem[] = [];
  const look = (path: string): InstructionFile | 'none' | 'unknown' => lookAt(path, problems);

  const personal = usualNames.map((name) => look(inside(home) + name)).filter((found) => typeof found !== 'string');
  // A project that was called untrusted gives no instructions. One that nobody decided about does.
  if (config.projectDocMaxBytes === 0 || config.trust === 'untrusted') return { personal, project: [], problems };

  const names = new Set([...usualNames, ...config.projectDocFallbackFilenames.filter((name) => name !== '')]);
  const project: InstructionFile[] = [];
  for (const folder of projectFolders(cwd, config.projectRootMarkers)) {
    // In the user folder itself the personal file would be told twice.
    if (folder === home) continue;
    for (const name of names) {
      const found = look(inside(folder) + name);
      if (found === 'none') continue;
      if (found !== 'unknown') project.push(found);
      break;
    }
  }
  return { personal, project, problems };
}

function lookAt(path: string, problems: InstructionProblem[]): InstructionFile | 'none' | 'unknown' {
  try {
    const stats = fileSystem.statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile()) return 'none';
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    return { path, version: [dev, ino, size, mtimeMs, ctimeMs].join(':'), modifiedMs: Math.max(mtimeMs, ctimeMs) };
  } catch (error) {
    problems.push(unreadable(path, error));
    return 'unknown';
  }
}

export function unreadable(path: string, error: unknown): InstructionProblem {
  return {
    code: 'instructions-unreadable',
    message: `The instructions in ${path} cannot be read: ${reasonOf(error)}`,
    next: 'Make the file readable, or remove it.',
  };
}
