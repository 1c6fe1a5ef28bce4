import { defined } from '../../base/objects.ts';
import type { Envelope } from '../../core/envelope/envelope.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { isReadableByAll } from '../../core/state/checkpoints/opaque-checkpoint.ts';
import { agentMeta } from '../../core/state/fold/agents.ts';
import { restoredFields, restoredSettings } from '../../core/state/resumed-settings.ts';
import { emptyThreadState } from '../../core/state/thread-state.ts';
import type { OpenRefused } from '../../ports/thread-store.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { readHistoryBehindCheckpoint, type ResumedThread } from './branch/resume-thread.ts';
import { previewEnvelope, reuseFirstFacts, settingsEvent } from './context/preview-request.ts';
import { type FirstSubscriber, Subscribers } from './event-stream.ts';
import { ThreadLog } from './log.ts';
import type { ThreadParts } from './thread-parts.ts';

export interface ThreadOpening {
  readonly kind: 'opening';
  readonly id: ThreadId;
  readonly parts: ThreadParts;
  readonly log: ThreadLog;
  readonly inForce: Envelope;
  readonly options: ThreadOptions;
}

export async function openNew(
  given: ThreadParts,
  options: ThreadOptions,
  gitFacts: GitFactsOf,
  id = given.ids.uuid() as ThreadId,
): Promise<ThreadOpening | OpenRefused> {
  const parts = options.turnFollows === true ? reuseFirstFacts(given) : given;
  // Delayed so that taking the lock starts before facts are gathered.
  const envelope = Promise.resolve().then(() => previewEnvelope(parts, id, options.settings, emptyThreadState));
  const meta = envelope.then((known) => sessionMeta(id, known, gitFacts, parts));
  const owned = await parts.store.create(id, meta);
  if (owned.kind === 'refused') return owned;
  // The state of a new thread is folded from all its lines, so nothing need be read from the file.
  const log: ThreadLog = new ThreadLog(owned, emptyThreadState, new Subscribers(options), async () => {
    const { behind } = log.state;
    return behind !== undefined && isReadableByAll(behind) ? behind : undefined;
  });
  const inForce = await envelope;
  log.tell({ kind: 'thread-started', threadId: id }, settingsEvent('started', inForce));
  return { kind: 'opening', id, parts, log, inForce, options };
}

export async function openResumed(
  parts: ThreadParts,
  { id, owned, state, takenFrom = { id } }: ResumedThread,
  options: ThreadOptions,
): Promise<ThreadOpening> {
  const inForce = await previewEnvelope(parts, id, options.settings, state);
  const subscribers = new Subscribers(options);
  subscribers.tell({ kind: 'thread-started', threadId: id });
  const restored = restoredFields(restoredSettings(state, options.settings));
  subscribers.tell({ ...settingsEvent('resumed', inForce), restored });
  const log: ThreadLog = new ThreadLog(owned, state, subscribers, async () => {
    // If this thread has made a checkpoint since, the thread that it continues does not have it.
    const isOlder = takenFrom.id !== id && log.state.behind !== state.behind;
    return isOlder ? undefined : readHistoryBehindCheckpoint(parts.store, takenFrom);
  });
  return { kind: 'opening', id, parts, log, inForce, options };
}

/** Commit, branch and remote, as far as the policy lets them be read. Undefined outside a repository. */
export type GitFactsOf = (envelope: Envelope) => JsonObject | undefined;

export function sessionMeta(
  id: ThreadId,
  envelope: Envelope,
  gitFacts: GitFactsOf,
  { ids, agent, memoryMode }: Pick<ThreadParts, 'ids' | 'agent' | 'memoryMode'>,
): JsonObject {
  const { identity, workspace, instructions, telemetry } = envelope;
  return {
    session_id: id,
    id,
    timestamp: new Date(telemetry.startedAt).toISOString(),
    cwd: workspace.cwd,
    originator: identity.client.name,
    cli_version: identity.client.version,
    source: identity.sessionSource,
    thread_source: identity.threadSource,
    model_provider: identity.provider,
    base_instructions: { text: instructions.base.text, provenance: instructions.base.provenance },
    history_mode: 'paginated',
    context_window: { window_id: ids.uuid() },
    ...defined({ git: gitFacts(envelope), memory_mode: memoryMode }),
    ...(agent && agentMeta(agent)),
  };
}

export interface ThreadOptions extends FirstSubscriber {
  readonly settings: Settings;
  /** A turn that leaves too little space for the next one is followed by a compaction. Default true. */
  readonly compactsAfterTurns?: boolean;
  /** A turn is submitted as soon as the thread is there, and nothing else happens before. */
  readonly turnFollows?: boolean;
}
