import type { ThreadId } from '../../protocol/ids.ts';
import type { ThreadCut } from '../../protocol/thread-cut.ts';
import { nodeFiles } from '../../rollout/node-files.ts';
import { threadNames } from '../../rollout/thread-names.ts';
import { Thread } from '../../thread/thread.ts';
import { type EngineRefused, refused } from './engine-refused.ts';
import { gitFacts } from './git-facts.ts';
import type { OpenedThread, ThreadRequest } from './open-thread.ts';
import { type OpeningParts, prepareToGoOn } from './prepare-thread.ts';
import { resumeNotices } from './resume-notices.ts';

export interface ForkingParts extends OpeningParts {
  /** The fork gets the name of the other thread. */
  readonly rename: (id: ThreadId, name: string) => Promise<unknown>;
}

/** Begins the fork and opens it. */
export async function openFork(
  forking: ForkingParts,
  { id, cut }: { readonly id: ThreadId; readonly cut: ThreadCut },
  { cwd, ...options }: ThreadRequest,
): Promise<OpenedThread | EngineRefused> {
  const { findForkPoint, forkThread } = await import('../../thread/fork.ts');
  const point = await findForkPoint(forking.store, id, cut);
  if (point.kind === 'refused') return refused(point);
  const prepared = await prepareToGoOn(forking, point.state, { cwd });
  if ('code' in prepared) return refused(prepared);
  const { parts, settings, notices } = prepared;
  const forked = await forkThread(parts, point, { settings, git: gitFacts(settings.cwd) });
  if (forked.kind === 'refused') return refused(forked);
  const name = (await threadNames(nodeFiles, forking.base.home)).get(id);
  if (name !== undefined && forking.options.ephemeral !== true) await forking.rename(forked.id, name);
  const thread = await Thread.resume(parts, forked, { ...options, settings });
  return { kind: 'opened', thread, settings: thread.settings, notices: [...notices, ...resumeNotices(id, forked)] };
}
