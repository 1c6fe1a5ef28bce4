import { isWithin } from '../../policy/paths.ts';
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
    const { cwd, denies } = this.#input;
    const roots = [...this.#roots];
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
