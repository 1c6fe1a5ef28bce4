import type { ThreadId, TurnId } from './ids.ts';
import { isJsonObject, type Json, stringAt } from './json.ts';
import type { Outcome } from './outcome.ts';

/** A thread in lists. Times are milliseconds since the Unix epoch; settings are those that resume uses. */
export interface ThreadSummary {
  readonly id: ThreadId;
  /** Location of the thread's newest lines, for display. */
  readonly location: string;
  readonly name?: string;
  /** The user's first words that were not reverted, also inherited ones; else its goal, code review or command. */
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
  /** Turns that were not reverted, without those that only compacted the thread. */
  readonly turns: number;
  /** Requests and answers as the provider counted them, cached input and a fork's inherited turns included. */
  readonly totalTokens: number;
  /** The surface that started it: `exec`, `cli`, `vscode`, `mcp`, `subagent`, `internal`, or another program's word. */
  readonly source?: string;
  readonly gitBranch?: string;
  /** Calls that wait for the user's answer. Absent: none. */
  readonly questions?: number;
  readonly goal?: GoalStatus;
}

export interface ThreadQuery {
  /** Absolute. */
  readonly cwd?: string;
  /** Absent: only threads that are not archived. */
  readonly archived?: boolean;
  readonly text?: string;
  /** `all`: also matches the branch, the folder or the id. */
  readonly textIn?: 'all';
  /** Absent: threads that no other thread started; `all`: every one. */
  readonly source?: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: 'updated' | 'created';
}

/** Newest first; ties are ordered by id, so that no page leaves one out. */
export interface ThreadPage {
  readonly threads: readonly ThreadSummary[];
  readonly unreadable?: readonly Outcome[];
  /** Cursor of the next page; absent on the last one. */
  readonly next?: string;
}

export interface ThreadHit {
  readonly thread: ThreadSummary;
  /** The number of the turn, counted from 1. */
  readonly turn: number;
  readonly role: 'user' | 'assistant';
  readonly excerpt: string;
}

export interface ThreadHits {
  readonly hits: readonly ThreadHit[];
  /** Threads that could not be read, and so were not searched. */
  readonly unreadable?: readonly Outcome[];
  readonly next?: string;
}

export const goalStatuses = ['active', 'paused', 'blocked', 'usageLimited', 'budgetLimited', 'complete'] as const;
export type GoalStatus = (typeof goalStatuses)[number];

/** A thread's objective, pursued until it is reached, over any number of answers. */
export interface Goal {
  readonly objective: string;
  readonly status: GoalStatus;
  readonly tokenBudget?: number;
  /** The last grant of tokens, where that is not the whole budget. */
  readonly share?: number;
  /** Uncached input plus output. */
  readonly tokensUsed: number;
  readonly timeUsedSeconds: number;
  /** Seconds since the Unix epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** True if the thread continues with the goal only after a message that asks for it. */
export const isGoalResting = (status: GoalStatus): boolean => status !== 'active' && status !== 'complete';

/** The origin of a thread in one word, from its first line. Old files without one come from an editor. */
export function threadSourceName(source: Json | undefined): string {
  if (typeof source === 'string') return source;
  if (!isJsonObject(source)) return 'vscode';
  if ('subagent' in source) return 'subagent';
  if ('internal' in source) return 'internal';
  return stringAt(source, 'custom') ?? 'unknown';
}

/** Users can choose such a thread only by its name or id. */
export const isStartedByThread = ({ source }: { readonly source?: string }): boolean =>
  source === 'subagent' || source === 'internal';

export type ThreadCut = { readonly kind: 'latest' } | { readonly kind: 'through' | 'before'; readonly turnId: TurnId };
