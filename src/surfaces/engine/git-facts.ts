import { findRepository, readGitFacts } from '../../gather/git.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** What the first line of a thread says about the repository around its folder. */
export function gitFacts(cwd: string): JsonObject | undefined {
  const root = findRepository(cwd);
  return root === undefined ? undefined : (readGitFacts(root) as JsonObject);
}
