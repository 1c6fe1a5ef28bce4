import { abortSignalOption, type OptionReaders, validateOptions } from '../core/envelope/read-options.ts';
import { defined } from '../base/objects.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Answer } from '../protocol/question.ts';
import { answerProblem, readGivenAnswer } from '../core/state/questions/question-lines.ts';
import type { Answered } from './thread/client-input.ts';
import type { Thread } from './thread/thread.ts';
import { type EngineRefused, engineRefused } from './engine-refused.ts';
import { awaitClientAnswer } from './thread/open-questions.ts';
import type { Engine } from './engine.ts';
import { type ThreadRequest, threadOptions } from './thread-request.ts';
import { suspendedAnswerRefusal } from './live/thread-gate.ts';

/** Used if the thread has to be opened. */
export interface AnswerRequest extends ThreadRequest {
  /** Ends the turn that continues with the answer. */
  readonly signal: AbortSignal;
}

/** `lapsed`: the turn continues, but the call would now do something else, or is not allowed. */
export type AnsweredThread = {
  readonly thread: Thread;
  readonly notices: readonly Outcome[];
  /** The end of the suspended turn. Absent if the turn was already running: its own caller waits for it. */
  readonly ended?: ReturnType<Thread['continue']>;
} & ({ readonly kind: 'answered' } | { readonly kind: 'lapsed'; readonly outcome: Outcome });

const answerOptions = {
  ...threadOptions,
  signal: { type: abortSignalOption, required: true },
} as const satisfies OptionReaders<AnswerRequest>;

type Given = { readonly questionId: string; readonly answer: Answer };

interface Answering extends Pick<AnsweredThread, 'thread' | 'notices' | 'ended'> {
  readonly kind: 'answering';
  readonly isOpened: boolean;
  readonly answered: Promise<Answered>;
}

/** Answers questions of threads, open or not. Concurrent answers open their thread once. */
export class ThreadQuestionAnswerer {
  readonly #threads: Pick<Engine, 'thread' | 'resume'>;
  readonly #begun = new Map<ThreadId, Promise<unknown>>();

  constructor(threads: Pick<Engine, 'thread' | 'resume'>) {
    this.#threads = threads;
  }

  /** Resolves when the answer is durable. */
  async give(id: ThreadId, given: Given, asked: AnswerRequest): Promise<AnsweredThread | EngineRefused> {
    const request = validateOptions<AnswerRequest>(asked, answerOptions, 'answer()');
    if ('code' in request) return engineRefused(request);
    if (readGivenAnswer(given.answer) === undefined) return engineRefused(answerProblem(given.answer));
    const begun = (this.#begun.get(id) ?? Promise.resolve()).then(() => this.#begin(id, given, request));
    const settled = begun.catch(() => {});
    this.#begun.set(id, settled);
    const answering = await begun.finally(() => {
      if (this.#begun.get(id) === settled) this.#begun.delete(id);
    });
    return answering.kind === 'refused' ? answering : finish(answering);
  }

  /** Continues a suspended turn, which reaches the question and finds the answer. */
  async #begin(
    id: ThreadId,
    { questionId, answer }: Given,
    { signal, ...request }: AnswerRequest,
  ): Promise<Answering | EngineRefused> {
    const known = this.#threads.thread(id);
    const asks = { ...request, askUser: request.askUser ?? awaitClientAnswer };
    const opened = known === undefined ? await this.#threads.resume(id, asks) : { thread: known, notices: [] };
    if ('outcome' in opened) return opened;
    const { thread, notices } = opened;
    const waits = thread.isSuspended && thread.questions.some((question) => question.id === questionId);
    const ended = waits ? thread.continue({ signal }) : undefined;
    // A lost disk is reported to callers who wait for the turn; not all do.
    ended?.catch(() => {});
    const answered = thread.answer(questionId, answer);
    const isOpened = known === undefined;
    if (isOpened && !waits) {
      // No turn runs that could take the answer: it is refused, and the thread stays as it was.
      await answered;
      await thread.close();
    }
    return { kind: 'answering', thread, notices, isOpened, answered, ended };
  }
}

async function finish({ thread, notices, ended, ...begun }: Answering): Promise<AnsweredThread | EngineRefused> {
  const answered = await begun.answered;
  const open = { thread, notices, ...defined({ ended }) };
  if (answered.kind === 'answered') return { kind: 'answered', ...open };
  if (ended === undefined) return engineRefused(answered.outcome);
  if (!thread.isSuspended) return { kind: 'lapsed', outcome: answered.outcome, ...open };
  const { outcome } = await suspendedAnswerRefusal(thread, answered, ended);
  if (begun.isOpened) await thread.close();
  return engineRefused(outcome);
}
