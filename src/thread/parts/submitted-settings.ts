import type { Settings } from '../../envelope/settings.ts';

type Apply = (settings: Settings) => Settings;

/**
 * The settings after one change that was submitted: the changes before it and it itself, as far as they still stand.
 * What a turn was to change goes with the turn if that is withdrawn, also for what was submitted behind it.
 */
export class SubmittedSettings {
  /** Resolves with itself when all changes up to this one are made or refused. Never rejects. */
  readonly ready: Promise<SubmittedSettings>;
  /** Undefined: what it says cannot change any more. */
  #before: SubmittedSettings | undefined;
  #apply: Apply | undefined;
  #state: 'pending' | 'ready' = 'pending';
  #turn: 'waits' | 'stays' | 'withdrawn';
  /** What the change was made of last, and what it made of it. */
  #from: Settings | undefined;
  #now: Settings;

  private constructor(now: Settings, before?: SubmittedSettings, made?: (own: SubmittedSettings) => Promise<unknown>) {
    this.#now = now;
    this.#before = before;
    this.#turn = before === undefined ? 'stays' : 'waits';
    const isReady = (): SubmittedSettings => {
      this.#state = 'ready';
      return this;
    };
    const over = made === undefined ? Promise.resolve() : made(this);
    this.ready = over.then(isReady, isReady);
  }

  static first(settings: Settings): SubmittedSettings {
    return new SubmittedSettings(settings);
  }

  /** After one more change. `make` is called when those before it are made, and calls `made` unless it is refused. */
  next(make: (own: SubmittedSettings) => Promise<unknown>): SubmittedSettings {
    return new SubmittedSettings(this.#now, this, (own) => this.ready.then(() => make(own)));
  }

  made(apply: Apply): void {
    this.#apply = apply;
    this.#from = undefined;
  }

  /** It stays from here on. */
  keep(): void {
    this.#turn = 'stays';
  }

  /** Its turn was never said: nothing of it stays. */
  withdraw(): void {
    this.#turn = 'withdrawn';
  }

  get isWithdrawn(): boolean {
    return this.#turn === 'withdrawn';
  }

  /** What stands now, the same value as long as nothing was withdrawn. Known when it is `ready`. */
  now(): Settings {
    const before = this.#before;
    if (before === undefined) return this.#now;
    const from = before.now();
    if (this.#apply === undefined || this.isWithdrawn) this.#now = from;
    else if (from !== this.#from) this.#now = this.#apply(from);
    this.#from = from;
    // What is settled holds on to nothing: a thread may change its settings for ever.
    const isSettled = this.#state === 'ready' && this.#turn !== 'waits' && before.#before === undefined;
    if (isSettled) this.#before = undefined;
    return this.#now;
  }
}
