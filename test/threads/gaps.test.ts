import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, httpError, say } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { inputOf, scene, textsOf, threadId } from '../harness/scene.ts';

// Tests of the gaps of Codex, listed in test/gaps.md, that no other suite covers.

const yes = () => answer({ items: [say('Yes.')] });
const id = '01a1dcd3-eee5-7d53-9563-298808fb6396';

/** A thread in the old form, of one turn. */
function writeLegacy(place: Place): string {
  const timestamp = '2026-11-14T10:00:00.000Z';
  const says = (role: string, type: string, text: string): readonly [string, JsonObject] => [
    'response_item',
    { type: 'message', role, content: [{ type, text }] },
  ];
  const meta = { id, timestamp, cwd: place.workspace, originator: 'x', cli_version: '0.1', source: 'exec' };
  const lines: readonly (readonly [string, JsonObject])[] = [
    ['session_meta', { ...meta, base_instructions: { text: 'Be helpful. '.repeat(1000) } }],
    ['event_msg', { type: 'task_started', turn_id: 't1' }],
    says('user', 'input_text', 'hello'),
    ['event_msg', { type: 'user_message', message: 'hello' }],
    says('assistant', 'output_text', 'hi'),
    ['event_msg', { type: 'agent_message', message: 'hi' }],
    ['event_msg', { type: 'task_complete', turn_id: 't1', last_agent_message: 'hi' }],
  ];
  const path = join(place.home, `sessions/2026/11/14/rollout-2026-11-14T10-00-00-${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map(([type, payload]) => `${JSON.stringify({ timestamp, type, payload })}\n`).join(''));
  return path;
}

it('names and settings of a thread in the old form do not repeat its description', async () => {
  const { place } = await scene(yes);
  const path = writeLegacy(place);
  const before = readFileSync(path, 'utf8');
  expect((await place.run('threads', 'name', id, 'the old one')).code).toBe(0);
  expect(readFileSync(path, 'utf8')).toBe(before);
  expect((await place.run('threads', 'set', id, '--model', 'other')).code).toBe(0);
  const after = readFileSync(path, 'utf8');
  expect(after.slice(0, before.length)).toBe(before);
  const added = after.slice(before.length).trimEnd().split('\n');
  expect(added.map((line) => (JSON.parse(line) as { payload: JsonObject }).payload['type'])).toEqual([
    'thread_settings_applied',
  ]);
  expect(after.length - before.length).toBeLessThan(4000);
});

it('lines that this version does not know stay where they are, in the thread and in its exports', async () => {
  const { model, place } = await scene(yes);
  const run = await place.run('exec', '--json', 'one');
  const path = place.rollouts()[0]!;
  const strange = `{"timestamp":"2026-11-15T00:00:00.000Z","ordinal":${place.lines().length},"type":"of_tomorrow","payload":{"a":[1.50,{"b":null}]}}`;
  appendFileSync(path, `${strange}\n`);
  const before = readFileSync(path, 'utf8');
  expect((await place.run('exec', '--json', 'resume', threadId(run), 'two')).code).toBe(0);
  expect(readFileSync(path, 'utf8').slice(0, before.length)).toBe(before);
  expect(textsOf(inputOf(model, 1)).slice(-3)).toEqual(['one', 'Yes.', 'two']);
  const exported = await place.run('threads', 'export', threadId(run), '--format', 'jsonl');
  const lines = exported.stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(JSON.parse(strange));
});

it.each(['new', 'old'])('a turn that failed in a thread of the %s form is shown as failed', async (form) => {
  const refused = httpError({ status: 400, body: { error: { message: 'Not like that.' } } });
  const isOld = form === 'old';
  const { place } = await scene([...(isOld ? [] : [yes()]), refused, yes()]);
  if (isOld) writeLegacy(place);
  const thread = isOld ? id : threadId(await place.run('exec', '--json', 'hello'));
  const run = await place.run('exec', '--json', 'resume', thread, 'one');
  expect(run.code).toBe(1);
  expect(place.lines().at(-1)!.payload).toMatchObject({
    type: 'task_complete',
    error: { message: expect.stringContaining('Not like that.') },
  });
  await place.run('exec', '--json', 'resume', thread, 'two');
  const shown = await place.run('threads', 'show', thread, '--json');
  const { turns } = JSON.parse(shown.stdout) as { turns: readonly JsonObject[] };
  expect(turns.map(({ status, firstWords }) => [status, firstWords])).toEqual([
    ['completed', 'hello'],
    ['failed', 'one'],
    ['completed', 'two'],
  ]);
});

it('a thread of another provider is found as the last one, and by its name', async () => {
  const { model, place } = await scene(yes);
  const first = threadId(await place.run('exec', '--json', 'one'));
  await place.run('threads', 'name', first, 'of another');
  const path = place.rollouts()[0]!;
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace('"model_provider":"scripted"', '"model_provider":"elsewhere"'),
  );
  for (const words of [['--last'], ['of another']]) {
    const run = await place.run('exec', '--json', 'resume', ...words, 'two');
    expect([run.code, run.events[0]], run.stderr).toEqual([0, { type: 'thread.started', thread_id: first }]);
  }
  expect(model.requests).toHaveLength(3);
});

it('the last thread is chosen by its beginning alone, however large it is', async () => {
  const { place } = await scene(yes);
  const first = threadId(await place.run('exec', '--json', 'one'));
  const path = place.rollouts()[0]!;
  const size = readFileSync(path).length;
  // More than fits into a buffer, on a disk that keeps no zeros.
  truncateSync(path, 5 * 1024 ** 3);
  const named = await place.run('threads', 'name', '--last', 'large');
  truncateSync(path, size);
  expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining(first) });
});
