import { sep } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { ancestors } from './ancestors.ts';
import { fileSystem, reasonOf, kindOfEntry } from './file-system.ts';

/** Where to look, and for what. */
export interface InstructionPlaces {
  /** The user folder, whose file holds for all projects. */
  readonly home: string;
  /** Absolute, as the user wrote it: links in it are kept, and its parents are the ones in its spelling. */
  readonly cwd: string;
  readonly config: Pick<Config, 'projectDocMaxBytes' | 'projectDocFallbackFilenames' | 'projectRootMarkers'>;
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
  if (config.projectDocMaxBytes === 0) return { personal, project: [], problems };

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

/** From the nearest folder that holds a marker down to the working folder; without a marker, that folder alone. */
function projectFolders(cwd: string, markers: readonly string[]): readonly string[] {
  const named = markers.filter((marker) => marker !== '');
  const folders: string[] = [];
  for (const folder of ancestors(cwd)) {
    folders.unshift(folder);
    if (named.some((marker) => isMarked(inside(folder) + marker, marker))) return folders;
  }
  return [cwd];
}

/** An empty `.git`, which a sandbox may leave behind for a while, makes no project of the folders below it. */
function isMarked(path: string, marker: string): boolean {
  if (marker !== '.git') return fileSystem.existsSync(path);
  const kind = kindOfEntry(path);
  return kind === 'file' || (kind === 'folder' && fileSystem.existsSync(inside(path) + 'HEAD'));
}

/** What a name is added to. This runs before every model request, and `join` costs more than the look at the file. */
function inside(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
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
