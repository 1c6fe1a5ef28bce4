import type { Envelope } from '../../envelope/envelope.ts';
import { access } from '../../policy/access.ts';
import type { Touched } from '../../ports/change-watch.ts';
import type { Clock } from '../../ports/clock.ts';
import { notNeeded, type Snapshot, type SnapshotRequest, type Snapshots } from '../../ports/snapshots.ts';
import type { TurnId } from '../../protocol/ids.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { snapshotLine } from '../../state/snapshot-record.ts';
import type { GitGuard } from '../../ports/git-guard.ts';
import { type RepositoriesInput, TurnRepositories } from './turn-repositories.ts';
import { warnOnce } from './warn-once.ts';

export interface EffectsInput extends Pick<RepositoriesInput, 'log' | 'signal' | 'warned'> {
  /** Absent: nothing is to be undone. */
  readonly snapshots: Snapshots | undefined;
  /** Absent: git folders are not searched for. */
  readonly gitGuard: GitGuard | undefined;
  readonly clock: Clock;
  readonly turnId: TurnId;
  readonly envelope: Envelope;
}

/** How long a call waits for a snapshot that is on its way. A turn without undo is better than one that hangs. */
const patienceMs = 2000;
/** The same for a turn that is interrupted, which must be over within a second. */
const interruptedPatienceMs = 250;

/**
 * What a turn does to its workspace, with a snapshot before the first effect and one after the last. Looking around
 * overlaps with the model's thinking; only what it did not have the time for is waited for.
 */
export class TurnEffects {
  readonly #input: EffectsInput;
  #first: Taking | undefined;
  #before: Promise<Snapshot> | undefined;
  #last: Taking | undefined;
  /** Calls that may write and have not ended. */
  #running = 0;
  readonly #touched: Touched[] = [];
  readonly #repositories: TurnRepositories;
  #hasBegun = false;

  constructor(input: EffectsInput) {
    this.#input = input;
    const { gitGuard: guard, log, clock, signal, warned } = input;
    const { workspace, policy } = input.envelope;
    const [roots, denies] = [keepingRoots(policy.resolved), deniedBy(policy.resolved)];
    const place = { cwd: workspace.cwd, roots, denies };
    this.#repositories = new TurnRepositories({ guard, ...place, log, clock, signal, warned });
  }

  /** The model thinks: there is time. */
  prepare(): void {
    const { envelope, snapshots } = this.#input;
    if (envelope.policy.sandboxLevel === 'read-only' || this.#first !== undefined) return;
    if (snapshots === undefined) return void this.#repositories.before(undefined);
    this.#first = this.#take(snapshots);
    void this.#first.snapshot.then((snapshot) => this.#repositories.before(snapshot));
  }

  /** The model says something, which it often does at the end of a turn. */
  prepareEnd(): void {
    // A call in flight may change what would be seen.
    if (this.#running === 0 && this.#before !== undefined) void this.#before.then((before) => this.#lookAgain(before));
  }

  /** Before a call that may write under the policy: afterwards the line about the snapshot is recorded, and has yet to become durable. */
  async before(granted: ResolvedPolicy): Promise<void> {
    const { snapshots } = this.#input;
    this.#running += 1;
    this.#hasBegun = true;
    this.#last?.drop();
    this.#last = undefined;
    if (snapshots !== undefined) this.#before ??= this.#record('before', (this.#first ??= this.#take(snapshots)));
    await this.#repositories.before(await this.#before, keepingRoots(granted));
  }

  /** A call for which `before` was awaited has ended. */
  ended(touched: Touched | undefined): void {
    this.#running -= 1;
    if (touched !== undefined) this.#touched.push(touched);
    // A patch can make none.
    if (this.#running === 0 && touched?.kind !== 'paths') this.#repositories.afterCall();
  }

  /** Before the turn's end is recorded. Gives the folders that became repositories. */
  async after(): Promise<readonly string[]> {
    if (!this.#hasBegun) {
      this.#first?.drop();
      this.#repositories.drop();
      return [];
    }
    const last = this.#lookAgain(await this.#before);
    const taken = last === undefined ? undefined : await this.#record('after', last);
    return this.#repositories.after(taken);
  }

  /** Unless it has been done, or there is nothing to compare with. */
  #lookAgain(before: Snapshot | undefined): Taking | undefined {
    const { snapshots } = this.#input;
    if (snapshots === undefined || before?.kind !== 'taken' || this.#running > 0) return undefined;
    return (this.#last ??= this.#take(snapshots, { snapshot: before, touched: [...this.#touched] }));
  }

  async #record(when: 'before' | 'after', taking: Taking): Promise<Snapshot> {
    const { clock, log, turnId, signal } = this.#input;
    const taken = await new Promise<Snapshot>((resolve) => {
      const waiting = new AbortController();
      const stopAfter = (ms: number): void =>
        void clock.sleep(ms, waiting.signal).then(() => waiting.signal.aborted || taking.stop());
      // An end is still waited for after an interrupt, for a moment: it says what the turn did.
      const end = when === 'before' ? () => taking.drop() : () => stopAfter(interruptedPatienceMs);
      signal.addEventListener('abort', end);
      stopAfter(patienceMs);
      if (when === 'after' && signal.aborted) end();
      void taking.snapshot.then((snapshot) => {
        // With a reason of its own: the default one is an error with a stack.
        waiting.abort('taken');
        signal.removeEventListener('abort', end);
        return resolve(snapshot);
      });
    });
    log.record(snapshotLine({ kind: 'turn', turnId }, when, taken));
    if (taken.kind === 'missing' && !signal.aborted) warnOnce(this.#input, taken.outcome, 'code');
    return taken;
  }

  #take(snapshots: Snapshots, since?: SnapshotRequest['since']): Taking {
    const { workspace, policy } = this.#input.envelope;
    const stopping = new AbortController();
    const request = { root: workspace.cwd, denies: deniedBy(policy.resolved), ...(since && { since }) };
    return {
      snapshot: snapshots.take(request, stopping.signal),
      stop: () => stopping.abort('too slow'),
      drop: () => stopping.abort(notNeeded),
    };
  }
}

/** Asked about every file: where nothing is denied, no file needs a look at the rules. */
export function deniedBy(policy: ResolvedPolicy): (path: string) => boolean {
  const { files } = policy;
  const isOpen =
    files.kind === 'unrestricted' ||
    (files.denyGlobs.length === 0 && files.rules.every((rule) => rule.access !== 'deny'));
  return isOpen ? () => false : (path) => access(policy, path) === 'deny';
}

/** Writable folders with names that stay read-only at any depth. */
export function keepingRoots({ files }: ResolvedPolicy): readonly string[] {
  const rules = files.kind === 'unrestricted' ? [] : files.rules;
  return [
    ...new Set(rules.filter(({ access, keeps }) => access === 'write' && keeps !== undefined).map(({ path }) => path)),
  ];
}

interface Taking {
  readonly snapshot: Promise<Snapshot>;
  /** It takes too long. */
  stop(): void;
  /** The turn does not wait for it. */
  drop(): void;
}
