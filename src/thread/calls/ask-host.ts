import { allowedWithWords } from '../../fragments/answers/call-answers.ts';
import { type AnsweredHost, hostAnswers } from '../../fragments/answers/host-answers.ts';
import type { AnswerHost, HostAnswer } from '../../ports/answer-host.ts';
import type { AskedHost } from '../../protocol/asked-host.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import type { Turn } from '../parts/parts.ts';
import { askerOf } from '../review/asker.ts';
import { askQuestion, questionOf, recordQuestion } from './ask-about-call.ts';
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
    if (known.kind !== 'ask') return known.kind === 'run' ? 'allowed' : 'unasked';
    const ended = AbortSignal.any([turn.signal, over.signal, ofProxy]);
    // With a reason of its own: a question that was asked while a call ran does not wait for the next process.
    const life = new AbortController();
    const end = (): void => life.abort('over');
    ended.addEventListener('abort', end, { once: true });
    if (ended.aborted) end();
    const inOrder = order.next();
    try {
      await beforeAbort(inOrder.turn(), life.signal, undefined);
      // An answer to an earlier question may decide about this host as well.
      const decided = decideHostNow(turn, wanted, host);
      if (life.signal.aborted) {
        // The command waited for it, behind a question that no one answered.
        told.push({ host, answer: { kind: 'lapsed' } });
        return 'declined';
      }
      if (decided.kind !== 'ask') return decided.kind === 'run' ? 'allowed' : 'unasked';
      const asking = questionOf(turn, wanted, decided);
      recordQuestion(turn, asking);
      const asked = await askQuestion({ ...turn, signal: life.signal }, askerOf(turn, wanted.step), asking);
      const answer = asked.kind === 'answered' ? asked.answer : ({ kind: 'lapsed' } as const);
      // A yes without words needs no telling: the command connects.
      if (answer.kind !== 'allowed' || allowedWithWords(answer) !== undefined) told.push({ host, answer });
      if (answer.kind === 'allowed') return 'allowed';
      if (answer.kind === 'stopped') turn.stop();
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
