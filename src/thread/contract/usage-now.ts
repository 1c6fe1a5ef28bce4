import { percentRemaining } from '../../history/percent-remaining.ts';
import { defined } from '../../protocol/defined.ts';
import type { UsageEvent } from '../../protocol/thread-event.ts';
import { activeNow } from './active-now.ts';
import { type Contract, windowNow } from './contract-now.ts';

export type UsageNow = Pick<
  UsageEvent,
  'total' | 'tokens' | 'measure' | 'effectiveWindow' | 'percentRemaining' | 'rateLimits'
>;

/** What a thread has cost, and how much of the window its next request fills as things stand. */
export function usageNow(contract: Contract): UsageNow {
  const { parts, log, envelope } = contract;
  const { effective, baseline } = windowNow(contract);
  const tools = parts.router.specs(envelope.capabilities.tools, envelope.policy);
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
