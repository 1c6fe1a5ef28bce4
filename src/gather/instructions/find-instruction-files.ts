import type { InstructionRules } from '../../envelope/settings.ts';
import { isWithin } from '../../policy/paths.ts';
import { fileSystem, isMissing } from '../../disk/file-system.ts';
import { realPlace } from '../../disk/folders.ts';
import {
  deniedByPolicy,
  type InstructionProblem,
  leavesProject,
  linkLeadsNowhere,
  notAFile,
  unreadable,
  wentAway,
} from './instruction-problems.ts';
import { inside, projectFolders } from '../files/project-folders.ts';
import type { ReadGuard } from '../files/read-guard.ts';
import type { InstructionText } from './compose-instructions.ts';
import { NotRegular, nounFor, readUpTo, realPathOf, withRegular } from '../../disk/regular-file.ts';

export interface FoundInstructions {
  /** In order of preference: the first that is not blank counts. */
  readonly personal: readonly InstructionFile[];
  /** From the project's root down to the working folder: all count. */
  readonly project: readonly InstructionFile[];
  readonly problems: readonly InstructionProblem[];
}

const usualNames = ['AGENTS.override.md', 'AGENTS.md'];

/** Which files apply now. Reads nothing. The file in `home`, the user folder, holds everywhere and may be a link. */
export function findInstructionFiles(home: string, rules: InstructionRules, reads: ReadGuard): FoundInstructions {
  const problems: InstructionProblem[] = [];
  const personal: InstructionFile[] = [];
  for (const name of usualNames) {
    const looked = lookAtInstructions(inside(home) + name, personalGuard(reads));
    if (looked.kind === 'file') personal.push(looked);
    else if (looked.kind !== 'none') problems.push(looked.problem);
  }
  if (rules.maxBytes <= 0 || rules.trusted === 'untrusted') return { personal, project: [], problems };

  const names = new Set([...usualNames, ...rules.fallbackFilenames.filter((name) => name !== '')]);
  const project: InstructionFile[] = [];
  const folders = projectFolders(rules.cwd, rules.rootMarkers);
  const guard = projectGuard(folders, reads);
  for (const folder of folders) {
    // In the user folder itself the personal file would be included twice.
    if (folder === home || realPlace(folder) === realPlace(home)) continue;
    for (const name of names) {
      const looked = lookAtInstructions(inside(folder) + name, guard);
      if (looked.kind === 'none') continue;
      if (looked.kind === 'file') project.push(looked);
      else problems.push(looked.problem);
      if (looked.kind !== 'unusable') break;
    }
  }
  return { personal, project, problems };
}

function personalGuard({ deniesUser }: ReadGuard): InstructionGuard {
  return (path, place) => (deniesUser(path) || deniesUser(place) ? deniedByPolicy(path, place) : undefined);
}

/**
 * A file of the project must be in it: a repository that brings a link to elsewhere would make the engine hand other
 * files of the user to the model. The folders themselves may be reached through links, since the user chose to work there.
 */
function projectGuard(folders: readonly string[], { deniesModel }: ReadGuard): InstructionGuard {
  let places: readonly string[] | undefined;
  return (path, place) => {
    places ??= folders.flatMap(placeOfFolder);
    if (!places.some((folder) => isWithin(place, folder))) return leavesProject(path, place);
    return deniesModel(path) || deniesModel(place) ? deniedByPolicy(path, place) : undefined;
  };
}

/** A folder that is not there has no files either. */
function placeOfFolder(folder: string): readonly string[] {
  try {
    return [fileSystem.realpathSync.native(folder)];
  } catch {
    return [];
  }
}

/** Why the file at a path must not be read, given where it really is; undefined when it may. */
export type InstructionGuard = (path: string, place: string) => InstructionProblem | undefined;

/** A regular file that is there. `version` changes whenever the file does. */
export interface InstructionFile {
  readonly kind: 'file';
  readonly path: string;
  readonly version: string;
  readonly modifiedMs: number;
  /** Asked again about the file that is opened: a link may lead elsewhere by then. */
  readonly guard: InstructionGuard;
}

/** What stands at a path. `unusable` is no file, so another name may serve; `unknown` may be one. */
export type Looked =
  | InstructionFile
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable' | 'unknown'; readonly problem: InstructionProblem };

type Stats = NonNullable<ReturnType<typeof fileSystem.lstatSync>>;

/** Reads nothing. Where there is no file, this is one call to the system. */
function lookAtInstructions(path: string, guard: InstructionGuard): Looked {
  try {
    const entry = fileSystem.lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return { kind: 'none' };
    const stats = entry.isSymbolicLink() ? fileSystem.statSync(path, { throwIfNoEntry: false }) : entry;
    if (stats === undefined) return { kind: 'unusable', problem: linkLeadsNowhere(path) };
    if (!stats.isFile()) return { kind: 'unusable', problem: notAFile(path, nounFor(stats)) };
    const problem = guard(path, fileSystem.realpathSync.native(path));
    if (problem !== undefined) return { kind: 'unusable', problem };
    const modifiedMs = Math.max(stats.mtimeMs, stats.ctimeMs);
    return { kind: 'file', path, version: versionOf(stats), modifiedMs, guard };
  } catch (error) {
    return isMissing(error) ? { kind: 'none' } : { kind: 'unknown', problem: unreadable(path, error) };
  }
}

/** What came of reading. `changed`: the file is no longer the one that was looked at. */
export type InstructionRead =
  | { readonly kind: 'read' | 'changed'; readonly text: InstructionText }
  | { readonly kind: 'gone' | 'failed'; readonly problem: InstructionProblem };

/** Reads one byte more than the limit, so that a cut can see where a character ends. */
export function readBeginning({ path, version, guard }: InstructionFile, limit: number): InstructionRead {
  try {
    return withRegular(path, { links: 'followed' }, (file, before): InstructionRead => {
      const problem = guard(path, realPathOf(file, path));
      if (problem !== undefined) return { kind: 'gone', problem };
      const bytes = readUpTo(file, { most: limit + 1, expected: before.size });
      const after = fileSystem.fstatSync(file);
      const size = bytes.length <= limit ? bytes.length : Math.max(bytes.length, after.size);
      return { kind: versionOf(after) === version ? 'read' : 'changed', text: { path, bytes, size } };
    });
  } catch (error) {
    if (error instanceof NotRegular) return { kind: 'gone', problem: notAFile(path, error.noun) };
    if (isMissing(error)) return { kind: 'gone', problem: wentAway(path) };
    return { kind: 'failed', problem: unreadable(path, error) };
  }
}

function versionOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}
