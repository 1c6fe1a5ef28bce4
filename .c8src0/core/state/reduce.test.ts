import { describe, expect, test } from 'vitest';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { LineDraft } from '../../protocol/line.ts';
import { deadCallLine, callProcessLine, callStartedLine } from './fold/running-calls.ts';
import { reduce } from './reduce.ts';
import { emptyThreadState } from './thread-state.ts';

const turnId = 't1' as TurnId;
const command = {
  kind: 'command',
  id: 'c1',
  argv: ['sh', '-c', 'sleep 9'],
  cwd: '/a',
  status: 'in-progress',
  output: '',
} as const;
const begins = { threadId: 'thread', turnId, callId: 'c1', tool: 'exec_command', at: 5, item: command };
const runner = { pid: 77, startedAt: 'then', mark: 'm' };

function openTurnAfter(...drafts: readonly LineDraft[]) {
  const started = { type: 'event_msg', payload: { type: 'task_started', turn_id: turnId } };
  const lines = [started, ...drafts].map((draft) => ({ timestamp: '', ...draft }));
  const { before: _before, spent: _spent, ...openTurn } = lines.reduce(reduce, emptyThreadState).openTurn ?? {};
  return openTurn;
}

const item = {
  type: 'CommandExecution',
  id: 'c1',
  command: ['sh', '-c', 'sleep 9'],
  cwd: 'file:///a',
  parsed_cmd: [{ type: 'unknown', cmd: 'sleep 9' }],
  source: 'agent',
  status: 'failed',
};
const inFlight = { threadId: 'thread', callId: 'c1', tool: 'exec_command', at: 5, item };

const answered = (callId: string): LineDraft => ({
  type: 'response_item',
  payload: { type: 'function_call_output', call_id: callId, output: '' },
});

describe('a call is in flight', () => {
  test('from its line on, with its process once that is known', () => {
    expect(openTurnAfter(callStartedLine(begins))).toEqual({ id: turnId, calls: [inFlight] });
    expect(openTurnAfter(callStartedLine(begins), callProcessLine(turnId, 'c1', runner))).toEqual({
      id: turnId,
      calls: [{ ...inFlight, process: runner }],
    });
  });

  test('until it is answered', () => {
    const other = { ...begins, callId: 'c2' };
    expect(openTurnAfter(callStartedLine(begins), callStartedLine(other), answered('c2'))).toEqual({
      id: turnId,
      calls: [inFlight],
    });
    expect(openTurnAfter(callStartedLine(begins), answered('c1'))).toEqual({ id: turnId });
  });

  test('only in its own turn, and only if the line makes sense', () => {
    const foreign = callStartedLine({ ...begins, turnId: 'other' as TurnId });
    const odd: readonly JsonObject[] = [
      {},
      { turn_id: turnId },
      { turn_id: turnId, call_id: 'c1', tool: 1, started_at_ms: 'x', item: [] },
      { turn_id: turnId, call_id: 'c1', process: { pid: 77, started_at: 'then', mark: 'm' } },
    ];
    const lines = odd.map((payload) => ({ type: 'capstan_call', payload }));
    expect(openTurnAfter(foreign, ...lines)).toEqual({ id: turnId });
  });

  test.each([-1, 0, 1, 1.5, '77'])('without a process that must not be ended: %j', (pid) => {
    const payload = { turn_id: turnId, call_id: 'c1', process: { pid, started_at: 'then', mark: 'm' } };
    expect(openTurnAfter(callStartedLine(begins), { type: 'capstan_call', payload })).toEqual({
      id: turnId,
      calls: [inFlight],
    });
  });
});

test('a long command is stored short, and the record of a dead call is the stored item', () => {
  const long = { ...command, argv: ['sh', '-c', `${'x'.repeat(999)}😀${'y'.repeat(9000)}`] };
  const { payload } = callStartedLine({ ...begins, item: long });
  const shortened = `${'x'.repeat(999)} …`;
  const stored = { ...item, command: ['sh', '-c', shortened], parsed_cmd: [{ type: 'unknown', cmd: shortened }] };
  expect(payload['item']).toEqual(stored);
  expect(deadCallLine({ ...inFlight, item: stored }, { threadId: 'thread' as ThreadId, turnId })).toEqual({
    type: 'event_msg',
    payload: {
      type: 'item_completed',
      thread_id: 'thread',
      turn_id: 't1',
      item: stored,
      started_at_ms: 5,
      completed_at_ms: 5,
    },
  });
});
