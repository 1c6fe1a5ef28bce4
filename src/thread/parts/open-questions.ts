import type { AskUser } from '../../ports/ask-user.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import { readAnswer } from '../../state/question-fields.ts';

const lapsed: Answer = { kind: 'lapsed' };

interface OpenQuestion {
  readonly answer: PromiseWithResolvers<Answer>;
  readonly recorded: PromiseWithResolvers<void>;
}

interface AskingSteps<Recorded> {
  /** Shows the question to everyone who may answer it. */
  tell(): Promise<void>;
  record(answer: Answer | undefined): Promise<Recorded>;
}

/** The questions that a running turn waits with. The port or a caller of the thread may answer; the first answer counts. */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();

  /**
   * `record` gets undefined when the signal aborts before there is an answer, and is done before a caller who answered
   * hears of it. The question can be answered as soon as `tell` shows it.
   */
  async ask<Recorded>(
    askUser: AskUser,
    question: Question,
    signal: AbortSignal,
    { tell, record }: AskingSteps<Recorded>,
  ): Promise<Recorded> {
    const open: OpenQuestion = { answer: Promise.withResolvers(), recorded: Promise.withResolvers() };
    open.recorded.promise.catch(() => {});
    this.#open.set(question.callId, open);
    const over = new AbortController();
    void open.answer.promise.then(() => over.abort('answered'));
    try {
      await tell();
    } catch (error) {
      this.#open.delete(question.callId);
      open.recorded.reject(error);
      throw error;
    }
    // A program that fails to ask must not leave the turn waiting: it was not answered.
    const asked = Promise.resolve()
      .then(() => (over.signal.aborted ? lapsed : askUser.ask(question, AbortSignal.any([signal, over.signal]))))
      .then((given) => readAnswer(given) ?? lapsed)
      .catch(() => lapsed);
    const answer = await beforeAbort(Promise.race([open.answer.promise, asked]), signal, undefined);
    this.#open.delete(question.callId);
    // Another answer came first: the asker need not go on.
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
