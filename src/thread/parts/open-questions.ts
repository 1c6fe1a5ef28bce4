import type { AskUser } from '../../ports/ask-user.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import { readAnswer } from '../../state/question-fields.ts';

const lapsed: Answer = { kind: 'lapsed' };

interface OpenQuestion {
  readonly answer: PromiseWithResolvers<Answer>;
  readonly recorded: PromiseWithResolvers<void>;
}

/** The questions that a running turn waits with. The port or a caller of the thread may answer; the first answer counts. */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();

  /** Undefined when the signal aborts before there is an answer. `record` is done before a caller who answered hears of it. */
  async ask<Recorded>(
    askUser: AskUser,
    question: Question,
    signal: AbortSignal,
    record: (answer: Answer | undefined) => Promise<Recorded>,
  ): Promise<Recorded> {
    const open: OpenQuestion = { answer: Promise.withResolvers(), recorded: Promise.withResolvers() };
    open.recorded.promise.catch(() => {});
    this.#open.set(question.callId, open);
    // A program that fails to ask must not leave the turn waiting: it was not answered.
    const over = new AbortController();
    const asked = Promise.resolve()
      .then(() => askUser.ask(question, AbortSignal.any([signal, over.signal])))
      .then((given) => readAnswer(given) ?? lapsed)
      .catch(() => lapsed);
    const answer = await beforeAbort(Promise.race([open.answer.promise, asked]), signal, undefined);
    this.#open.delete(question.callId);
    // Whoever was asked and did not answer first need not go on.
    over.abort('answered');
    const recording = record(answer);
    recording.then(() => open.recorded.resolve(), open.recorded.reject);
    return recording;
  }

  /** Settles when the answer is recorded. Undefined: no question about this call waits. */
  answer(callId: string, answer: Answer): Promise<void> | undefined {
    const open = this.#open.get(callId);
    open?.answer.resolve(answer);
    return open?.recorded.promise;
  }
}
