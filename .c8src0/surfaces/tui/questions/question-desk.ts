import type { Answer, Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { fillForm } from '../../views/questions/question-choices.ts';
import { FieldView, textFormField } from './form-fields.ts';
import { ModelQuestionsView } from './model-questions-view.ts';
import type { View } from '../screen/view.ts';
import type { Look } from '../screen/text/look.ts';
import { QuestionView } from './question-view.ts';
import type { TypingPause } from './typing-pause.ts';

interface StartupDeskParts {
  open(view: View | undefined): void;
  showWhole(rows: (look: Look) => readonly string[], seenEnd?: (look: Look) => void): void;
  /** Closes the screen of `showWhole`, because its question is no longer asked. */
  closeWhole(): void;
  answer(id: string, answer: Answer): void;
  /** Reports errors of work that no caller awaits. */
  run(work: Promise<unknown>): void;
  readonly pause: TypingPause;
}

/** Asks questions one after the other, once the user pauses typing. */
export class QuestionDesk {
  readonly #parts: StartupDeskParts;
  #waiting: { readonly question: Question; readonly item: TurnItem | undefined }[] = [];
  #open: { readonly id: string; readonly over: AbortController } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: StartupDeskParts) {
    this.#parts = parts;
  }

  get isAsking(): boolean {
    return this.#open !== undefined || this.#waiting.length > 0;
  }

  asked(question: Question, item: TurnItem | undefined): void {
    const isKnown = this.#open?.id === question.id || this.#waiting.some((each) => each.question.id === question.id);
    if (!isKnown) this.#waiting.push({ question, item });
    this.#next();
  }

  answered(id: string): void {
    this.#waiting = this.#waiting.filter(({ question }) => question.id !== id);
    if (this.#open?.id === id) this.#close();
    this.#next();
  }

  clear(): void {
    this.#waiting = [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#open !== undefined) this.#close();
  }

  #close(): void {
    this.#open?.over.abort();
    this.#open = undefined;
    this.#parts.closeWhole();
    this.#parts.open(undefined);
  }

  #next(): void {
    if (this.#open !== undefined || this.#timer !== undefined || this.#waiting.length === 0) return;
    const { wait } = this.#parts.pause;
    const again = (): void => {
      this.#timer = undefined;
      this.#next();
    };
    if (wait > 0) return void (this.#timer = setTimeout(again, wait));
    const { question, item } = this.#waiting.shift()!;
    const over = new AbortController();
    this.#open = { id: question.id, over };
    this.#parts.run(this.#ask(question, item, over.signal));
  }

  /** A form is asked field by field, questions of the model all in one view. */
  async #ask(question: Question, item: TurnItem | undefined, signal: AbortSignal): Promise<void> {
    const { showWhole, open, pause } = this.#parts;
    const waiting = (): number => this.#waiting.length;
    const { input, agent } = question;
    const show = (view: (answered: (answer: Answer) => void) => View): Promise<Answer> =>
      new Promise((answered) => (signal.aborted ? answered({ kind: 'lapsed' }) : open(pause.guard(view(answered)))));
    const askOne = (one: Question): Promise<Answer> =>
      show((answer) => {
        const field = textFormField(one);
        if (field !== undefined) return new FieldView(field, { question: one, answer, showWhole });
        return new QuestionView({ question: one, item, waiting, answer, showWhole });
      });
    const answer = await (input === undefined
      ? fillForm(question, askOne)
      : show((answer) => new ModelQuestionsView({ questions: input, agent, answer, showWhole })));
    if (signal.aborted) return;
    this.#close();
    this.#parts.answer(question.id, answer);
    this.#next();
  }
}
