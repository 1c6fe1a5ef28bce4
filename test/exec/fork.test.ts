import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { refusal } from '../exec-bad-input/expectations.ts';
import { inputOf, scene, textsOf, threadId } from '../harness/scene.ts';

const ok = () => answer({ items: [say('ok')], usage: { input: 10, output: 2 } });

/** A thread of one turn, and its file as it was then. */
async function withThread() {
  const { model, place } = await scene(ok);
  const source = threadId(await place.run('exec', '--json', '-m', 'gpt-5.4', 'one'));
  const [path = ''] = place.rollouts();
  return { model, place, source, text: readFileSync(path, 'utf8'), path };
}

it('continues from a thread in a new one, with its settings, and leaves it as it is', async () => {
  const { model, place, source, text, path } = await withThread();
  const fork = await place.run('e', '--json', 'fork', source, 'two');
  expect(fork.code).toBe(0);
  expect(fork.events.map(({ type }) => type)).toEqual([
    'thread.started',
    'turn.started',
    'item.completed',
    'turn.completed',
  ]);
  expect(threadId(fork)).not.toBe(source);
  // The usage counts the whole thread, with the part that it took over.
  expect(fork.events.at(-1)).toMatchObject({ usage: { input_tokens: 20, output_tokens: 4 } });
  expect(textsOf(inputOf(model, 1)).slice(-3)).toEqual(['one', 'ok', 'two']);
  expect(model.requests[1]!.body['model']).toBe('gpt-5.4');
  expect(readFileSync(path, 'utf8')).toBe(text);
  await place.run('exec', '--json', 'resume', threadId(fork), 'three');
  expect(textsOf(inputOf(model, 2)).slice(-3)).toEqual(['two', 'ok', 'three']);
});

it('without a prompt makes the thread and asks nothing, whatever stands on standard input', async () => {
  const { model, place, source } = await withThread();
  const fork = await place.start(['exec', '--json', 'fork', source], { input: 'not read' }).finished;
  expect([fork.code, fork.events]).toEqual([0, [{ type: 'thread.started', thread_id: expect.any(String) }]]);
  const plain = await place.run('exec', 'fork', source);
  const id = plain.stdout.trimEnd();
  expect([plain.code, plain.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
  expect(plain.stderr).toMatch(/ · gpt-5\.4 via /);
  expect(plain.stderr.endsWith(`\nTo resume: capstan exec resume ${id} "Continue."\n`)).toBe(true);
  expect(model.requests).toHaveLength(1);
  await place.run('exec', '--json', 'resume', threadId(fork), 'two');
  expect(textsOf(inputOf(model, 1)).slice(-3)).toEqual(['one', 'ok', 'two']);
});

it('takes the prompt from standard input for a dash', async () => {
  const { model, place, source } = await withThread();
  await place.start(['exec', '--json', 'fork', source, '-'], { input: 'from a pipe' }).finished;
  expect(textsOf(inputOf(model, 1)).at(-1)).toBe('from a pipe');
});

it('finds a thread of any folder by the beginning of its id and by name, and the last one of this folder', async () => {
  const { model, place, source } = await withThread();
  const other = join(place.root, 'other');
  mkdirSync(other);
  const elsewhere = threadId(await place.run('exec', '--json', '--skip-git-repo-check', '-C', other, 'elsewhere'));
  const name = { id: elsewhere, thread_name: 'my thread', updated_at: '2026-11-15T00:00:00Z' };
  writeFileSync(join(place.home, 'session_index.jsonl'), `${JSON.stringify(name)}\n`);
  await place.run('exec', '--json', 'fork', 'my thread', 'a');
  await place.run('exec', '--json', 'fork', elsewhere.slice(0, 23), 'b');
  expect([2, 3].map((request) => textsOf(inputOf(model, request)).slice(-3, -1))).toEqual([
    ['elsewhere', 'ok'],
    ['elsewhere', 'ok'],
  ]);
  expect(source.slice(0, 23)).not.toBe(elsewhere.slice(0, 23));
  await place.run('exec', '--json', 'fork', '--last', 'c');
  expect(textsOf(inputOf(model, 4)).slice(-3, -1)).toEqual(['one', 'ok']);
});

it('refuses what needs a turn when there is none', async () => {
  const { model, place, source } = await withThread();
  const next = 'Give the prompt after the thread, or "-" to read it from standard input, or leave out the option.';
  const cases = [
    [['-i', 'a.png'], '--image needs a prompt, and there is none.'],
    [['-o', 'answer'], '-o needs a prompt, and there is none.'],
    [['--output-schema', 'a.json'], '--output-schema needs a prompt, and there is none.'],
    [['--cyber-access-program', 'standard'], '--cyber-access-program needs a prompt, and there is none.'],
    [['--ephemeral'], '--ephemeral needs a prompt, and there is none.'],
  ] as const;
  for (const [options, message] of cases) {
    expect(await place.run('exec', '--json', ...options, 'fork', source)).toEqual(refusal([message, next]));
  }
  expect([model.requests.length, place.rollouts().length]).toEqual([1, 1]);
  const ephemeral = await place.run('exec', '--json', '--ephemeral', 'fork', source, 'two');
  expect([ephemeral.code, place.rollouts().length]).toEqual([0, 1]);
  expect(textsOf(inputOf(model, 1)).slice(-3)).toEqual(['one', 'ok', 'two']);
});

it('refuses a thread that there is not, and starts nothing', async () => {
  const { place, model } = await scene(ok);
  for (const name of ['01a1df9b-9ebe-7823-9e23-3d2cf6542b99', 'no such name']) {
    const run = await place.run('exec', '--json', 'fork', name, 'x');
    expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(name) });
  }
  expect(await place.run('exec', '--json', 'fork')).toEqual(
    refusal(['exec: fork needs a thread: its id, its name or --last.', 'See `capstan exec --help`.'], 2),
  );
  expect([model.requests, place.rollouts()]).toEqual([[], []]);
});
