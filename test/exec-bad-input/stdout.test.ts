import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { Finished } from '../harness/run-capstan.ts';
import { scene } from '../harness/scene.ts';
import { announcedId, lastSent } from './expectations.ts';

/** Runs the command with a shell around it; the exit code is that of the command. */
const through = (pipeline: string) => ({ prefix: ['bash', '-c', `${pipeline}; exit "\${PIPESTATUS[0]}"`, '_'] });

const script = [
  answer({ items: [say('I look.'), callTool('exec_command', { cmd: 'echo seen' })] }),
  answer({ items: [say('The answer.')] }),
  answer({ items: [say('Again.')] }),
];

/** The turn went on to its end without a reader: its thread holds everything, and can be resumed. */
async function turnWith(pipeline: string, ...options: readonly string[]): Promise<Finished> {
  const { model, place } = await scene(script);
  const run = await place.start(['exec', ...options, 'one'], through(pipeline)).finished;
  const next = await place.run('exec', '--json', 'resume', '--last', 'two');
  expect(next.code, next.stderr).toBe(0);
  expect(lastSent(model).slice(-6)).toEqual([
    'one',
    'I look.',
    undefined,
    expect.stringContaining('seen'),
    'The answer.',
    'two',
  ]);
  return run;
}

describe('a reader of standard output that leaves early', () => {
  it.each([[['--json']], [['--color=never']]])('before the first byte, with %s', async (options) => {
    const run = await turnWith('"$@" | true', ...options);
    expect([run.code, run.stdout]).toEqual([0, '']);
    expect(announcedId(run)).not.toBe('');
    expect(run.stderr).not.toMatch(/EPIPE|Error|\n {4}at /);
  });

  it('after the first line', async () => {
    const run = await turnWith('"$@" | head -1', '--json');
    expect([run.code, run.events]).toEqual([0, [{ type: 'thread.started', thread_id: announcedId(run) }]]);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('of the help', async () => {
    const { place } = await scene([]);
    const run = await place.start(['exec', '--help'], through('"$@" | true')).finished;
    expect(run).toEqual({ code: 0, signal: null, stdout: '', stderr: '', events: [] });
  });
});

it('a reader of standard error that leaves early ends nothing', async () => {
  const run = await turnWith('( "$@" 2>&1 >&3 | true; exit "${PIPESTATUS[0]}" ) 3>&1');
  expect([run.code, run.stdout]).toEqual([0, 'The answer.\n']);
});

describe('standard output on a full disk', () => {
  it.each([[['--json']], [['--color=never']]])('costs the exit code, not the turn, with %s', async (options) => {
    const run = await turnWith('"$@" > /dev/full', ...options);
    expect(run.code).toBe(1);
    expect(run.stderr.trim().split('\n').slice(-2)).toEqual([
      'capstan: Standard output could not be written, and a part of it is missing: ENOSPC: no space left on device, write.',
      '         Free some space where it is written. The thread has the whole turn: resume it to see the answer.',
    ]);
  });

  it('does not send the user to a thread that was not kept', async () => {
    const { place } = await scene([answer({ items: [say('The answer.')] })]);
    const run = await place.start(['exec', '--ephemeral', 'one'], through('"$@" > /dev/full')).finished;
    expect([run.code, run.stderr.trim().split('\n').at(-1)]).toEqual([
      1,
      '         Free some space where it is written.',
    ]);
  });
});
