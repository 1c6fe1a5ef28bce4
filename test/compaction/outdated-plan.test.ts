import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../../src/core/history/entry.ts';
import { words } from '../../src/index.ts';
import { workFromJson, workToJson, foldWork } from '../../src/core/state/fold/plan-and-changed-files.ts';
import { answer, callTool, type ScriptStepOf } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { said } from './scene.ts';
import { says, saysLong, smallLimit, talk } from './talk.ts';

const steps = [{ step: 'rm -rf src/pay', status: 'in_progress' }];
const plans = answer({ items: [callTool('update_plan', { plan: steps })], usage: 'none' });
/** No summary of a model: code alone says where to continue. */
const unusable: ScriptStepOf = () => says('the '.repeat(8000));

/** The request of the next turn, after a checkpoint that code made before it. */
async function afterCheckpoint(compact: (live: LiveThread) => unknown, next: string): Promise<string> {
  const live: LiveThread = await LiveThread.in(
    talk([plans, saysLong(), says('Yes.')], async (request) => {
      await compact(live);
      return unusable(request);
    }),
    smallLimit,
  );
  await live.open({}, { compactsAfterTurns: false });
  await live.turn('Remove the old payment module.');
  await live.turn(next);
  return live
    .rows(live.model.requests.length - 1)
    .map(([, text]) => text)
    .join('\n');
}

describe('where code says to continue', () => {
  it('is the message that waits for its turn, not a step of the plan before it', async () => {
    const prompt = await afterCheckpoint(() => {}, 'Stop. Forget the removal, do not touch src/pay.');
    expect(prompt).toContain('Plan, from turn 1. The user has written since, so it may be out of date:');
    expect(prompt).toMatch(/^RESUME_AT: the user's newest message/m);
    expect(prompt).not.toContain('RESUME_AT: the next step of the plan');
  });

  it('is the message that came while the checkpoint was made', async () => {
    let steered = false;
    const prompt = await afterCheckpoint(async ({ thread }) => {
      if (steered) return;
      steered = true;
      await thread.steer({ input: words('And do not touch src/pay.') });
    }, 'Hm.');
    expect(prompt).not.toContain('RESUME_AT: the next step of the plan');
  });
});

describe('a plan', () => {
  const plan: HistoryEntry = {
    item: { type: 'function_call', name: 'update_plan', call_id: '1', arguments: JSON.stringify({ plan: steps }) },
    origin: { family: 'model' },
  };
  const stop: HistoryEntry = {
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<turn_aborted>\n</turn_aborted>' }] },
    origin: { family: 'context', kinds: ['turn-aborted'] },
  };
  const program = (role: string): HistoryEntry => ({
    item: { type: 'message', role, content: [{ type: 'input_text', text: 'CI is red.' }] },
    origin: { family: 'client' },
  });
  const answered: HistoryEntry = {
    item: { type: 'function_call_output', call_id: '1', output: 'Plan updated' },
    origin: { family: 'tool' },
  };
  const after = (...entries: readonly HistoryEntry[]) =>
    [said('1', 'Remove it.', { number: 1 }), plan, answered, ...entries].reduce(
      (work, entry) => foldWork(work, entry, {}),
      workFromJson(undefined),
    ).plan;

  it.each([
    ['nothing', [], { isOlder: false }],
    ['a stop', [stop], { isOlder: true, olderThan: 'stop' }],
    ['words of a program', [program('user')], { isOlder: true, olderThan: 'program' }],
    ["a program's words in the place of the model", [program('assistant')], { isOlder: false }],
    ['a message', [stop, said('2', 'No.', { number: 2 })], { isOlder: true }],
    ['a message, then a stop', [said('2', 'No.', { number: 2 }), stop], { isOlder: true }],
  ] as const)('after %s', (_, entries, known) => {
    const found = after(...entries);
    const expected = { steps: [{ text: 'rm -rf src/pay', status: 'in-progress' }], number: 1, ...known };
    expect(found).toEqual(expected);
    expect(workFromJson(workToJson({ plan: found!, files: [] })).plan).toEqual(expected);
  });

  it.each([
    ['its call was refused', { capstan: { origin: { family: 'tool' }, refused: { tool: 'update_plan' } } }, 'No tool.'],
    ['another program could not use it', undefined, 'failed to parse function arguments'],
  ])('counts for nothing when %s', (_, metadata, output) => {
    const before = { plan: { steps: [], number: 1, isOlder: false }, files: [] };
    const answer: HistoryEntry = { ...answered, item: { ...answered.item, output } };
    const known = foldWork(foldWork(before, plan, {}), answer, metadata === undefined ? {} : { metadata });
    expect(known).toEqual(before);
  });
});
