import type { Step } from '../../envelope/step.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import { fullText } from '../../protocol/outcome.ts';
import { isPaused } from '../../state/checkpoints.ts';
import { estimateNow } from '../contract/active-now.ts';
import { windowNow } from '../contract/contract-now.ts';
import { compactAfterRefusal, mayCompactAgain } from '../checkpoint/compact-when-full.ts';
import type { Turn } from '../parts/parts.ts';
import type { StepAnswer } from './sample.ts';
import { afterUnexplained } from './unexplained-refusal.ts';

/**
 * A request that the provider refused as too long is made again after history was compacted. If that is refused, too,
 * or the next one before enough is new (the loop guard), the turn ends with the sizes and what to do. A refusal that
 * nothing explains may be one for length.
 */
export async function afterRefusal(turn: Turn, step: Step, answer: StepAnswer): Promise<StepAnswer> {
  if (answer.kind === 'failed' && answer.failure.code === 'context-window-exceeded') {
    return afterOverflow(turn, step, answer);
  }
  if (answer.kind === 'failed' && answer.failure.unexplained === true) return afterUnexplained(turn, step, answer);
  turn.memory.refusedStep = undefined;
  return answer;
}

type Failed = Extract<StepAnswer, { kind: 'failed' }>;

async function afterOverflow(turn: Turn, step: Step, { failure, lastMessage }: Failed): Promise<StepAnswer> {
  const said = lastMessage === undefined ? {} : { lastMessage };
  if (turn.memory.refusedStep !== undefined) return { kind: 'failed', failure: again(turn, step, failure), ...said };
  if (isPaused(turn.log.state.checkpoints)) {
    return { kind: 'failed', failure: whilePaused(turn, step, failure), ...said };
  }
  if (turn.memory.overflow === 'compacted' && !mayCompactAgain(turn)) {
    return { kind: 'failed', failure: tooSoon(turn, step, failure), ...said };
  }
  const message = sizes(turn, step, failure);
  const made = await compactAfterRefusal(turn, step, 'context_overflow');
  turn.memory.refusedStep = step.index;
  turn.memory.overflow = 'compacted';
  if (made.kind === 'installed') return { kind: 'go-on', ...said };
  if (made.kind === 'aborted') return { kind: 'aborted', ...said };
  const next = `Making room failed: ${fullText(made.outcome)}`;
  return { kind: 'failed', failure: { ...failure, message, next }, ...said };
}

function again(turn: Turn, step: Step, failure: ModelFailure): ModelFailure {
  const next =
    'It was refused again after history had been compacted. Shorten the message, choose a model with a larger window, or start a new thread.';
  return { ...failure, message: sizes(turn, step, failure), next };
}

function tooSoon(turn: Turn, step: Step, failure: ModelFailure): ModelFailure {
  const next =
    'This turn has compacted the history after such a refusal, and little is new since. If the window of the model is smaller than configured, set model_context_window; else send the message again, or start a new thread.';
  return { ...failure, message: sizes(turn, step, failure), next };
}

function whilePaused(turn: Turn, step: Step, failure: ModelFailure): ModelFailure {
  const next = `Compaction failed twice in a row, and this thread does not try again by itself. Ask for it with \`capstan threads compact ${turn.threadId}\`, choose a model with a larger window, or start a new thread.`;
  return { ...failure, message: sizes(turn, step, failure), next };
}

/** By our own estimate: what the provider counted, it did not say, and an older count was of another request. */
function sizes(turn: Turn, step: Step, failure: ModelFailure): string {
  const { effective } = windowNow(turn);
  return `${failure.message} (about ${estimateNow(turn, step)} tokens by Capstan's estimate; the effective window of ${turn.envelope.identity.model.slug} is ${effective})`;
}
