import type { InstructionRules } from '../envelope/instruction-rules.ts';
import { type InstructionFile, lookAt } from './instruction-file.ts';
import type { InstructionProblem } from './instruction-problems.ts';
import { inside, projectFolders } from './project-folders.ts';

export interface FoundInstructions {
  /** In order of preference: the first that is not blank counts. */
  readonly personal: readonly InstructionFile[];
  /** From the project's root down to the working folder: all count. */
  readonly project: readonly InstructionFile[];
  readonly problems: readonly InstructionProblem[];
}

const usualNames = ['AGENTS.override.md', 'AGENTS.md'];

/** Which files apply now. Looks at names only and reads nothing. `home` is the user folder: its file holds everywhere. */
export function findInstructionFiles(home: string, rules: InstructionRules): FoundInstructions {
  const problems: InstructionProblem[] = [];
  const personal: InstructionFile[] = [];
  for (const name of usualNames) {
    const looked = lookAt(inside(home) + name);
    if (looked.kind === 'file') personal.push(looked);
    else if (looked.kind !== 'none') problems.push(looked.problem);
  }
  if (rules.maxBytes <= 0 || rules.trusted === 'untrusted') return { personal, project: [], problems };

  const names = new Set([...usualNames, ...rules.fallbackFilenames.filter((name) => name !== '')]);
  const project: InstructionFile[] = [];
  for (const folder of projectFolders(rules.cwd, rules.rootMarkers)) {
    // In the user folder itself the personal file would be told twice.
    if (folder === home) continue;
    for (const name of names) {
      const looked = lookAt(inside(folder) + name);
      if (looked.kind === 'none') continue;
      if (looked.kind === 'file') project.push(looked);
      else problems.push(looked.problem);
      if (looked.kind !== 'unusable') break;
    }
  }
  return { personal, project, problems };
}
