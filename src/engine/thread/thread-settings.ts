import { deepFreeze, type Envelope } from '../../core/envelope/envelope.ts';
import { modelNotices } from '../../core/envelope/model-notices.ts';
import { type ReadSettingsChange, readSettingsChange } from '../../core/envelope/settings-change.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { defined } from '../../base/objects.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { settingsApplied } from '../../core/state/drafts/turn-lines.ts';
import type { Inbox } from './inbox.ts';
import type { ThreadLog } from './log.ts';
import type { ThreadParts } from './thread-parts.ts';
import { previewEnvelope, settingsEvent } from './context/preview-request.ts';
import { SubmittedSettings } from './submitted-settings.ts';

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

export const threadIsClosed: Outcome = {
  code: 'thread-closed',
  message: 'The thread is closed.',
  next: 'Nothing was changed. Reopen the thread and try again.',
};

export interface ChangedThread {
  readonly id: ThreadId;
  readonly parts: ThreadParts;
  readonly log: ThreadLog;
  readonly inbox: Inbox;
  readonly closing: AbortSignal;
}

/** The settings of one thread. Changes are made one after the other, in order of submission. */
export class ThreadSettings {
  readonly #thread: ChangedThread;
  #current: Settings;
  #inForce: Envelope;
  #submitted: SubmittedSettings;
  /** Settles when the change being recorded is recorded. Never rejects. */
  #recorded: Promise<unknown> = Promise.resolve();

  constructor(thread: ChangedThread, settings: Settings, inForce: Envelope) {
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
    const read = readSettingsChange(change);
    if ('code' in read) return this.#unchanged(read);
    if (this.#thread.closing.aborted) return this.#unchanged(threadIsClosed);
    const { promise: overridden, resolve } = Promise.withResolvers<Overridden>();
    this.#submitted = this.#submitted.next((own) => {
      const changed = this.#change(own, read);
      resolve(changed);
      return changed;
    });
    return { overridden, settings: this.#submitted };
  }

  async #change(own: SubmittedSettings, change: ReadSettingsChange): Promise<Overridden> {
    const { parts, log } = this.#thread;
    const before = own.now();
    const { catalogue } = await parts.gatherFacts(before);
    const { applySettingsChange: applyChange } = await import('../../core/envelope/apply-settings-change.ts');
    const apply = (settings: Settings, given = change) =>
      applyChange(settings, given, { catalogue, requirements: parts.requirements });
    const result = apply(before);
    if (result.kind === 'refused') return result;
    const fitting = (settings: Settings) => {
      if (settings === before) return result;
      const again = apply(settings);
      // The effort belonged to the model of a turn that did not begin.
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
    const line = settingsApplied(id, envelope);
    log.record({ ...line, payload: { ...line.payload, capstan: { environment: told.environment } } });
    log.tell(told);
    // Nothing in between: no file has one without the other.
    then();
  }
}

/** An accepted change is always an object. */
const withoutEffort = ({ effort: _effort, ...change }: ReadSettingsChange): ReadSettingsChange => change;
