import { allowedWithWords } from '../../fragments/answers/call-answers.ts';
import { type AnsweredHost, hostAnswers } from '../../fragments/answers/host-answers.ts';
import type { RefuseDecision, RunDecision } from '../../policy/call-decision.ts';
import type { AnswerHost, HostAnswer } from '../../ports/answer-host.ts';
import type { AskedHost } from '../../protocol/asked-host.ts';
import type { Turn } from '../parts/parts.ts';
import { askInPlace } from './ask-in-place.ts';
import { decideHostNow } from './decide-now.ts';
import type { CallToGrant } from './grant-call.ts';
import type { GrantedCall } from './granted-call.ts';
import type { QuestionOrder } from './question-order.ts';

/** The questions of one command that runs, about hosts that it waits for. */
export interface HostQuestions {
  readonly decide: AnswerHost;
  /** The command is over: questions that wait lapse. Resolves when nothing more is recorded, with notes for the model. */
  end(): Promise<readonly string[]>;
}

/**
 * Hosts take their turn among the questions of the step. The call has begun: whatever ends it, be it a thread that
 * closes, ends its questions too.
 */
export function askAboutHosts(
  turn: Turn,
  wanted: CallToGrant & Pick<GrantedCall, 'policy'>,
  order: QuestionOrder,
): HostQuestions {
  const over = new AbortController();
  const open = new Set<Promise<HostAnswer>>();
  const told: AnsweredHost[] = [];

  async function ask(host: AskedHost, ofProxy: AbortSignal): Promise<HostAnswer> {
    const known = decideHostNow(turn, wanted, host);
    if (known.kind !== 'ask') return hostAnswer(known);
    // The call is answered and its command runs on: no turn is left to ask in.
    if (over.signal.aborted) return 'unasked';
    const ended = AbortSignal.any([turn.signal, over.signal, ofProxy]);
    // With a reason of its own: a question that was asked while a call ran does not wait for the next process.
    const life = new AbortController();
    const end = (): void => life.abort('over');
    ended.addEventListener('abort', end, { once: true });
    if (ended.aborted) end();
    const inOrder = order.next();
    try {
      const decide = () => decideHostNow(turn, wanted, host);
      const came = await askInPlace({ ...turn, signal: life.signal }, { ...wanted, inOrder }, { decide });
      if (life.signal.aborted && came.kind !== 'answered') {
        // The command waited for it, perhaps behind a question that no one answered.
        told.push({ host, answer: { kind: 'lapsed' } });
        return 'declined';
      }
      if (came.kind === 'decided') return hostAnswer(came.decided);
      const answer = came.kind === 'answered' ? came.answer : ({ kind: 'lapsed' } as const);
      // A yes without words needs no telling: the command connects.
      if (answer.kind !== 'allowed' || allowedWithWords(answer) !== undefined) told.push({ host, answer });
      if (answer.kind === 'allowed') return 'allowed';
      return 'declined';
    } finally {
      inOrder.pass();
      ended.removeEventListener('abort', end);
    }
  }

  return {
    decide(host, signal) {
      const asking = ask(host, signal);
      open.add(asking);
      return asking.finally(() => open.delete(asking));
    },
    async end() {
      over.abort('over');
      // A lost disk is reported by the next caller that needs it.
      await Promise.allSettled(open);
      return hostAnswers(told);
    },
  };
}

/** Undefined: the command was over before anyone could be asked. */
function hostAnswer(decided: RunDecision | RefuseDecision | undefined): HostAnswer {
  if (decided === undefined) return 'declined';
  return decided.kind === 'run' ? 'allowed' : 'unasked';
}
