import type { AskUser } from '../../ports/ask-user.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import { readAnswer } from '../../state/question-fields.ts';

const lapsed: Answer = { kind: 'lapsed' };

interface OpenQuestion {
  readonly answer: PromiseWithResolvers<Answer>;
  /** Whether what a caller answered is what was recorded. */
  readonly recorded: PromiseWithResolvers<boolean>;
  isAnswered: boolean;
}

interface AskingSteps<Recorded> {
  /** Shows the question to everyone who may answer it. */
  tell(): Promise<void>;
  record(answer: Answer | undefined): Promise<Recorded>;
}

/**
 * The questions that a running turn waits with, by their ids: any number at once, also of one call. The port or a caller
 * of the thread may answer; the first answer counts.
 */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();

  /**
   * `record` gets undefined when the signal aborts before there is an answer, and is done before a caller who answered
   * hears of it. The question can be answered as soon as `tell` shows it, or sooner by a caller who knows its id.
   */
  async ask<Recorded>(
    askUser: AskUser,
    question: Question,
    signal: AbortSignal,
    { tell, record }: AskingSteps<Recorded>,
  ): Promise<Recorded> {
    const { id } = question;
    const open = this.#open.get(id) ?? this.#expect(id);
    const over = new AbortController();
    const byCaller = open.answer.promise.then((answer) => {
      over.abort('answered');
      return { answer, isCallers: true };
    });
    try {
      await tell();
      // A program that fails to ask must not leave the turn waiting: it was not answered.
      const byPort = Promise.resolve()
        .then(() => (over.signal.aborted ? lapsed : askUser.ask(question, AbortSignal.any([signal, over.signal]))))
        .then((given) => readAnswer(given) ?? lapsed)
        .catch(() => lapsed)
        .then((answer) => {
          open.isAnswered = true;
          return { answer, isCallers: false };
        });
      const first = await beforeAbort(Promise.race([byCaller, byPort]), signal, undefined);
      open.isAnswered = true;
      // Another answer came first: the asker need not go on.
      over.abort('answered');
      const recorded = await record(first?.answer);
      open.recorded.resolve(first?.isCallers === true);
      return recorded;
    } catch (error) {
      open.recorded.reject(error);
      throw error;
    } finally {
      this.#open.delete(id);
    }
  }

  /**
   * Settles when an answer is recorded: whether it is this one. Undefined: no such question waits. One that is not asked
   * yet takes an answer if it is expected.
   */
  answer(id: string, answer: Answer, { isExpected }: { readonly isExpected: boolean }): Promise<boolean> | undefined {
    const open = this.#open.get(id) ?? (isExpected ? this.#expect(id) : undefined);
    if (open === undefined) return undefined;
    if (open.isAnswered) return open.recorded.promise.then(() => false);
    open.isAnswered = true;
    open.answer.resolve(answer);
    return open.recorded.promise;
  }

  /** It will not be asked: an answer that came before does not count. */
  lapse(id: string): void {
    this.#open.get(id)?.recorded.resolve(false);
    this.#open.delete(id);
  }

  /** The turn is over: what it did not come to ask needs no answer. */
  turnOver(): void {
    for (const id of this.#open.keys()) this.lapse(id);
  }

  #expect(id: string): OpenQuestion {
    const open = { answer: Promise.withResolvers<Answer>(), recorded: Promise.withResolvers<boolean>() };
    open.recorded.promise.catch(() => {});
    const expected = { ...open, isAnswered: false };
    this.#open.set(id, expected);
    return expected;
  }
}
