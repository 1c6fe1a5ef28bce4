import { expect, it } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import { summariseTurns } from './turn-list.ts';

const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
const start = Date.parse(at(0));

/** Lines with rising times; `numbered` gives them ordinals. */
async function* lines(numbered: boolean, ...made: readonly (readonly [string, JsonObject])[]): AsyncGenerator<Line> {
  for (const [i, [type, payload]] of made.entries()) {
    yield { timestamp: at(i), ...(numbered ? { ordinal: i as NonNullable<Line['ordinal']> } : {}), type, payload };
  }
}

const meta = ['session_meta', { id: 't', history_mode: 'paginated' }] as const;
const event = (type: string, more: JsonObject = {}) => ['event_msg', { type, ...more }] as const;
const says = (role: string, text: string) =>
  ['response_item', { type: 'message', role, content: [{ type: 'input_text', text }] }] as const;
const context = (model: string, more: JsonObject = {}) =>
  [
    'turn_context',
    { cwd: '/repo', approval_policy: 'never', sandbox_policy: { type: 'read-only' }, model, summary: 'auto', ...more },
  ] as const;

it('lists each turn with its time, its end, its words and its settings', async () => {
  const turns = await summariseTurns(
    lines(
      true,
      meta,
      event('task_started', { turn_id: 'a', started_at: 1_000 }),
      says('developer', '<permissions instructions>…</permissions instructions>'),
      says('user', '<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>'),
      context('one', { turn_id: 'a', effort: 'high', collaboration_mode: { mode: 'plan' } }),
      says('user', 'Do  this\nand that'),
      says('user', 'and more'),
      event('task_complete', { turn_id: 'a', completed_at: 1_005 }),
      event('task_started', { turn_id: 'b' }),
      says('user', 'again'),
      event('task_complete', { turn_id: 'b', error: { message: 'no' } }),
      event('task_started', { turn_id: 'c' }),
      context('two', { turn_id: 'c', approval_policy: 'on-failure', sandbox_policy: { mode: 'workspace-write' } }),
      event('turn_aborted', { turn_id: null, reason: 'interrupted' }),
      event('task_started', { turn_id: 'd' }),
      event('task_started', { turn_id: 'e' }),
      event('turn_aborted', { turn_id: 'another turn', reason: 'interrupted' }),
    ),
  );
  const one = { model: 'one', cwd: '/repo', approval: 'never', sandbox: 'read-only', effort: 'high', mode: 'plan' };
  const two = { model: 'two', cwd: '/repo', approval: 'on-request', sandbox: 'workspace-write' };
  expect(turns).toEqual([
    {
      number: 1,
      id: 'a',
      startedAt: 1_000_000,
      endedAt: 1_005_000,
      status: 'completed',
      firstWords: 'Do this and that',
      moreWords: ['and more'],
      ...one,
    },
    {
      number: 2,
      id: 'b',
      startedAt: start + 8000,
      endedAt: start + 10_000,
      status: 'failed',
      firstWords: 'again',
      problem: 'no',
      ...one,
    },
    {
      number: 3,
      id: 'c',
      startedAt: start + 11_000,
      endedAt: start + 13_000,
      status: 'interrupted',
      firstWords: '',
      ...two,
    },
    { number: 4, id: 'd', startedAt: start + 14_000, status: 'interrupted', firstWords: '', ...two },
    { number: 5, id: 'e', startedAt: start + 15_000, status: 'open', firstWords: '', ...two },
  ]);
});

it('makes turns of the words in old files that have no records of turns', async () => {
  const turns = await summariseTurns(
    lines(
      false,
      ['session_meta', { id: 't' }],
      context('one'),
      says('user', 'first'),
      event('user_message', { message: 'first' }),
      says('assistant', 'answer'),
      event('agent_message', { message: 'answer' }),
      ['ghost_snapshot', {}],
      event('user_message', { message: '', images: ['data:…'] }),
      says('user', 'first'),
      says('user', 'third'),
    ),
  );
  const settings = { model: 'one', cwd: '/repo', approval: 'never', sandbox: 'read-only' };
  expect(turns).toEqual([
    {
      number: 1,
      id: 'rollout-2',
      startedAt: start + 2000,
      status: 'completed',
      firstWords: 'first',
      ...settings,
    },
    { number: 2, id: 'rollout-7', startedAt: start + 7000, status: 'completed', firstWords: '[Image]', ...settings },
    { number: 3, id: 'rollout-9', startedAt: start + 9000, status: 'completed', firstWords: 'third', ...settings },
  ]);
});

it('leaves out turns that were taken back, and the standalone ones after them', async () => {
  const turn = (id: string, ...words: readonly string[]) => [
    event('task_started', { turn_id: id }),
    ...words.map((text) => says('user', text)),
    event('task_complete', { turn_id: id }),
  ];
  const left = async (count: number): Promise<readonly string[]> => {
    const made = [meta, ...turn('a', 'one'), ...turn('b', 'two'), ...turn('c')];
    const turns = await summariseTurns(lines(true, ...made, event('thread_rolled_back', { num_turns: count })));
    return turns.map(({ id }) => id);
  };
  expect(await Promise.all([0, 1, 2, 9].map(left))).toEqual([['a', 'b', 'c'], ['a'], [], []]);
});

it('counts no turns that a thread was given by the one that started it', async () => {
  const made = [
    ['session_meta', { id: 't', subagent_history_start_ordinal: 3 }] as const,
    event('task_started', { turn_id: 'parent' }),
    says('user', 'not mine'),
    event('task_started', { turn_id: 'own' }),
    says('user', 'mine'),
  ];
  expect(await summariseTurns(lines(true, ...made))).toEqual([
    { number: 1, id: 'own', startedAt: start + 3000, status: 'open', firstWords: 'mine' },
  ]);
});

it('counts for a rollback what stands in history: an empty message and one of another agent, but no event', async () => {
  const agent = ['response_item', { type: 'agent_message', author: 'a', recipient: 'b', content: [] }] as const;
  const left = async (...words: readonly (readonly [string, JsonObject])[]): Promise<readonly string[]> => {
    const made = [meta, event('task_started', { turn_id: 'a' }), says('user', 'one'), event('task_complete')];
    const second = [event('task_started', { turn_id: 'b' }), ...words, event('task_complete', { turn_id: 'b' })];
    const turns = await summariseTurns(lines(true, ...made, ...second, event('thread_rolled_back', { num_turns: 1 })));
    return turns.map(({ id }) => id);
  };
  expect(await left(says('user', ''))).toEqual(['a']);
  expect(await left(agent)).toEqual(['a']);
  expect(await left(event('user_message', { message: 'two' }))).toEqual([]);
});

it('begins a turn with the first words after a rollback, in whatever form they come', async () => {
  const rollback = event('thread_rolled_back', { num_turns: 1 });
  const made = [meta, says('user', 'a'), says('user', 'b'), rollback, event('user_message', { message: 'c' })];
  const turns = await summariseTurns(lines(false, ...made, says('user', 'c')));
  expect(turns.map(({ id, firstWords }) => [id, firstWords])).toEqual([
    ['rollout-1', 'a'],
    ['rollout-4', 'c'],
  ]);
});

it('a turn with an empty name is one without a name, and any end ends it', async () => {
  const turns = await summariseTurns(
    lines(
      true,
      meta,
      event('task_started', { turn_id: '' }),
      event('task_complete', { turn_id: 'x' }),
      event('task_started', { turn_id: 'y' }),
      event('turn_aborted', { turn_id: '' }),
    ),
  );
  expect(turns.map(({ id, status }) => [id, status])).toEqual([
    ['rollout-1', 'completed'],
    ['y', 'interrupted'],
  ]);
});
