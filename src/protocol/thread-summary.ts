import type { GoalStatus } from './goal.ts';
import type { ThreadId } from './ids.ts';
import type { Outcome } from './outcome.ts';

/** What lists say about a thread. Times are milliseconds since the Unix epoch; settings are those that resume takes up. */
export interface ThreadSummary {
  readonly id: ThreadId;
  /** Where the thread's newest lines are kept, for people to read. */
  readonly location: string;
  readonly name?: string;
  /**
   * The first words of a user that were not taken back, those that a fork took over included. Without any: its goal, or
   * the code review or command that the user started.
   */
  readonly preview: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly cwd?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly effort?: string;
  readonly approval?: string;
  readonly sandbox?: string;
  readonly mode?: string;
  readonly archived: boolean;
  readonly compressed: boolean;
  readonly forkedFrom?: ThreadId;
  /** Turns that were not taken back, without those that only compacted the thread. */
  readonly turns: number;
  /**
   * Of all its requests and their answers, as the provider counted them: cached input is part of it. In a fork, those of
   * the turns that it took over are counted too.
   */
  readonly totalTokens: number;
  /** The surface that started it: `exec`, `cli`, `vscode`, `mcp`, `subagent`, `internal`, or another program's word. */
  readonly source?: string;
  readonly gitBranch?: string;
  /** Calls that wait for the user's answer. Absent: none. */
  readonly questions?: number;
  /** How its goal stands. Absent: it has none. */
  readonly goal?: GoalStatus;
}

export interface ThreadQuery {
  /** Absolute. */
  readonly cwd?: string;
  /** Absent: those that are not. */
  readonly archived?: boolean;
  /** In the name or in the preview, in any case. */
  readonly text?: string;
  /** `all`: the text may also be in the branch, the folder or the id. */
  readonly textIn?: 'all';
  /** Absent: those that no other thread started; `all`: every one. */
  readonly source?: string;
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string;
  readonly sort: 'updated' | 'created';
}

/** Newest first. Threads of the same moment are ordered by their ids, so that no page leaves one out. */
export interface ThreadPage {
  readonly threads: readonly ThreadSummary[];
  /** Files that were met and left out, because they are damaged or too large. Absent: none. */
  readonly unreadable?: readonly Outcome[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: string;
}

/** A thread in which something was found, and the newest message that holds it. */
export interface ThreadHit {
  readonly thread: ThreadSummary;
  /** The number of the turn, counted from 1. */
  readonly turn: number;
  readonly role: 'user' | 'assistant';
  /** What stands around the words, in one line. */
  readonly excerpt: string;
}

export interface ThreadHits {
  readonly hits: readonly ThreadHit[];
  /** As in `ThreadPage`: they were not searched. */
  readonly unreadable?: readonly Outcome[];
  readonly next?: string;
}
