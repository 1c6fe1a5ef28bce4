import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { scene, threadId } from '../harness/scene.ts';
import { announcedId, failedTurn, lastSent, refusal } from './expectations.ts';

const ok = answer({ items: [say('ok')] });
/** No file may become larger than so many KB: a full disk that needs no disk of its own. */
const limit = (kilobytes: number) => ({ prefix: ['bash', '-c', `ulimit -f ${kilobytes}; exec "$@"`, '_'] });
const full = (path: string): readonly [string, string] => [
  `Cannot save the thread file ${path}: EFBIG: file too large, write`,
  'Free some space, or raise the quota or the file size limit. Everything up to the last save is safe.',
];
const told = ([message, next]: readonly [string, string]): string => `capstan: ${message}\n         ${next}\n`;

describe('a full disk', () => {
  it.each([[['--json']], [['--color=never']]])('at the start: nothing is sent, with %s', async (options) => {
    const { model, place } = await scene([ok]);
    const run = await place.start(['exec', ...options, 'one'], limit(8)).finished;
    const reason = full(place.rollouts()[0]!);
    const events = options[0] === '--json' ? failedTurn(`${reason[0]}. ${reason[1]}`) : [];
    expect({ ...run, stdout: '' }).toEqual({ code: 1, signal: null, stdout: '', stderr: told(reason), events });
    expect(model.requests).toHaveLength(0);
    // No thread was announced, so there is none to resume.
    expect(await place.run('exec', 'resume', '--last', 'x')).toMatchObject({ code: 1, stdout: '' });
    expect((await place.run('exec', 'one')).stdout).toBe('ok\n');
  });

  it.each([[['--json']], [['--color=never']]])('in the middle of a turn, with %s', async (options) => {
    const { model, place } = await scene([answer({ items: [say('A'.repeat(100_000))] }), ok]);
    const run = await place.start(['exec', ...options, 'one'], limit(50)).finished;
    const reason = full(place.rollouts()[0]!);
    const id = announcedId(run);
    expect([run.code, run.events]).toEqual([
      1,
      options[0] === '--json'
        ? [
            { type: 'thread.started', thread_id: id },
            { type: 'turn.started' },
            ...failedTurn(`${reason[0]}. ${reason[1]}`),
          ]
        : [],
    ]);
    const howToResume = `To resume: capstan exec resume ${id} "Continue."\n`;
    expect(run.stderr.replace(/^capstan .*\n/, '')).toBe(told(reason) + (options[0] === '--json' ? '' : howToResume));

    const next = await place.run('exec', '--json', 'resume', id, 'two');
    expect([next.code, next.events.at(-2)]).toEqual([0, expect.objectContaining({ type: 'item.completed' })]);
    expect(lastSent(model).slice(-3)).toEqual(['one', expect.stringMatching(/^<turn_aborted>/), 'two']);
  });

  it('after a command: the next turn knows that its outcome is unknown', async () => {
    const cmd = 'echo once >> ran; head -c 60000 /dev/zero | tr "\\0" x';
    const { model, place } = await scene([answer({ items: [callTool('exec_command', { cmd })] }), ok]);
    const run = await place.start(['exec', '--json', 'one'], limit(45)).finished;
    expect([run.code, run.events.at(-1)]).toEqual([1, expect.objectContaining({ type: 'turn.failed' })]);
    const next = await place.run('exec', '--json', 'resume', threadId(run), 'two');
    expect([next.code, model.requests.length]).toEqual([0, 2]);
    expect(lastSent(model).slice(-3)).toEqual([
      expect.stringMatching(/^Outcome unknown/),
      expect.stringMatching(/^<turn_aborted>/),
      'two',
    ]);
  });
});

/** Mounts need a name space of their own, which not every machine gives. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const isRoot = process.getuid?.() === 0;
const mounts = canMount();
const mounted = (command: string) => ({ prefix: ['unshare', '-rm', 'bash', '-c', `${command} && exec "$@"`, '_'] });

/** The mode of a folder does not keep root from writing; a mount does. */
const readOnly = (place: Place) => {
  const bind = 'mount --bind "$CAPSTAN_HOME" "$CAPSTAN_HOME" && mount -o remount,ro,bind "$CAPSTAN_HOME"';
  if (isRoot) return mounted(bind);
  chmodSync(place.home, 0o500);
  return {};
};

describe('a disk that was full', () => {
  it.skipIf(!mounts)('without a byte left: the thread continues when there is space', async () => {
    const { model, place } = await scene([answer({ items: [say('A'.repeat(100_000))] }), ok]);
    const script = `mount -t tmpfs -o size=128k tmpfs "$CAPSTAN_HOME" && cp ../config.toml "$CAPSTAN_HOME"
      head -c 65536 /dev/zero > "$CAPSTAN_HOME/filler"
      "$@" one
      rm "$CAPSTAN_HOME/filler"
      exec "$@" resume --last two`;
    execFileSync('cp', [join(place.home, 'config.toml'), place.root]);
    const run = await place.start(['exec', '--json'], { prefix: ['unshare', '-rm', 'bash', '-c', script, '_'] })
      .finished;
    const types = run.events.map(({ type }) => type);
    expect(types.slice(0, 4)).toEqual(['thread.started', 'turn.started', 'error', 'turn.failed']);
    expect(types.slice(4)).toEqual(['thread.started', 'turn.started', 'item.completed', 'turn.completed']);
    expect(run.stderr).toContain('ENOSPC: no space left on device, write');
    expect([run.code, lastSent(model).slice(-3)]).toEqual([
      0,
      ['one', expect.stringMatching(/^<turn_aborted>/), 'two'],
    ]);
  });
});

describe('a home that', () => {
  it.skipIf(isRoot && !mounts)('is read-only: nothing is sent, but --ephemeral works there', async () => {
    const { model, place } = await scene([ok]);
    const run = await place.start(['exec', '--json', 'one'], readOnly(place)).finished;
    chmodSync(place.home, 0o700);
    expect([run.code, run.stdout, model.requests.length]).toEqual([1, '', 0]);
    const reason = isRoot ? 'EROFS: read-only file system' : 'EACCES: permission denied';
    const locks = join(place.home, 'thread-writer-locks');
    expect(run.stderr.replace(/[0-9a-f-]{36}/, 'ID')).toBe(
      told([
        `Cannot open the thread file ${locks}/ID.lock: ${reason}, mkdir '${locks}'`,
        'Check the permissions of the file and its folders, and whether the disk is read-only. Or set CAPSTAN_HOME to a folder that you can write to, or save nothing with --ephemeral.',
      ]),
    );
    const unkept = await place.start(['exec', '--ephemeral', 'one'], readOnly(place)).finished;
    chmodSync(place.home, 0o700);
    expect([unkept.code, unkept.stdout]).toEqual([0, 'ok\n']);
  });

  it.skipIf(isRoot && !mounts)('became read-only: its threads can be read, and go on when it is writable', async () => {
    const { model, place } = await scene([ok, ok, ok]);
    const id = threadId(await place.run('exec', '--json', 'one'));
    chmodSync(place.rollouts()[0]!, 0o400);
    const resume = (...words: readonly string[]) =>
      place.start(['exec', '--json', ...words, 'two'], readOnly(place)).finished;
    const [refused, unkept] = [await resume('resume', id), await resume('--ephemeral', 'resume', '--last')];
    chmodSync(place.home, 0o700);
    chmodSync(place.rollouts()[0]!, 0o600);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('or save nothing with --ephemeral');
    expect([unkept.code, lastSent(model).slice(-3)], unkept.stderr).toEqual([0, ['one', 'ok', 'two']]);
    expect((await place.run('exec', '--json', 'resume', id, 'three')).code).toBe(0);
    expect(lastSent(model).slice(-3)).toEqual(['one', 'ok', 'three']);
  });

  it('has something else where the threads should be', async () => {
    const { model, place } = await scene([ok]);
    writeFileSync(join(place.home, 'sessions'), '');
    const run = await place.run('exec', '--json', 'one');
    const next =
      'Something else is in the place of the file or one of its folders. Move it away, or set CAPSTAN_HOME to another folder.';
    const message = expect.stringMatching(
      `^Cannot save the thread file ${place.home}/sessions/\\S+: ENOTDIR: not a directory, mkdir '\\S+'. ${next}$`,
    );
    expect([run.code, run.events]).toEqual([
      1,
      [
        { type: 'error', message },
        { type: 'turn.failed', error: { message } },
      ],
    ]);
    expect(model.requests).toHaveLength(0);
    rmSync(join(place.home, 'sessions'));
    expect((await place.run('exec', 'one')).stdout).toBe('ok\n');
  });

  it('has something else where the locks should be', async () => {
    const { place } = await scene([ok]);
    const locks = join(place.home, 'thread-writer-locks');
    writeFileSync(locks, '');
    const run = await place.run('exec', '--json', 'one');
    expect({ ...run, stderr: run.stderr.replace(/[0-9a-f-]{36}/, 'ID') }).toEqual(
      refusal([
        `Cannot open the thread file ${locks}/ID.lock: EEXIST: file already exists, mkdir '${locks}'`,
        'Something else is in the place of the file or one of its folders. Move it away, or set CAPSTAN_HOME to another folder.',
      ]),
    );
    expect(readdirSync(place.home).toSorted()).toEqual(['config.toml', 'thread-writer-locks']);
  });
});
