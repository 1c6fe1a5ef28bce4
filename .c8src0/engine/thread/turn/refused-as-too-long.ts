import { type Step, turnProvider } from '../../../core/envelope/envelope.ts';
import { defined } from '../../../base/objects.ts';
import type { ModelFailure } from '../../../ports/model.ts';
import { outcomeText, groupDigits, type Outcome, endWithFullStop } from '../../../protocol/outcome.ts';
import { isCompactionPaused } from '../../../core/state/checkpoints/checkpoint-counts.ts';
import { estimatedTokensNow, shownTokensNow } from '../context/token-estimates.ts';
import { contextWindowNow } from '../context/turn-contract.ts';
import { compactAfterRefusal, mayCompactBelowLimit } from '../checkpoint/compact-when-full.ts';
import type { CompactionResult } from '../checkpoint/compaction-result.ts';
import type { Turn } from '../thread-parts.ts';
import type { StepAnswer } from './model-step.ts';
import { type LengthSuspicion, suspectLength } from '../../../core/compaction/plan/window-problems.ts';
import { historyTokens, weighHistory } from '../../../core/history/window-usage.ts';
import { findModelLimit } from '../../../core/state/fold/model-limits.ts';

type Failed = Extract<StepAnswer, { kind: 'failed' }>;

/**
 * Repeats a request that the provider refused as too long, after compacting history. If that is refused too, or the
 * next one before enough is new (the loop guard), the turn ends with the sizes and what to do. An unexplained refusal
 * may be one for length.
 */
export async function retryAfterCompaction(turn: Turn, step: Step, answer: StepAnswer): Promise<StepAnswer> {
  if (answer.kind === 'failed') {
    if (answer.failure.code === 'context-window-exceeded') return afterOverflow(turn, step, answer);
    if (answer.failure.unexplained === true) return afterUnexplained(turn, step, answer);
  }
  turn.memory.refusedStep = undefined;
  return answer;
}

async function afterOverflow(turn: Turn, step: Step, answer: Failed): Promise<StepAnswer> {
  const { memory, log, threadId, envelope } = turn;
  // By our own estimate: the provider reported no count, and an older one was for another request.
  const sizes = `The request had about ${groupDigits(estimatedTokensNow(turn, step))} tokens by Capstan's estimate; the effective window of ${envelope.identity.model.slug} is ${groupDigits(contextWindowNow(turn).effective)}.`;
  // `message` has only the provider's own words.
  const failed = (next: string): StepAnswer => {
    return { ...answer, failure: { ...answer.failure, next: `${sizes} ${next}` } };
  };
  if (memory.refusedStep !== undefined) return failed(refusedAgain);
  const paused = `Compaction failed twice in a row, so Capstan stopped compacting this thread automatically. Run \`capstan threads compact ${threadId}\`, choose a model with a larger window, or start a new thread.`;
  if (isCompactionPaused(log.state.checkpoints)) return failed(paused);
  if (memory.overflow === 'compacted' && !mayCompactBelowLimit(turn)) return failed(tooSoon);
  const made = await compactAfterRefusal(turn, step, 'context_overflow');
  memory.refusedStep = step.index;
  memory.overflow = 'compacted';
  if (made.kind !== 'failed') return continued(made, answer);
  // The line about the checkpoint has already given the reason.
  if (made.outcome.code === 'compaction-would-grow') return failed(tooShort);
  return failed(`Compacting the history failed: ${outcomeText(made.outcome)}`);
}

const tooShort =
  'The history is too short to compact. Shorten the message, offer fewer tools, choose a model with a larger window, or start a new thread.';
const refusedAgain =
  'Capstan compacted the history, and the provider refused again. Shorten the message, choose a model with a larger window, or start a new thread.';
const tooSoon =
  'Capstan already compacted the history in this turn, and little has been added since. If the window of the model is smaller than configured, set model_context_window. Otherwise send the message again, or start a new thread.';

function continued({ kind }: CompactionResult, { lastMessage }: Failed): StepAnswer {
  return { kind: kind === 'installed' ? 'go-on' : 'aborted', ...defined({ lastMessage }) };
}

/** Length may be the cause: history is compacted and the request repeated, once in a turn. */
async function afterUnexplained(turn: Turn, step: Step, answer: Failed): Promise<StepAnswer> {
  const { memory, log, envelope } = turn;
  // The server's own words come first.
  const failed = (failure: ModelFailure, what: string): StepAnswer => {
    return { ...answer, failure: { ...failure, next: `${endWithFullStop(failure.next)} ${what}` } };
  };
  const again = 'Capstan compacted the history and tried again, and the provider refused that too.';
  if (memory.refusedStep !== undefined && memory.unexplained !== undefined) return failed(memory.unexplained, again);
  const sizes = { tokens: shownTokensNow(turn, step), effective: contextWindowNow(turn).effective };
  const { history, limits } = log.state;
  const { provider, model } = envelope.identity;
  const wasTried = memory.refusedStep !== undefined || memory.unexplained !== undefined;
  const why = suspectLength({
    ...sizes,
    bytes: answer.bytes ?? 0,
    accepted: findModelLimit(limits, { provider, model: model.slug })?.accepted,
    hasPast: weighHistory(history).afterModel !== undefined,
    history: historyTokens(history, { reader: turnProvider(envelope) }),
    mayCompact: !wasTried && mayCompactBelowLimit(turn),
  });
  if (why === undefined) {
    memory.refusedStep = undefined;
    return answer;
  }
  memory.unexplained = answer.failure;
  log.tell({ kind: 'warning', outcome: trying(why, sizes) });
  const made = await compactAfterRefusal(turn, step, 'unexplained_refusal');
  memory.refusedStep = step.index;
  if (made.kind !== 'failed') return continued(made, answer);
  const tried = 'In case the length was the cause, Capstan tried to compact the history, which failed';
  return failed(answer.failure, `${tried}: ${endWithFullStop(made.outcome.message)}`);
}

type Sizes = Pick<Parameters<typeof suspectLength>[0], 'tokens' | 'effective'>;

function trying(why: LengthSuspicion, { tokens, effective }: Sizes): Outcome {
  const size =
    why === 'near-the-window'
      ? `it fills ${Math.round((100 * tokens) / effective)} % of the effective window`
      : 'it is larger than any request that this provider has answered in this thread';
  return {
    code: 'refused-without-cause',
    message: `The provider refused a request of about ${groupDigits(tokens)} tokens and gave no reason that Capstan knows. The request may be too long: ${size}. Capstan compacts the history and tries again.`,
    next: 'If that works, the window of the model is smaller than configured: set model_context_window. If not, the turn ends with the error of the provider.',
  };
}
