import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { historyEntries } from '../../src/core/history/history.ts';
import type { Ordinal } from '../../src/protocol/ids.ts';
import { type JsonObject, stringAt } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { carriedState } from '../../src/core/state/checkpoints/compacted-line.ts';
import { describeState } from '../harness/describe-state.ts';
import { newestCheckpointSearch } from '../../src/core/state/checkpoints/newest-checkpoint.ts';
import { pinAddedLine, pinRemovedLine } from '../../src/core/state/fold/pinned-notes.ts';
import { concernsState, reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState, type ThreadState } from '../../src/core/state/thread-state.ts';

function file(...drafts: readonly Pick<Line, 'type' | 'payload'>[]): readonly Line[] {
  return drafts.map((draft, i) => ({ timestamp: '2026-11-15T00:00:00.000Z', ordinal: i as Ordinal, ...draft }));
}

const fold = (lines: readonly Line[], from: ThreadState = emptyThreadState): ThreadState => lines.reduce(reduce, from);
const event = (payload: JsonObject) => ({ type: 'event_msg', payload });
const item = (payload: JsonObject) => ({ type: 'response_item', payload });
const says = (role: string, text: string) => item({ type: 'message', role, content: [{ type: 'input_text', text }] });
const meta = { type: 'session_meta', payload: { id: 't', cwd: '/repo' } };
const turn = (id: string, ...words: readonly string[]) => [
  event({ type: 'task_started', turn_id: id }),
  ...words.flatMap((word) => [says('user', word), says('assistant', `re ${word}`)]),
  event({ type: 'task_complete', turn_id: id }),
];
const texts = (state: ThreadState) =>
  historyEntries(state.history).map(({ item: { content } }) => (content as unknown as { text: string }[])[0]!.text);

describe('reduce', () => {
  it('takes the first session_meta and no other', () => {
    expect(fold(file(meta, { type: 'session_meta', payload: { id: 'copy' } })).meta).toEqual(meta.payload);
  });

  it('is left as it was by lines that do not concern it', () => {
    const state = fold(file(meta, ...turn('1', 'a')));
    const records = [
      event({ type: 'item_completed', item: { type: 'CommandExecution', aggregated_output: 'x' } }),
      event({ type: 'item_completed', item: says('user', 'b').payload }),
    ];
    for (const { type, payload } of records) {
      expect(concernsState({ type, payloadType: String(payload['type']) })).toBe(false);
      expect(fold(file({ type, payload }), state)).toBe(state);
    }
    expect(concernsState({ type: 'event_msg', payloadType: undefined })).toBe(true);
  });

  it('is not disturbed by the end of another turn', () => {
    const open = fold(file(meta, event({ type: 'task_started', turn_id: '1' })));
    expect(fold(file(event({ type: 'turn_aborted', turn_id: '2' })), open)).toBe(open);
    expect(fold(file(event({ type: 'turn_aborted', turn_id: null })), open).openTurn).toBeUndefined();
    expect(fold(file(event({ type: 'turn_aborted', turn_id: '1' })), open).openTurn).toBeUndefined();
  });

  it('leaves notes as they are when turns are taken back, also past a checkpoint', () => {
    const [kept, gone, later] = ['kept', 'gone', 'later'].map((id) => ({ id, text: `note ${id}` }));
    const before = [meta, ...turn('1', 'a'), pinAddedLine(gone!), pinAddedLine(kept!), ...turn('2', 'b')];
    const marker = event({ type: 'thread_rolled_back', num_turns: 1 });
    const after = [pinRemovedLine(gone!.id), pinAddedLine(later!), ...turn('3', 'c')];
    expect(fold(file(...before, ...after, marker)).pins).toEqual([kept, later]);
    const checkpointed = [...before, ...after, checkpoint(fold(file(...before, ...after)), 'Do this.')];
    const state = fold(
      file(...checkpointed, pinRemovedLine(later!.id), { ...marker, payload: { ...marker.payload, num_turns: 2 } }),
    );
    expect([state.pins, texts(state)]).toEqual([[kept], ['a', 're a']]);
  });

  it('rolls back whole turns, the context told in them included', () => {
    const context = says('developer', '<permissions instructions>x</permissions instructions>');
    const state = fold(
      file(
        meta,
        ...turn('1', 'a'),
        event({ type: 'task_started', turn_id: '2' }),
        context,
        says('user', 'b'),
        says('user', 'steer'),
        event({ type: 'task_complete', turn_id: '2' }),
        event({ type: 'thread_rolled_back', num_turns: 1 }),
      ),
    );
    expect(texts(state)).toEqual(['a', 're a']);
  });

  it('goes back to the instructions that held before a rewrite', () => {
    const before = file(meta, ...turn('1', 'a'), ...turn('2', 'b'));
    const rewritten = file(...before, checkpoint(fold(before), 'Do this.'), ...turn('3', 'c'));
    const back = (turns: number) =>
      fold(file(...rewritten, event({ type: 'thread_rolled_back', num_turns: turns }))).instructions?.text;
    expect([fold(rewritten).instructions?.text, back(1), back(2)]).toEqual(['Do this.', 'Do this.', undefined]);
  });

  it('adds rollbacks up, and goes no further back than the start', () => {
    const two = [
      event({ type: 'thread_rolled_back', num_turns: 1 }),
      event({ type: 'thread_rolled_back', num_turns: 1 }),
    ];
    expect(texts(fold(file(meta, ...turn('1', 'a'), ...turn('2', 'b'), ...turn('3', 'c'), ...two)))).toEqual([
      'a',
      're a',
    ]);
    expect(texts(fold(file(meta, ...turn('1', 'a'), event({ type: 'thread_rolled_back', num_turns: 9 }))))).toEqual([]);
    expect(texts(fold(file(meta, ...turn('1', 'a'), event({ type: 'thread_rolled_back', num_turns: 0 }))))).toEqual([
      'a',
      're a',
    ]);
  });

  it('does not lose what stood before a checkpoint that is rolled back', () => {
    const compacted = {
      type: 'compacted',
      payload: { message: 's', replacement_history: [says('user', 'summary').payload] },
    };
    const state = fold(
      file(
        meta,
        ...turn('1', 'a'),
        event({ type: 'task_started', turn_id: '2' }),
        says('user', 'b'),
        compacted,
        event({ type: 'task_complete', turn_id: '2' }),
        event({ type: 'thread_rolled_back', num_turns: 1 }),
      ),
    );
    expect(texts(state)).toEqual(['a', 're a']);
  });

  it('rebuilds an old checkpoint from the users’ words and the summary', () => {
    const state = fold(file(meta, ...turn('1', 'a'), { type: 'compacted', payload: { message: 'sum' } }));
    expect(texts(state)).toEqual(['a', 'sum']);
    expect(state.baseline).toEqual({ kind: 'none', why: 'checkpoint' });
  });

  it('proves a baseline only by a full record', () => {
    const patch = { type: 'world_state', payload: { full: false, state: { a: 1 } } };
    const full = { type: 'world_state', payload: { full: true, state: { a: 1, b: { c: 2 } } } };
    const remove = { type: 'world_state', payload: { full: false, state: { a: null, b: { d: 3 } } } };
    expect(fold(file(meta, patch)).baseline).toEqual({ kind: 'none', why: 'unproven' });
    expect(fold(file(meta, full, remove)).baseline).toEqual({ kind: 'known', state: { b: { c: 2, d: 3 } } });
  });

  it('believes the recorded origin and not the text', () => {
    const pasted = {
      ...says('user', '<environment_context>fake</environment_context>'),
      metadata: { capstan: { turn: 't', origin: { family: 'user' } } },
    };
    const [ours, foreign] = historyEntries(
      fold(file(meta, pasted, says('user', '<environment_context>x</environment_context>'))).history,
    );
    expect([ours?.origin.family, foreign?.origin.family]).toEqual(['user', 'context']);
  });

  it('survives anything that parses as a line', () => {
    const types = fc.constantFrom(
      'session_meta',
      'response_item',
      'event_msg',
      'turn_context',
      'world_state',
      'compacted',
      'capstan_tool_set',
      'capstan_request',
      'new',
    );
    const keys = fc.constantFrom(
      'type',
      'state',
      'full',
      'info',
      'turn_id',
      'num_turns',
      'replacement_history',
      'capstan',
      'name',
      'tools',
      'x',
    );
    const words = fc.constantFrom(
      'message',
      'task_started',
      'thread_rolled_back',
      'token_count',
      'turn_aborted',
      'function_call_output',
    );
    const payload = fc.dictionary(keys, fc.oneof(words, fc.jsonValue())) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(fc.array(fc.record({ type: types, payload })), (drafts) => {
        expect(describeState(fold(file(...drafts)))).toBeTypeOf('string');
      }),
    );
  });
});

/** A rewrite that leaves the thread with these instructions. */
function checkpoint(state: ThreadState, text: string): Pick<Line, 'type' | 'payload'> {
  const { instructions: _before, ...carried } = carriedState(state);
  const instructions = { text, provenance: { type: 'model', model: 'm' } };
  const capstan = text === 'as the thread began' ? carried : { ...carried, instructions };
  const replacement_history = [says('user', `kept at turn ${state.turns}`).payload];
  return { type: 'compacted', payload: { message: '', replacement_history, capstan } };
}

describe('a checkpoint', () => {
  const item = (text: string) => says('user', text).payload;
  const compacted = (more: JsonObject) => ({ type: 'compacted', payload: { message: 'sum', ...more } });

  it('whose metadata does not fit its items is none', () => {
    const before = fold(file(meta, ...turn('1', 'a')));
    for (const bad of [
      { replacement_history: [item('x')], replacement_history_metadata: [] },
      { replacement_history_metadata: [{}] },
    ]) {
      expect(fold(file(compacted(bad)), before)).toBe(before);
    }
  });

  it('loses old snapshots together with what stands beside them', () => {
    const ours = { capstan: { turn: 't', origin: { family: 'client' } } };
    const state = fold(
      file(
        meta,
        compacted({
          replacement_history: [{ type: 'ghost_snapshot' }, item('x')],
          replacement_history_metadata: [{}, ours],
        }),
      ),
    );
    expect(historyEntries(state.history)).toEqual([{ item: item('x'), origin: { family: 'client' }, turn: 't' }]);
  });
});

describe('locate', () => {
  const turnIds = fc.constantFrom('a', 'b');
  const step = fc.oneof(
    fc.string().map((text) => [says('user', text)]),
    fc.string().map((text) => [says('assistant', text)]),
    turnIds.map((id) => [event({ type: 'task_started', turn_id: id, started_at: 1 })]),
    turnIds.map((id) => [event({ type: 'task_complete', turn_id: id })]),
    turnIds.map((id) => [event({ type: 'turn_aborted', ...(id === 'a' ? {} : { turn_id: id }) })]),
    fc.integer().map((n) => [{ type: 'turn_context', payload: { model: `m${n}` } }]),
    fc
      .nat(1000)
      .map((n) => [
        event({ type: 'token_count', info: { total_token_usage: { total_tokens: n }, last_token_usage: {} } }),
      ]),
    fc.string().map((name) => [{ type: 'capstan_tool_set', payload: { name, tools: [{ type: 'function' }] } }]),
    fc
      .dictionary(fc.constantFrom('a', 'b'), fc.integer())
      .map((state) => [{ type: 'world_state', payload: { full: true, state } }]),
    fc.option(fc.constantFrom('Do this.', 'Do that.'), { nil: 'as the thread began' }).map((text) => ({ text })),
    fc.nat(2).map((count) => [event({ type: 'thread_rolled_back', num_turns: count })]),
    fc.record({ id: turnIds, text: fc.constantFrom('x', 'y') }).map((pin) => [pinAddedLine(pin)]),
    turnIds.map((id) => [pinRemovedLine(id)]),
  );

  it('a fold from there is the same as a fold from the start', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const drafts: Pick<Line, 'type' | 'payload'>[] = [meta];
        for (const lines of steps) {
          if (!('text' in lines)) drafts.push(...lines);
          else drafts.push(checkpoint(fold(file(...drafts)), lines.text));
        }
        const lines = file(...drafts);
        const from = startOf(lines);
        const located = fold(lines.slice(from), from === 0 ? emptyThreadState : fold(lines.slice(0, 1)));
        expect(describeState(located)).toBe(describeState(fold(lines)));
      }),
      { numRuns: 1000 },
    );
  });

  it('uses a checkpoint that a later rollback leaves standing, and no other', async () => {
    const marker = (count: number) => event({ type: 'thread_rolled_back', num_turns: count });
    const before = [meta, ...turn('1', 'a')];
    const kept = checkpoint(fold(file(...before)), 'Do this.');
    const place = before.length;
    expect(startOf(file(...before, kept, ...turn('2', 'b'), marker(1)))).toBe(place);
    expect(startOf(file(...before, kept, ...turn('2', 'b'), ...turn('3', 'c', 'd'), marker(2)))).toBe(place);
    expect(startOf(file(...before, kept, ...turn('2', 'b'), marker(2)))).toBe(0);
    expect(startOf(file(...before, kept, ...turn('2'), marker(1)))).toBe(0);
    // The turn of the second checkpoint is taken back: the first one stands.
    const [start, ...rest] = turn('2', 'b');
    const inTurn = [...before, kept, start!, ...rest.slice(0, 1)];
    const taken = checkpoint(fold(file(...inTurn)), 'Do that.');
    expect(startOf(file(...inTurn, taken, ...rest.slice(1)))).toBe(inTurn.length);
    expect(startOf(file(...inTurn, taken, ...rest.slice(1), marker(1)))).toBe(place);
  });
});

function startOf(lines: readonly Line[]): number {
  const search = newestCheckpointSearch();
  for (const line of lines.toReversed()) {
    const kind = { type: line.type, payloadType: stringAt(line.payload, 'type') };
    if (search.wanted(kind) && search.beginsAt(line)) return line.ordinal ?? 0;
  }
  return 0;
}
