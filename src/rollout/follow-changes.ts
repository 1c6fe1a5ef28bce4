import type { ThreadChange } from '../ports/thread-directory.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { type CodexIndexChange, hasCodexIndex, tellCodexIndex } from './codex-index.ts';
import { currentRollout } from './current-rollout.ts';
import { openThreadIndex } from './index/open-index.ts';
import { RolloutFiles } from './rollout-files.ts';
import { appendThreadName, type NameParts, threadNames } from './find/thread-names.ts';

export interface FollowingParts extends NameParts {
  /** Where Codex keeps its index. */
  readonly codexIndexFolder: string;
}

/** Sets right what stands about threads beside their files: names of deleted ones, our index and that of Codex. */
export async function followChanges(
  options: FollowingParts,
  changes: readonly ThreadChange[],
): Promise<readonly Outcome[]> {
  const deleted = changes.filter(({ kind }) => kind === 'deleted');
  const problems: Outcome[] = [];
  if (deleted.length > 0) {
    const names = await threadNames(options.files, options.home);
    for (const { id } of deleted.filter((gone) => names.has(gone.id))) {
      const problem = await appendThreadName(options, id, '');
      if (problem !== undefined) problems.push(problem);
    }
  }
  const stale = await tellCodex(options, changes);
  if (stale !== undefined) problems.push(stale);
  if (deleted.length > 0) await (await openThreadIndex(options)).forgetLost();
  return problems;
}

async function tellCodex(
  { files, home, clock, codexIndexFolder }: FollowingParts,
  changes: readonly ThreadChange[],
): Promise<Outcome | undefined> {
  if (!hasCodexIndex(codexIndexFolder)) return undefined;
  const told: CodexIndexChange[] = [];
  for (const change of changes) {
    if (change.kind === 'named' || change.kind === 'deleted') told.push(change);
    else {
      const current = await currentRollout(new RolloutFiles(files, home), change.id);
      // Another program may have moved or removed it since; then that one has updated Codex.
      if (current.kind === 'refused') continue;
      const archived = change.kind === 'archived' ? { archivedAt: clock.now() } : {};
      told.push({ kind: 'moved', id: change.id, path: current.location, ...archived });
    }
  }
  return tellCodexIndex(codexIndexFolder, told);
}
