import type { ThreadId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../protocol/thread-summary.ts';
import type { WorkProgress } from './work-progress.ts';

/**
 * Which threads there are, what they are called, and which one a user means. Takes no lease. Progress is about threads
 * that no index knows yet.
 */
export interface ThreadDirectory {
  list(query: ThreadQuery, progress?: WorkProgress): Promise<ThreadPage | Outcome<'cursor-unknown'>>;
  /** Threads with a message of the user or the model that has all of the words. What stands in quotes is one word. */
  search(
    text: string,
    query: ThreadQuery,
    progress?: WorkProgress,
  ): Promise<ThreadHits | Outcome<'cursor-unknown' | 'search-empty'>>;
  /** Active or archived; undefined when there is no such thread. */
  summary(id: ThreadId): Promise<ThreadSummary | undefined>;
  choose(choice: ThreadChoice): Promise<ChosenThread | NoThread>;
  /** Says what a thread is called from now on; an empty name takes the name away. The outcome says why it could not. */
  rename(id: ThreadId, name: string): Promise<Outcome | undefined>;
  /**
   * Called after threads were changed as a whole, for a store whose threads other programs list as well. Gives what the
   * user should know; what was done to the threads stands.
   */
  changed?(changes: readonly ThreadChange[]): Promise<readonly Outcome[]>;
}

/** `moved`: reverted, or brought back from the archive. */
export type ThreadChange =
  | { readonly kind: 'moved' | 'archived'; readonly id: ThreadId }
  | { readonly kind: 'deleted'; readonly id: ThreadId }
  | { readonly kind: 'named'; readonly id: ThreadId; readonly name: string };

/**
 * How a user names a thread: by its id, the beginning of it, or its name; or as the one that was used last, which is never
 * one that another thread started.
 */
export type ThreadChoice = ChoiceAmong &
  ({ readonly kind: 'named'; readonly name: string } | { readonly kind: 'last' });

export interface ChoiceAmong {
  /** Only threads that work in that folder count. */
  readonly cwd?: string;
  /** Archived threads count as much as others. Without it, one is meant only where no other fits. */
  readonly archived?: boolean;
  /** A name must belong to one thread alone. Without it, the newest of its threads is meant. */
  readonly unique?: boolean;
}

export interface ChosenThread {
  readonly kind: 'chosen';
  readonly id: ThreadId;
}

export interface NoThread extends Outcome<'thread-unknown' | 'thread-ambiguous'> {
  readonly kind: 'none';
}
