import { providerOfTurn } from '../../envelope/provider-of.ts';
import type { Step } from '../../envelope/step.ts';
import { historyTokens, weightOf } from '../../history/history-weight.ts';
import { percentRemaining, usageAfterOverflow } from '../../history/percent-remaining.ts';
import { defined } from '../../protocol/defined.ts';
import { addUsage, noUsage, type Usage } from '../../protocol/usage.ts';
import type { ShownUsage } from '../../state/shown-usage.ts';
import { tokenCount, usageShown } from '../../state/turn-drafts.ts';
import { activeAfter, estimateNow, fixedTokens } from '../contract/active-now.ts';
import { windowNow } from '../contract/contract-now.ts';
import type { Turn } from '../parts/parts.ts';

/** What the request cost, and what is left; estimated where the provider says nothing of the input. */
export function recordUsage(turn: Turn, step: Step, counted: Usage | undefined): void {
  const { log } = turn;
  const { total, last } = log.state.usage;
  const believed = counted !== undefined && countsRequest(turn, step, counted) ? counted : undefined;
  const now = believed ?? estimateAfter(turn, step);
  // Without a count, an estimate from before says nothing wrong as long as it has been outgrown.
  const isNews = counted !== undefined || last.input > 0 || last.total > now.total;
  const spent = counted === undefined ? total : addUsage(total, counted);
  const shown = shownAfter(turn, step, { counted, believed, total: isNews ? now.total : last.total });
  log.record(
    isNews ? tokenCount({ total: spent, last: now, window: shown.effectiveWindow }, shown) : usageShown(shown),
  );
  log.tell({ kind: 'usage', turnId: turn.turnId, total: log.state.usage.total, ...shown });
}

/** From so many tokens on, a count is believed without a closer look: to weigh a long history takes its time. */
const believedAtOnce = 16_000;
/** Our estimates are seldom off by a half. */
const mostTimes = 8;
const mostBeyond = 4000;

/**
 * Whether a count says something of the window. A request is never empty, and there are servers that count only what
 * was not in their cache, or nothing that means something: a count is not believed that is far below what was sent.
 */
function countsRequest(turn: Turn, step: Step, { input }: Usage): boolean {
  const { sent } = turn.log.state;
  if (input === 0 || input >= believedAtOnce || sent?.kind !== 'request') return input > 0;
  const reader = providerOfTurn(turn.envelope);
  const history = historyTokens(sent.history, { reader }) - weightOf(sent.history, { reader }).earlierReasoning;
  return fixedTokens(turn, step) + history <= mostTimes * input + mostBeyond;
}

/**
 * What stands in the place of the newest count: an older one says nothing of what has been added since, and is the
 * least that it can be. That a request did not fit says nothing once one was answered.
 */
function estimateAfter(turn: Turn, step: Step): Usage {
  const { history, usage } = turn.log.state;
  const { tokens } = activeAfter(turn, step, undefined);
  const reader = providerOfTurn(turn.envelope);
  // With what another provider wrote, the older count may be that provider's.
  const isLeast = usage.last.input > 0 && weightOf(history, { reader }).hidden === 0;
  return { ...noUsage, total: Math.max(tokens, isLeast ? usage.last.total : 0) };
}

/** The provider refused the request as too long: the window is full, whatever was counted before. */
export function recordOverflow(turn: Turn, step: Step): void {
  const { log } = turn;
  const { effective } = windowNow(turn);
  const { total } = log.state.usage;
  // The line says that the window is full, in the one way that all readers know; the user is shown what was sent.
  const shown = { tokens: estimateNow(turn, step), measure: 'estimated', percentRemaining: 0 } as const;
  const window = { step: step.index, effectiveWindow: effective };
  log.record(tokenCount({ ...usageAfterOverflow(effective, total), window: effective }, { ...window, ...shown }));
  log.tell({ kind: 'usage', turnId: turn.turnId, total, ...window, ...shown });
}

interface Counted {
  readonly counted: Usage | undefined;
  /** What the provider counted, if it says something of the window. */
  readonly believed: Usage | undefined;
  /** Of the newest count, or of what stands in its place. */
  readonly total: number;
}

function shownAfter(turn: Turn, step: Step, { counted, believed, total }: Counted): ShownUsage {
  const { effective, baseline } = windowNow(turn);
  // An older count says nothing of what this answer added: all is estimated, and the total is the least it can be.
  const { tokens, measure } = activeAfter(turn, step, believed ?? { ...noUsage, total });
  return {
    step: step.index,
    ...defined({ last: counted }),
    tokens,
    measure,
    effectiveWindow: effective,
    percentRemaining: percentRemaining({ effective, baseline, tokens }),
  };
}
