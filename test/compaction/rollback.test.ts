import { expect, it } from 'vitest';
import type { HistoryEntry } from '../../src/core/history/entry.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line, LineDraft } from '../../src/protocol/line.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { checkpointLine, someReport, type WrittenCheckpoint } from '../harness/checkpoint-line.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { withoutSandbox } from '../harness/scene.ts';

const yes = () => answer({ items: [say('Yes.')] });
const isUsers = ({ origin }: HistoryEntry): boolean => origin.family === 'user';

async function threads(live: LiveThread, ...words: readonly string[]): Promise<JsonObject> {
  await live.close();
  const run = await live.place.run('threads', ...words, '--json');
  return { exit: run.code, ...(JSON.parse(run.stdout) as JsonObject) };
}

/** The lines with a checkpoint before the first one that fits. */
function insert(
  lines: readonly Line[],
  isPlace: (line: Line) => boolean,
  checkpoint: WrittenCheckpoint,
): readonly LineDraft[] {
  const at = lines.findLastIndex(isPlace);
  const before = lines.slice(0, at);
  return [...before, checkpointLine(before.reduce(reduce, emptyThreadState), checkpoint), ...lines.slice(at)];
}

/** The texts of the newest request, without those of the world sections. */
function said(live: LiveThread): readonly string[] {
  const texts = live
    .rows(live.model.requests.length - 1)
    .flatMap(([role, ...parts]) => (role === 'developer' ? [] : parts));
  return texts.filter((text) => !text.startsWith('<environment_context>'));
}

const isAnswered = ({ payload }: Line): boolean => payload['type'] === 'function_call_output';

it('goes to the exact place of a checkpoint in the middle of a turn, and back', async () => {
  const live = await LiveThread.in(
    [yes(), answer({ items: [callTool('exec_command', { cmd: 'echo hello' })] }), ...Array.from({ length: 4 }, yes)],
    withoutSandbox,
  );
  await live.turn('one');
  await live.turn('two');
  await live.turn('three');
  const { id } = live.thread;
  await live.rewrite((lines) => {
    const at = lines.findIndex(isAnswered) + 1;
    const before = lines.slice(0, at);
    const line = checkpointLine(before.reduce(reduce, emptyThreadState), { keeps: isUsers, report: someReport });
    return [...before, line, ...lines.slice(at)];
  });
  const whole = live.place.lines();
  const shown = await threads(live, 'show', id);
  const turns = (shown['turns'] as readonly JsonObject[]).map((turn) => turn['id']);
  expect(shown['checkpoints']).toEqual([{ number: 1, turn: turns[1], at: expect.any(String), report: someReport }]);

  expect(await threads(live, 'rollback', id, '--before-checkpoint', '2')).toMatchObject({
    exit: 1,
    code: 'checkpoint-unknown',
    message: `Thread ${id} has no checkpoint 2: it has one checkpoint.`,
  });
  const back = await threads(live, 'rollback', id, '--before-checkpoint');
  expect(back).toEqual({
    exit: 0,
    kind: 'rolled-back',
    id,
    path: expect.any(String),
    turns: [turns[2]],
    cutTurn: turns[1],
    checkpoint: 1,
    notices: [],
  });
  await live.open();
  expect([live.notices, live.thread.state.openTurn]).toEqual([[], undefined]);
  await live.turn('four');
  const rows = said(live);
  expect(rows.slice(0, 2)).toEqual(['one', 'Yes.']);
  expect(rows.slice(-3)).toEqual([expect.stringContaining('hello'), expect.stringContaining('<turn_aborted>'), 'four']);
  expect(rows.join()).not.toContain('RESUME_AT');

  expect(await threads(live, 'undo-rollback', id)).toMatchObject({ exit: 1, code: 'turns-since-rollback' });
  expect(await threads(live, 'undo-rollback', id, '--force')).toMatchObject({ exit: 0, turns: [turns[2]] });
  await live.turn('five');
  expect(said(live)).toEqual([
    'What was asked:\n',
    'one',
    'two',
    'RESUME_AT: the tests',
    'Yes.',
    'three',
    'Yes.',
    'five',
  ]);
  expect(live.place.lines().slice(0, 3)).toEqual(whole.slice(0, 3));
});

it('takes a turn that only made the checkpoint back with it', async () => {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const { id } = live.thread;
  const own = (type: string): LineDraft => ({ type: 'event_msg', payload: { type, turn_id: 'of-the-checkpoint' } });
  await live.rewrite((lines) => {
    const begun = [...lines, own('task_started') as Line];
    return [...begun, checkpointLine(begun.reduce(reduce, emptyThreadState), { keeps: isUsers }), own('task_complete')];
  });
  await live.turn('two');
  const back = await threads(live, 'rollback', id, '--before-checkpoint', '1');
  expect(back).toMatchObject({ exit: 0, turns: ['of-the-checkpoint', expect.any(String)], checkpoint: 1 });
  expect(back).not.toHaveProperty('cutTurn');
  await live.turn('three');
  expect(said(live)).toEqual(['one', 'Yes.', 'three']);
  expect(await threads(live, 'rollback', id, '--before-checkpoint')).toMatchObject({
    exit: 1,
    code: 'checkpoint-unknown',
    message: `Thread ${id} has no checkpoint.`,
  });
});

it('a turn that was done when its checkpoint was made stays done', async () => {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const { id } = live.thread;
  const ends = ({ payload }: Line): boolean => payload['type'] === 'task_complete';
  await live.rewrite((lines) => insert(lines, ends, { keeps: isUsers, report: { ...someReport, phase: 'post_turn' } }));
  const run = await live.place.run('threads', 'rollback', id, '--before-checkpoint');
  expect(run.stdout).toMatch(/continues from before checkpoint 1\.[\s\S]*Turn .* is cut[\s\S]*undo-rollback/);
  expect((await threads(live, 'show', id))['turns']).toMatchObject([{ status: 'completed' }]);
  await live.turn('two');
  expect(said(live)).toEqual(['one', 'Yes.', 'two']);
});

it('tells what does not go together', async () => {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const { id } = live.thread;
  await live.close();
  const codes = await Promise.all(
    [['--before-checkpoint', '0'], ['--before-checkpoint', '--both'], ['--before-checkpoint', '-n', '1'], ['7']].map(
      async (words) => (await live.place.run('threads', 'rollback', id, ...words)).code,
    ),
  );
  expect(codes).toEqual([2, 2, 2, 2]);
});
