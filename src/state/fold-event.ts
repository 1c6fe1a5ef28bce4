import { defined } from '../protocol/defined.ts';
import type { TurnId } from '../protocol/ids.ts';
import { type JsonObject, objectAt } from '../protocol/json.ts';
import { noCount } from '../history/newest-count.ts';
import { checkpointsAt, foldSeen } from './checkpoints.ts';
import { readGoal, sparedGoal } from './goals.ts';
import { stillGiven } from './grants.ts';
import { markBefore } from './marks.ts';
import { markOf, type ThreadState } from './thread-state.ts';
import { isCostForOthers } from './turn-drafts.ts';
import { closes, type TurnEvent, turnEvent } from './turn-event.ts';
import { foldNewestCount } from './fold-newest-count.ts';
import { readRateLimits } from '../protocol/rate-limits.ts';
import { keepCost } from '../protocol/usage.ts';
import { readUsage } from './usage-fields.ts';
import { stillWaiting } from './waiting.ts';

/** What an `event_msg` line does to the state. Most events are there for people and change nothing. */
export function foldEvent(state: ThreadState, event: JsonObject): ThreadState {
  const turn = turnEvent(event);
  if (turn !== undefined) return foldTurnEvent(state, turn);
  if (event['type'] === 'thread_settings_applied') {
    const settings = objectAt(event, 'thread_settings');
    return settings === undefined ? state : { ...state, settings, newest: 'settings' };
  }
  if (event['type'] === 'thread_goal_updated') {
    const goal = readGoal(event);
    return goal === undefined ? state : { ...state, goal };
  }
  return event['type'] === 'token_count' ? foldTokenCount(state, event) : state;
}

function foldTokenCount(before: ThreadState, event: JsonObject): ThreadState {
  const limits = objectAt(event, 'rate_limits');
  const rateLimits = limits && readRateLimits(limits);
  const state = rateLimits === undefined ? before : { ...before, rateLimits };
  const info = objectAt(event, 'info');
  if (info === undefined) return state;
  const total = readUsage(info['total_token_usage']);
  const newest = foldNewestCount(state, event, info, total);
  const usage = { total: keepCost(state.usage.total, total), newest };
  const counted = isCostForOthers(event) ? withForeignCost(state, usage) : { ...state, usage };
  if (newest.kind !== 'counted') return counted;
  // Another program records no requests; its counts say that there were some.
  const checkpoints = foldSeen(state.checkpoints, state.history.length);
  const prefill = state.prefill ?? newest.usage.input;
  // A file has a count for every request: most change neither.
  if (checkpoints === state.checkpoints && prefill === state.prefill) return counted;
  return { ...counted, checkpoints, prefill };
}

/** A cost that is not that of the thread's own work. */
export function withForeignCost(state: ThreadState, usage: ThreadState['usage']): ThreadState {
  const { goal } = state;
  return { ...state, usage, ...(goal && { goal: sparedGoal(goal, state.usage.total, usage.total) }) };
}

/** A thread may fail again and again without a user who looks at it. */
const mostFailed = 100;

function foldTurnEvent(state: ThreadState, event: TurnEvent): ThreadState {
  if (event.kind === 'rollback') return rollBack(state, event.count);
  if (event.kind === 'end') {
    const { openTurn, ...rest } = state;
    if (openTurn === undefined || !closes(event.name, openTurn.id)) return state;
    if (event.status !== 'failed') return rest;
    return { ...rest, failed: [...(state.failed ?? []), openTurn.id].slice(-mostFailed) };
  }
  const about = defined({ startedAt: event.at, compaction: event.isCompaction ? ('begun' as const) : undefined });
  const openTurn = { id: event.name as TurnId, ...about, spent: state.usage.total, before: markOf(state) };
  return { ...state, turns: state.turns + 1, openTurn };
}

/** The newest `count` turns with a user's words are as if they had not been. What they cost stays counted. */
function rollBack(state: ThreadState, count: number): ThreadState {
  const target = markBefore(state.marks, count);
  if (target === undefined) return state;
  const { context: _context, envelope: _envelope, instructions: _instructions, ...others } = state;
  const { openTurn: _openTurn, behind: _behind, prefill: _prefill, goal: _goal, ...kept } = others;
  const { history, checkpoints } = target.mark;
  return {
    ...kept,
    ...target.mark,
    checkpoints: checkpointsAt(state.checkpoints, checkpoints, history.length),
    waiting: stillWaiting(target.mark.waiting, state.waiting),
    grants: stillGiven(target.mark.grants, state.grants),
    ...(state.sent === undefined ? {} : { sent: { kind: 'gone', why: 'rollback' } }),
    // No provider has counted what is left.
    usage: { ...state.usage, newest: noCount },
    newest: 'context',
    marks: target.older,
  };
}
