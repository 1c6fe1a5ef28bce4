import { type ClientSilence, clientSilence } from '../../core/fragments/answers/tool-calls.ts';
import { readGivenAnswer, type RecordedAnswer } from '../../core/state/questions/question-lines.ts';
import type { AskUser } from '../../ports/ask-user.ts';
import { valueOrAbort } from '../../protocol/abort.ts';
import type { Answer, Question } from '../../protocol/question.ts';

/** The result of a question. All but `suspended` is durable. */
export type QuestionResult =
  | { readonly kind: 'answered'; readonly answer: RecordedAnswer }
  | { readonly kind: 'unheard' }
  /** The thread is given up: the next program to open it asks again. */
  | { readonly kind: 'suspended' };

/** Resolves when the answer is durable. Undefined: the turn is over, and no answer will come. */
type RecordAnswer = (given: Answer | undefined) => Promise<QuestionResult>;
const noWord = (silence: ClientSilence): Answer => ({ kind: 'declined', by: 'client', note: clientSilence[silence] });

/** The questions of a running turn, by id. The first answer counts, by the port or by a caller of the thread. */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();
  readonly #early = new Map<string, EarlyAnswer>();
  /** Questions that will not be asked: no answer to them is expected any more. */
  readonly #lapsed = new Set<string>();

  open(id: string, record: RecordAnswer): void {
    const open = new OpenQuestion(record);
    this.#open.set(id, open);
    this.#lapsed.delete(id);
    const early = this.#early.get(id);
    if (early === undefined) return;
    this.#early.delete(id);
    open.take(early.answer);
    early.isTaken.resolve(open.recorded.then(() => true));
  }

  hasAnswer(id: string): boolean {
    return this.#open.get(id)?.isTaken === true;
  }

  /** Puts an open question to the port in its turn. `shown` resolves when everyone who may answer can see it. */
  async ask(
    askUser: AskUser | undefined,
    question: Question,
    signal: AbortSignal,
    shown: () => Promise<void>,
  ): Promise<QuestionResult> {
    const open = this.#open.get(question.id);
    if (open === undefined) return { kind: 'unheard' };
    try {
      if ((askUser === undefined || signal.aborted) && open.take(undefined)) {
        const { kind } = await open.recorded;
        return { kind: kind === 'suspended' ? kind : 'unheard' };
      }
      if (askUser !== undefined && !open.isTaken) await shown().then(() => open.put(askUser, question, signal));
      return await open.recorded;
    } finally {
      this.#open.delete(question.id);
    }
  }

  /** Settles when an answer is durable, with whether it is this one. Undefined: no such question is expected. */
  answer(id: string, answer: Answer, { isExpected }: { readonly isExpected: boolean }): Promise<boolean> | undefined {
    const open = this.#open.get(id);
    if (open !== undefined) {
      const isTaken = open.take(answer);
      return open.recorded.then(() => isTaken);
    }
    const early = this.#early.get(id);
    if (early !== undefined) return early.isTaken.promise.then(() => false);
    if (!isExpected || this.#lapsed.has(id)) return undefined;
    const isTaken = Promise.withResolvers<boolean>();
    isTaken.promise.catch(() => {});
    this.#early.set(id, { answer, isTaken });
    return isTaken.promise;
  }

  /** It will not be asked: an answer that is not recorded by now does not count. */
  lapse(id: string): void {
    this.#early.get(id)?.isTaken.resolve(false);
    this.#early.delete(id);
    this.#open.delete(id);
    this.#lapsed.add(id);
  }

  /** The turn is over: questions that it did not ask need no answer. */
  turnOver(): void {
    for (const id of [...this.#early.keys(), ...this.#open.keys()]) this.lapse(id);
    this.#lapsed.clear();
  }
}

type EarlyAnswer = { readonly answer: Answer; readonly isTaken: PromiseWithResolvers<boolean> };

class OpenQuestion {
  readonly #record: RecordAnswer;
  readonly #recorded = Promise.withResolvers<QuestionResult>();
  /** Aborts when there is an answer: other askers can stop. */
  readonly #taken = new AbortController();

  constructor(record: RecordAnswer) {
    this.#record = record;
    this.#recorded.promise.catch(() => {});
  }

  get isTaken(): boolean {
    return this.#taken.signal.aborted;
  }
  get recorded(): Promise<QuestionResult> {
    return this.#recorded.promise;
  }

  take(given: Answer | undefined): boolean {
    if (this.isTaken) return false;
    this.#taken.abort('answered');
    this.#recorded.resolve(this.#record(given));
    return true;
  }

  /** A program that fails to ask must not leave the turn waiting, and its failure is no answer of the user. */
  async put(askUser: AskUser, question: Question, signal: AbortSignal): Promise<void> {
    if (this.isTaken) return;
    const over = AbortSignal.any([signal, this.#taken.signal]);
    const byPort = Promise.resolve()
      .then(() => askUser.ask(question, over))
      .then((given) => readGivenAnswer(given) ?? noWord('unreadable'))
      .catch(() => (over.aborted ? undefined : noWord('failed')));
    this.take(await valueOrAbort(byPort, over, undefined));
  }
}

/** Never answers itself: the answer comes from a client, through `LiveThread.answer`. */
export const awaitClientAnswer: AskUser = {
  ask: (_question, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ kind: 'lapsed' }), { once: true });
    }),
};
