import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { placeEngine } from '../harness/place-engine.ts';
import { LiveThread } from '../harness/live-thread.ts';
import type { Place } from '../harness/run-capstan.ts';
import { inputOf, scene, threadId } from '../harness/scene.ts';

/** All files below the home that hold blobs. */
function blobsIn({ home }: Place): readonly string[] {
  const folder = join(home, 'capstan', 'blobs');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.zst')).map((name) => join(folder, name));
}

function outputsIn(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ payload }) => payload['type'] === 'function_call_output');
}

function fullOutputOf(line: Line | undefined): JsonObject {
  const ours = line?.metadata?.['capstan'] as JsonObject | undefined;
  return (ours?.['full_output'] ?? {}) as JsonObject;
}

function engineOf(place: Place): Promise<Engine> {
  return placeEngine(place, { env: { CAPSTAN_HOME: place.home } });
}

/** A file of letters that do not repeat, and a call that prints it. */
function letters(workspace: string, name: string, bytes: number): string {
  const text = randomBytes(bytes)
    .toString('base64')
    .replaceAll(/(.{76})/g, '$1\n')
    .slice(0, bytes);
  writeFileSync(join(workspace, name), text);
  return text;
}

const print = (name: string) => callTool('exec_command', { cmd: `cat ${name}` });

describe('the file of a thread', () => {
  // One call for each request, and many: a request has records of its own.
  test.each([
    { requests: 20, calls: 1 },
    { requests: 2, calls: 60 },
  ])(
    'with calls of 30 KB output has at most 1.2 times the bytes that the model saw: %o',
    async ({ requests, calls }) => {
      const items = Array.from({ length: calls }, () => print('letters'));
      const steps = Array.from({ length: requests }, () => answer({ items }));
      // A window in which nothing has to be compacted.
      const wide = 'model_catalog_json = "models.json"';
      const live = await LiveThread.in([...steps, answer({ items: [say('done')] })], wide);
      const models = [{ slug: 'wide', context_window: 1_000_000_000 }];
      writeFileSync(join(live.place.home, 'models.json'), JSON.stringify({ models }));
      await live.open({ config: ['model="wide"', 'tool_output_token_limit=10000'] });
      letters(live.place.workspace, 'letters', 30_000);
      await live.turn('print a lot');
      await live.close();
      const seen = Buffer.byteLength(JSON.stringify(live.model.requests.at(-1)?.body));
      expect(outputsIn(live.place.lines())).toHaveLength(requests * calls);
      expect(seen).toBeGreaterThan(requests * calls * 30_000);
      const [path = ''] = live.place.rollouts();
      const ratio = statSync(path).size / seen;
      console.log(`the file has ${ratio.toFixed(3)} times the bytes that the model saw`);
      expect(ratio).toBeLessThan(1.2);
      expect(() => blobsIn(live.place)).toThrow('ENOENT');
    },
    120_000,
  );

  test('holds what the model saw of a long output once, and the whole of it lies beside', async () => {
    const live = await LiveThread.in([answer({ items: [print('letters')] }), answer({ items: [say('done')] })]);
    const text = letters(live.place.workspace, 'letters', 300_000);
    await live.turn('print a lot');
    await live.close();
    const [path = ''] = live.place.rollouts();
    const [line] = outputsIn(live.place.lines());
    const { output } = inputOf(live.model, 1).at(-1)!;
    expect(line?.payload['output']).toBe(output);
    expect(String(output).length).toBeLessThan(60_000);
    const marker = text.slice(0, 70);
    expect(readFileSync(path, 'utf8').split(marker)).toHaveLength(2);

    const { sha256, bytes } = fullOutputOf(line) as { sha256: string; bytes: number };
    expect(bytes).toBe(text.length);
    const blob = await (await engineOf(live.place)).stored.blob(sha256);
    expect(blob.kind === 'blob' && Buffer.from(blob.bytes).toString()).toBe(text);
    expect(blobsIn(live.place).map((file) => statSync(file).mode & 0o777)).toEqual([0o600]);
    expect(statSync(blobsIn(live.place)[0]!).size).toBeLessThan(text.length);
    for (const file of blobsIn(live.place)) rmSync(file);
    expect(await (await engineOf(live.place)).stored.blob(sha256)).toMatchObject({
      code: 'blob-missing',
      message: expect.stringContaining(sha256),
    });
  });

  test('keeps nothing beside it when nothing is kept, or when the budget says so', async () => {
    const script = [answer({ items: [print('letters')] }), answer({ items: [say('done')] })];
    const ephemeral = await LiveThread.in(script);
    letters(ephemeral.place.workspace, 'letters', 300_000);
    await ephemeral.open({}, { ephemeral: true });
    await ephemeral.turn('print a lot');
    await ephemeral.close();
    expect(() => blobsIn(ephemeral.place)).toThrow('ENOENT');

    const poor = await LiveThread.in(script, 'blobs.max_bytes = 1000');
    letters(poor.place.workspace, 'letters', 300_000);
    await poor.turn('print a lot');
    await poor.close();
    expect(() => blobsIn(poor.place)).toThrow('ENOENT');
    const [line] = outputsIn(poor.place.lines());
    expect(fullOutputOf(line)).toEqual({ sha256: expect.any(String), bytes: 300_000, kept: false });
  });
});

describe('capstan threads compress', () => {
  test('packs a thread that then continues as if nothing had been', async () => {
    const { model, place } = await scene([
      answer({ items: [print('letters')] }),
      answer({ items: [say('one')] }),
      answer({ items: [say('two')] }),
    ]);
    letters(place.workspace, 'letters', 20_000);
    const first = await place.run('exec', '--json', 'print it');
    const id = threadId(first);
    const [path = ''] = place.rollouts();
    const before = readFileSync(path);
    const { mtimeMs } = statSync(path);

    const dry = await place.run('threads', 'compress', id, '--dry-run', '--json');
    expect(JSON.parse(dry.stdout)).toEqual({
      dryRun: true,
      compressed: [{ thread: id, path, from: before.length }],
      skipped: [],
    });
    const packed = await place.run('threads', 'compress', '--older-than', '0m');
    expect(packed.stderr).toBe('');
    expect(packed.stdout).toMatch(/^.*\.jsonl\.zst\nCompressed 1 file from \S+ kB to \S+ kB\.\n$/);
    expect(place.rollouts()).toEqual([]);
    expect(Math.abs(statSync(`${path}.zst`).mtimeMs - mtimeMs)).toBeLessThan(0.01);
    expect(statSync(`${path}.zst`).mode & 0o777).toBe(0o600);

    const context = await place.run('context', id);
    expect(context.code, context.stderr).toBe(0);
    const second = await place.run('exec', '--json', 'resume', '--last', 'go on');
    expect(second.code, second.stderr).toBe(0);
    expect(threadId(second)).toBe(id);
    expect(place.rollouts()).toEqual([path]);
    expect(readFileSync(path).subarray(0, before.length)).toEqual(before);
    const earlier = inputOf(model, 1);
    expect(inputOf(model, 2).slice(0, earlier.length)).toEqual(earlier);
  }, 60_000);

  test('of a thread that another process writes changes nothing', async () => {
    const live = await LiveThread.in([answer({ items: [say('one')] })]);
    await live.turn('hello');
    const [path = ''] = live.place.rollouts();
    const run = await live.place.run('threads', 'compress', '--older-than', '0m', '--json');
    expect(JSON.parse(run.stdout)).toEqual({
      dryRun: false,
      compressed: [],
      skipped: [{ thread: live.thread.id, path, why: expect.stringMatching(`${process.pid} .*is writing it$`) }],
    });
    expect(live.place.rollouts()).toEqual([path]);
  });

  test('says what is wrong with its words', async () => {
    const { place } = await scene([]);
    const cases = [
      [[], 'which thread? Give its id, its name or --last.'],
      [['--older-than', 'soon'], '"soon" is not a time: write 7d, 12h or 30m.'],
      [['--older-than', '7d', 'x'], 'unexpected word "x".'],
    ] as const;
    for (const [words, message] of cases) {
      const { code, stderr } = await place.run('threads', 'compress', ...words);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});

describe('capstan threads gc', () => {
  test('removes what a deleted thread has left, and not what others need', async () => {
    const script = [answer({ items: [print('letters')] }), answer({ items: [say('done')] })];
    const { place } = await scene([...script, ...script]);
    letters(place.workspace, 'letters', 100_000);
    const doomed = threadId(await place.run('exec', '--json', 'print it'));
    const [lost = ''] = blobsIn(place);
    letters(place.workspace, 'letters', 100_000);
    await place.run('exec', '--json', 'print it');
    const needed = blobsIn(place).find((file) => file !== lost)!;
    const bytes = statSync(lost).size;
    expect((await place.run('threads', 'delete', doomed)).code).toBe(0);

    const young = JSON.parse((await place.run('threads', 'gc', '--json')).stdout) as JsonObject;
    expect(young).toMatchObject({ blobs: { unreferred: 0 } });
    for (const file of [lost, needed]) utimesSync(file, 1, 1);
    const dry = await place.run('threads', 'gc', '--dry-run');
    expect(dry.stdout).toMatch(/^Would remove 1 blob and free \S+ kB\. Blobs take \S+ kB\.\n$/);
    const run = JSON.parse((await place.run('threads', 'gc', '--json')).stdout) as JsonObject;
    expect(run).toMatchObject({ freedBytes: bytes, blobs: { unreferred: 1, overBudget: [] }, unread: [] });
    expect(blobsIn(place)).toEqual([needed]);
  }, 60_000);

  test('leaves the lock of a thread that is being written', async () => {
    const live = await LiveThread.in([answer({ items: [say('one')] }), answer({ items: [say('two')] })]);
    await live.turn('hello');
    const folder = join(live.place.home, 'thread-writer-locks');
    const stale = '01a1dcd3-eee5-7d53-9563-298808fb6396.lock';
    writeFileSync(join(folder, stale), '');
    const run = await live.place.run('threads', 'gc');
    expect(run.stderr).toBe('');
    expect(run.stdout).toBe('Removed 1 lock file and freed 0 bytes. Blobs take 0 bytes.\n');
    expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual([`${live.thread.id}.lock`]);
    await live.turn('still mine');
  });
});
