import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { accessAt } from '../../core/policy/paths/access.ts';
import { quotedPath } from '../../core/policy/paths/walk-path.ts';
import { snapshotLine } from '../../core/state/drafts/workspace-lines.ts';
import {
  type GitGuard,
  type FoundRepositories,
  type RepositorySearch,
  type Snapshot,
  snapshotNotNeeded,
  type SnapshotRequest,
  type Snapshots,
  type TouchedFiles,
} from '../../ports/workspace.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import { warnOnce } from './log.ts';
import type { Turn } from './thread-parts.ts';

export type EffectsInput = Pick<Turn, 'parts' | 'log' | 'turnId' | 'envelope' | 'signal' | 'warned'>;
/** A turn without undo is better than one that hangs. */
const patienceMs = 2000;
/** An interrupted turn must be over within a second. */
const interruptedPatienceMs = 250;

/** A turn's effects on its workspace, between two snapshots. Scans overlap with the model's thinking. */
export class TurnEffects {
  readonly #input: EffectsInput;
  #first: Taking | undefined;
  #before: Promise<Snapshot> | undefined;
  #last: Taking | undefined;
  #running = 0;
  readonly #touched: TouchedFiles[] = [];
  readonly #repositories: TurnRepositories;
  #hasBegun = false;

  constructor(input: EffectsInput) {
    this.#input = input;
    this.#repositories = new TurnRepositories(input);
  }

  /** Takes the first snapshot while the model thinks, so that calls need not wait for it. */
  prepare(): void {
    const { envelope, parts } = this.#input;
    const { snapshots } = parts;
    if (envelope.policy.sandboxLevel === 'read-only' || this.#first !== undefined) return;
    if (snapshots === undefined) return void this.#repositories.before(undefined);
    this.#first = this.#take(snapshots);
    void this.#first.snapshot.then((snapshot) => this.#repositories.before(snapshot));
  }

  /** Starts when the model writes text, often the end of a turn. */
  prepareEnd(): void {
    // A call in flight may change the result.
    if (this.#running === 0 && this.#before !== undefined) void this.#before.then((before) => this.#lookAgain(before));
  }

  /** Called before a call that may write. Afterwards the line about the snapshot is recorded, but not yet durable. */
  async before(granted: ResolvedPolicy): Promise<void> {
    const { snapshots } = this.#input.parts;
    this.#running += 1;
    this.#hasBegun = true;
    this.#last?.drop();
    this.#last = undefined;
    if (snapshots !== undefined) this.#before ??= this.#record('before', (this.#first ??= this.#take(snapshots)));
    await this.#repositories.before(await this.#before, rootsWithProtectedNames(granted));
  }

  /** Called when a call for which `before` was awaited has ended. */
  ended(touched: TouchedFiles | undefined): void {
    this.#running -= 1;
    if (touched !== undefined) this.#touched.push(touched);
    // A patch cannot make a repository.
    if (this.#running === 0 && touched?.kind !== 'paths') this.#repositories.afterCall();
  }

  /** Called before the turn's end is recorded. Returns folders that became repositories. */
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

  /** Takes the end snapshot, unless it is taken already, a call still runs, or there is nothing to compare with. */
  #lookAgain(before: Snapshot | undefined): Taking | undefined {
    const { snapshots } = this.#input.parts;
    if (snapshots === undefined || before?.kind !== 'taken' || this.#running > 0) return undefined;
    return (this.#last ??= this.#take(snapshots, { snapshot: before, touched: [...this.#touched] }));
  }

  async #record(when: 'before' | 'after', taking: Taking): Promise<Snapshot> {
    const { parts, log, turnId, signal } = this.#input;
    const taken = await new Promise<Snapshot>((resolve) => {
      const waiting = new AbortController();
      const stopAfter = (ms: number): void =>
        void parts.clock.sleep(ms, waiting.signal).then(() => waiting.signal.aborted || taking.stop());
      // After an interrupt the end snapshot is still awaited briefly: it shows what the turn did.
      const end = when === 'before' ? () => taking.drop() : () => stopAfter(interruptedPatienceMs);
      signal.addEventListener('abort', end);
      stopAfter(patienceMs);
      if (when === 'after' && signal.aborted) end();
      void taking.snapshot.then((snapshot) => {
        // A reason of its own: the default one is an error with a stack.
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
    const request = { root: workspace.cwd, denies: deniedPathCheck(policy.resolved), ...(since && { since }) };
    return {
      snapshot: snapshots.take(request, stopping.signal),
      stop: () => stopping.abort('too slow'),
      drop: () => stopping.abort(snapshotNotNeeded),
    };
  }
}

/** Called for every file: where nothing is denied, none needs a check of the rules. */
export function deniedPathCheck(policy: ResolvedPolicy): (path: string) => boolean {
  const { files } = policy;
  const isOpen =
    files.kind === 'unrestricted' ||
    (files.denyGlobs.length === 0 && files.rules.every((rule) => rule.access !== 'deny'));
  return isOpen ? () => false : (path) => accessAt(policy, path) === 'deny';
}

/** Writable folders with names that stay read-only at any depth. */
export function rootsWithProtectedNames({ files }: ResolvedPolicy): readonly string[] {
  const rules = files.kind === 'unrestricted' ? [] : files.rules;
  const kept = rules.filter(({ access, keeps }) => access === 'write' && keeps !== undefined);
  return [...new Set(kept.map(({ path }) => path))];
}

interface Taking {
  readonly snapshot: Promise<Snapshot>;
  /** It takes too long. */
  stop(): void;
  /** The turn does not wait for it. */
  drop(): void;
}

/** Scans between calls take at most this part of the time. */
const timePart = 0.1;

/**
 * Git repositories in the writable folders of a turn: searched once before its first effect, so that the sandbox
 * protects existing ones, and after its calls, so that new ones are reported. The turn that made one may use it to its
 * end.
 */
class TurnRepositories {
  readonly #input: EffectsInput;
  readonly #denies: (path: string) => boolean;
  #before: Promise<FoundRepositories> | undefined;
  readonly #dropping = new AbortController();
  #between: { readonly over: Promise<void>; readonly stop: AbortController } | undefined;
  #nextBetween = -Infinity;
  readonly #reported = new Set<string>();
  readonly #roots: Set<string>;

  constructor(input: EffectsInput) {
    const { resolved } = input.envelope.policy;
    this.#input = input;
    this.#denies = deniedPathCheck(resolved);
    this.#roots = new Set(rootsWithProtectedNames(resolved));
  }

  /** `snapshot`: a fresh one of the workspace, if any. `granted`: other folders that a call may write. */
  async before(snapshot: Snapshot | undefined, granted: readonly string[] = []): Promise<void> {
    const { parts, signal } = this.#input;
    const { gitGuard: guard } = parts;
    const known = [...this.#roots];
    const added = granted.filter((root) => !this.#roots.has(root));
    for (const root of added) this.#roots.add(root);
    if (guard === undefined || this.#roots.size === 0) return;
    const stopping = AbortSignal.any([signal, this.#dropping.signal]);
    const earlier = this.#before;
    if (added.length > 0) {
      // One scan after the other: the guard remembers the last result.
      this.#before = Promise.resolve(earlier).then(async (seen) => {
        const found = await this.#look(guard, snapshot, stopping);
        const wasThere = (folder: string): boolean =>
          seen === undefined || seen.repositories.includes(folder) || !known.some((root) => isWithin(folder, root));
        return { ...found, repositories: found.repositories.filter(wasThere) };
      });
    }
    await (this.#before ??= this.#look(guard, snapshot, stopping));
  }

  /** Ends the search, because no call came that may write. */
  drop(): void {
    this.#dropping.abort(snapshotNotNeeded);
  }

  /** Looks for new repositories while the model thinks. If the last such scan took long, the turn's end does so. */
  afterCall(): void {
    const { gitGuard: guard, clock } = this.#input.parts;
    if (guard === undefined || this.#between !== undefined || clock.now() < this.#nextBetween) return;
    const stop = new AbortController();
    this.#between = { over: this.#lookBetween(guard, stop.signal), stop };
  }

  async #lookBetween(guard: GitGuard, signal: AbortSignal): Promise<void> {
    const { clock } = this.#input.parts;
    const before = await this.#before;
    const began = clock.now();
    if (before !== undefined) this.#report(before, await guard.find(this.#request(undefined), signal));
    const now = clock.now();
    this.#nextBetween = now + (now - began) / timePart;
    this.#between = undefined;
  }

  async after(snapshot: Snapshot | undefined): Promise<readonly string[]> {
    const { gitGuard: guard } = this.#input.parts;
    const before = await this.#before;
    if (guard === undefined || before === undefined) return [];
    this.#between?.stop.abort(snapshotNotNeeded);
    await this.#between?.over;
    // Scan even after an interrupt: new repositories must be known.
    return this.#report(before, await this.#look(guard, snapshot, this.#dropping.signal));
  }

  #report(before: FoundRepositories, now: FoundRepositories): readonly string[] {
    const { log } = this.#input;
    const made = without(now.repositories, before.repositories);
    const settings = without(now.settings, before.settings);
    const news = (found: readonly string[]): readonly string[] => found.filter((path) => !this.#reported.has(path));
    const [repositories, names] = [news(made), news(settings)];
    if (repositories.length > 0) log.tell({ kind: 'warning', outcome: newRepositories(repositories) });
    if (names.length > 0) log.tell({ kind: 'warning', outcome: newSettings(names) });
    for (const path of [...repositories, ...names]) this.#reported.add(path);
    // Text for a model must be well-formed; a name on the disk need not be.
    return made.map((path) => path.toWellFormed());
  }

  async #look(guard: GitGuard, snapshot: Snapshot | undefined, signal: AbortSignal): Promise<FoundRepositories> {
    const found = await guard.look(this.#request(snapshot), signal);
    const [first] = found.unseen;
    if (first !== undefined && !signal.aborted) warnOnce(this.#input, notAllSeen(first), 'code');
    return found;
  }

  #request(snapshot: Snapshot | undefined): RepositorySearch {
    const { cwd: root } = this.#input.envelope.workspace;
    const seen = snapshot?.kind === 'taken' ? { root, git: snapshot.git } : undefined;
    return { roots: [...this.#roots], denies: this.#denies, seen };
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
  const message = `New git repositories appeared during the turn: ${named(folders)}.`;
  const next =
    'If you run git in one of them, git runs the programs that its settings and hooks name, outside the sandbox. Once such a folder is added to the repository around it, a plain `git status` in that one is enough. Check the file config and the folder hooks first: they are in .git, or in the folder itself if the repository is bare.';
  return { code: 'new-repositories', message, next };
}

function newSettings(paths: readonly string[]): Outcome<'new-settings'> {
  const message = `New settings of other programs appeared in git repositories during the turn: ${named(paths)}.`;
  const next = 'Programs that you start there may use them, outside the sandbox. Check them first.';
  return { code: 'new-settings', message, next };
}

function notAllSeen(folder: string): Outcome<'git-folders-unseen'> {
  const message = `Capstan could not search all of ${quotedPath(folder)} for git repositories: it has too many files, its path is too long, or it cannot be listed. Capstan does not protect the ones it did not find from commands.`;
  const next = 'Work in a smaller folder, or take care when you run git where commands can write.';
  return { code: 'git-folders-unseen', message, next };
}
