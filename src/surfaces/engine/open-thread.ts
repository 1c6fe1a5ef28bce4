import type { Envelope } from '../../envelope/envelope.ts';
import type { Settings } from '../../envelope/settings.ts';
import { readGuard } from '../../gather/files/read-guard.ts';
import { findRepository, readGitFacts } from '../../gather/git/git.ts';
import type { NewestLine } from '../../ports/rollout-store.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadCut } from '../../protocol/thread-cut.ts';
import { agentIn } from '../../state/agents.ts';
import { type RestoredSettings, restoredSettings } from '../../state/resumed-settings.ts';
import { openProven } from '../../thread/branch/unproven.ts';
import { Thread } from '../../thread/thread.ts';
import type { EngineParts } from './engine-parts.ts';
import { type EngineRefused, engineRefused } from './engine-refused.ts';
import { type KeptSettings, prepareThread, prepareToGoOn } from './prepare-thread.ts';
import { resumeNotices } from './resume-notices.ts';
import type { ThreadRequest } from './thread-request.ts';

/** A thread that is ready for turns, and what is in force in it. */
export interface OpenedThread {
  readonly kind: 'opened';
  readonly thread: Thread;
  /** Frozen, deeply. */
  readonly settings: Settings;
  /** Of the permission profile, if the configuration names it. */
  readonly profileName?: string;
  /** What a resumed thread took from its own past; absent for a new one. */
  readonly restored?: RestoredSettings;
  /** The newest line that it had, where the store says so. */
  readonly newest?: NewestLine;
  /** What the user should know: repairs and lines that could not be read. */
  readonly notices: readonly Outcome[];
}

export async function startThread(
  engine: EngineParts,
  request: ThreadRequest & { readonly cwd: string },
  again: { readonly id?: ThreadId; readonly kept?: Settings } = {},
): Promise<OpenedThread | EngineRefused> {
  const prepared = await prepareThread(engine, { cwd: request.cwd }, request, again);
  if ('code' in prepared) return engineRefused(prepared);
  const { parts, settings, notices, profileName } = prepared;
  const thread = await Thread.start(parts, { ...request, settings }, gitFacts, again.id ?? request.agent?.id);
  if (!(thread instanceof Thread)) return engineRefused(thread);
  return { kind: 'opened', thread, settings: thread.settings, notices, ...defined({ profileName }) };
}

export async function resumeThread(
  engine: EngineParts,
  id: ThreadId,
  request: ThreadRequest,
  kept?: KeptSettings,
): Promise<OpenedThread | EngineRefused> {
  const store = request.ephemeral === true ? engine.ephemeralStore : engine.store;
  const resumed = await openProven({ seals: engine.seals, store }, id);
  if (resumed.kind === 'refused') return engineRefused(resumed);
  const agent = agentIn(resumed.state.meta);
  const prepared = await prepareToGoOn(engine, resumed, { ...request, ...defined({ agent }) }, kept);
  if ('code' in prepared) {
    await resumed.owned.close();
    return engineRefused(prepared);
  }
  const { parts, settings, profileName } = prepared;
  const thread = await Thread.resume(parts, resumed, { ...request, settings });
  const notices = [...prepared.notices, ...resumeNotices(id, resumed, settings)];
  const restored = restoredSettings(resumed.state, settings);
  const { newest } = resumed.owned;
  return { kind: 'opened', thread, settings: thread.settings, restored, notices, ...defined({ profileName, newest }) };
}

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
  const { parts, settings, profileName } = prepared;
  const forked = await forkThread(parts, point, { settings, gitFacts });
  if (forked.kind === 'refused') return engineRefused(forked);
  const thread = await Thread.resume(parts, forked, { ...request, settings });
  const notices = [...prepared.notices, ...resumeNotices(id, forked, settings)];
  return { kind: 'opened', thread, settings: thread.settings, notices, ...defined({ profileName }) };
}

/** What the first line of a thread says about the repository around its folder, as far as the policy lets it be read. */
function gitFacts({ workspace, policy }: Envelope): JsonObject | undefined {
  const root = findRepository(workspace.cwd);
  if (root === undefined) return undefined;
  return readGitFacts(root, { denies: readGuard(policy.resolved).deniesUser }) as JsonObject;
}
