import type { TypingPause } from '../typing-pause.ts';
import type { View } from '../../screen/view.ts';
import type { StartupViewOptions, StartupQuestion, DraftInput } from './startup-question-views.ts';

interface StartupQuestionDeskParts {
  open(view: View | undefined): void;
  quit(): void;
  readonly pause: TypingPause;
  readonly draft?: DraftInput;
}

/** `back`: the user pressed Esc. `left`: the user leaves, or the program ends. */
export type StartupQuestionExit = 'back' | 'left';

/** Asks startup questions one after the other. Most starts ask nothing and load no view. */
export class StartupQuestionDesk {
  readonly #parts: StartupQuestionDeskParts;
  readonly #ending = Promise.withResolvers<'left'>();
  #hasEnded = false;
  /** Ends a pending `wait`. */
  #leaving = (): void => {};

  constructor(parts: StartupQuestionDeskParts) {
    this.#parts = parts;
  }

  /** Call when the program ends: current and later questions get no answer. */
  end(): void {
    this.#hasEnded = true;
    this.#ending.resolve('left');
    this.#leaving();
  }

  async until<Result>(decided: Promise<Result>): Promise<Result | 'left'> {
    if (this.#hasEnded) return 'left';
    return Promise.race([decided, this.#ending.promise]).finally(() => this.#parts.pause.answered());
  }

  /** Waits for this time, or until the program ends. Repeated races against `#ending` would leak handlers. */
  async wait(milliseconds: number): Promise<'on' | 'left'> {
    if (this.#hasEnded) return 'left';
    const { promise, resolve } = Promise.withResolvers<'on' | 'left'>();
    const timer = setTimeout(() => resolve('on'), milliseconds);
    this.#leaving = () => {
      clearTimeout(timer);
      resolve('left');
    };
    return promise.finally(() => (this.#leaving = () => {}));
  }

  async ask(gate: StartupQuestion): Promise<number | StartupQuestionExit> {
    const gateOf = await this.#gates();
    return this.#show<number>((over, leave) => gateOf({ ...gate, pick: over, back: () => over('back'), leave }));
  }

  async askSecret(
    about: Pick<StartupQuestion, 'title' | 'problem'>,
  ): Promise<{ readonly secret: string } | StartupQuestionExit> {
    const { secretView } = await import('./startup-question-views.ts');
    return this.#show<{ readonly secret: string }>((over, leave) =>
      this.#parts.pause.guard(
        secretView({ ...about, given: (secret) => over({ secret }), back: () => over('back'), leave }),
      ),
    );
  }

  /** Shows a view during work. Esc or a choice aborts the work. */
  async during<Result extends object>(
    work: (signal: AbortSignal, show: (gate: StartupQuestion) => void) => Promise<Result>,
  ): Promise<Result | StartupQuestionExit> {
    const gateOf = await this.#gates();
    const stop = new AbortController();
    const back = (): void => stop.abort();
    void this.#ending.promise.then(back);
    const leave = (): void => this.#parts.quit();
    try {
      const done = await work(stop.signal, (gate) => this.#parts.open(gateOf({ ...gate, pick: back, back, leave })));
      if (!stop.signal.aborted) return done;
      return this.#hasEnded ? 'left' : 'back';
    } finally {
      this.#parts.open(undefined);
    }
  }

  /** Runs work that has the screen. The next question then appears at once, but keys for the work do not answer it. */
  async aside(work: () => Promise<unknown>): Promise<void> {
    await work().finally(() => this.#parts.pause.answered());
  }

  async #gates(): Promise<(options: StartupViewOptions) => View> {
    const { StartupQuestionView, ListWithDraft } = await import('./startup-question-views.ts');
    const { pause, draft } = this.#parts;
    return (options) => {
      const view = pause.guard(new StartupQuestionView(options));
      return draft === undefined ? view : new ListWithDraft(view, { ...pause.typing, draft });
    };
  }

  async #show<Result>(
    make: (over: (result: Result | StartupQuestionExit) => void, leave: () => void) => View,
  ): Promise<Result | StartupQuestionExit> {
    const { open, pause } = this.#parts;
    await Promise.race([pause.quiet(), this.#ending.promise]);
    if (this.#hasEnded) return 'left';
    const { promise, resolve } = Promise.withResolvers<Result | StartupQuestionExit>();
    open(make(resolve, () => this.#parts.quit()));
    return Promise.race([promise, this.#ending.promise]).finally(() => open(undefined));
  }
}
