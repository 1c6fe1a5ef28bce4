import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, httpError, say, type Script } from '../../src/testing/index.ts';
import { isCompaction, userTexts } from '../compaction/summariser.ts';
import { calls, compacts, hangs, long, says, saysLong, talk, task } from '../compaction/talk.ts';
import { runInside } from '../harness/capstan-inside.ts';
import { inputOf, type Scene, scene, textsOf, threadId, withoutSandbox } from '../harness/scene.ts';

interface Begun extends Scene {
  readonly id: string;
  /** Runs a command that prints one object. */
  json(...words: readonly string[]): Promise<JsonObject>;
}

async function begun(script: Script, more = ''): Promise<Begun> {
  const { model, place } = await scene(script, more);
  const id = threadId(await place.run('exec', '--json', task));
  return {
    model,
    place,
    id,
    async json(...words) {
      const run = await place.run(...words, '--json');
      return { exit: run.code, ...(JSON.parse(run.stdout) as JsonObject) };
    },
  };
}

const report = {
  number: 1,
  trigger: 'manual',
  reason: 'user_requested',
  phase: 'standalone_turn',
  strategy: 'structured',
  model: 'gpt-5.5',
  words: { kept: 1, cut: 0, dropped: 0 },
  folded: 3,
  requests: 1,
};

it('measures before and after alike, whatever the provider counts', async () => {
  // The scripted provider counts 100 tokens for a request of thousands.
  const { place, id } = await begun(
    talk([answer({ items: [say(long)], usage: { input: 100, output: 10 } }), says('Yes.')]),
  );
  const { stdout } = await place.run('threads', 'compact', id);
  const [, after = '', before = '', less] =
    /the next request has about ([\d,]+) instead of ([\d,]+), (\d+) % less/.exec(stdout) ?? [];
  const [from, to] = [before, after].map((count) => Number(count.replaceAll(',', '')));
  expect([from! > to!, Number(less)]).toEqual([true, Math.round((100 * (from! - to!)) / from!)]);
});

it('shows on a terminal what it is doing, and leaves only what it did', async () => {
  const { place, id } = await begun(talk([saysLong(), says('Yes.')]));
  const { stderr } = await runInside(place, ['threads', 'compact', id], { terminal: true, env: { TERM: 'xterm' } });
  const text = stderr.replaceAll(/\u001B\[\d+m/g, '');
  expect(text).toContain('\r\u001B[KCompacting the history · 0 s · Ctrl-C to stop');
  const left = text.replaceAll(/[^\n]*\r\u001B\[K/g, '');
  expect(left).toMatch(/^gpt-5\.5 compacts the history \(structured\) …\n$/);
});

it('makes a checkpoint, shows it, takes it back and brings it back', async () => {
  const { model, place, id, json } = await begun(talk([saysLong(), says('Yes.')]));
  const made = await place.run('threads', 'compact', id, 'the', 'failing', 'test');
  expect([
    made.code,
    made.stdout
      .replaceAll(id, 'ID')
      .replaceAll(/\d[\d,]*\d{3}/g, 'N')
      .replace(/\d+ %/, 'N %'),
  ]).toEqual([
    0,
    [
      'Checkpoint 1 by gpt-5.5 (structured).',
      '  why        you asked for it, between two turns',
      '  tokens     the next request has about N instead of N, N % less (estimated)',
      '  kept       1 of 1 user message',
      '  compacted  3 items',
      '  cost       1 request: the provider counted 100 tokens sent (20 % from the cache), 10 answered',
      'To look at it: capstan context ID --checkpoint 1',
      'To take it back: capstan threads rollback ID --before-checkpoint 1',
      '',
    ].join('\n'),
  ]);
  expect(made.stderr).toMatch(/^gpt-5\.5 compacts the history \(structured\) …\n$/);
  expect(userTexts(model.requests[1]!).at(-1)).toContain('the failing test');

  const view = await json('context', id, '--checkpoint', '1');
  expect(view).toMatchObject({ exit: 0, number: 1, turn: 2, report });
  const { before, after } = view as unknown as Record<'before' | 'after', { items: readonly JsonObject[] }>;
  expect(before.items.map(({ family, fate }) => [family, fate])).toEqual([
    ['context', 'folded'],
    ['context', 'folded'],
    ['user', 'quoted'],
    ['model', 'folded'],
  ]);
  expect(after.items.map(({ family, made: isMade }) => [family, isMade])).toEqual([
    ['context', true],
    ['context', true],
  ]);
  const shown = await json('threads', 'show', id);
  expect(shown['checkpoints']).toMatchObject([{ number: 1, report: { number: 1 } }]);
  // Lists count the turns in which the user said something; the page shows the other one as what it is.
  expect(shown['turns']).toMatchObject([{ firstWords: task }, { firstWords: '', purpose: 'compaction' }]);
  expect(shown['thread']).toMatchObject({ turns: 1 });

  // A second one has nothing to do.
  expect(await json('threads', 'compact', id)).toMatchObject({ exit: 1, kind: 'refused', code: 'nothing-to-compact' });

  const back = await json('threads', 'rollback', id, '--before-checkpoint');
  expect(back).toMatchObject({ exit: 0, kind: 'rolled-back', checkpoint: 1 });
  expect(back['turns']).toHaveLength(1);
  await place.run('exec', 'resume', id, 'Without it.');
  expect(textsOf(inputOf(model, 2)).slice(-3)).toEqual([task, expect.stringMatching(/^(word ){9}/), 'Without it.']);

  expect(await json('threads', 'undo-rollback', id, '--force')).toMatchObject({ exit: 0 });
  await place.run('exec', 'resume', id, 'With it.');
  const texts = textsOf(inputOf(model, 3)).join('\n');
  expect([texts.includes('RESUME_AT'), texts.includes('Without it.'), texts.includes(long)]).toEqual([
    true,
    false,
    false,
  ]);
  const proof = await json('replay', id);
  expect(proof).toMatchObject({ exit: 0, counts: { different: 0, not_recorded: 0, inferred: 0 } });
});

it('a checkpoint in the middle of a turn is taken back where it was made', async () => {
  const works = saysLong(['exec_command', { cmd: 'echo hello' }]);
  const { model, place, id, json } = await begun(
    talk([works, says('Done.'), says('Yes.')]),
    `${withoutSandbox}model_auto_compact_token_limit = 20000`,
  );
  expect(model.requests.map(isCompaction)).toEqual([false, true, false]);
  expect((await json('threads', 'show', id))['checkpoints']).toMatchObject([{ report: { phase: 'mid_turn' } }]);
  expect(await json('threads', 'rollback', id, '--before-checkpoint', '1')).toMatchObject({
    exit: 0,
    cutTurn: expect.any(String),
    turns: [],
  });
  await place.run('exec', '-c', 'model_auto_compact_token_limit=200000', 'resume', id, 'Go on.');
  const rows = inputOf(model, 3).slice(-4);
  expect(rows.map(({ type }) => type)).toEqual(['function_call', 'function_call_output', 'message', 'message']);
  expect(textsOf(rows).slice(1)).toEqual([
    expect.stringContaining('hello'),
    expect.stringContaining('<turn_aborted>'),
    'Go on.',
  ]);
});

it('a pinned note stands after every checkpoint, untouched', async () => {
  const { model, place, id } = await begun(talk([saysLong(), saysLong(), says('Yes.')]));
  await place.run('threads', 'pin', id, 'Never touch the lock file.');
  await place.run('exec', 'resume', id, 'two');
  expect((await place.run('threads', 'compact', '--last')).code).toBe(0);
  await place.run('exec', 'resume', id, 'three');
  expect(model.requests.map(isCompaction)).toEqual([false, false, true, false]);
  const notes = textsOf(inputOf(model, 3)).filter((text) => String(text).includes('Never touch the lock file.'));
  expect(notes).toEqual([expect.stringMatching(/^<pinned_notes>/)]);
});

it('requests beside the conversation are shown as what they are', async () => {
  const { place, id, json } = await begun(talk([saysLong(), calls('echo hello'), says('Done.')]));
  await place.run('threads', 'compact', id);
  await place.run('exec', 'resume', id, 'Go on.');

  const { requests, counts } = await json('replay', id);
  expect(counts).toMatchObject({ same: 4, different: 0 });
  expect(
    (requests as readonly JsonObject[]).map(({ number, turn, step, purpose }) => [number, turn, step, purpose]),
  ).toEqual([
    [1, 1, 0, undefined],
    [2, 2, 0, 'compaction'],
    [3, 3, 0, undefined],
    [4, 3, 1, undefined],
  ]);
  const table = await place.run('replay', id);
  expect(table.stdout.split('\n').map((row) => row.split(/\s+/).slice(0, 3))).toEqual([
    ['request', 'turn', 'step'],
    ['1', '1', '1'],
    ['2', '2', 'compaction'],
    ['3', '3', '1'],
    ['4', '3', '2'],
    [''],
    ['4', 'of', '4'],
    [''],
  ]);

  const shown = await place.run('context', id, '--request', '2');
  expect(shown.stdout).toContain(' · compaction, before step 1 · gpt-5.5');
  expect(shown.stdout).toContain('\n100 tokens sent, 20 of them cached, 10 answered\n');
  expect(shown.stdout).toMatch(/\ncompaction request +\| /);
  expect(shown.stdout).not.toMatch(/\nunknown/);
  // The first turn after the checkpoint tells everything again, before its first step.
  const { turns } = await json('context', id, '--changes');
  expect(
    (turns as readonly JsonObject[]).map(({ turn, form, told }) => [
      turn,
      form,
      (told as readonly JsonObject[]).map(({ step, why }) => [step, why]),
    ]),
  ).toEqual([
    [1, 'bundle', [[1, undefined]]],
    [2, 'nothing', []],
    [3, 'bundle', [[1, 'checkpoint']]],
  ]);
});

it('a checkpoint between two steps tells of the world in its own line, and is shown as that', async () => {
  const works = saysLong(['exec_command', { cmd: 'echo hello' }]);
  const { id, json } = await begun(talk([works, says('Done.')]), 'model_auto_compact_token_limit = 20000');
  const { turns } = await json('context', id, '--changes');
  const [{ told }] = turns as unknown as readonly [{ told: readonly JsonObject[] }];
  expect(told).toMatchObject([
    { step: 1, form: 'bundle', cause: 'initial' },
    { step: 2, form: 'bundle', cause: 'reinjection', why: 'checkpoint' },
  ]);
});

it('what was counted for a checkpoint that came to nothing is no measure of the window', async () => {
  const counted = answer({ items: [say('word '.repeat(2000))], usage: { input: 2000, total: 2010 } });
  const refusals = [
    answer({ items: [say('no JSON')] }),
    httpError({ status: 400, body: { error: { message: 'No.' } } }),
  ];
  const { place, id, json } = await begun(
    talk([counted], () => (refusals.length > 1 ? refusals.shift()! : refusals[0]!)),
  );
  expect((await place.run('threads', 'compact', id)).code).toBe(1);
  expect((await json('context', id))['counted']).toMatchObject({ request: 1, usage: { input_tokens: 2000 } });
  const shown = await place.run('context', id, '--request', '2');
  expect(shown.stdout).toContain('\n100 tokens sent, 20 of them cached, 10 answered\n');
});

it('a request for which the provider reports no cost is named beside the cost', async () => {
  const uncounted = [says('no JSON')];
  const { place, id, json } = await begun(talk([saysLong()], (request) => uncounted.shift() ?? compacts(request)));
  const { stdout } = await place.run('threads', 'compact', id);
  const cost =
    '2 requests: the provider counted 100 tokens sent (20 % from the cache), 10 answered, one without a count';
  expect(stdout).toContain(`\n  cost       ${cost}\n`);
  expect((await place.run('context', id)).stdout).toContain(`They cost ${cost}. `);
  expect(await json('context', id, '--checkpoint', '1')).toMatchObject({ report: { requests: 2, uncounted: 1 } });
});

it('interrupted, it ends by the signal and leaves history as it was', async () => {
  const { model, place, id, json } = await begun(talk([saysLong()], hangs));
  const running = place.start(['threads', 'compact', id, '--json']);
  await model.request(1);
  running.child.kill('SIGINT');
  const { signal, stdout } = await running.finished;
  const refused = expect.objectContaining({ kind: 'refused', code: 'interrupted' });
  expect([signal, JSON.parse(stdout)]).toEqual(['SIGINT', refused]);
  expect((await json('threads', 'show', id))['checkpoints']).toEqual([]);
});

it('says what can be done where there is no such thread or folder', async () => {
  const { place, id } = await begun(talk([saysLong()]));
  const moved = join(place.root, 'elsewhere');
  renameSync(place.workspace, moved);
  const gone = await place.start(['threads', 'compact', id], { cwd: moved }).finished;
  expect([gone.code, gone.stderr]).toEqual([
    1,
    expect.stringMatching(/does not exist\.\n +Create it, or .*`capstan threads set \S+ --cd \.`\.\n$/),
  ]);
  const last = await place.start(['threads', 'compact', '--last'], { cwd: moved }).finished;
  expect([last.code, last.stderr]).toEqual([
    1,
    expect.stringMatching(/yet\. The newest thread works in .*\n +Name a thread: `capstan threads list`/),
  ]);
});
