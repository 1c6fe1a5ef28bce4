import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { type Scene, scene, threadId } from '../harness/scene.ts';
import { lastSent, refusal } from './expectations.ts';

const ok = () => answer({ items: [say('ok')] });

interface Damaged extends Scene {
  readonly id: string;
  readonly path: string;
  readonly text: string;
  readonly resume: () => ReturnType<Scene['place']['run']>;
}

/** A thread with one turn, whose file a test can damage. */
async function thread(): Promise<Damaged> {
  const { model, place } = await scene(ok);
  const id = threadId(await place.run('exec', '--json', 'one'));
  const path = place.rollouts()[0]!;
  const resume = () => place.run('exec', '--json', 'resume', id, 'two');
  return { model, place, id, path, text: readFileSync(path, 'utf8'), resume };
}

const linesAfterFirst = (stderr: string): string => stderr.replace(/^capstan .*\n/, '');

describe('a thread file', () => {
  it('with half a last line: it is cut off, and said', async () => {
    const { model, place, id, path, text, resume } = await thread();
    writeFileSync(path, `${text}{"timestamp":"2026-`);
    const run = await resume();
    expect([run.code, linesAfterFirst(run.stderr)]).toEqual([
      0,
      `The last line of thread ${id} was incomplete, so Capstan removed it (19 bytes). Nothing that was shown is lost.\n`,
    ]);
    expect(lastSent(model).slice(-3)).toEqual(['one', 'ok', 'two']);
    expect(() => place.lines()).not.toThrow();
  });

  it('with garbage in the middle: the readable part is resumed', async () => {
    const { model, id, path, text, resume } = await thread();
    writeFileSync(path, text.replace('\n', '\n\0\0garbage {{{\n'));
    const run = await resume();
    expect([run.code, linesAfterFirst(run.stderr)]).toEqual([
      0,
      `A line of thread ${id} could not be read and was skipped. The model does not see what was there. The rest of the thread is unchanged.\n`,
    ]);
    expect(lastSent(model).slice(-3)).toEqual(['one', 'ok', 'two']);
  });

  it.each([
    [
      'that is empty',
      '',
      (id: string, path: string): [string, string] => [
        `There is no thread ${id}: its process ended before anything was saved (${path}).`,
        'Start a new thread. You can delete the file.',
      ],
    ],
    [
      'that is no thread',
      'Dear diary,\n',
      (id: string, path: string): [string, string] => [
        `Thread ${id} cannot be resumed: its first line does not describe a thread (${path}).`,
        'Repair the file or restore it from a backup, or start a new thread.',
      ],
    ],
  ])('%s: it is refused, left as it is, and works when it is brought back', async (_name, content, said) => {
    const { model, id, path, text, resume } = await thread();
    writeFileSync(path, content);
    expect(await resume()).toEqual(refusal(said(id, path)));
    expect(readFileSync(path, 'utf8')).toBe(content);
    writeFileSync(path, text);
    expect([(await resume()).code, lastSent(model).slice(-3)]).toEqual([0, ['one', 'ok', 'two']]);
  });

  it('that is a folder: it is refused, by its id and as the last one', async () => {
    const { place, path, resume } = await thread();
    rmSync(path);
    mkdirSync(path);
    const reason = (call: string) =>
      refusal([
        `Cannot open the thread file ${path}: EISDIR: illegal operation on a directory, ${call}`,
        'Something else is in the place of the file or one of its folders. Move it away, or set CAPSTAN_HOME to another folder.',
      ]);
    expect(await resume()).toEqual(reason(`open '${path}'`));
    expect(await place.run('exec', 'resume', '--last', 'two')).toEqual(reason('read'));
  });

  it('that is gone', async () => {
    const { id, path, resume } = await thread();
    rmSync(path);
    expect(await resume()).toEqual(
      refusal([
        `There is no thread ${id}.`,
        'List threads with `capstan threads list`. If the thread is in another home, set CAPSTAN_HOME to that folder.',
      ]),
    );
  });
});

it('of two processes that resume one thread, one gets it and the other learns which process has it', async () => {
  const refused = Promise.withResolvers<void>();
  const { model, place } = await scene(async ({ index }) => {
    if (index === 1) await refused.promise;
    return ok();
  });
  const id = threadId(await place.run('exec', '--json', 'one'));
  const both = ['left', 'right'].map((side) => place.start(['exec', '--json', 'resume', id, side]));
  const loser = await Promise.race(both.map(async (running) => (await running.finished, running)));
  const winner = both.find((running) => running !== loser)!;
  refused.resolve();
  expect({ ...(await loser.finished), stderr: '' }).toEqual({ ...refusal(['', '']), stderr: '' });
  expect((await loser.finished).stderr).toMatch(
    new RegExp(
      `^capstan: Thread ${id} is being written by capstan pid ${winner.child.pid} since \\S+\\.\\n {9}Wait until it has ended there, or fork it: \`capstan threads fork ${id}\`\\. To ask it something without keeping the answer, add --ephemeral\\.\\n$`,
    ),
  );
  expect((await winner.finished).code).toBe(0);
  const next = await place.run('exec', '--json', 'resume', id, 'three');
  const won = winner === both[0] ? 'left' : 'right';
  expect([next.code, lastSent(model).slice(-5)]).toEqual([0, ['one', 'ok', won, 'ok', 'three']]);
});
