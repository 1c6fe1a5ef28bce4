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
  /** Never rejects. */
  #submitted: Promise<Settings>;

  constructor(thread: ChangedThread, settings: Settings, inForce: Envelope) {
    this.#thread = thread;
    this.#current = deepFreeze(structuredClone(settings));
    this.#inForce = inForce;
    this.#submitted = Promise.resolve(this.#current);
  }

  /** After the changes that were made so far. Frozen, deeply. */
  get current(): Settings {
    return this.#current;
  }

  /** What they resolved to when they were made: what a line says about them. */
  get inForce(): Envelope {
    return this.#inForce;
  }

  /** After the changes that were submitted so far: what is submitted next runs under these. Never rejects. */
  get submitted(): Promise<Settings> {
    return this.#submitted;
  }

  /** Changes all that is asked for, or nothing. Resolves when the change is durable. */
  override(change: unknown): Promise<Overridden> {
    return this.change(change).overridden;
  }

  /**
   * The same. `takeBack` is called at most once: from then on what it set is again as it was, where no later change set
   * it to something else.
   */
  change(change: unknown): { readonly overridden: Promise<Overridden>; takeBack(): void } {
    const before = this.#submitted;
    const copy = plainCopy(change);
    if (copy === notPlain) return unchanged(notData('The change'));
    if (this.#thread.closing.aborted) return unchanged(closed);
    const overridden = before.then((settings) => this.#change(settings, copy));
    const after = overridden.then(
      (made) => (made.kind === 'refused' ? before : made.settings),
      () => before,
    );
    this.#submitted = after;
    return { overridden, takeBack: () => this.#takeBack(before, after) };
  }

  async #change(settings: Settings, change: unknown): Promise<Overridden> {
    const { parts, log } = this.#thread;
    const { catalogue } = await parts.gatherFacts(settings);
    const { applyChange } = await import('../envelope/override.ts');
    const result = applyChange(settings, change, { catalogue, requirements: parts.requirements });
    if (result.kind === 'refused' || result.changed.length === 0) return result;
    const missing = result.changed.includes('cwd') ? parts.folderProblem(result.settings.cwd) : undefined;
    if (missing !== undefined)
      return { kind: 'refused', outcome: { ...missing, next: 'Create it, or choose another.' } };
    await this.#install(result.settings);
    const isNoticed = result.changed.some((name) => name === 'model' || name === 'serviceTier');
    const notices = isNoticed ? modelNotices(catalogue, result.settings) : [];
    log.tell(...notices.map((outcome) => ({ kind: 'warning', outcome }) as const));
    await log.durable();
    return result;
  }

  #takeBack(before: Promise<Settings>, made: Promise<Settings>): void {
    const last = this.#submitted;
    const submitted = last.then(async (settings) => {
      const restored = withoutChange(settings, await before, await made);
      if (restored === settings || this.#thread.closing.aborted) return settings;
      await this.#install(restored);
      await this.#thread.log.durable();
      return restored;
    });
    // A lost disk is seen by the next caller that needs it.
    this.#submitted = submitted.catch(() => last);
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

function unchanged(outcome: Outcome): { readonly overridden: Promise<Overridden>; takeBack(): void } {
  return { overridden: Promise.resolve({ kind: 'refused', outcome }), takeBack() {} };
}

/** The same value where nothing of the change is left. */
function withoutChange(settings: Settings, before: Settings, made: Settings): Settings {
  const names = new Set(Object.keys({ ...before, ...made })) as Set<keyof Settings>;
  const same = (one: Settings, other: Settings, name: keyof Settings): boolean =>
    JSON.stringify(one[name]) === JSON.stringify(other[name]);
  const back = [...names].filter((name) => !same(before, made, name) && same(settings, made, name));
  if (back.length === 0) return settings;
  const kept = Object.entries(settings).filter(([name]) => !back.includes(name as keyof Settings));
  const restored = Object.entries(before).filter(([name]) => back.includes(name as keyof Settings));
  return deepFreeze(Object.fromEntries([...kept, ...restored]) as unknown as Settings);
}
