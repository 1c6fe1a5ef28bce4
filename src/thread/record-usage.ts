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
  } else forgetOld(turn, step);
  tellUsage(turn, step, counted);
}

/**
 * Nobody counted this request, but an older one: that count says nothing of what has been added since. That one did
 * not fit says nothing either once one was answered.
 */
function forgetOld({ log, envelope }: Turn, { tools }: Step): void {
  const { history, usage } = log.state;
  const instructions = envelope.instructions.base.text;
  const { tokens } = activeTokens({ history, instructions, tools, last: undefined, reasoningCounted: false });
  const { total, last } = usage;
  if (last.input === 0 && last.total <= tokens) return;
  const least = last.input === 0 ? 0 : last.total;
  const estimate = { ...noUsage, total: Math.max(tokens, least) };
  log.record(tokenCount({ total, last: estimate, window: envelope.window.effective }));
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
