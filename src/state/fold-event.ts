import type { TurnId } from '../protocol/ids.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';
import { noUsage } from '../protocol/usage.ts';
import { foldSeen } from './checkpoints.ts';
import { markBefore } from './marks.ts';
import { markOf, type ThreadState } from './thread-state.ts';
import { readUsage } from './usage-fields.ts';
import { stillWaiting } from './waiting.ts';

/** What an `event_msg` line does to the state. Most events are there for people and change nothing. */
export function foldEvent(state: ThreadState, event: JsonObject): ThreadState {
  switch (event['type']) {
    case 'task_started':
    case 'turn_started':
      return startTurn(state, event);
    case 'task_complete':
    case 'turn_complete':
    case 'turn_aborted':
      return endTurn(state, stringAt(event, 'turn_id'));
    case 'token_count': {
      const info = objectAt(event, 'info');
      if (info === undefined) return state;
      const usage = { total: readUsage(info['total_token_usage']), last: readUsage(info['last_token_usage']) };
      if (usage.last.input === 0) return { ...state, usage };
      // Another program records no requests; its counts say that there were some.
      const checkpoints = foldSeen(state.checkpoints, state.history.length);
      return { ...state, usage, checkpoints, prefill: state.prefill ?? usage.last.input };
    }
    case 'thread_settings_applied': {
      const settings = objectAt(event, 'thread_settings');
      return settings === undefined ? state : { ...state, settings, newest: 'settings' };
    }
    case 'thread_rolled_back':
      return rollBack(state, numberAt(event, 'num_turns') ?? 0);
    default:
      return state;
  }
}

function startTurn(state: ThreadState, event: JsonObject): ThreadState {
  const startedAt = numberAt(event, 'started_at');
  const openTurn = {
    id: (stringAt(event, 'turn_id') ?? '') as TurnId,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(objectAt(event, 'capstan')?.['purpose'] === 'compaction' ? { compaction: 'begun' as const } : {}),
    before: markOf(state),
  };
  return { ...state, turns: state.turns + 1, openTurn };
}

/** An end that names no turn is meant for the open one; one that names another turn is not. */
function endTurn(state: ThreadState, id: string | undefined): ThreadState {
  const { openTurn, ...rest } = state;
  return closes(id, openTurn?.id) ? rest : state;
}

/** Whether the end of a turn that is named so ends the open turn of this name. */
export function closes(ended: string | undefined, open: string | undefined): boolean {
  return ended === undefined || ended === '' || open === undefined || open === '' || ended === open;
}

/** The newest `count` turns with a user's words are as if they had not been. What they cost stays counted. */
function rollBack(state: ThreadState, count: number): ThreadState {
  const target = count < 1 ? undefined : markBefore(state.marks, count);
  if (target === undefined) return state;
  const { context: _context, envelope: _envelope, instructions: _instructions, ...others } = state;
  const { openTurn: _openTurn, behind: _behind, ...kept } = others;
  // Nobody has counted what is left.
  const usage = { ...state.usage, last: noUsage };
  const sent = state.sent === undefined ? {} : { sent: { kind: 'gone', why: 'rollback' } as const };
  return {
    ...kept,
    ...target.mark,
    waiting: stillWaiting(target.mark.waiting, state.waiting),
    ...sent,
    usage,
    newest: 'context',
    marks: target.older,
  };
}
