import type { GitGuard, GitLook } from '../../ports/git-guard.ts';
import { notNeeded, type Snapshot } from '../../ports/snapshots.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadLog } from './log.ts';
import { warnOnce } from './warn-once.ts';

export interface RepositoriesInput {
  /** Absent: git folders are not searched for. */
  readonly guard: GitGuard | undefined;
  readonly log: ThreadLog;
  /** The workspace's folder, of which snapshots are taken. */
  readonly cwd: string;
  /** Writable folders below which git folders are protected. */
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
  readonly warned: Set<string>;
  denies(path: string): boolean;
}

/**
 * The git repositories in what a turn may write: looked for once before its first effect, so that the sandbox protects
 * what is there, and once after the last, so that new ones are reported.
 */
export class TurnRepositories {
  readonly #input: RepositoriesInput;
  #before: Promise<GitLook> | undefined;
  readonly #dropping = new AbortController();

  constructor(input: RepositoriesInput) {
    this.#input = input;
  }

  /** `snapshot`: what was just seen of the workspace, if it was. */
  before(snapshot: Snapshot | undefined): Promise<unknown> {
    const { guard, roots, signal } = this.#input;
    if (guard === undefined || roots.length === 0) return Promise.resolve();
    const stopping = AbortSignal.any([signal, this.#dropping.signal]);
    return (this.#before ??= this.#look(guard, snapshot, stopping));
  }

  /** No call came that may write. */
  drop(): void {
    this.#dropping.abort(notNeeded);
  }

  /** What came up, which the user is warned of. */
  async after(snapshot: Snapshot | undefined): Promise<readonly string[]> {
    const { guard, log } = this.#input;
    const before = await this.#before;
    if (guard === undefined || before === undefined) return [];
    // After an interrupt it is still worth knowing what there is.
    const { repositories } = await this.#look(guard, snapshot, this.#dropping.signal);
    const known = new Set(before.repositories);
    const made = repositories.filter((folder) => !known.has(folder));
    if (made.length > 0) log.tell({ kind: 'warning', outcome: newRepositories(made) });
    return made;
  }

  async #look(guard: GitGuard, snapshot: Snapshot | undefined, signal: AbortSignal): Promise<GitLook> {
    const { cwd, roots, denies } = this.#input;
    const seen = snapshot?.kind === 'taken' ? { seen: { root: cwd, git: snapshot.git } } : {};
    const found = await guard.look({ roots, denies, ...seen }, signal);
    const [first] = found.unseen;
    if (first !== undefined && !signal.aborted) warnOnce(this.#input, notAllSeen(first), 'code');
    return found;
  }
}

const mostNamed = 5;

function newRepositories(folders: readonly string[]): Outcome<'new-repositories'> {
  const more = folders.length > mostNamed ? ` and ${folders.length - mostNamed} more` : '';
  const named = folders.slice(0, mostNamed).map((folder) => JSON.stringify(folder));
  return {
    code: 'new-repositories',
    message: `New git repositories appeared during the turn: ${named.join(', ')}${more}.`,
    next: 'When you run git there, it runs the hooks and programs that the repository names, outside the sandbox. Check its config and hooks first.',
  };
}

function notAllSeen(folder: string): Outcome<'git-folders-unseen'> {
  return {
    code: 'git-folders-unseen',
    message: `${JSON.stringify(folder)} has too many files to search for git repositories. Capstan does not protect the ones it did not find from commands.`,
    next: 'Work in a smaller folder, or take care when you run git where commands can write.',
  };
}
