import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say, type ScriptedModel } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { inputOf, scene, textsOf, threadId } from '../harness/scene.ts';

const yes = () => answer({ items: [say('Yes.')] });
const id = '0199329f-0000-7000-8000-000000000001';

/** A thread of three turns as Codex wrote them in 2025: no line says where a turn begins or ends. */
function writeOld({ home, workspace: cwd }: Place, ...work: readonly (readonly [string, JsonObject])[]): void {
  const timestamp = '2025-09-10T10:00:00.000Z';
  const says = (role: string, type: string, text: string): readonly [string, JsonObject] => [
    'response_item',
    { type: 'message', role, content: [{ type, text }] },
  ];
  const settings = {
    cwd,
    approval_policy: 'never',
    sandbox_policy: { mode: 'read-only' },
    model: 'm',
    summary: 'auto',
  };
  const lines: readonly (readonly [string, JsonObject])[] = [
    ['session_meta', { id, timestamp, cwd, originator: 'codex_cli_rs', cli_version: '0.34.0', instructions: null }],
    says('user', 'input_text', `<environment_context>\n  <cwd>${cwd}</cwd>\n</environment_context>`),
    ...['one', 'two', 'three'].flatMap((message) => [
      says('user', 'input_text', message),
      ['event_msg', { type: 'user_message', message, kind: 'plain' }] as const,
      ['turn_context', settings] as const,
      ...work,
      ['event_msg', { type: 'agent_message', message: `${message}?` }] as const,
      says('assistant', 'output_text', `${message}?`),
    ]),
  ];
  const path = join(home, `sessions/2025/09/10/rollout-2025-09-10T10-00-00-${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map(([type, payload]) => `${JSON.stringify({ timestamp, type, payload })}\n`).join(''));
}

async function threads(place: Place, ...words: readonly string[]): Promise<JsonObject> {
  const run = await place.run('threads', ...words, '--json');
  return { exit: run.code, ...(JSON.parse(run.stdout) as JsonObject) };
}

/** The conversation so far, as the model gets it with one more turn. */
async function said(place: Place, model: ScriptedModel, thread: string, next: string): Promise<readonly unknown[]> {
  expect((await place.run('exec', 'resume', thread, next)).code).toBe(0);
  const texts = textsOf(inputOf(model, model.requests.length - 1)).map(String);
  return texts.filter((text) => /^(one|two|three|four|five|six)\??$/.test(text));
}

describe('turns of old files, which nothing names,', () => {
  it.each([
    [
      ['--through', '2'],
      ['one', 'one?', 'two', 'two?', 'four'],
    ],
    [
      ['--before', 'rollout-7'],
      ['one', 'one?', 'four'],
    ],
    [['--before', '1'], ['four']],
    [
      ['--through', '3'],
      ['one', 'one?', 'two', 'two?', 'three', 'three?', 'four'],
    ],
  ])('can be forked at: %j', async (options, expected) => {
    const { model, place } = await scene(yes);
    writeOld(place);
    const { id: fork } = await threads(place, 'fork', id, ...options);
    expect(await said(place, model, String(fork), 'four')).toEqual(expected);
  });

  it('have the ids that are shown, whatever work stands between them', async () => {
    const { model, place } = await scene(yes);
    writeOld(place, ['response_item', { type: 'reasoning', summary: [], encrypted_content: 'x' }]);
    const { turns } = await threads(place, 'show', id);
    const ids = (turns as readonly JsonObject[]).map((turn) => String(turn['id']));
    expect(ids).toEqual(['rollout-2', 'rollout-8', 'rollout-14']);
    const { id: fork } = await threads(place, 'fork', id, '--through', ids[1]!);
    expect(await said(place, model, String(fork), 'four')).toEqual(['one', 'one?', 'two', 'two?', 'four']);
  });

  it('have the numbers that are shown, also beside turns of today', async () => {
    const { model, place } = await scene(yes);
    writeOld(place);
    await place.run('exec', 'resume', id, 'four');
    const { turns } = await threads(place, 'show', id);
    const shown = turns as readonly JsonObject[];
    expect(shown.map(({ number, firstWords }) => [number, firstWords])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
      [4, 'four'],
    ]);
    const { id: fork } = await threads(place, 'fork', id, '--through', '1');
    expect(await said(place, model, String(fork), 'five')).toEqual(['one', 'one?', 'five']);
    expect(await threads(place, 'rollback', id, '--to', '2')).toMatchObject({
      exit: 0,
      turns: [shown[2]!['id'], shown[3]!['id']],
    });
    expect(await said(place, model, id, 'five')).toEqual(['one', 'one?', 'two', 'two?', 'five']);
  });

  it('can be taken back and brought back, once', async () => {
    const { model, place } = await scene(yes);
    writeOld(place);
    expect(await threads(place, 'rollback', id, '-n', '2')).toMatchObject({
      exit: 0,
      turns: ['rollout-7', 'rollout-12'],
    });
    expect(await threads(place, 'undo-rollback', id)).toMatchObject({ exit: 0, turns: ['rollout-7', 'rollout-12'] });
    expect(await threads(place, 'undo-rollback', id)).toMatchObject({ exit: 1, code: 'nothing-to-undo' });
    expect(await said(place, model, id, 'four')).toEqual(['one', 'one?', 'two', 'two?', 'three', 'three?', 'four']);
  });

  it('can be brought back in exchange for what came since', async () => {
    const { model, place } = await scene(yes);
    writeOld(place);
    await threads(place, 'rollback', id, '-n', '2');
    const four = await said(place, model, id, 'four');
    expect(four).toEqual(['one', 'one?', 'four']);
    expect(await threads(place, 'undo-rollback', id)).toMatchObject({ exit: 1, code: 'turns-since-rollback' });
    expect(await threads(place, 'undo-rollback', id, '--force')).toMatchObject({
      exit: 0,
      turns: ['rollout-7', 'rollout-12'],
      replaced: [expect.stringMatching(/^[0-9a-f-]{36}$/)],
    });
    expect(await said(place, model, id, 'five')).toEqual(['one', 'one?', 'two', 'two?', 'three', 'three?', 'five']);
    // And in exchange again.
    expect(await threads(place, 'undo-rollback', id, '--force')).toMatchObject({ exit: 0 });
    expect(await said(place, model, id, 'six')).toEqual(['one', 'one?', 'four', 'six']);
  });
});

it('in old files, too, an undo hides no rollback before it, and an exchange no turn', async () => {
  const { model, place } = await scene(yes);
  writeOld(place);
  const undo = (...force: readonly string[]) => threads(place, 'undo-rollback', id, ...force);
  await threads(place, 'rollback', id);
  expect(await said(place, model, id, 'four')).toEqual(['one', 'one?', 'two', 'two?', 'four']);
  const { turns: four } = await threads(place, 'rollback', id);
  expect(await undo()).toMatchObject({ turns: four, replaced: [] });
  expect(await undo()).toMatchObject({ exit: 1, code: 'turns-since-rollback' });
  expect(await undo('--force')).toMatchObject({ turns: ['rollout-12'], replaced: four });
  const { turns: three } = await threads(place, 'rollback', id);
  expect(await undo()).toMatchObject({ turns: three, replaced: [] });
  expect(await undo('--force')).toMatchObject({ turns: four });
  expect(await said(place, model, id, 'five')).toEqual(['one', 'one?', 'two', 'two?', 'four', 'five']);
});

it('in old files, rollbacks in a row are undone one after the other, the newest first', async () => {
  const { model, place } = await scene(yes);
  writeOld(place);
  await threads(place, 'rollback', id);
  await threads(place, 'rollback', id);
  for (const _each of [1, 2]) expect(await threads(place, 'undo-rollback', id)).toMatchObject({ exit: 0 });
  expect(await threads(place, 'undo-rollback', id)).toMatchObject({ exit: 1, code: 'nothing-to-undo' });
  expect(await said(place, model, id, 'four')).toEqual(['one', 'one?', 'two', 'two?', 'three', 'three?', 'four']);
});

it('requests and exports of old files name their turns', async () => {
  const { place } = await scene(yes);
  writeOld(place);
  const { stdout: request } = await place.run('context', id, '--request', 'last');
  expect(request.match(/^user, turn \d +\| \w+$/gm)?.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    'user, turn 1 | one',
    'user, turn 2 | two',
    'user, turn 3 | three',
  ]);
  const changes = JSON.parse((await place.run('context', id, '--changes', '--json')).stdout) as JsonObject;
  expect((changes['turns'] as readonly JsonObject[]).map((turn) => turn['turn_id'])).toEqual([
    'rollout-2',
    'rollout-7',
    'rollout-12',
  ]);
  await place.run('exec', 'resume', id, 'four');
  const { events } = await place.run('replay', id, '--json');
  const requests = events[0]!['requests'] as unknown as readonly JsonObject[];
  expect(requests.map(({ turn, result }) => [turn, result])).toEqual([
    [1, 'inferred'],
    [2, 'inferred'],
    [3, 'inferred'],
    [4, 'same'],
  ]);
  const { stdout } = await place.run('threads', 'export', id, '--format', 'markdown');
  expect(stdout.match(/^## Turn.*$/gm)).toEqual(['## Turn 1', '## Turn 2', '## Turn 3', '## Turn 4']);
});

it('what gc has removed cannot be brought back, and that is said', async () => {
  const { place } = await scene(yes);
  const thread = threadId(await place.run('exec', '--json', 'one'));
  await place.run('exec', 'resume', thread, 'two');
  await threads(place, 'rollback', thread);
  await threads(place, 'gc', '--reverted');
  expect(await threads(place, 'undo-rollback', thread)).toEqual({
    exit: 1,
    kind: 'refused',
    code: 'nothing-to-undo',
    message: `The rolled-back turns of thread ${thread} are gone: \`capstan threads gc --reverted\` deletes them.`,
    next: 'Nothing has changed.',
  });
});

it('rollbacks in a row are undone one after the other, the newest first', async () => {
  const { place } = await scene(yes);
  const thread = threadId(await place.run('exec', '--json', 'one'));
  await place.run('exec', 'resume', thread, 'two');
  await place.run('exec', 'resume', thread, 'three');
  const { turns: third } = await threads(place, 'rollback', thread);
  const { turns: second } = await threads(place, 'rollback', thread);
  const undo = () => threads(place, 'undo-rollback', thread);
  expect(await undo()).toMatchObject({ turns: second, replaced: [], next: 'earlier-rollback' });
  const all = await undo();
  expect(all).toMatchObject({ turns: third, replaced: [] });
  expect(all).not.toHaveProperty('next');
  // From here on an undo takes the one before back.
  expect(await undo()).toMatchObject({ turns: [], replaced: third });
  expect(await undo()).toMatchObject({ turns: third, replaced: [] });
  await threads(place, 'rollback', thread);
  await threads(place, 'rollback', thread);
  expect((await place.run('threads', 'undo-rollback', thread)).stdout).toBe(
    [
      `One turn of thread ${thread} restored.`,
      `To undo the rollback before that: capstan threads undo-rollback ${thread}\n`,
    ].join('\n'),
  );
});

it('an undo that is undone says what is gone', async () => {
  const { place } = await scene(yes);
  const thread = threadId(await place.run('exec', '--json', 'one'));
  const { turns } = await threads(place, 'rollback', thread);
  expect(await threads(place, 'undo-rollback', thread)).toMatchObject({ turns, replaced: [] });
  const again = await place.run('threads', 'undo-rollback', thread);
  expect(again.stdout).toBe(`One turn of thread ${thread} rolled back again.\n`);
  expect(await threads(place, 'undo-rollback', thread)).toMatchObject({ turns, replaced: [] });
});

it('an undo that was undone is a rollback like any other: its turns come back after a later one', async () => {
  const { place } = await scene(yes);
  const thread = threadId(await place.run('exec', '--json', 'one'));
  for (const words of ['two', 'three', 'four']) await place.run('exec', 'resume', thread, words);
  const undo = () => threads(place, 'undo-rollback', thread);
  const { turns: newest } = await threads(place, 'rollback', thread, '--turns', '2');
  expect(await undo()).toMatchObject({ turns: newest, replaced: [] });
  expect(await undo()).toMatchObject({ turns: [], replaced: newest });
  const { turns: second } = await threads(place, 'rollback', thread);
  expect(await undo()).toMatchObject({ turns: second, replaced: [], next: 'earlier-rollback' });
  expect(await undo()).toMatchObject({ turns: newest, replaced: [] });
});
