import { percentRemaining } from '../../history/percent-remaining.ts';
import { defined } from '../../protocol/defined.ts';
import type { UsageEvent } from '../../protocol/thread-event.ts';
import type { Envelope } from '../../envelope/envelope.ts';
import type { ToolSpec } from '../../ports/prompt.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { activeNow } from './active-now.ts';
import { type Contract, windowNow } from './contract-now.ts';

export type UsageNow = Pick<
  UsageEvent,
  'total' | 'tokens' | 'measure' | 'effectiveWindow' | 'percentRemaining' | 'rateLimits'
>;

interface KnownUsage {
  readonly envelope: Envelope;
  readonly tools: readonly ToolSpec[];
  readonly usage: UsageNow;
}

const knownUsages = new WeakMap<ThreadState, KnownUsage>();

/**
 * What a thread has cost, and how much of the window its next request fills as things stand. A screen asks for it with
 * every frame, so it is counted once for a state, an envelope and a list of tools.
 */
export function usageNow(contract: Contract): UsageNow {
  const { parts, log, envelope } = contract;
  const tools = parts.router.specs(envelope.capabilities.tools, envelope.policy);
  const known = knownUsages.get(log.state);
  if (known?.envelope === envelope && known.tools === tools) return known.usage;
  const usage = countUsage(contract, tools);
  knownUsages.set(log.state, { envelope, tools, usage });
  return usage;
}

function countUsage(contract: Contract, tools: readonly ToolSpec[]): UsageNow {
  const { log } = contract;
  const { effective, baseline } = windowNow(contract);
  const { tokens, measure } = activeNow(contract, { tools });
  return {
    total: log.state.usage.total,
    tokens,
    measure,
    effectiveWindow: effective,
    percentRemaining: percentRemaining({ effective, baseline, tokens }),
    ...defined({ rateLimits: log.state.rateLimits }),
  };
}
