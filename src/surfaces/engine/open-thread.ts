import type { Settings } from '../../envelope/settings.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type RestoredSettings, restoredSettings } from '../../state/resumed-settings.ts';
import { Thread } from '../../thread/thread.ts';
import { openProven } from '../../thread/branch/unproven.ts';
import type { EngineParts } from './engine-parts.ts';
import { type EngineRefused, engineRefused } from './engine-refused.ts';
import { gitFacts } from './git-facts.ts';
import { prepareThread, prepareToGoOn } from './prepare-thread.ts';
import { resumeNotices } from './resume-notices.ts';
import type { ThreadRequest } from './thread-request.ts';

/** A thread that is ready for turns, and what is in force in it. */
export interface OpenedThread {
  readonly kind: 'opened';
  readonly thread: Thread;
  /** Frozen, deeply. */
  readonly settings: Settings;
  /** What a resumed thread took from its own past; absent for a new one. */
  readonly restored?: RestoredSettings;
  /** What the user should know: repairs and lines that could not be read. */
  readonly notices: readonly Outcome[];
}

export async function startThread(
  engine: EngineParts,
  request: ThreadRequest & { readonly cwd: string },
): Promise<OpenedThread | EngineRefused> {
  const prepared = await prepareThread(engine, { cwd: request.cwd }, request);
  if ('code' in prepared) return engineRefused(prepared);
  const { parts, settings, notices } = prepared;
  const thread = await Thread.start(parts, { ...request, settings }, gitFacts(settings, engine.options.env));
  if (!(thread instanceof Thread)) return engineRefused(thread);
  return { kind: 'opened', thread, settings: thread.settings, notices };
}

export async function resumeThread(
  engine: EngineParts,
  id: ThreadId,
  request: ThreadRequest,
): Promise<OpenedThread | EngineRefused> {
  const store = request.ephemeral === true ? engine.ephemeralStore : engine.store;
  const resumed = await openProven({ seals: engine.seals, store }, id);
  if (resumed.kind === 'refused') return engineRefused(resumed);
  const prepared = await prepareToGoOn(engine, resumed, request);
  if ('code' in prepared) {
    await resumed.owned.close();
    return engineRefused(prepared);
  }
  const { parts, settings, notices } = prepared;
  const thread = await Thread.resume(parts, resumed, { ...request, settings });
  const restored = restoredSettings(resumed.state, settings);
  return {
    kind: 'opened',
    thread,
    settings: thread.settings,
    restored,
    notices: [...notices, ...resumeNotices(id, resumed)],
  };
}
