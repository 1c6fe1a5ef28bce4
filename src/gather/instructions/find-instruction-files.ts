import type { InstructionRules } from '../../envelope/settings.ts';
import { isWithin } from '../../policy/paths.ts';
import { fileSystem } from '../../disk/file-system.ts';
import { type InstructionFile, type InstructionGuard, lookAtInstructions } from './instruction-file.ts';
import { deniedByPolicy, type InstructionProblem, leavesProject } from './instruction-problems.ts';
import { inside, projectFolders } from '../files/project-folders.ts';
import type { ReadGuard } from '../files/read-guard.ts';

export interface FoundInstructions {
  /** In order of preference: the first that is not blank counts. */
  readonly personal: readonly InstructionFile[];
  /** From the project's root down to the working folder: all count. */
  readonly project: readonly InstructionFile[];
  readonly problems: readonly InstructionProblem[];
}

const usualNames = ['AGENTS.override.md', 'AGENTS.md'];

/**
 * Which files apply now. Looks at names only and reads nothing. `home` is the user folder: its file holds everywhere, and
 * may be a link to anywhere.
 */
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
    if (folder === home) continue;
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
