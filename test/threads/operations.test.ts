import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, hang, say, type ScriptedModel } from '../../src/testing/index.ts';
import type { Finished, Place } from '../harness/run-capstan.ts';
import { inputOf, scene, textsOf, threadId, withoutSandbox } from '../harness/scene.ts';

const yes = () => answer({ items: [say('Yes.')] });

async function speak(place: Place, ...words: readonly string[]): Promise<string> {
  const run = await place.run('exec', '--json', ...words);
  expect(run.code, run.stderr).toBe(0);
  return threadId(run);
}

async function threads(place: Place, ...words: readonly string[]): Promise<JsonObject> {
  const run = await place.run('threads', ...words, '--json');
  return { exit: run.code, ...(JSON.parse(run.stdout) as JsonObject) };
}

/** The words of the user, as the last request has them. */
function said(model: ScriptedModel): readonly unknown[] {
  return textsOf(inputOf(model, model.requests.length - 1)).filter((text) =>
    /^(one|two|three|four|five)$/.test(String(text)),
  );
}

const files = (place: Place): readonly string[] => place.rollouts().map((path) => readFileSync(path, 'utf8'));

describe('capstan threads fork', () => {
  it.each([
    [[], ['one', 'two', 'three', 'four']],
    [
      ['--through', '2'],
      ['one', 'two', 'four'],
    ],
    [
      ['--before', '2'],
      ['one', 'four'],
    ],
    [['--before', '1'], ['four']],
  ])('%j copies nothing and leaves the thread as it is', async (options, expected) => {
    const { model, place } = await scene(yes);
    const id = await speak(place, 'one');
    await speak(place, 'resume', id, 'two');
    await speak(place, 'resume', id, 'three');
    const [before] = files(place);
    const forked = await threads(place, 'fork', id, ...options);
    expect(forked).toEqual({
      exit: 0,
      kind: 'forked',
      id: expect.any(String),
      from: id,
      path: expect.stringContaining(String(forked['id'])),
      notices: [],
    });
    const own = readFileSync(String(forked['path']), 'utf8');
    expect(
      own
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    ).toEqual(['session_meta', 'event_msg']);
    expect(JSON.parse(own.slice(0, own.indexOf('\n')))).toMatchObject({ payload: { forked_from_id: id } });
    await speak(place, 'resume', String(forked['id']), 'four');
    expect(said(model)).toEqual(expected);
    expect(files(place)).toContain(before);
    await speak(place, 'resume', id, 'five');
    expect(said(model)).toEqual(['one', 'two', 'three', 'five']);
  });

  it('keeps the settings of its place, and leaves the name to its source', async () => {
    const { model, place } = await scene(yes);
    const id = await speak(place, '-m', 'other', '-s', 'read-only', '-c', 'model_reasoning_effort="high"', 'one');
    await speak(place, '-m', 'third', 'resume', id, 'two');
    await threads(place, 'name', id, 'the one');
    const { id: fork } = await threads(place, 'fork', 'the one', '--through', '1');
    await speak(place, 'resume', String(fork), 'three');
    const { body } = model.requests.at(-1)!;
    expect([body['model'], body['reasoning']]).toEqual(['other', expect.objectContaining({ effort: 'high' })]);
    expect((await threads(place, 'name', 'the one', 'another'))['id']).toBe(id);
  });

  it('of a thread that another process writes ends with an interrupted turn, and the source runs on', async () => {
    const script = [
      answer({ items: [say('Yes.')] }),
      answer({ items: [callTool('exec_command', { cmd: 'while [ ! -e go ]; do sleep 0.05; done; echo done' })] }),
      yes(),
      yes(),
    ];
    const { model, place } = await scene(script, withoutSandbox);
    const id = await speak(place, 'one');
    const live = place.start(['exec', '--json', 'resume', id, 'two']);
    await live.printed('"type":"item.started"');
    const { id: fork } = await threads(place, 'fork', id);
    expect(await threads(place, 'fork', id, '--through', '2')).toMatchObject({ exit: 1, code: 'turn-unfinished' });
    expect(await threads(place, 'rollback', id)).toEqual({
      exit: 1,
      kind: 'refused',
      code: 'thread-locked',
      message: expect.stringMatching(`^Thread ${id} is being written by capstan pid ${live.child.pid} since \\S+\\.$`),
      next: expect.any(String),
    });
    for (const command of ['archive', 'delete', 'undo-rollback']) {
      expect(await threads(place, command, id)).toMatchObject({ exit: 1, code: 'thread-locked' });
    }
    await speak(place, 'resume', String(fork), 'three');
    const texts = textsOf(inputOf(model, 2));
    expect(texts.slice(-4)).toEqual([
      // The call, which has no text.
      undefined,
      expect.stringMatching(/^Outcome unknown: this conversation was branched off/),
      expect.stringMatching(/^<turn_aborted>\nThis conversation was branched off/),
      'three',
    ]);
    writeFileSync(join(place.workspace, 'go'), '');
    expect((await live.finished).code).toBe(0);
    expect(textsOf(inputOf(model, 3)).at(-1)).toContain('done');
  });

  it('at no such turn says how many there are', async () => {
    const { place } = await scene(yes);
    const id = await speak(place, 'one');
    expect(await threads(place, 'fork', id, '--before', '7')).toEqual({
      exit: 1,
      kind: 'refused',
      code: 'turn-unknown',
      message: `Thread ${id} has no turn "7": it has one turn, not counting rolled-back ones.`,
      next: `List its turns with \`capstan threads show ${id}\`.`,
    });
  });
});

describe('capstan threads rollback', () => {
  it('takes turns back and brings them back, by new files alone', async () => {
    const { model, place } = await scene(yes);
    const id = await speak(place, 'one');
    await speak(place, 'resume', id, 'two');
    await speak(place, 'resume', id, 'three');
    const [whole] = files(place);
    const back = await threads(place, 'rollback', id, '-n', '2');
    expect(back).toMatchObject({ exit: 0, kind: 'rolled-back', id, notices: [] });
    expect(back['turns']).toHaveLength(2);
    await speak(place, 'resume', id, 'four');
    expect(said(model)).toEqual(['one', 'four']);

    expect(await threads(place, 'undo-rollback', id)).toMatchObject({ exit: 1, code: 'turns-since-rollback' });
    expect(await threads(place, 'undo-rollback', id, '--force')).toMatchObject({ exit: 0, turns: back['turns'] });
    await speak(place, 'resume', id, 'five');
    expect(said(model)).toEqual(['one', 'two', 'three', 'five']);

    // And back again to what the undo took away.
    await threads(place, 'undo-rollback', id, '--force');
    await speak(place, 'resume', id, 'five');
    expect(said(model)).toEqual(['one', 'four', 'five']);
    expect(files(place)).toContain(whole);
    expect(files(place)).toHaveLength(4);
  });

  it('to a turn keeps that turn; what cannot be done changes nothing', async () => {
    const { model, place } = await scene(yes);
    const id = await speak(place, 'one');
    await speak(place, 'resume', id, 'two');
    await speak(place, 'resume', id, 'three');
    expect(await threads(place, 'undo-rollback', id)).toMatchObject({ exit: 1, code: 'nothing-to-undo' });
    expect(await threads(place, 'rollback', id, '-n', '4')).toMatchObject({ exit: 1, code: 'nothing-to-roll-back' });
    expect(await threads(place, 'rollback', id, '--to', '3')).toMatchObject({ exit: 1, code: 'nothing-to-roll-back' });
    expect(files(place)).toHaveLength(1);
    expect((await threads(place, 'rollback', id, '--to', '1'))['turns']).toHaveLength(2);
    await speak(place, 'resume', id, 'four');
    expect(said(model)).toEqual(['one', 'four']);
    // A rollback of a reverted thread, past the place of the first one.
    expect((await threads(place, 'rollback', id, '-n', '2'))['turns']).toHaveLength(2);
    await speak(place, 'resume', id, 'five');
    expect(said(model)).toEqual(['five']);
  });

  it('can be forked, forgets the settings of what was taken back, and needs no more than the files', async () => {
    const { model, place } = await scene(yes);
    const id = await speak(place, '-m', 'first', 'one');
    await speak(place, '-m', 'second', 'resume', id, 'two');
    await threads(place, 'rollback', '--last');
    const { id: fork } = await threads(place, 'fork', id);
    await speak(place, 'resume', String(fork), 'three');
    expect([model.requests.at(-1)!.body['model'], said(model)]).toEqual(['first', ['one', 'three']]);
  });
});

describe('capstan threads archive, unarchive and delete', () => {
  it('move all files of a thread, and its forks stay usable', async () => {
    const { model, place } = await scene(yes);
    const id = await speak(place, 'one');
    await speak(place, 'resume', id, 'two');
    await threads(place, 'rollback', id);
    const { id: fork } = await threads(place, 'fork', id);
    const folders = () => place.rollouts().map((path) => path.slice(place.home.length + 1).split('/')[0]);
    expect(folders()).toEqual(['sessions', 'sessions', 'sessions']);
    await threads(place, 'name', id, 'old work');
    const archived = await threads(place, 'archive', id);
    expect(archived).toMatchObject({ exit: 0, kind: 'archived', path: expect.stringContaining('/archived_sessions/') });
    expect(folders().toSorted()).toEqual(['archived_sessions', 'archived_sessions', 'sessions']);
    for (const name of [id, id.slice(0, 30), 'old work']) {
      expect(await place.run('exec', 'resume', name, 'x')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`capstan threads unarchive ${id}`),
      });
    }
    expect(await threads(place, 'archive', id)).toMatchObject({ exit: 1, code: 'thread-archived' });
    expect(await threads(place, 'rollback', id)).toMatchObject({ exit: 1, code: 'thread-archived' });
    await speak(place, 'resume', String(fork), 'three');
    expect(said(model)).toEqual(['one', 'three']);

    const old = new Date('2026-01-02T03:04:05Z');
    for (const path of place.rollouts()) utimesSync(path, old, old);
    const back = await threads(place, 'unarchive', id.slice(0, 30));
    expect(back).toMatchObject({ exit: 0, kind: 'unarchived' });
    // As with Codex, the file that is the thread's counts as used now; the one that it continues from does not.
    const touched = place.rollouts().filter((path) => statSync(path).mtimeMs !== old.getTime());
    expect(touched).toEqual([back['path']]);
    expect(await threads(place, 'unarchive', id)).toMatchObject({ exit: 1, code: 'thread-active' });
    await speak(place, 'resume', id, 'four');
    expect(said(model)).toEqual(['one', 'four']);
    for (const path of place.rollouts()) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([
    [['fork'], ['one', 'three']],
    [['rollback'], ['three']],
    [
      ['rollback', 'undo-rollback'],
      ['one', 'three'],
    ],
    [
      ['archive', 'unarchive'],
      ['one', 'three'],
    ],
  ])('work on a compressed thread like on another: %j', async (commands, expected) => {
    const { model, place } = await scene(yes);
    const id = await speak(place, 'one');
    expect(await threads(place, 'compress', id)).toMatchObject({ exit: 0, compressed: [{ thread: id }] });
    expect(place.rollouts()).toEqual([]);
    let last: JsonObject = {};
    for (const command of commands) {
      last = await threads(place, command, id);
      expect(last).toMatchObject({ exit: 0, notices: [] });
    }
    await speak(place, 'resume', String(last['id']), 'three');
    expect(said(model)).toEqual(expected);
  });

  it('delete a compressed thread', async () => {
    const { place } = await scene(yes);
    const id = await speak(place, 'one');
    await threads(place, 'compress', id);
    const { paths, ...deleted } = await threads(place, 'delete', id);
    expect(deleted).toEqual({ exit: 0, kind: 'deleted', ids: [id], notices: [] });
    for (const path of paths as readonly string[]) expect(existsSync(path)).toBe(false);
    expect(await threads(place, 'delete', id)).toMatchObject({ exit: 1, code: 'thread-unknown' });
  });

  it('refuse to delete what a fork continues from, and say what can be done', async () => {
    const { place } = await scene(yes);
    const id = await speak(place, 'one');
    await threads(place, 'name', id, 'source');
    const { id: fork } = await threads(place, 'fork', id);
    expect(await threads(place, 'delete', id)).toEqual({
      exit: 1,
      kind: 'refused',
      code: 'thread-referenced',
      message: `Another thread continues from thread ${id} and would lose its beginning: ${String(fork)}.`,
      next: expect.stringContaining(`capstan threads archive ${id}`),
    });
    expect(files(place)).toHaveLength(2);
    expect(await threads(place, 'delete', id, '--force')).toMatchObject({ exit: 0, ids: [id, fork] });
    expect(files(place)).toEqual([]);
    expect(await threads(place, 'fork', 'source')).toMatchObject({ exit: 1, code: 'thread-unknown' });
    expect(await threads(place, 'delete', id)).toMatchObject({ exit: 1, code: 'thread-unknown' });
  });

  it('delete a fork and then its source, and a thread whose beginning is missing', async () => {
    const { place } = await scene(yes);
    const id = await speak(place, 'one');
    const { id: fork } = await threads(place, 'fork', id);
    const path = place.rollouts().find((one) => basename(one).includes(id))!;
    rmSync(path);
    const lost = await place.run('exec', 'resume', String(fork), 'x');
    expect([lost.code, lost.stderr]).toEqual([
      1,
      expect.stringContaining(`it continues from rollout ${id}, which is missing`),
    ]);
    expect(await threads(place, 'delete', String(fork))).toMatchObject({ exit: 0, ids: [fork] });
  });
});

describe('a thread is meant', () => {
  it('by --last in the folder that it works in now', async () => {
    const { place } = await scene(yes);
    const moved = await speak(place, 'one');
    const stayed = await speak(place, 'two');
    const folder = join(place.root, 'elsewhere');
    mkdirSync(folder);
    await threads(place, 'set', moved, '--cd', folder);
    // It is the newest file now, and not one of this folder any more.
    expect(await threads(place, 'name', '--last', 'here')).toMatchObject({ exit: 0, id: stayed });
    const there = await place.run('exec', '--json', '-C', folder, 'resume', '--last', 'three');
    expect([there.code, threadId(there)]).toEqual([0, moved]);
  });

  it('by a name that it shares, but not to be deleted', async () => {
    const { place } = await scene(yes);
    const [first, second] = [await speak(place, 'one'), await speak(place, 'two')];
    for (const id of [first, second]) await threads(place, 'name', id, 'same');
    expect(await threads(place, 'show', 'same')).toMatchObject({ thread: { id: second } });
    expect(await threads(place, 'delete', 'same')).toEqual({
      exit: 1,
      kind: 'refused',
      code: 'thread-ambiguous',
      message: `2 threads are named "same": ${second}, ${first}.`,
      next: 'Give the id.',
    });
    await threads(place, 'name', second, 'other');
    expect(await threads(place, 'delete', 'same')).toMatchObject({ exit: 0, ids: [first] });
  });
});

describe('the commands', () => {
  it('tell people what was done', async () => {
    const { place } = await scene(yes);
    const id = await speak(place, 'one');
    const tell = async (...words: readonly string[]): Promise<Pick<Finished, 'code' | 'stdout' | 'stderr'>> => {
      const { code, stdout, stderr } = await place.run('threads', ...words);
      return { code, stdout, stderr };
    };
    expect(await tell('name', '--last', 'x')).toEqual({
      code: 0,
      stdout: `Thread ${id} is now named "x".\n`,
      stderr: '',
    });
    expect(await tell('name', 'x', '')).toEqual({ code: 0, stdout: `Thread ${id} has no name now.\n`, stderr: '' });
    expect(await tell('rollback', id)).toEqual({
      code: 0,
      stdout: `One turn of thread ${id} rolled back.\nTo undo this: capstan threads undo-rollback ${id}\n`,
      stderr: '',
    });
    expect(await tell('rollback')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'capstan: threads rollback: which thread? Give its id, its name or --last.\n         See `capstan threads rollback --help`.\n',
    });
    expect(await tell('delete', '--last')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'capstan: threads delete: a deleted thread cannot be restored. Give its id or its name instead of --last.\n         See `capstan threads delete --help`.\n',
    });
    expect((await tell('delete')).stderr).toContain('which thread? Give its id or its name.');
    expect(await tell('show', id)).toMatchObject({ code: 0 });
    for (const words of [
      ['rollback', id, '-n', '0'],
      ['fork', id, '--before', '1', '--through', '1'],
      ['archive', id, 'x'],
    ]) {
      expect(await tell(...words)).toMatchObject({ code: 2, stdout: '' });
    }
    expect(await tell('delete', '--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('--force') });
  });
});

it('a request that waits when its thread is forked is not sent twice', async () => {
  const { model, place } = await scene([hang({ afterBytes: 0, of: yes() }), yes()]);
  const live = place.start(['exec', '--json', 'one']);
  await model.request(0);
  const { id } = await threads(place, 'fork', '--last');
  live.child.kill('SIGINT');
  await live.finished;
  await speak(place, 'resume', String(id), 'two');
  expect([model.requests.length, said(model)]).toEqual([2, ['one', 'two']]);
});
