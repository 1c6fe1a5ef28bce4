import type { Settings } from '../../core/envelope/settings.ts';

type Apply = (settings: Settings) => Settings;

/** The settings after one submitted change and those before it. The change of a turn that does not begin is dropped. */
export class SubmittedSettings {
  /** Resolves with itself when all changes up to this one are made or refused. Never rejects. */
  readonly ready: Promise<SubmittedSettings>;
  /** The change before this one. Undefined once earlier changes are final. */
  #before: SubmittedSettings | undefined;
  #apply: Apply | undefined;
  #isReady = false;
  #turn: 'waits' | 'stays' | 'withdrawn';
  /** The settings to which the change was last applied, and the result. */
  #from: Settings | undefined;
  #now: Settings;
  /** Like these two, but without the changes of turns that have not begun. */
  #base: Settings | undefined;
  #inForce: Settings;

  private constructor(now: Settings, before?: SubmittedSettings, made?: (own: SubmittedSettings) => Promise<unknown>) {
    this.#now = now;
    this.#inForce = now;
    this.#before = before;
    this.#turn = before === undefined ? 'stays' : 'waits';
    const isReady = (): SubmittedSettings => {
      this.#isReady = true;
      return this;
    };
    const over = made === undefined ? Promise.resolve() : made(this);
    this.ready = over.then(isReady, isReady);
  }

  static first(settings: Settings): SubmittedSettings {
    return new SubmittedSettings(settings);
  }

  /** Adds a change. `make` is called when those before it are made, and calls `made` unless the change is refused. */
  next(make: (own: SubmittedSettings) => Promise<unknown>): SubmittedSettings {
    return new SubmittedSettings(this.#now, this, (own) => this.ready.then(() => make(own)));
  }

  made(apply: Apply): void {
    this.#apply = apply;
    this.#from = undefined;
    this.#base = undefined;
  }

  /** Makes the change permanent: it belongs to no turn, or its turn begins. */
  keep(): void {
    this.#turn = 'stays';
  }

  /** Drops the change: its turn was never said. */
  withdraw(): void {
    this.#turn = 'withdrawn';
  }

  get isWithdrawn(): boolean {
    return this.#turn === 'withdrawn';
  }
  get waits(): boolean {
    return this.#turn === 'waits';
  }

  /** The current settings, the same value as long as nothing was withdrawn. Known when it is `ready`. */
  now(): Settings {
    this.#look();
    return this.#now;
  }

  /** The settings without changes of turns that have not begun: what the file says and a resume finds. */
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
    // Drop references once decided: a thread may change its settings forever.
    const isDecided = this.#apply === undefined || !this.waits;
    if (this.#isReady && isDecided && before.#before === undefined) this.#before = undefined;
  }

  /** Applies the change; the same input gives the same value. */
  #made(settings: Settings): Settings {
    if (this.#apply === undefined || this.isWithdrawn) return settings;
    if (settings === this.#base) return this.#inForce;
    return settings === this.#from ? this.#now : this.#apply(settings);
  }
}
