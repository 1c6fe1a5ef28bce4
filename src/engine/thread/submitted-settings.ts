import type { Settings } from '../../core/envelope/settings.ts';

type Apply = (settings: Settings) => Settings;

/**
 * The settings after one change that was submitted: the changes before it and it itself, as far as they still stand.
 * What a turn was to change goes with the turn if that does not begin, also for what was submitted behind it.
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
  /** The same without the changes of turns that have not begun. */
  #base: Settings | undefined;
  #inForce: Settings;

  private constructor(now: Settings, before?: SubmittedSettings, made?: (own: SubmittedSettings) => Promise<unknown>) {
    this.#now = now;
    this.#inForce = now;
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
    this.#base = undefined;
  }

  /** It stays from here on: it is no turn's, or its turn begins. */
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

  /** Whether it belongs to a turn that has not begun. */
  get waits(): boolean {
    return this.#turn === 'waits';
  }

  /** What stands now, the same value as long as nothing was withdrawn. Known when it is `ready`. */
  now(): Settings {
    this.#look();
    return this.#now;
  }

  /** The same without what turns change that have not begun: what the file says, and a resume finds. */
  inForce(): Settings {
    this.#look();
    return this.#inForce;
  }

  #look(): void {
    const before = this.#before;
    if (before === undefined) return;
    before.#look();
    const [from, base] = [before.#now, before.#inForce];
    const now = this.#made(from);
    const inForce = this.waits ? base : base === from ? now : this.#made(base);
    [this.#now, this.#from, this.#inForce] = [now, from, inForce];
    this.#base = this.waits ? undefined : base;
    // What is settled holds on to nothing: a thread may change its settings for ever.
    const isDecided = this.#apply === undefined || !this.waits;
    if (this.#state === 'ready' && isDecided && before.#before === undefined) this.#before = undefined;
  }

  /** What the change makes of these settings: of the same ones, the same value. */
  #made(settings: Settings): Settings {
    if (this.#apply === undefined || this.isWithdrawn) return settings;
    if (settings === this.#base) return this.#inForce;
    return settings === this.#from ? this.#now : this.#apply(settings);
  }
}
