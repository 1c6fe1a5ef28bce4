import type { Step } from '../envelope/step.ts';
import type { ModelFailure } from '../ports/model-client.ts';
import { fullText } from '../protocol/outcome.ts';
import { isPaused } from '../state/checkpoints.ts';
import { activeNow } from './active-now.ts';
import { makeRoomAfterOverflow } from './make-room.ts';
import type { Turn } from './parts.ts';
import type { StepAnswer } from './sample.ts';

/**
 * A request that the provider refused as too long is made again after history was folded. If the next one is refused,
 * too, the turn ends, and says how large everything is and what to do.
 */
export async function afterOverflow(turn: Turn, step: Step, answer: StepAnswer): Promise<StepAnswer> {
  if (answer.kind !== 'failed' || answer.failure.code !== 'context-window-exceeded') {
    turn.overflow.step = undefined;
    return answer;
  }
  const said = answer.lastMessage === undefined ? {} : { lastMessage: answer.lastMessage };
  if (turn.overflow.step !== undefined) return { kind: 'failed', failure: again(turn, step, answer.failure), ...said };
  if (isPaused(turn.log.state.checkpoints)) {
    return { kind: 'failed', failure: whilePaused(turn, step, answer.failure), ...said };
  }
  const made = await makeRoomAfterOverflow(turn, step);
  turn.overflow.step = step.index;
  if (made.kind === 'installed') return { kind: 'go-on', ...said };
  if (made.kind === 'aborted') return { kind: 'aborted', ...said };
  const next = `Making room failed: ${fullText(made.outcome)}`;
  return { kind: 'failed', failure: { ...answer.failure, message: sizes(turn, step, answer.failure), next }, ...said };
}

function again(turn: Turn, step: Step, failure: ModelFailure): ModelFailure {
  const next =
    'It was refused again after history had been folded. Shorten the message, choose a model with a larger window, or start a new thread.';
  return { ...failure, message: sizes(turn, step, failure), next };
}

function whilePaused(turn: Turn, step: Step, failure: ModelFailure): ModelFailure {
  const next =
    'Compaction failed twice in a row, and this thread does not try again by itself. Ask for it with `capstan threads compact`, choose a model with a larger window, or start a new thread.';
  return { ...failure, message: sizes(turn, step, failure), next };
}

function sizes(turn: Turn, step: Step, failure: ModelFailure): string {
  const { tokens } = activeNow(turn, step);
  const { effective } = turn.envelope.window;
  return `${failure.message} (about ${tokens} tokens; the window of ${turn.envelope.identity.model.slug} holds ${effective})`;
}
