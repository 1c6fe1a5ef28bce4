import { providerOfTurn } from '../../envelope/provider-of.ts';
import type { Step } from '../../envelope/step.ts';
import { activeTokens } from '../../history/active-tokens.ts';
import { historyTokens, weightOf } from '../../history/history-weight.ts';
import { requestTokens } from '../../history/ledger.ts';
import { percentRemaining, usageAfterOverflow } from '../../history/percent-remaining.ts';
import { defined } from '../../protocol/defined.ts';
import { addUsage, noUsage, type Usage } from '../../protocol/usage.ts';
import { tokenCount } from '../../state/turn-drafts.ts';
import { estimateNow } from '../contract/active-now.ts';
import { instructionsNow, windowNow } from '../contract/contract-now.ts';
import type { Turn } from '../parts/parts.ts';

/** What the request cost, and what is left; estimated where the provider says nothing of the input. */
export function recordUsage(turn: Turn, step: Step, counted: Usage | undefined): void {
  const { log } = turn;
  const window = windowNow(turn).effective;
  const believed = counted !== undefined && countsRequest(turn, step, counted) ? counted : undefined;
  if (counted !== undefined) {
    const total = addUsage(log.state.usage.total, counted);
    log.record(tokenCount({ total, last: believed ?? estimateAfter(turn, step), window }));
  } else {
    const { total, last } = log.state.usage;
    const estimate = estimateAfter(turn, step);
    // An estimate from before says nothing wrong as long as it has been outgrown.
    if (last.input > 0 || last.total > estimate.total) log.record(tokenCount({ total, last: estimate, window }));
  }
  tellUsage(turn, step, { counted, believed });
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
function countsRequest(turn: Turn, { tools }: Step, { input }: Usage): boolean {
  const { sent } = turn.log.state;
  if (input === 0 || input >= believedAtOnce || sent?.kind !== 'request') return input > 0;
  const fixed = requestTokens({ instructions: instructionsNow(turn).text, tools, input: [] });
  const reader = providerOfTurn(turn.envelope);
  const weighed = fixed + historyTokens(sent.history, { reader }) - weightOf(sent.history, { reader }).earlierReasoning;
  return weighed <= mostTimes * input + mostBeyond;
}

interface Counted {
  /** What the provider said of the request. */
  readonly counted: Usage | undefined;
  /** The same, if it says something of the window. */
  readonly believed: Usage | undefined;
}

/**
 * What stands in the place of the newest count: an older one says nothing of what has been added since, and is the
 * least that it can be. That a request did not fit says nothing once one was answered.
 */
function estimateAfter(turn: Turn, { tools }: Step): Usage {
  const { history, usage } = turn.log.state;
  const instructions = instructionsNow(turn).text;
  const reader = providerOfTurn(turn.envelope);
  const { tokens } = activeTokens({ history, reader, instructions, tools, last: undefined, reasoningCounted: false });
  // With what another provider wrote, the older count may be that provider's.
  const isLeast = usage.last.input > 0 && weightOf(history, { reader }).hidden === 0;
  return { ...noUsage, total: Math.max(tokens, isLeast ? usage.last.total : 0) };
}

/** The provider refused the request as too long: the window is full, whatever was counted before. */
export function recordOverflow(turn: Turn, step: Step): void {
  const { log } = turn;
  const { effective } = windowNow(turn);
  log.record(tokenCount({ ...usageAfterOverflow(effective, log.state.usage.total), window: effective }));
  // The line says that the window is full, in the one way that all readers know; the user is shown what was sent.
  log.tell({
    kind: 'usage',
    turnId: turn.turnId,
    step: step.index,
    total: log.state.usage.total,
    tokens: estimateNow(turn, step),
    measure: 'estimated',
    effectiveWindow: effective,
    percentRemaining: 0,
  });
}

function tellUsage(turn: Turn, step: Step, { counted, believed }: Counted): void {
  const { log, turnId } = turn;
  const { effective, baseline } = windowNow(turn);
  const { history, usage } = log.state;
  // An older count says nothing of what this answer added: all is estimated, and the total is the least it can be.
  const last = believed ?? { ...noUsage, total: usage.last.total };
  const active = activeTokens({
    history,
    reader: providerOfTurn(turn.envelope),
    instructions: instructionsNow(turn).text,
    tools: step.tools,
    last,
    reasoningCounted: false,
  });
  log.tell({
    kind: 'usage',
    turnId,
    step: step.index,
    ...defined({ last: counted }),
    total: usage.total,
    tokens: active.tokens,
    measure: active.measure,
    effectiveWindow: effective,
    percentRemaining: percentRemaining({ effective, baseline, tokens: active.tokens }),
  });
}
