import { deepFreeze } from '../envelope/deep-freeze.ts';
import type { Envelope } from '../envelope/envelope.ts';
import { modelNotices } from '../envelope/model-notices.ts';
import type { Settings } from '../envelope/settings.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { notPlain, plainCopy } from '../protocol/plain-copy.ts';
import { settingsApplied } from '../state/turn-drafts.ts';
import type { Inbox } from './parts/inbox.ts';
import type { ThreadLog } from './parts/log.ts';
import type { ThreadParts } from './parts/parts.ts';
import { previewEnvelope, settingsEvent } from './contract/preview.ts';
import { notData } from './read-turn.ts';
import { SubmittedSettings } from './parts/submitted-settings.ts';

export type Overridden =
  /** `settings` are frozen, deeply. */
  { readonly kind: 'changed'; readonly settings: Settings; readonly changed: readonly string[] } | RefusedChange;

export interface RefusedChange {
  readonly kind: 'refused';
  readonly outcome: Outcome;
}

/** What is asked of a thread after its end. */
export const closed: Outcome = {
  code: 'thread-closed',
  message: 'The thread is closed.',
  next: 'Nothing was changed. Reopen the thread and try again.',
};

/** What they need of their thread. */
export interface ChangedThread {
  readonly id: ThreadId;
  readonly parts: ThreadParts;
  readonly log: ThreadLog;
  readonly inbox: Inbox;
  /** Aborted when the thread is being closed. */
  readonly closing: AbortSignal;
}

/** The settings of one thread, as changes are submitted and made one after the other. */
export class ThreadSettings {
  readonly #thread: ChangedThread;
  /** Frozen. */
  #current: Settings;
  #inForce: Envelope;
  #submitted: SubmittedSettings;
  #takenBack: Promise<unknown> = Promise.resolve();

  constructor(thread: ChangedThread, settings: Settings, inForce: Envelope) {
    this.#thread = thread;
    this.#current = deepFreeze(structuredClone(settings));
    this.#inForce = inForce;
    this.#submitted = SubmittedSettings.first(this.#current);
  }

  /** After the changes that were made so far. Frozen, deeply. */
  get current(): Settings {
    return this.#current;
  }

  /** What they resolved to when they were made: what a line says about them. */
  get inForce(): Envelope {
    return this.#inForce;
  }

  /** After the changes that were submitted so far: what is submitted next runs under these. */
  get submitted(): SubmittedSettings {
    return this.#submitted;
  }

  /** Settles when what withdrawn turns set is taken back, durably. Never rejects. */
  get takenBack(): Promise<unknown> {
    return this.#takenBack;
  }

  /** Changes all that is asked for, or nothing. Resolves when the change is durable. */
  override(change: unknown): Promise<Overridden> {
    const { overridden, settings } = this.change(change);
    settings.keep();
    return overridden;
  }

  /** The same for a turn, which takes the change with it if it is withdrawn: the caller calls `keep` or `takeBack`. */
  change(change: unknown): { readonly overridden: Promise<Overridden>; readonly settings: SubmittedSettings } {
    const copy = plainCopy(change);
    if (copy === notPlain) return this.#unchanged(notData('The change'));
    if (this.#thread.closing.aborted) return this.#unchanged(closed);
    const { promise: overridden, resolve } = Promise.withResolvers<Overridden>();
    this.#submitted = this.#submitted.next((own) => {
      const changed = this.#change(own, copy);
      resolve(changed);
      return changed;
    });
    return { overridden, settings: this.#submitted };
  }

  async #change(own: SubmittedSettings, change: unknown): Promise<Overridden> {
    const { parts, log } = this.#thread;
    const before = own.now();
    const { catalogue } = await parts.gatherFacts(before);
    const { applyChange } = await import('../envelope/override.ts');
    const apply = (settings: Settings, given = change) =>
      applyChange(settings, given, { catalogue, requirements: parts.requirements });
    const result = apply(before);
    if (result.kind === 'refused') return result;
    const missing = result.changed.includes('cwd') ? parts.folderProblem(result.settings.cwd) : undefined;
    if (missing !== undefined)
      return { kind: 'refused', outcome: { ...missing, next: 'Create it, or choose another.' } };
    own.made((settings) => {
      if (settings === before) return result.settings;
      const again = apply(settings);
      // The effort was one of a model that a withdrawn turn would have brought.
      const fitting = again.kind === 'refused' ? apply(settings, withoutEffort(change)) : again;
      return fitting.kind === 'refused' ? settings : fitting.settings;
    });
    if (result.changed.length === 0 || own.isWithdrawn) return result;
    await this.#install(own.now());
    const isNoticed = result.changed.some((name) => name === 'model' || name === 'serviceTier');
    const notices = isNoticed ? modelNotices(catalogue, result.settings) : [];
    log.tell(...notices.map((outcome) => ({ kind: 'warning', outcome }) as const));
    await log.durable();
    return result;
  }

  /** Its turn was withdrawn: the change was never made, for the thread and for all that was submitted after it. */
  takeBack(change: SubmittedSettings): void {
    change.withdraw();
    this.#submitted = this.#submitted.next(async (own) => {
      const restored = own.now();
      if (restored === this.#current || this.#thread.closing.aborted) return;
      await this.#install(restored);
      await this.#thread.log.durable();
    });
    this.#submitted.keep();
    // A lost disk is seen by the next caller that needs it.
    this.#takenBack = this.#submitted.ready;
  }

  #unchanged(outcome: Outcome): ReturnType<ThreadSettings['change']> {
    return {
      overridden: Promise.resolve({ kind: 'refused', outcome }),
      settings: this.#submitted.next(async () => {}),
    };
  }

  async #install(settings: Settings): Promise<void> {
    const { id, parts, log, inbox } = this.#thread;
    const envelope = await previewEnvelope(parts, id, settings, log.state);
    this.#current = settings;
    this.#inForce = envelope;
    const told = settingsEvent('override', envelope);
    const line = settingsApplied(id, envelope);
    log.record({ ...line, payload: { ...line.payload, capstan: { environment: told.environment } } });
    // Words that were submitted after the change are safe with it.
    inbox.keepAll();
    log.tell(told);
  }
}

/** A change as callers give it is an object where it was accepted. */
function withoutEffort(change: unknown): unknown {
  return Object.fromEntries(Object.entries(change as object).filter(([name]) => name !== 'effort'));
}
