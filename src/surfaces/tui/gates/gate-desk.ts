import type { TypingPause } from '../views/typing-pause.ts';
import type { View } from '../views/view.ts';
import type { GateText, GateView } from './gate-view.ts';
import type { KeptDraft } from './typed-beside.ts';

export interface GateDeskParts {
  /** Shows it in the place of the composer; undefined: the composer is back. */
  open(view: View | undefined): void;
  quit(): void;
  readonly pause: TypingPause;
  /** What the user types and does not answer with. Absent: it is lost. */
  readonly draft?: KeptDraft;
}

/** `back`: the user pressed Esc. `left`: the user leaves, or the program ends. */
export type GateExit = 'back' | 'left';

/** Asks what has to be clear before the conversation, one thing after the other. Most starts ask nothing and load no view. */
export class GateDesk {
  readonly #parts: GateDeskParts;
  readonly #ending = Promise.withResolvers<'left'>();
  #hasEnded = false;
  /** Ends such a wait. */
  #leaving = (): void => {};

  constructor(parts: GateDeskParts) {
    this.#parts = parts;
  }

  /** The program ends: what is asked, and what would be, has no answer. */
  end(): void {
    this.#hasEnded = true;
    this.#ending.resolve('left');
    this.#leaving();
  }

  /** Waits for something else that the user decides, or until the program ends. */
  async until<Result>(decided: Promise<Result>): Promise<Result | 'left'> {
    if (this.#hasEnded) return 'left';
    return Promise.race([decided, this.#ending.promise]).finally(() => this.#parts.pause.answered());
  }

  /** Waits so long, or until the program ends. What is raced against that end again and again would stay with it. */
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

  /** The place of the choice. */
  async ask(gate: GateText): Promise<number | GateExit> {
    const { guarded, GateView: Gate } = await this.#gates();
    return this.#show<number>((over, leave) =>
      guarded(new Gate({ ...gate, pick: over, back: () => over('back'), leave })),
    );
  }

  async askSecret(about: {
    readonly title: string;
    readonly problem?: string;
  }): Promise<{ readonly secret: string } | GateExit> {
    const { SecretView } = await import('./secret-view.ts');
    return this.#show<{ readonly secret: string }>((over, leave) =>
      this.#parts.pause.guard(
        new SecretView({ ...about, given: (secret) => over({ secret }), back: () => over('back'), leave }),
      ),
    );
  }

  /** Shows something while work is done. Esc or a choice gives the work up. */
  async during<Result extends object>(
    work: (signal: AbortSignal, show: (gate: GateText) => void) => Promise<Result>,
  ): Promise<Result | GateExit> {
    const { guarded, GateView: Gate } = await this.#gates();
    const stop = new AbortController();
    const back = (): void => stop.abort();
    void this.#ending.promise.then(back);
    const leave = (): void => this.#parts.quit();
    try {
      const done = await work(stop.signal, (gate) =>
        this.#parts.open(guarded(new Gate({ ...gate, pick: back, back, leave }))),
      );
      if (!stop.signal.aborted) return done;
      return this.#hasEnded ? 'left' : 'back';
    } finally {
      this.#parts.open(undefined);
    }
  }

  /** Keys that are pressed meanwhile are for something else that has the screen. */
  async aside(work: () => Promise<unknown>): Promise<void> {
    await work().finally(() => this.#parts.pause.answered());
  }

  /** The view, and what keeps keys from it that are no answer. */
  async #gates() {
    const [{ GateView }, { TypedBeside }] = await Promise.all([import('./gate-view.ts'), import('./typed-beside.ts')]);
    const { pause, draft } = this.#parts;
    const guarded = (view: GateView): View =>
      draft === undefined ? pause.guard(view) : new TypedBeside(pause.guard(view), { ...pause.typing, draft });
    return { GateView, guarded };
  }

  async #show<Result>(
    make: (over: (result: Result | GateExit) => void, leave: () => void) => View,
  ): Promise<Result | GateExit> {
    const { open, pause } = this.#parts;
    await Promise.race([pause.quiet(), this.#ending.promise]);
    if (this.#hasEnded) return 'left';
    const { promise, resolve } = Promise.withResolvers<Result | GateExit>();
    open(make(resolve, () => this.#parts.quit()));
    return Promise.race([promise, this.#ending.promise]).finally(() => open(undefined));
  }
}
