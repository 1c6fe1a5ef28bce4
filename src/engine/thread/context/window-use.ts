import type { CallResult } from '../../../adapters/tools/tool.ts';
import { defined } from '../../../base/objects.ts';
import type { Step } from '../../../core/envelope/envelope.ts';
import { type TextBudget, bytesPerToken } from '../../../core/fragments/text/truncate.ts';
import { limitOutput } from '../../../core/history/limit-output.ts';
import { itemTokens } from '../../../core/history/token-counts.ts';
import { percentRemaining } from '../../../core/history/window-usage.ts';
import { findModelLimit } from '../../../core/state/fold/model-limits.ts';
import type { ThreadState } from '../../../core/state/thread-state.ts';
import { groupDigits, type Outcome } from '../../../protocol/outcome.ts';
import type { UsageEvent } from '../../../protocol/thread-event.ts';
import type { Turn } from '../thread-parts.ts';
import { warnOnceForAll } from '../log.ts';
import { activeTokensNow, estimatedTokensNow } from './token-estimates.ts';
import { compactionContract, type TurnContract, contextWindowNow } from './turn-contract.ts';

export type ThreadUsage = Pick<
  UsageEvent,
  'total' | 'tokens' | 'measure' | 'effectiveWindow' | 'percentRemaining' | 'rateLimits'
>;

const knownUsages = new WeakMap<ThreadState, Pick<Step, 'envelope' | 'tools'> & { readonly usage: ThreadUsage }>();

/** The thread's cost and the fill of its window. Screens ask with every frame, so the result is cached. */
export function usageNow(contract: TurnContract): ThreadUsage {
  const { parts, log, envelope } = contract;
  const tools = parts.router.specs(envelope.capabilities.tools, envelope.policy);
  const known = knownUsages.get(log.state);
  if (known?.envelope === envelope && known.tools === tools) return known.usage;
  const { effective, baseline } = contextWindowNow(contract);
  const { usage: spent, rateLimits } = log.state;
  const { tokens, measure } = activeTokensNow(contract, { tools });
  const window = { effectiveWindow: effective, percentRemaining: percentRemaining({ effective, baseline, tokens }) };
  const usage = { total: spent.total, tokens, measure, ...window, ...defined({ rateLimits }) };
  knownUsages.set(log.state, { envelope, tools, usage });
  return usage;
}

/** In tokens: the model reads at least this much of an output, however many there are. */
const leastShare = 400;

/** Tokens for each output still to come: many at once would fill the window and be compacted before they are read. */
export function outputShare(turn: Turn, step: Step, outputs: number): number {
  const { window } = compactionContract(turn);
  const limit = window.autoCompactScope === 'body' ? window.effective : window.autoCompact;
  const { tokens } = activeTokensNow(turn, step);
  // A provider that overcounts must not reduce every output to a stub.
  const space = limit - (tokens < limit ? tokens : estimatedTokensNow(turn, step));
  return Math.max(leastShare, Math.floor((space * 0.9) / Math.max(1, outputs)));
}

export function limitOutputToShare(
  output: CallResult['output'],
  budget: TextBudget,
  tokens: number,
): CallResult['output'] {
  let { limit } = budget;
  const ofBudget = budget.mode === 'tokens' ? limit : Math.ceil(limit / bytesPerToken);
  if (ofBudget <= tokens / mostTokensPerEstimated) return limitOutput(output, budget);
  for (;;) {
    const limited = limitOutput(output, { ...budget, limit });
    const weight = itemTokens({ type: 'function_call_output', output: limited });
    if (weight <= tokens || limit < leastShare) return limited;
    limit = Math.floor(limit * Math.min(0.8, tokens / weight));
  }
}

/** Four bytes may be more than one token, as in tables of numbers. */
const mostTokensPerEstimated = 4;

/** Warns about a window that a refusal named, which counts from now on in this thread. `assumed`: the window before. */
export function adoptServerWindow(turn: Turn, assumed: number): void {
  const { log, envelope } = turn;
  const { identity, window } = envelope;
  const model = identity.model.slug;
  const named = findModelLimit(log.state.limits, { provider: identity.provider, model })?.named;
  if (named === undefined || named.assumed !== window.configured) return;
  const { effective } = contextWindowNow(turn);
  const about = `${identity.provider} ${model} ${named.tokens}`;
  if (effective !== assumed) warnOnceForAll(turn, learned(model, named.tokens, assumed), about);
  else if (named.tokens < effective) warnOnceForAll(turn, unusable(model, named.tokens, assumed), about);
}

function learned(model: string, named: number, assumed: number): Outcome {
  const message = `The provider reports a window of ${groupDigits(named)} tokens for ${model}; Capstan assumed ${groupDigits(assumed)}. This thread now uses ${groupDigits(named)}.`;
  const next = `To use it in every thread, add \`model_context_window = ${named}\` to your config.toml.`;
  return { code: 'window-learned', message, next };
}

function unusable(model: string, named: number, assumed: number): Outcome {
  const message = `The provider reports a window of ${groupDigits(named)} tokens for ${model}, too small for instructions, tools and a conversation. Capstan still assumes ${groupDigits(assumed)}.`;
  const next = 'Give the model a larger window on its server, or choose another model.';
  return { code: 'window-too-small', message, next };
}
