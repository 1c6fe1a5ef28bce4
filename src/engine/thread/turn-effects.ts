import type { Envelope } from '../../core/envelope/envelope.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { accessAt } from '../../core/policy/paths/access.ts';
import { quotedPath } from '../../core/policy/paths/walk-path.ts';
import { snapshotLine } from '../../core/state/drafts/workspace-lines.ts';
import type { Clock } from '../../ports/system.ts';
import {
  type GitGuard,
  type GitLook,
  type GitLookRequest,
  type Snapshot,
  snapshotNotNeeded,
  type SnapshotRequest,
  type Snapshots,
  type TouchedFiles,
} from '../../ports/workspace.ts';
import type { TurnId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import { type ThreadLog, warnOnce } from './log.ts';

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
  readonly #touched: TouchedFiles[] = [];
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
  ended(touched: TouchedFiles | undefined): void {
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
      drop: () => stopping.abort(snapshotNotNeeded),
    };
  }
}

/** Asked about every file: where nothing is denied, no file needs a look at the rules. */
export function deniedBy(policy: ResolvedPolicy): (path: string) => boolean {
  const { files } = policy;
  const isOpen =
    files.kind === 'unrestricted' ||
    (files.denyGlobs.length === 0 && files.rules.every((rule) => rule.access !== 'deny'));
  return isOpen ? () => false : (path) => accessAt(policy, path) === 'deny';
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

interface RepositoriesInput {
  /** Absent: git folders are not searched for. */
  readonly guard: GitGuard | undefined;
  readonly log: ThreadLog;
  readonly clock: Clock;
  /** The workspace's folder, of which snapshots are taken. */
  readonly cwd: string;
  /** Writable folders below which git folders are protected. */
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
  readonly warned: Set<string>;
  denies(path: string): boolean;
}

/** Looks between calls take no more than this part of the time. */
const timePart = 0.1;

/**
 * The git repositories in what a turn may write: looked for once before its first effect, so that the sandbox protects
 * what is there, and after its calls, so that new ones are reported. The turn that made one may use it to its end.
 */
class TurnRepositories {
  readonly #input: RepositoriesInput;
  #before: Promise<GitLook> | undefined;
  readonly #dropping = new AbortController();
  /** The look after a call, while it lasts. */
  #between: { readonly over: Promise<void>; readonly stop: AbortController } | undefined;
  #nextBetween = -Infinity;
  readonly #reported = new Set<string>();

  /** All folders that are looked through: those of the turn, and what was granted since. */
  readonly #roots: Set<string>;

  constructor(input: RepositoriesInput) {
    this.#input = input;
    this.#roots = new Set(input.roots);
  }

  /** `snapshot`: what was just seen of the workspace, if it was. `granted`: folders that a call may write besides. */
  async before(snapshot: Snapshot | undefined, granted: readonly string[] = []): Promise<void> {
    const { guard, signal } = this.#input;
    const known = [...this.#roots];
    const added = granted.filter((root) => !this.#roots.has(root));
    for (const root of added) this.#roots.add(root);
    if (guard === undefined || this.#roots.size === 0) return;
    const stopping = AbortSignal.any([signal, this.#dropping.signal]);
    const earlier = this.#before;
    if (added.length > 0) {
      // One look after the other: the guard knows what the last one found.
      this.#before = Promise.resolve(earlier).then(async (seen) => {
        const found = await this.#look(guard, snapshot, stopping);
        const wasThere = (folder: string): boolean =>
          seen === undefined || seen.repositories.includes(folder) || !known.some((root) => isWithin(folder, root));
        return { ...found, repositories: found.repositories.filter(wasThere) };
      });
    }
    await (this.#before ??= this.#look(guard, snapshot, stopping));
  }

  /** No call came that may write. */
  drop(): void {
    this.#dropping.abort(snapshotNotNeeded);
  }

  /**
   * A call has ended and none runs. What it made is reported while the model thinks about its output. Where the last such
   * look took long, this one is left to the end of the turn.
   */
  afterCall(): void {
    const { guard, clock } = this.#input;
    if (guard === undefined || this.#between !== undefined || clock.now() < this.#nextBetween) return;
    const stop = new AbortController();
    this.#between = { over: this.#lookBetween(guard, stop.signal), stop };
  }

  async #lookBetween(guard: GitGuard, signal: AbortSignal): Promise<void> {
    const { clock } = this.#input;
    const before = await this.#before;
    const began = clock.now();
    if (before !== undefined) this.#report(before, await guard.find(this.#request(undefined), signal));
    const now = clock.now();
    this.#nextBetween = now + (now - began) / timePart;
    this.#between = undefined;
  }

  /** What came up, which the user is warned of. */
  async after(snapshot: Snapshot | undefined): Promise<readonly string[]> {
    const { guard } = this.#input;
    const before = await this.#before;
    if (guard === undefined || before === undefined) return [];
    this.#between?.stop.abort(snapshotNotNeeded);
    await this.#between?.over;
    // After an interrupt it is still worth knowing what there is.
    return this.#report(before, await this.#look(guard, snapshot, this.#dropping.signal));
  }

  /** Warns of what is new, once. Gives the new repositories. */
  #report(before: GitLook, now: GitLook): readonly string[] {
    const { log } = this.#input;
    const made = without(now.repositories, before.repositories);
    const settings = without(now.settings, before.settings);
    const news = (found: readonly string[]): readonly string[] => found.filter((path) => !this.#reported.has(path));
    const [repositories, names] = [news(made), news(settings)];
    if (repositories.length > 0) log.tell({ kind: 'warning', outcome: newRepositories(repositories) });
    if (names.length > 0) log.tell({ kind: 'warning', outcome: newSettings(names) });
    for (const path of [...repositories, ...names]) this.#reported.add(path);
    // What is sent to a model is text, and a name on the disk need not be.
    return made.map((path) => path.toWellFormed());
  }

  async #look(guard: GitGuard, snapshot: Snapshot | undefined, signal: AbortSignal): Promise<GitLook> {
    const found = await guard.look(this.#request(snapshot), signal);
    const [first] = found.unseen;
    if (first !== undefined && !signal.aborted) warnOnce(this.#input, notAllSeen(first), 'code');
    return found;
  }

  #request(snapshot: Snapshot | undefined): GitLookRequest {
    const { cwd, denies } = this.#input;
    const seen = snapshot?.kind === 'taken' ? { seen: { root: cwd, git: snapshot.git } } : {};
    return { roots: [...this.#roots], denies, ...seen };
  }
}

function without(paths: readonly string[], known: readonly string[]): readonly string[] {
  const all = new Set(known);
  return paths.filter((path) => !all.has(path));
}

const mostNamed = 5;

function named(paths: readonly string[]): string {
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : '';
  const first = paths.slice(0, mostNamed).map((path) => quotedPath(path));
  return `${first.join(', ')}${more}`;
}

function newRepositories(folders: readonly string[]): Outcome<'new-repositories'> {
  return {
    code: 'new-repositories',
    message: `New git repositories appeared during the turn: ${named(folders)}.`,
    next: 'If you run git in one of them, git runs the programs that its settings and hooks name, outside the sandbox. Once such a folder is added to the repository around it, a plain `git status` in that one is enough. Check the file config and the folder hooks first: they are in .git, or in the folder itself if the repository is bare.',
  };
}

function newSettings(paths: readonly string[]): Outcome<'new-settings'> {
  return {
    code: 'new-settings',
    message: `New settings of other programs appeared in git repositories during the turn: ${named(paths)}.`,
    next: 'Programs that you start there may use them, outside the sandbox. Check them first.',
  };
}

function notAllSeen(folder: string): Outcome<'git-folders-unseen'> {
  return {
    code: 'git-folders-unseen',
    message: `Capstan could not search all of ${quotedPath(folder)} for git repositories: it has too many files, its path is too long, or it cannot be listed. Capstan does not protect the ones it did not find from commands.`,
    next: 'Work in a smaller folder, or take care when you run git where commands can write.',
  };
}
