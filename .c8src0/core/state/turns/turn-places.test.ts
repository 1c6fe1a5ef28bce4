import { describe, expect, it } from 'vitest';
import type { Ordinal } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import { turnPlaces } from './turn-list.ts';

const event = (payload: JsonObject) => ({ type: 'event_msg', payload });
const says = (role: string, text: string) => ({
  type: 'response_item',
  payload: { type: 'message', role, content: [{ type: 'input_text', text }] },
});
const starts = (id: string) => event({ type: 'task_started', turn_id: id });
const ends = (id?: string) => event({ type: 'task_complete', ...(id === undefined ? {} : { turn_id: id }) });
const aborts = (id: string) => event({ type: 'turn_aborted', turn_id: id });
const marker = (turns: number) => event({ type: 'thread_rolled_back', num_turns: turns });
const meta = { type: 'session_meta', payload: {} };

async function* file(form: 'numbered' | 'bare', drafts: readonly Pick<Line, 'type' | 'payload'>[]) {
  for (const [i, draft] of [meta, ...drafts].entries()) {
    yield { timestamp: '', ...(form === 'bare' ? {} : { ordinal: i as Ordinal }), ...draft } satisfies Line;
  }
}

async function placesOf(...drafts: readonly Pick<Line, 'type' | 'payload'>[]) {
  const places = await turnPlaces(file('numbered', drafts));
  expect(await turnPlaces(file('bare', drafts))).toEqual(places);
  return places;
}

describe('the places of turns', () => {
  it('are where they start and end; an open one has no end', async () => {
    expect(
      await placesOf(
        starts('1'),
        says('user', 'a'),
        ends('1'),
        says('user', 'between'),
        starts('2'),
        says('assistant', 'b'),
      ),
    ).toEqual({
      turns: [
        { id: '1', start: 1, end: 4, counts: true },
        { id: 'rollout-4', start: 4, end: 5, counts: true },
        { id: '2', start: 5, counts: false },
      ],
      checkpoints: [],
      takenBack: [],
      end: 7,
    });
  });

  it('are not disturbed by ends of other turns, and an end without a name is for the open one', async () => {
    const { turns } = await placesOf(starts('1'), aborts('x'), says('user', 'a'), ends(), aborts('3'));
    expect(turns).toEqual([{ id: '1', start: 1, end: 5, counts: true }]);
  });

  it('are none for turns that were taken back, with those without a message', async () => {
    const [one, two] = ['1', '2'].map((id) => [starts(id), says('user', id), ends(id)]);
    const standalone = [starts('3'), ends('3')];
    expect(await placesOf(...one!, ...two!, ...standalone, marker(1))).toEqual({
      turns: [{ id: '1', start: 1, end: 4, counts: true }],
      checkpoints: [],
      end: 10,
      takenBack: [{ start: 4, end: 9, turns: ['2', '3'] }],
    });
    expect((await placesOf(...one!, ...two!, marker(9))).turns).toEqual([]);
    expect((await placesOf(...one!, marker(0))).turns).toHaveLength(1);
    expect((await placesOf(...standalone, marker(1))).turns).toHaveLength(1);
  });

  it('know what each marker took back, unless a later one took that with it', async () => {
    const [one, two, three] = ['1', '2', '3'].map((id) => [starts(id), says('user', id), ends(id)]);
    const apart = await placesOf(...one!, ...two!, marker(1), ...three!, marker(1));
    expect(apart.takenBack.map(({ turns }) => turns)).toEqual([['2'], ['3']]);
    const within = await placesOf(...one!, ...two!, marker(1), marker(1));
    expect(within.takenBack).toEqual([{ start: 1, end: 8, turns: ['1'] }]);
  });

  it('count each message in files without records of turns', async () => {
    const places = await placesOf(says('user', 'a'), says('user', 'b'), starts('1'), says('user', 'c'), marker(2));
    expect(places).toMatchObject({
      turns: [{ id: 'rollout-1', start: 1, end: 2, counts: true }],
      takenBack: [{ start: 2, end: 5, turns: ['rollout-2', '1'] }],
    });
  });

  it('know the checkpoints that stand, and whether a turn ran, had words and was done', async () => {
    const report = {
      id: 'c',
      number: 3,
      trigger: 'auto',
      reason: 'context_limit',
      phase: 'post_turn',
      strategy: 'plain',
      model: 'gpt-5.5',
      tokensBefore: 900,
      tokensAfter: 100,
      words: { kept: 1, cut: 0, dropped: 0 },
      folded: 3,
      requests: 1,
      usage: { input: 1, cachedInput: 0, cacheWriteInput: 0, output: 1, reasoningOutput: 0, total: 2 },
      mended: [],
    };
    const checkpoint = (capstan?: JsonObject) => ({
      type: 'compacted',
      payload: { message: '', replacement_history: [], ...(capstan === undefined ? {} : { capstan }) },
    });
    const unsound = { type: 'compacted', payload: { replacement_history_metadata: [{}], replacement_history: [] } };
    const lines = [
      starts('1'),
      checkpoint(),
      ends('1'),
      checkpoint({ checkpoint: { ...report, mended: 'no list' } }),
      unsound,
      starts('2'),
      says('user', 'a'),
      checkpoint({ checkpoint: report }),
      ends('2'),
    ];
    const places = await placesOf(...lines);
    expect(places.checkpoints).toEqual([
      { at: 2, turns: 1, inside: { spoken: false, done: false }, timestamp: '' },
      { at: 4, turns: 1, timestamp: '' },
      { at: 8, turns: 2, inside: { spoken: true, done: true }, timestamp: '', report },
    ]);
    expect((await placesOf(...lines, marker(1))).checkpoints).toEqual(places.checkpoints.slice(0, 2));
  });
});
