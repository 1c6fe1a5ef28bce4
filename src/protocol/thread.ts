import type { ThreadId, TurnId } from './ids.ts';
import { isJsonObject, type Json, stringAt } from './json.ts';
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

export const goalStatuses = ['active', 'paused', 'blocked', 'usageLimited', 'budgetLimited', 'complete'] as const;

export type GoalStatus = (typeof goalStatuses)[number];

/** What a thread works towards until it is reached, over as many answers as it takes. */
export interface Goal {
  readonly objective: string;
  readonly status: GoalStatus;
  /** Absent: as many as it takes. */
  readonly tokenBudget?: number;
  /** How many tokens it was given last, where that is not the whole budget. */
  readonly share?: number;
  /** Input that was not cached, and output. */
  readonly tokensUsed: number;
  readonly timeUsedSeconds: number;
  /** Seconds since the Unix epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Whether only a message that asks for it lets the thread continue with the goal. */
export function isGoalResting(status: GoalStatus): boolean {
  return status !== 'active' && status !== 'complete';
}

/** Who started a thread, as its first line says it, in one word. Without any it is an editor's, as old files have it. */
export function threadSourceName(source: Json | undefined): string {
  if (typeof source === 'string') return source;
  if (!isJsonObject(source)) return 'vscode';
  if ('subagent' in source) return 'subagent';
  if ('internal' in source) return 'internal';
  return stringAt(source, 'custom') ?? 'unknown';
}

/** Whether another thread started it: users mean it only by its name or id. */
export function isStartedByThread({ source }: { readonly source?: string }): boolean {
  return source === 'subagent' || source === 'internal';
}

/** Where a fork leaves the thread that it comes from: at its end, behind a turn, or before one. */
export type ThreadCut = { readonly kind: 'latest' } | { readonly kind: 'through' | 'before'; readonly turnId: TurnId };
