import type { Envelope } from '../envelope/envelope.ts';
import type { OpenRefused } from '../ports/rollout-store.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { isWhole } from '../state/behind.ts';
import { restoredFields, restoredSettings } from '../state/resumed-settings.ts';
import { emptyState } from '../state/thread-state.ts';
import { readBehind, type ResumedThread } from './branch/resume.ts';
import { withOneLook } from './contract/one-look.ts';
import { previewEnvelope, settingsEvent } from './contract/preview.ts';
import { ThreadLog } from './parts/log.ts';
import type { ThreadParts } from './parts/parts.ts';
import { Subscribers } from './parts/subscribers.ts';
import { type GitFactsOf, sessionMeta } from './record/session-meta.ts';
import type { ThreadOptions } from './thread-options.ts';

/** What a thread has when it begins its life in this process. Its first events are told. */
export interface ThreadOpening {
  readonly kind: 'opening';
  readonly id: ThreadId;
  readonly parts: ThreadParts;
  readonly log: ThreadLog;
  /** The envelope that a turn would have now. */
  readonly inForce: Envelope;
  readonly options: ThreadOptions;
}

/** Of a new thread. */
export async function openNew(
  given: ThreadParts,
  options: ThreadOptions,
  gitFacts: GitFactsOf,
  id = given.ids.uuid() as ThreadId,
): Promise<ThreadOpening | OpenRefused> {
  const parts = options.turnFollows === true ? withOneLook(given) : given;
  // Later than the call: the lock is being taken before anything is looked at.
  const envelope = Promise.resolve().then(() => previewEnvelope(parts, id, options.settings, emptyState));
  const meta = envelope.then((known) =>
    sessionMeta({ id, windowId: parts.ids.uuid(), envelope: known, gitFacts, parts }),
  );
  const owned = await parts.store.create(id, meta);
  if (owned.kind === 'refused') return owned;
  // Its state was folded from all of its lines.
  const log: ThreadLog = new ThreadLog(owned, emptyState, new Subscribers(options), async () => {
    const { behind } = log.state;
    return behind !== undefined && isWhole(behind) ? behind : undefined;
  });
  const inForce = await envelope;
  log.tell({ kind: 'thread-started', threadId: id }, settingsEvent('started', inForce));
  return { kind: 'opening', id, parts, log, inForce, options };
}

/** Of a thread whose state was folded from its file. */
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
    // What was taken from another thread does not hold the checkpoints that this one made since.
    const isOlder = takenFrom.id !== id && log.state.behind !== state.behind;
    return isOlder ? undefined : readBehind(parts.store, takenFrom);
  });
  return { kind: 'opening', id, parts, log, inForce, options };
}
