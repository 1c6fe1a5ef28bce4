import { defined } from '../../base/objects.ts';
import { deepFreeze, type Envelope } from '../../core/envelope/envelope.ts';
import { type Catalogue, lookUpModel, type ModelRecord } from '../../core/envelope/model-record.ts';
import { type ParsedSettingsChange, parseSettingsChange } from '../../core/envelope/read-settings-change.ts';
import type { Settings, WindowSettings } from '../../core/envelope/settings.ts';
import { isWindowGuessed, largestWindow, nominalWindow, rawWindow } from '../../core/envelope/window.ts';
import { settingsAppliedLine } from '../../core/state/drafts/turn-lines.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { groupDigits, type Outcome } from '../../protocol/outcome.ts';
import { previewEnvelope, settingsEvent } from './context/preview-request.ts';
import type { Inbox } from './inbox.ts';
import type { ThreadLog } from './log.ts';
import type { ThreadParts } from './thread-parts.ts';

export type Overridden =
  | {
      readonly kind: 'changed';
      /** In force from now on. Frozen, deeply. */
      readonly settings: Settings;
      readonly changed: readonly string[];
      /** Settings of later turns, once the waiting turns have begun; absent if equal. */
      readonly queued?: Settings;
    }
  | RefusedChange;

export type RefusedChange = { readonly kind: 'refused'; readonly outcome: Outcome };

export const threadClosedOutcome: Outcome = {
  code: 'thread-closed',
  message: 'The thread is closed.',
  next: 'Nothing was changed. Reopen the thread and try again.',
};

export interface ThreadBase {
  readonly id: ThreadId;
  readonly parts: ThreadParts;
  readonly log: ThreadLog;
  readonly inbox: Inbox;
  readonly closing: AbortSignal;
}

/** The settings of one thread. Changes are made one after the other, in order of submission. */
export class ThreadSettings {
  readonly #thread: ThreadBase;
  #current: Settings;
  #inForce: Envelope;
  #submitted: SubmittedSettings;
  /** Settles when the change being recorded is recorded. Never rejects. */
  #recorded: Promise<unknown> = Promise.resolve();

  constructor(thread: ThreadBase, settings: Settings, inForce: Envelope) {
    this.#thread = thread;
    this.#current = deepFreeze(structuredClone(settings));
    this.#inForce = inForce;
    this.#submitted = SubmittedSettings.first(this.#current);
  }

  /** The current settings, without changes of turns that have not begun. Frozen, deeply. */
  get current(): Settings {
    return this.#current;
  }
  /** The envelope resolved when the settings were made, as for their line. */
  get inForce(): Envelope {
    return this.#inForce;
  }
  /** The settings after all submitted changes: the next submission runs under these. */
  get submitted(): SubmittedSettings {
    return this.#submitted;
  }

  /** Changes everything asked for, or nothing. Resolves when the change is durable. */
  override(change: unknown): Promise<Overridden> {
    const { overridden, settings } = this.change(change);
    settings.keep();
    return overridden;
  }

  /** A turn's change: the thread has it from `begin` on. If the turn does not begin, call `withdraw`. */
  change(change: unknown): { readonly overridden: Promise<Overridden>; readonly settings: SubmittedSettings } {
    const read = parseSettingsChange(change);
    if ('code' in read) return this.#unchanged(read);
    if (this.#thread.closing.aborted) return this.#unchanged(threadClosedOutcome);
    const { promise: overridden, resolve } = Promise.withResolvers<Overridden>();
    this.#submitted = this.#submitted.next((own) => {
      const changed = this.#change(own, read);
      resolve(changed);
      return changed;
    });
    return { overridden, settings: this.#submitted };
  }

  async #change(own: SubmittedSettings, change: ParsedSettingsChange): Promise<Overridden> {
    const { parts, log } = this.#thread;
    const before = own.now();
    const { catalogue } = await parts.gatherFacts(before);
    const { applySettingsChange } = await import('../../core/envelope/apply-settings-change.ts');
    const apply = (settings: Settings, given = change) =>
      applySettingsChange(settings, given, { catalogue, requirements: parts.requirements });
    const result = apply(before);
    if (result.kind === 'refused') return result;
    const fitting = (settings: Settings) => {
      if (settings === before) return result;
      const again = apply(settings);
      // The effort was for the model of a turn that did not begin: apply the change without it.
      return again.kind === 'refused' ? apply(settings, withoutEffort(change)) : again;
    };
    const inForce = own.waits ? result : fitting(own.inForce());
    for (const made of [result, inForce]) {
      if (made.kind === 'refused') continue;
      const missing = made.changed.includes('cwd') ? parts.folderProblem(made.settings.cwd) : undefined;
      const wrong = missing && { ...missing, next: 'Create it, or choose another.' };
      const outcome = wrong ?? parts.toolsProblem?.(made.settings);
      if (outcome !== undefined) return { kind: 'refused', outcome };
    }
    own.made((settings) => {
      const made = fitting(settings);
      return made.kind === 'refused' ? settings : made.settings;
    });
    if (own.isWithdrawn) return result;
    const isNoticed = result.changed.some((name) => name === 'model' || name === 'serviceTier');
    const notices = isNoticed ? modelNotices(catalogue, result.settings) : [];
    for (const outcome of notices) log.tell({ kind: 'warning', outcome });
    if (own.waits) return result;
    const changed = inForce.kind === 'refused' ? [] : inForce.changed;
    if (changed.length > 0) {
      // Words submitted after the change become durable with it.
      await this.#record(() => this.#thread.inbox.keepAll());
      await log.durable();
    }
    const queued = own.now() === own.inForce() ? undefined : own.now();
    return { kind: 'changed', settings: own.inForce(), changed, ...defined({ queued }) };
  }

  /** A turn begins with its change, which holds for the thread from here on. `start` records the beginning. */
  begin(change: SubmittedSettings, start: () => void): Promise<void> {
    return this.#record(start, change);
  }

  #unchanged(outcome: Outcome): ReturnType<ThreadSettings['change']> {
    return {
      overridden: Promise.resolve({ kind: 'refused', outcome }),
      settings: this.#submitted.next(async () => {}),
    };
  }

  /** Records the current settings, unless they are recorded, and what `then` adds. One at a time. */
  #record(then: () => void, begins?: SubmittedSettings): Promise<void> {
    const recorded = this.#install(this.#recorded, then, begins);
    this.#recorded = recorded.catch(() => {});
    return recorded;
  }

  async #install(after: Promise<unknown>, then: () => void, begins?: SubmittedSettings): Promise<void> {
    const { id, parts, log } = this.#thread;
    await after;
    begins?.keep();
    const settings = this.#submitted.inForce();
    if (settings === this.#current) return then();
    const envelope = await previewEnvelope(parts, id, settings, log.state);
    this.#current = settings;
    this.#inForce = envelope;
    const told = settingsEvent('override', envelope);
    const line = settingsAppliedLine(id, envelope);
    log.record({ ...line, payload: { ...line.payload, capstan: { environment: told.environment } } });
    log.tell(told);
    // Nothing may come in between: no file may have the settings without the lines that belong to them.
    then();
  }
}

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

/** An accepted change is always an object. */
const withoutEffort = ({ effort: _effort, ...change }: ParsedSettingsChange): ParsedSettingsChange => change;
export type ModelNotice = Outcome<'model-unknown' | 'service-tier-unused' | 'window-too-large'>;

export function modelNotices(
  catalogue: Catalogue,
  { model, serviceTier, window = {} }: Settings,
): readonly ModelNotice[] {
  const record = lookUpModel(catalogue, model);
  if (isWindowGuessed(record)) {
    // A user who has named the window has done what the notice asks for.
    const { contextWindow, effectiveTokens } = window;
    return contextWindow === undefined && effectiveTokens === undefined ? [unknown(model, nominalWindow(record))] : [];
  }
  const tiers = record.guessed ? [] : tierNotices(model, record, serviceTier);
  return [...windowNotices(model, record, window), ...tiers];
}

function windowNotices(model: string, record: ModelRecord, window: WindowSettings): readonly ModelNotice[] {
  const { contextWindow = 0, effectiveTokens = 0 } = window;
  const [most, raw] = [largestWindow(record), rawWindow(record, window)];
  const about = (key: string, chosen: number, used: number, next: string): readonly ModelNotice[] => {
    if (chosen <= used) return [];
    const message = `${key} is ${chosen}, but the model ${model} has a window of ${groupDigits(used)} tokens. Capstan uses ${groupDigits(used)}.`;
    return [{ code: 'window-too-large', message, next: `Set it to ${used} or less${next}.` }];
  };
  const described = record.guessed
    ? ', or give the server a larger window'
    : ', or describe the model in a file and set model_catalog_json to it';
  const wider = raw < most ? `, or model_context_window to ${most} or less` : '';
  return [
    ...about('model_context_window', contextWindow, most, described),
    ...about('window.effective_tokens', effectiveTokens, raw, wider),
  ];
}

function tierNotices(model: string, record: ModelRecord, serviceTier: string | undefined): readonly ModelNotice[] {
  const tier = serviceTier === 'fast' ? 'priority' : serviceTier;
  if (tier === undefined || tier === 'default' || record.serviceTiers.includes(tier)) return [];
  const offered = record.serviceTiers.length === 0 ? 'none' : record.serviceTiers.join(', ');
  const message = `The model ${model} has no service tier "${tier}". Capstan sends requests without one.`;
  const next = `It has ${offered}. Set service_tier to one of them, or to "default".`;
  return [{ code: 'service-tier-unused', message, next }];
}

function unknown(model: string, contextWindow: number): ModelNotice {
  const message = `Capstan does not know the model ${model}. It uses general values, such as a window of ${groupDigits(contextWindow)} tokens.`;
  const next =
    'Set model_context_window to its real window, or describe the model in a file and set model_catalog_json to it.';
  return { code: 'model-unknown', message, next };
}
