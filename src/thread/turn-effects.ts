import type { Envelope } from '../envelope/envelope.ts';
import { access } from '../policy/access.ts';
import type { Clock } from '../ports/clock.ts';
import { notNeeded, type Snapshot, type Snapshots } from '../ports/snapshots.ts';
import type { TurnId } from '../protocol/ids.ts';
import type { PathRule, ResolvedPolicy } from '../protocol/resolved-policy.ts';
import { snapshotLine } from '../state/snapshot-record.ts';
import type { ThreadLog } from './log.ts';

export interface EffectsInput {
  /** Absent: nobody wants to undo anything. */
  readonly snapshots: Snapshots | undefined;
  readonly clock: Clock;
  readonly log: ThreadLog;
  readonly turnId: TurnId;
  readonly envelope: Envelope;
  readonly signal: AbortSignal;
  readonly warned: Set<string>;
}

/** How long a call waits for a snapshot that is on its way. A turn without undo is better than one that hangs. */
const patienceMs = 2000;
/** After an interrupt: the program shall be over within a second. */
const interruptedPatienceMs = 150;

/**
 * What a turn does to its workspace, with a snapshot before the first effect and one after the last. Looking around
 * overlaps with the model's thinking; only what it did not have the time for is waited for.
 */
export class TurnEffects {
  readonly #input: EffectsInput;
  #first: Taking | undefined;
  #before: Promise<Snapshot> | undefined;
  #last: Taking | undefined;

  constructor(input: EffectsInput) {
    this.#input = input;
  }

  /** The model thinks: there is time. */
  prepare(): void {
    const { envelope, snapshots } = this.#input;
    if (snapshots !== undefined && envelope.policy.sandboxLevel !== 'read-only') this.#first ??= this.#take(snapshots);
  }

  /** The model says something, which it often does at the end of a turn. */
  prepareEnd(): void {
    const { snapshots } = this.#input;
    if (snapshots !== undefined && this.#before !== undefined) this.#last ??= this.#take(snapshots);
  }

  /** Before a call that may write: afterwards the line about the snapshot is recorded, and has yet to become durable. */
  async before(): Promise<void> {
    const { snapshots } = this.#input;
    if (snapshots === undefined) return;
    this.#last?.drop();
    this.#last = undefined;
    this.#before ??= this.#record('before', (this.#first ??= this.#take(snapshots)));
    await this.#before;
  }

  /** Before the turn's end is recorded. */
  async after(): Promise<void> {
    const { snapshots } = this.#input;
    if (this.#before === undefined) this.#first?.drop();
    if (snapshots === undefined || (await this.#before)?.kind !== 'taken') return;
    await this.#record('after', (this.#last ??= this.#take(snapshots)));
  }

  async #record(when: 'before' | 'after', taking: Taking): Promise<Snapshot> {
    const { clock, log, turnId, signal, warned } = this.#input;
    const taken = await new Promise<Snapshot>((resolve) => {
      const waiting = new AbortController();
      const end = (): void => taking.drop();
      // An end is still waited for after an interrupt: it says what the turn did.
      if (when === 'before') signal.addEventListener('abort', end);
      const patience = signal.aborted ? interruptedPatienceMs : patienceMs;
      void clock.sleep(patience, waiting.signal).then(() => waiting.signal.aborted || taking.stop());
      void taking.snapshot.then((snapshot) => {
        // With a reason of its own: the default one is an error with a stack.
        waiting.abort('taken');
        signal.removeEventListener('abort', end);
        return resolve(snapshot);
      });
    });
    log.record(snapshotLine({ kind: 'turn', turnId }, when, taken));
    if (taken.kind === 'missing' && !signal.aborted && !warned.has(taken.outcome.code)) {
      warned.add(taken.outcome.code);
      log.tell({ kind: 'warning', outcome: taken.outcome });
    }
    return taken;
  }

  #take(snapshots: Snapshots): Taking {
    const { workspace, policy } = this.#input.envelope;
    const stopping = new AbortController();
    return {
      snapshot: snapshots.take({ root: workspace.cwd, denies: deniedBy(policy.resolved) }, stopping.signal),
      stop: () => stopping.abort('too slow'),
      drop: () => stopping.abort(notNeeded),
    };
  }
}

/** Asked about every file: where nothing is denied, no file needs a look at the rules. */
export function deniedBy(policy: ResolvedPolicy): (path: string) => boolean {
  const { files } = policy;
  const isOpen = files.kind === 'unrestricted' || (files.denyGlobs.length === 0 && files.rules.every(allows));
  return isOpen ? () => false : (path) => access(policy, path) === 'deny';
}

function allows(rule: PathRule): boolean {
  return rule.access !== 'deny';
}

interface Taking {
  readonly snapshot: Promise<Snapshot>;
  /** It takes too long. */
  stop(): void;
  /** Nobody waits for it. */
  drop(): void;
}
