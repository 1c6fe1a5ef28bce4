import { type WhySmaller, whySmaller } from '../../compaction/plan/why-smaller.ts';
import { providerOfTurn } from '../../envelope/provider-of.ts';
import type { Step } from '../../envelope/step.ts';
import { historyTokens, weightOf } from '../../history/history-weight.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import { type Outcome, sentence } from '../../protocol/outcome.ts';
import { limitOf } from '../../state/model-limits.ts';
import { shownNow } from '../contract/active-now.ts';
import { windowNow } from '../contract/contract-now.ts';
import { compactAfterRefusal, mayCompactAgain } from '../checkpoint/compact-when-full.ts';
import type { Turn } from '../parts/parts.ts';
import type { StepAnswer } from './sample.ts';

type Failed = Extract<StepAnswer, { kind: 'failed' }>;

/**
 * The server refused a request and did not say why. Where it may be the length, history is compacted and the request
 * made once more, once in a turn. If that does not help, the turn ends with what the server said first.
 */
export async function afterUnexplained(turn: Turn, step: Step, answer: Failed): Promise<StepAnswer> {
  const { memory } = turn;
  const said = answer.lastMessage === undefined ? {} : { lastMessage: answer.lastMessage };
  if (memory.refusedStep !== undefined && memory.unexplained !== undefined) {
    return { kind: 'failed', failure: ending(memory.unexplained, refusedAgain), ...said };
  }
  const why = reasonToTry(turn, step, answer);
  if (why === undefined) {
    memory.refusedStep = undefined;
    return answer;
  }
  memory.unexplained = answer.failure;
  turn.log.tell({ kind: 'warning', outcome: trying(turn, step, why) });
  const made = await compactAfterRefusal(turn, step, 'unexplained_refusal');
  memory.refusedStep = step.index;
  if (made.kind === 'installed') return { kind: 'go-on', ...said };
  if (made.kind === 'aborted') return { kind: 'aborted', ...said };
  return { kind: 'failed', failure: ending(answer.failure, notCompacted(made.outcome)), ...said };
}

function reasonToTry(turn: Turn, step: Step, { bytes = 0 }: Failed): WhySmaller | undefined {
  const { log, envelope, memory } = turn;
  const { identity } = envelope;
  const wasTried = memory.refusedStep !== undefined || memory.unexplained !== undefined;
  return whySmaller({
    tokens: shownNow(turn, step),
    effective: windowNow(turn).effective,
    bytes,
    accepted: limitOf(log.state.limits, { provider: identity.provider, model: identity.model.slug })?.accepted,
    hasPast: weightOf(log.state.history).afterModel !== undefined,
    history: historyTokens(log.state.history, { reader: providerOfTurn(envelope) }),
    mayCompact: !wasTried && mayCompactAgain(turn),
  });
}

function trying(turn: Turn, step: Step, why: WhySmaller): Outcome {
  const { effective } = windowNow(turn);
  const tokens = shownNow(turn, step);
  const size =
    why === 'near-the-window'
      ? `it fills ${Math.round((100 * tokens) / effective)} % of the effective window`
      : 'it is larger than any that this provider answered in this thread';
  return {
    code: 'refused-without-cause',
    message: `The provider refused a request of about ${tokens} tokens and named no cause that Capstan knows. It may be the length: ${size}. Capstan compacts the history and tries once more.`,
    next: 'If that helps, the window of the model is smaller than configured: set model_context_window. If not, the turn ends with what the provider said.',
  };
}

const refusedAgain = 'Capstan compacted the history and tried once more, and the provider refused that too.';

function notCompacted({ message }: Outcome): string {
  return `Capstan tried to compact the history, in case the length was the cause, and could not: ${sentence(message)}`;
}

/** The server's own words stand first. */
function ending(failure: ModelFailure, what: string): ModelFailure {
  return { ...failure, next: `${sentence(failure.next)} ${what}` };
}
