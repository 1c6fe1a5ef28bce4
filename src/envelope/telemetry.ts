import type { ThreadId, TurnId } from '../protocol/ids.ts';
import type { TurnFacts } from './facts.ts';
import type { Identity } from './identity.ts';
import { keepsOtherInstructions } from './instructions.ts';
import type { Settings } from './settings.ts';

/** What labels the turn in logs, traces and the rollout. */
export interface Telemetry {
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  /** 32 hexadecimal digits: the caller's trace, or one named after the turn. */
  readonly traceId: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Parts of the engine that were still starting when the turn began, by name. */
  readonly readiness: Readonly<Record<string, 'ready' | 'starting'>>;
  /** Who decided each setting that is not a default, by the setting's name. */
  readonly origins: Readonly<Record<string, string>>;
}

export function resolveTelemetry(
  facts: TurnFacts,
  settings: Settings,
  { identity }: { readonly identity: Identity },
): Telemetry {
  const { id, turnId } = facts.thread;
  return {
    threadId: id,
    turnId,
    traceId: facts.traceId ?? turnId.replaceAll('-', ''),
    startedAt: facts.time.epochMs,
    readiness: facts.readiness ?? {},
    // A choice that came after the thread had its instructions is not in force.
    origins: keepsOtherInstructions(facts, settings, identity)
      ? { ...settings.origins, baseInstructions: 'thread' }
      : (settings.origins ?? {}),
  };
}
