import { quotedPath } from '../../policy/quoted-path.ts';
import { isWithin } from '../../policy/paths.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GitGuard, GitLook, GitLookRequest } from '../../ports/git-guard.ts';
import { notNeeded, type Snapshot } from '../../ports/snapshots.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadLog } from './log.ts';
import { warnOnce } from './warn-once.ts';

export interface RepositoriesInput {
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
export class TurnRepositories {
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
    this.#dropping.abort(notNeeded);
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
    this.#between?.stop.abort(notNeeded);
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
