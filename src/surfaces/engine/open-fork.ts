import type { ThreadId } from '../../protocol/ids.ts';
import type { ThreadCut } from '../../protocol/thread-cut.ts';
import { Thread } from '../../thread/thread.ts';
import type { EngineParts } from './engine-parts.ts';
import { type EngineRefused, engineRefused } from './engine-refused.ts';
import { gitFacts } from './git-facts.ts';
import type { OpenedThread } from './open-thread.ts';
import { prepareToGoOn } from './prepare-thread.ts';
import { resumeNotices } from './resume-notices.ts';
import type { ThreadRequest } from './thread-request.ts';

/** Begins the fork and opens it. It has no name: a name leads to one thread, and that is the other one. */
export async function openFork(
  engine: EngineParts,
  { id, cut }: { readonly id: ThreadId; readonly cut: ThreadCut },
  request: ThreadRequest,
): Promise<OpenedThread | EngineRefused> {
  const { findForkPoint, forkThread } = await import('../../thread/branch/fork.ts');
  const point = await findForkPoint(engine.store, id, cut);
  if (point.kind === 'refused') return engineRefused(point);
  const prepared = await prepareToGoOn(engine, { id, state: point.state }, request);
  if ('code' in prepared) return engineRefused(prepared);
  const { parts, settings, notices } = prepared;
  const forked = await forkThread(parts, point, { settings, git: gitFacts(settings, engine.options.env) });
  if (forked.kind === 'refused') return engineRefused(forked);
  const thread = await Thread.resume(parts, forked, { ...request, settings });
  return { kind: 'opened', thread, settings: thread.settings, notices: [...notices, ...resumeNotices(id, forked)] };
}
