import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import type { Ordinal } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { carriedState } from '../../src/core/state/checkpoints/compacted-line.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import { checkTurns } from './turns-law.ts';

type Draft = Pick<Line, 'type' | 'payload'>;

const event = (payload: JsonObject): Draft => ({ type: 'event_msg', payload });
const item = (payload: JsonObject): Draft => ({ type: 'response_item', payload });
const says = (role: string, text: string): Draft =>
  item({ type: 'message', role, content: [{ type: 'input_text', text }] });
const heard = (message: string): Draft => event({ type: 'user_message', message });

const words = fc.constantFrom('a', 'b', '');
/** Absent, empty, or one of a few: so that ends meet turns of other names. */
const name = fc.constantFrom<JsonObject>({}, { turn_id: '' }, { turn_id: 'x' }, { turn_id: 'y' }, { turn_id: null });
const step: fc.Arbitrary<readonly Draft[] | 'checkpoint'> = fc.oneof(
  words.map((text) => [says('user', text)]),
  // Old files say everything twice.
  words.map((text) => [says('user', text), heard(text)]),
  words.map((text) => [heard(text), says('user', text)]),
  words.map((text) => [heard(text)]),
  fc.constant([says('assistant', 'yes')]),
  fc.constant([item({ type: 'agent_message', author: 'a', recipient: 'b', content: [] })]),
  fc.constant([item({ type: 'reasoning', summary: [] })]),
  fc.constant([says('user', '<environment_context>here</environment_context>')]),
  fc.tuple(fc.constantFrom('task_started', 'turn_started'), name).map(([type, id]) => [event({ type, ...id })]),
  fc
    .tuple(fc.constantFrom('task_complete', 'turn_complete', 'turn_aborted'), name)
    .map(([type, id]) => [event({ type, ...id })]),
  fc.constant([event({ type: 'task_complete', turn_id: 'x', error: { message: 'No.' } })]),
  name.map((id) => [{ type: 'turn_context', payload: { model: 'm', ...id } }]),
  fc.constantFrom(0, 1, 2, 9, 1.5, -1).map((turns) => [event({ type: 'thread_rolled_back', num_turns: turns })]),
  fc.constant('checkpoint' as const),
);

/** A file of either mode. */
function fileOf(steps: readonly (readonly Draft[] | 'checkpoint')[], numbered: boolean): readonly Line[] {
  const lines: Line[] = [];
  let state = emptyThreadState;
  const add = (draft: Draft): void => {
    const at = lines.length;
    const line = { timestamp: `t${at}`, ...(numbered ? { ordinal: at as Ordinal } : {}), ...structuredClone(draft) };
    lines.push(line);
    state = reduce(state, line);
  };
  add({ type: 'session_meta', payload: { id: 't' } });
  for (const drafts of steps) {
    if (drafts !== 'checkpoint') drafts.forEach(add);
    else add({ type: 'compacted', payload: { message: '', replacement_history: [], capstan: carriedState(state) } });
  }
  return lines;
}

it('all readers of a file see the same turns', async () => {
  let began = 0;
  const runs = 200 * inject('runFactor');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 16 }), fc.boolean(), async (steps, numbered) => {
      began += await checkTurns(fileOf(steps, numbered));
    }),
    { numRuns: runs },
  );
  expect(began).toBeGreaterThan(runs);
});
