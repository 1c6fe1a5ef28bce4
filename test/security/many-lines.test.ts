// @module-tag attack
import { expect, test } from 'vitest';
import type { Ordinal } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState, type ThreadState } from '../../src/core/state/thread-state.ts';

// A file may say the same kind of thing any number of times. What the state keeps of it is bounded, so that folding a
// line does not cost more with each line before it.

function folded(type: string, payload: (index: number) => JsonObject, count = 20_000): ThreadState {
  const turn = { type: 'task_started', turn_id: 'T' };
  let state = reduce(emptyThreadState, { type: 'event_msg', payload: turn, ordinal: 0 as Ordinal } as unknown as Line);
  for (let index = 0; index < count; index++) {
    state = reduce(state, { type, payload: payload(index), ordinal: (index + 1) as Ordinal } as unknown as Line);
  }
  return state;
}

test('tool sets', () => {
  const { toolSets } = folded('capstan_tool_set', (index) => ({ name: `t${index}`, tools: [] }));
  expect([toolSets.size, toolSets.has('t19999')]).toEqual([200, true]);
});

test('messages that wait', () => {
  const { waiting } = folded('capstan_waiting', (index) => ({
    id: `i${index}`,
    kind: 'words',
    input: { text: 'm', images: [] },
  }));
  expect([waiting.length, waiting[0]?.id]).toEqual([5000, 'i0']);
});

test('pinned notes keep to the limits of a note that is pinned by hand', { tags: 'representative' }, () => {
  expect(folded('capstan_pin', (index) => ({ id: `p${index}`, text: 'x' })).pins).toHaveLength(20);
  expect(folded('capstan_pin', (index) => ({ id: `p${index}`, text: 'word '.repeat(10_000) }), 3).pins).toEqual([]);
  expect(folded('capstan_pin', (index) => ({ id: `p${index}`, text: 'word '.repeat(1500) }), 9).pins).toHaveLength(2);
});

test('questions of a turn', () => {
  const { openTurn } = folded('capstan_question', (index) => ({
    turn_id: 'T',
    call_id: `c${index}`,
    tool: 'exec_command',
    item: { kind: 'command' },
  }));
  expect(openTurn?.questions).toHaveLength(500);
});

test('calls of a turn', () => {
  const { openTurn } = folded('capstan_call', (index) => ({
    turn_id: 'T',
    thread_id: 'a',
    call_id: `c${index}`,
    tool: 'exec_command',
    started_at_ms: 1,
    item: { kind: 'command' },
  }));
  expect(openTurn?.calls).toHaveLength(500);
});
