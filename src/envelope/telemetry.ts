import type { ThreadId, TurnId } from '../protocol/ids.ts';
import type { Facts } from './facts.ts';

/** What labels the turn in logs and in the rollout. */
export interface Telemetry {
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

export function resolveTelemetry(facts: Facts, ids: Pick<Telemetry, 'threadId' | 'turnId'>): Telemetry {
  return { ...ids, startedAt: facts.time.epochMs };
}
