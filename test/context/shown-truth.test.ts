import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, cutAfter, httpError, say } from '../../src/testing/index.ts';
import { says, saysLong, talk } from '../compaction/talk.ts';
import { runInside } from '../harness/capstan-inside.ts';
import type { Finished } from '../harness/run-capstan.ts';
import { inputOf, scene, textsOf, threadId } from '../harness/scene.ts';

const yes = () => answer({ items: [say('Yes.')], usage: { input: 3000, output: 5, total: 3002 } });

async function stage(more = '', script: Parameters<typeof scene>[0] = yes) {
  const { model, place } = await scene(script, more);
  const run = (...words: readonly string[]): Promise<Finished> => runInside(place, words);
  const speak = async (...words: readonly string[]): Promise<string> => {
    const done = await run('exec', '--json', ...words);
    expect(done.code, done.stderr).toBe(0);
    return threadId(done);
  };
  const shown = async (...words: readonly string[]): Promise<JsonObject> => {
    const done = await run(...words, '--json');
    return JSON.parse(done.stdout) as JsonObject;
  };
  const origins = async (id: string, prefix: string, ...words: readonly string[]) => {
    const { fields } = (await shown('envelope', id, ...words)) as unknown as {
      fields: { field: string; origin: string }[];
    };
    const wanted = fields.filter(({ field }) => field.startsWith(prefix));
    return Object.fromEntries(wanted.map(({ field, origin }) => [field.slice(prefix.length), origin]));
  };
  return { model, place, run, speak, shown, origins };
}

describe('capstan envelope', () => {
  it('does not show instructions as chosen by a flag that came too late, and says why', async () => {
    const { model, run, speak, origins } = await stage();
    const id = await speak('one');
    const late = await run('exec', '--json', '-c', 'instructions="Be brief."', 'resume', id, 'two');
    expect(late.stderr).toContain('The instructions on the command line have no effect');
    expect(model.requests[1]!.body['instructions']).toBe(model.requests[0]!.body['instructions']);
    expect(await origins(id, 'instructions.base.', '--turn', '1')).toEqual({
      text: 'model catalogue',
      provenance: 'model catalogue',
    });
    expect(await origins(id, 'instructions.base.')).toEqual({ text: 'thread', provenance: 'thread' });
    expect((await run('envelope', id)).stdout).toContain('the thread keeps the base instructions that it has');
    expect((await run('envelope', id, '--turn', '1')).stdout).not.toContain('keeps the base instructions');
  });

  it('shows instructions that the thread began with as what they are', async () => {
    const { run, speak, origins } = await stage('instructions = "Be brief."');
    const id = await speak('one');
    expect(await origins(id, 'instructions.base.')).toEqual({ text: 'user', provenance: 'user' });
    const again = await run('exec', '--json', '-c', 'instructions="Be brief."', 'resume', id, 'two');
    expect(again.stderr).not.toContain('have no effect');
    expect(await origins(id, 'instructions.base.')).toEqual({ text: 'flags', provenance: 'flags' });
  });

  it('names who chose each number of the window, and no chooser for the others', async () => {
    const { speak, origins, place } = await stage('project_doc_max_bytes = 4000');
    const config = join(place.home, 'config.toml');
    writeFileSync(config, '[window]\nskills_percent = 5\n', { flag: 'a' });
    const id = await speak('-c', 'tool_output_token_limit=500', 'one');
    expect(await origins(id, 'window.')).toEqual({
      effective: 'model catalogue',
      configured: 'model catalogue',
      autoCompact: 'effective window',
      mostAutoCompact: 'effective window',
      autoCompactScope: 'default',
      compactionReserve: 'effective window',
      'checkpoint.words': 'effective window',
      'checkpoint.answer': 'effective window',
      'checkpoint.pictures': 'effective window',
      'checkpoint.records': 'effective window',
      skills: 'user',
      memory: 'effective window',
      baseline: 'default',
      'toolOutput.mode': 'model catalogue',
      'toolOutput.limit': 'flags',
    });
    expect(await origins(id, 'instructions.user.')).toMatchObject({
      maxBytes: 'user',
      fallbackFilenames: 'default',
      rootMarkers: 'default',
    });
    await speak('-c', 'window.effective_percent=50', '-c', 'window.reserve_percent=30', 'resume', id, 'two');
    expect(await origins(id, 'window.')).toMatchObject({
      effective: 'flags',
      autoCompact: 'flags',
      compactionReserve: 'flags',
      memory: 'effective window',
      skills: 'user',
      'toolOutput.limit': 'model catalogue',
    });
  });

  it('a text for spoken conversations does not turn them on', async () => {
    const { speak, origins } = await stage('experimental_realtime_start_instructions = "Speak."');
    const id = await speak('one');
    expect(await origins(id, 'modes.realtime.')).toEqual({ active: 'default', startInstructions: 'user' });
  });

  it('--diff shows where two long values differ', async () => {
    const { run, speak } = await stage();
    const same = 'the same words over and over '.repeat(5);
    const id = await speak(
      '-c',
      `developer_instructions="${same}first"`,
      '-c',
      'sandbox_workspace_write.writable_roots=["/a"]',
      'one',
    );
    await speak('-c', `developer_instructions="${same}second"`, 'resume', id, 'two');
    const { stdout } = await run('envelope', id, '--diff', '1');
    expect(stdout).toMatch(/^instructions\.developer +the same .*first {2}the same .*second {2}flags$/m);
    // A value with parts has a row for each part that differs.
    expect(stdout).toMatch(/^telemetry\.origins\.model +user +thread/m);
    const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows.filter(([, before, now]) => before !== undefined && before === now)).toEqual([]);
  });
});

describe('capstan context', () => {
  it('shows what the next turn begins with after the settings and the notes were changed', async () => {
    const { model, run, speak, shown } = await stage();
    const id = await speak('one');
    expect(await shown('context', id)).toMatchObject({ total: 3002, measure: 'exact', next: { told: [], tokens: 0 } });
    expect((await run('threads', 'set', id, '--model', 'gpt-5.4', '--sandbox', 'danger-full-access')).code).toBe(0);
    expect((await run('threads', 'pin', id, 'Never push.')).code).toBe(0);
    const view = (await shown('context', id)) as unknown as {
      total: number;
      next: { model: string; told: string[]; tokens: number };
      parts: { name: string; next?: boolean; tokens: number }[];
    };
    expect(view.next.model).toBe('gpt-5.4');
    expect(view.next.told).toEqual(expect.arrayContaining(['permissions', 'pinned_notes', 'environment_context']));
    expect(view.total).toBe(3002 + view.next.tokens);
    expect(view.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(view.total);
    const { stdout } = await run('context', id);
    expect(stdout).toContain(' · model gpt-5.4 from the next turn on\n');
    expect(stdout).toMatch(/^ {2}pinned_notes +\d+ +\d+ % +1 +next +estimated/m);
    // It tells no more and no less than the turn then does.
    await speak('resume', id, 'two');
    const changes = (await shown('context', id, '--changes')) as unknown as {
      turns: { told: { texts: { content: string }[] }[]; tokens: number }[];
    };
    const told = changes.turns[1]!.told.flatMap(({ texts }) => texts.map(({ content }) => content));
    expect(told.toSorted()).toEqual(view.next.told.toSorted());
    expect(textsOf(inputOf(model, 1)).join('\n')).toContain('Never push.');
    expect(await shown('context', id)).toMatchObject({ measure: 'exact', next: { model: 'gpt-5.4', told: [] } });
  });

  it('shows what stands where the next turn cannot be foreseen, and says so', async () => {
    const { run, speak, shown, place } = await stage();
    const id = await speak('one');
    writeFileSync(join(place.home, 'config.toml'), 'model = [');
    expect(await shown('context', id)).toMatchObject({
      total: 3002,
      unknown: [expect.stringMatching(/^Capstan cannot foresee what the next turn would send: /)],
    });
    expect((await run('context', id)).code).toBe(0);
  });
});

describe('the turn of threads compact', () => {
  it('is a turn of ours with its own contract', async () => {
    const { run, speak, shown } = await stage('', talk([saysLong(), says('Yes.')]));
    const id = await speak('one');
    await run('threads', 'set', id, '--effort', 'high');
    expect((await run('threads', 'compact', id)).code).toBe(0);
    const { stdout } = await run('envelope', id);
    expect(stdout).toMatch(/turn 2 of 2, a compaction\n/);
    expect(stdout).toMatch(/^ {2}effort +high +thread/m);
    expect(stdout).not.toContain('another program');
    expect((await run('context', id, '--changes')).stdout).toMatch(/^2 +nothing +a compaction$/m);
    expect((await run('threads', 'show', id)).stdout).toMatch(/^2\..*\n.*effort high/m);
    expect(await shown('replay', id)).toMatchObject({ counts: { different: 0 } });
    expect((await run('exec', '--json', 'resume', id, 'two')).code).toBe(0);
    expect(await shown('replay', id)).toMatchObject({ counts: { different: 0 } });
  });

  it('that came to nothing is ours, too', async () => {
    const steps = [saysLong(), ...Array.from({ length: 9 }, () => httpError({ status: 400, body: 'no' }))];
    const { run, speak } = await stage('', () => steps.shift()!);
    const id = await speak('one');
    expect((await run('threads', 'compact', id)).code).toBe(1);
    const { stdout } = await run('envelope', id);
    expect(stdout).toContain('it was a compaction by Capstan that made no checkpoint');
    expect(stdout).not.toContain('another program');
  });

  it('with another model lets the next turn go on without a second checkpoint', async () => {
    const { run, speak } = await stage('', talk([saysLong(), says('Yes.')]));
    const id = await speak('one');
    await run('threads', 'set', id, '--model', 'gpt-6.1-sol');
    expect((await run('threads', 'compact', id)).code).toBe(0);
    const next = await run('exec', '--json', '--context-events', 'resume', id, 'two');
    expect(next.code).toBe(0);
    expect(next.events.map(({ type }) => type)).not.toContain('context.checkpoint');
  });
});

it('capstan context counts a request that was sent again as a retry', async () => {
  const whole = answer({ items: [say('Done.')] });
  const { place } = await scene([cutAfter({ bytes: 300, of: whole }), whole]);
  const id = threadId(await place.run('exec', '--json', 'Say it'));
  const { stdout } = await place.run('context', id);
  expect(stdout).toContain(' · 1 turn · 2 requests (1 retry) · ');
});
