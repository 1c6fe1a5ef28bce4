import { describe, expect, it } from 'vitest';
import type { Ordinal } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { lastSettings } from '../../src/core/state/resumed-settings.ts';
import { emptyThreadState, type ThreadState } from '../../src/core/state/thread-state.ts';

type Draft = Pick<Line, 'type' | 'payload'>;

function fold(...drafts: readonly Draft[]): ThreadState {
  return drafts
    .map((draft, index) => ({ timestamp: '2026-11-15T00:00:00.000Z', ordinal: index as Ordinal, ...draft }))
    .reduce(reduce, emptyThreadState);
}

const meta: Draft = { type: 'session_meta', payload: { id: 't', cwd: '/repo', model_provider: 'scripted' } };
const event = (payload: JsonObject): Draft => ({ type: 'event_msg', payload });
const message = (role: string, text: string): JsonObject => ({
  type: 'message',
  role,
  content: [{ type: 'input_text', text }],
});
const says = (role: string, text: string): Draft => ({ type: 'response_item', payload: message(role, text) });
const world = (full: boolean, state: JsonObject): Draft => ({ type: 'world_state', payload: { full, state } });
const checkpoint: Draft = { type: 'compacted', payload: { message: '', replacement_history: [message('user', 'a')] } };
const context = (more: JsonObject): Draft => ({
  type: 'turn_context',
  payload: { turn_id: '1', cwd: '/repo', ...more },
});
const applied = (settings: JsonObject): Draft =>
  event({ type: 'thread_settings_applied', thread_id: 't', thread_settings: settings });

describe('what was told', () => {
  it('counts from the newest checkpoint on: full, checkpoint, full, patch', () => {
    const lines = [world(true, { a: 1, b: 1 }), checkpoint, world(true, { b: 2 }), world(false, { c: 3 })];
    expect(fold(meta, ...lines).baseline).toEqual({ kind: 'known', state: { b: 2, c: 3 } });
  });

  it('is gone with a checkpoint, and there again when it is told after it, in the same turn too', () => {
    const start = event({ type: 'task_started', turn_id: '1' });
    const before = [meta, start, world(true, { a: 1 }), context({}), says('user', 'x'), checkpoint];
    expect(fold(...before).baseline).toEqual({ kind: 'none', why: 'checkpoint' });
    expect(fold(...before, world(true, { a: 2 })).baseline).toEqual({ kind: 'known', state: { a: 2 } });
  });

  it('a patch after a checkpoint proves nothing', () => {
    expect(fold(meta, world(true, { a: 1 }), checkpoint, world(false, { a: 2 })).baseline).toEqual({
      kind: 'none',
      why: 'unproven',
    });
  });

  it('keeps null inside lists, and drops what a patch sets to null', () => {
    const lines = [world(true, { a: [null, 1], b: { c: 1, d: 2 } }), world(false, { b: { c: null } })];
    expect(fold(meta, ...lines).baseline).toEqual({ kind: 'known', state: { a: [null, 1], b: { d: 2 } } });
  });
});

describe('what a thread continues with', () => {
  const ours = { capstan: { provider: 'scripted' } };

  it('is the newer of a turn’s contract and a change of settings', () => {
    const turn = context({ model: 'one', effort: 'low', ...ours });
    const change = applied({ model: 'two', model_provider_id: 'scripted', cwd: '/other', ...ours });
    expect(lastSettings(fold(meta, turn, change))).toEqual({ model: 'two', provider: 'scripted', cwd: '/other' });
    expect(lastSettings(fold(meta, change, turn))).toMatchObject({ model: 'one', effort: 'low', cwd: '/repo' });
  });

  it('is the contract where another program changed settings in words that say less', () => {
    const turn = context({ model: 'one', effort: 'low', approval_policy: 'never', ...ours });
    const change = applied({ model: 'one', cwd: '/repo' });
    expect(lastSettings(fold(meta, turn, change))).toMatchObject({ model: 'one', effort: 'low', approvals: 'never' });
  });

  it('counts also when the turn had no words: what its line says was told', () => {
    const lines = [event({ type: 'task_started', turn_id: '1' }), world(true, { a: 1 }), context({ model: 'one' })];
    const state = fold(meta, ...lines);
    expect([lastSettings(state)['model'], state.baseline.kind, state.marks.length]).toEqual(['one', 'known', 0]);
  });

  it('is what the thread began with when nothing else is known', () => {
    expect(lastSettings(fold(meta))).toEqual({ provider: 'scripted', cwd: '/repo' });
  });
});

describe('where a turn begins', () => {
  it('with words of a user or of another agent; what an assistant says begins none', () => {
    const mail: Draft = {
      type: 'response_item',
      payload: { type: 'agent_message', author: 'a', recipient: 'b', content: [] },
    };
    const state = fold(
      meta,
      says('user', 'x'),
      says('assistant', 'Message Type: MESSAGE'),
      mail,
      says('developer', 'y'),
    );
    expect(state.marks.length).toBe(2);
  });
});
