import type { Step } from '../../envelope/step.ts';
import type { CallDecision, RefuseDecision, RunDecision } from '../../policy/call-decision.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import type { CallItem } from '../../protocol/item.ts';
import { threadCloses } from '../../protocol/stopped-by.ts';
import type { RecordedAnswer } from '../../state/recorded-question.ts';
import type { PreparedCall } from '../../tools/define.ts';
import type { Turn } from '../parts/parts.ts';
import { askerOf } from '../review/asker.ts';
import { askQuestion, type QuestionToAsk, questionOf, recordQuestion } from './ask-about-call.ts';
import type { QuestionTurn } from './question-order.ts';

/** A call that may be asked about, in its place among those of its step. */
export interface CallInPlace extends Pick<PreparedCall, 'item'> {
  readonly call: CallItem;
  readonly step: Step;
  readonly inOrder: QuestionTurn;
}

/** What came of a call in its place. `decided`: no answer is needed, or none was; undefined: nothing is to be asked. */
export type DecidedInPlace =
  | { readonly kind: 'decided'; readonly decided: RunDecision | RefuseDecision | undefined }
  | { readonly kind: 'answered'; readonly asking: QuestionToAsk; readonly answer: RecordedAnswer }
  /** The turn was interrupted before the question could be put to anyone. */
  | { readonly kind: 'unheard' }
  | EndedBefore;

/** The call does not begin, whatever was answered. `suspended`: the question, or its answer, waits for the next process. */
export interface EndedBefore {
  readonly kind: 'suspended' | 'interrupted';
}

/** Undefined: nothing is to be decided. */
type Decided = CallDecision | undefined;

export interface QuestionInPlace {
  /** With all that is known by now, on the ground as it is by now. */
  decide(): Decided | Promise<Decided>;
  /** The question, if it is shown already: an answer to it counts when its turn comes. */
  readonly shown?: QuestionToAsk;
}

/**
 * The one way to ask about a call, whether it may begin, run again or reach a host. Its question is put to the port when
 * no call before it may still ask, and is decided once more then: an answer to an earlier one may cover it.
 */
export async function askInPlace(
  turn: Turn,
  wanted: CallInPlace,
  { decide, shown }: QuestionInPlace,
): Promise<DecidedInPlace> {
  await beforeAbort(wanted.inOrder.turn(), turn.signal, undefined);
  const hasAnswer = (): boolean =>
    shown !== undefined && (turn.signal.aborted || turn.questions.hasAnswer(shown.question.id));
  const decided = hasAnswer() || turn.signal.aborted ? undefined : await decide();
  // An answer may have come while the ground was looked at.
  const isSettled = hasAnswer();
  const asking = shown !== undefined && isSettled ? shown : askedNow(turn, wanted, { decided, shown });
  if (!('question' in asking)) {
    if (shown !== undefined) turn.questions.lapse(shown.question.id);
    return asking;
  }
  const asked = await askQuestion(turn, askerOf(turn, wanted.step, asking), asking);
  if (asked.kind !== 'answered') return asked;
  const { answer } = asked;
  if (answer.kind !== 'allowed') return { kind: 'answered', asking, answer };
  const allowed = isSettled ? renewed(turn, wanted, asking, await decide()) : asking;
  return endedBefore(turn) ?? { kind: 'answered', asking: allowed, answer };
}

/** Whether the turn has come to its end before the call could begin. */
export function endedBefore({ signal }: Pick<Turn, 'signal'>): EndedBefore | undefined {
  if (!signal.aborted) return undefined;
  return { kind: signal.reason === threadCloses ? 'suspended' : 'interrupted' };
}

/** The question as it is to be asked now, shown if it is another one than before. */
function askedNow(
  turn: Turn,
  wanted: CallInPlace,
  { decided, shown }: { readonly decided: Decided; readonly shown: QuestionToAsk | undefined },
): QuestionToAsk | Extract<DecidedInPlace, { kind: 'decided' }> {
  if (turn.signal.aborted) return { kind: 'decided', decided: undefined };
  if (decided?.kind !== 'ask') return { kind: 'decided', decided };
  const asking = questionOf(turn, wanted, decided);
  if (asking.about === shown?.about) return { ...shown, decided };
  recordQuestion(turn, asking, shown);
  return asking;
}

/** The same question with what was granted since. A yes to what was shown stays a yes to that. */
function renewed(turn: Turn, wanted: CallInPlace, asked: QuestionToAsk, decided: Decided): QuestionToAsk {
  const isSame = decided?.kind === 'ask' && questionOf(turn, wanted, decided).about === asked.about;
  return isSame ? { ...asked, decided } : asked;
}
