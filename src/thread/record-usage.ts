import type { Step } from '../envelope/step.ts';
import { activeTokens } from '../history/active-tokens.ts';
import { ejectedReasoning, percentRemaining, usageAfterOverflow } from '../history/percent-remaining.ts';
import { addUsage, noUsage, type Usage } from '../protocol/usage.ts';
import { tokenCount } from '../state/turn-drafts.ts';
import type { Turn } from './parts.ts';

/** What the request cost, and what is left; estimated where the provider says nothing. */
export function recordUsage(turn: Turn, step: Step, counted: Usage | undefined): void {
  const { log, envelope } = turn;
  if (counted !== undefined) {
    const total = addUsage(log.state.usage.total, counted);
    log.record(tokenCount({ total, last: counted, window: envelope.window.effective }));
  } else if (log.state.usage.last.input > 0) {
    // An older count says nothing of what this answer added, and nobody may go by it any more.
    const { total, last } = log.state.usage;
    log.record(tokenCount({ total, last: { ...noUsage, total: last.total }, window: envelope.window.effective }));
  }
  tellUsage(turn, step, counted);
}

/** The provider refused the request as too long: the window is full, whatever was counted before. */
export function recordOverflow(turn: Turn, step: Step): void {
  const { log, envelope } = turn;
  const { effective } = envelope.window;
  log.record(tokenCount({ ...usageAfterOverflow(effective, log.state.usage.total), window: effective }));
  tellUsage(turn, step, undefined);
}

function tellUsage({ log, turnId, envelope }: Turn, step: Step, counted: Usage | undefined): void {
  const { window, instructions } = envelope;
  const { history, usage } = log.state;
  // An older count says nothing of what this answer added: all is estimated, and the total is the least it can be.
  const last = counted ?? { ...noUsage, total: usage.last.total };
  const active = activeTokens({
    history,
    instructions: instructions.base.text,
    tools: step.tools,
    last,
    reasoningCounted: false,
  });
  const used = counted ?? { ...noUsage, total: active.tokens };
  log.tell({
    kind: 'usage',
    turnId,
    step: step.index,
    ...(counted === undefined ? {} : { last: counted }),
    total: usage.total,
    tokens: active.tokens,
    measure: active.measure,
    effectiveWindow: window.effective,
    percentRemaining: percentRemaining({
      effective: window.effective,
      baseline: window.baseline,
      usage: used,
      ejected: counted === undefined ? 0 : ejectedReasoning(history, counted),
    }),
  });
}
