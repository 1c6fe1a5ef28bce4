import { configInFolder } from '../../gather/config/config-in-folder.ts';
import { findInstructionFiles } from '../../gather/instructions/find-instruction-files.ts';
import { deniesRead } from '../../policy/denied-reads.ts';
import type { EngineParts } from './engine-parts.ts';

/** The AGENTS.md files that threads in a folder read: the user's own first, then those of the project from its root down. */
export async function instructionPaths(
  { base }: Pick<EngineParts, 'base'>,
  folder: string,
): Promise<readonly string[]> {
  const { config } = await configInFolder(base, folder);
  const denies = (path: string): boolean => deniesRead(base.requirements, path);
  const rules = {
    cwd: folder,
    trusted: config.trust,
    maxBytes: config.projectDocMaxBytes,
    fallbackFilenames: config.projectDocFallbackFilenames,
    rootMarkers: config.projectRootMarkers,
  };
  const found = findInstructionFiles(base.home, rules, { deniesUser: denies, deniesModel: denies });
  return [...found.personal.slice(0, 1), ...found.project].map(({ path }) => path);
}
