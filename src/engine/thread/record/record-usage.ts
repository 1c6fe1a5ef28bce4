import { defined } from '../../../base/objects.ts';
import { type Envelope, type Step, turnProvider } from '../../../core/envelope/envelope.ts';
import { isListPrice, type ModelPrice } from '../../../core/envelope/prices.ts';
import { type NewestTokenCount, noTokenCount } from '../../../core/history/token-counts.ts';
import {
  historyTokens,
  percentRemaining,
  usageAfterOverflow,
  weighHistory,
} from '../../../core/history/window-usage.ts';
import { threadCostOf, rateLimitsLine, tokenCountLine } from '../../../core/state/drafts/turn-lines.ts';
import type { ShownUsage } from '../../../core/state/drafts/usage-and-failure-fields.ts';
import type { ModelClient } from '../../../ports/model.ts';
import { addUsage, noUsage, type Usage } from '../../../protocol/usage.ts';
import {
  activeTokensAfter,
  estimatedTokensNow,
  fixedRequestTokens,
  newestCountFor,
} from '../context/token-estimates.ts';
import { contextWindowNow } from '../context/turn-contract.ts';
import type { Turn } from '../thread-parts.ts';

/** Adds to the thread's total only: the size of the conversation's next request is not affected. */
export function recordSpent(turn: Turn, usage: Usage | undefined): void {
  if (usage === undefined) return;
  const { log } = turn;
  const { total, last } = threadCostOf(log.state.usage);
  log.record(tokenCountLine({ total: addUsage(total, usage), last, window: contextWindowNow(turn).effective }));
}

export function recordRateLimits({ memory, log }: Pick<Turn, 'memory' | 'log'>): void {
  const { rateLimits } = memory;
  memory.rateLimits = undefined;
  if (rateLimits !== undefined) log.record(rateLimitsLine(rateLimits));
}

/** Records cost and remaining space. `counted`: by the provider. `spent`: estimated if the provider did not count. */
export function recordUsage(
  turn: Turn,
  step: Step,
  { counted, spent = noUsage }: { readonly counted: Usage | undefined; readonly spent: Usage | undefined },
): void {
  const { log, memory, turnId } = turn;
  const believed = counted !== undefined && countsRequest(turn, step, counted) ? counted : undefined;
  const shown = shownAfter(turn, step, counted, believed);
  const last = believed ?? { ...noUsage, total: shown.tokens };
  const { rateLimits } = memory;
  memory.rateLimits = undefined;
  const total = addUsage(log.state.usage.total, spent);
  log.record(tokenCountLine({ total, last, window: shown.effectiveWindow, rateLimits }, shown));
  log.tell({ kind: 'usage', turnId, total: log.state.usage.total, ...shown, ...defined({ rateLimits }) });
}

/** From this many tokens on a count is believed without comparison: weighing a long history takes time. */
const believedAtOnce = 16_000;
/** Our estimates are seldom wrong by a half, so a count this many times smaller counts something else. */
const mostTimes = 8;
const mostBeyond = 4000;

/** False for a count that does not measure the request, such as one of only the tokens outside the server's cache. */
function countsRequest(turn: Turn, step: Step, { input }: Usage): boolean {
  const { sent } = turn.log.state;
  if (input === 0 || input >= believedAtOnce || sent?.kind !== 'request') return input > 0;
  const reader = turnProvider(turn.envelope);
  const history = historyTokens(sent.history, { reader }) - weighHistory(sent.history, { reader }).earlierReasoning;
  return fixedRequestTokens(turn, step) + history <= mostTimes * input + mostBeyond;
}

/** The provider refused the request as too long: the window is full, whatever was counted before. */
export function recordOverflow(turn: Turn, step: Step): void {
  const { log } = turn;
  const { effective } = contextWindowNow(turn);
  const { total } = log.state.usage;
  // The line says that the window is full, in the one form that all readers know; the user is shown our estimate.
  const tokens = estimatedTokensNow(turn, step);
  const shown = { tokens, measure: 'estimated', percentRemaining: 0, refused: true } as const;
  const window = { step: step.index, effectiveWindow: effective };
  log.record(tokenCountLine({ ...usageAfterOverflow(effective, total), window: effective }, { ...window, ...shown }));
  log.tell({ kind: 'usage', turnId: turn.turnId, total, ...window, ...shown });
}

function shownAfter(turn: Turn, step: Step, counted: Usage | undefined, believed: Usage | undefined): ShownUsage {
  const { effective, baseline } = contextWindowNow(turn);
  const upTo = turn.log.state.history.length;
  const newest = believed === undefined ? countBefore(turn) : ({ kind: 'counted', usage: believed, upTo } as const);
  const { tokens, measure } = activeTokensAfter(turn, step, newest);
  const window = { effectiveWindow: effective, percentRemaining: percentRemaining({ effective, baseline, tokens }) };
  return { step: step.index, ...defined({ last: counted }), tokens, measure, ...window };
}

/** The count that still holds. An earlier refusal for length means nothing once a request was answered. */
function countBefore({ log, envelope }: Turn): NewestTokenCount {
  const newest = newestCountFor(log.state, turnProvider(envelope));
  return newest.kind === 'full' ? noTokenCount : newest;
}

/** `plan`: the plan of an account pays. `tokens`: a request with a key has a price; if it is absent, it is unknown. */
export type RequestBilling =
  | { readonly by: 'tokens'; readonly price?: ModelPrice | undefined }
  | { readonly by: 'plan'; readonly price?: undefined };

/** May read the login. A price that the user set holds under every login. */
export async function resolveRequestBilling(
  { identity }: Pick<Envelope, 'identity'>,
  client: Pick<ModelClient, 'authMode'>,
): Promise<RequestBilling> {
  const { price } = identity;
  if (price !== undefined && !isListPrice(price)) return { by: 'tokens', price };
  return (await client.authMode()) === 'chatgpt' ? { by: 'plan' } : { by: 'tokens', price };
}
