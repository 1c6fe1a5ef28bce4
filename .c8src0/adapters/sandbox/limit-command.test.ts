import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { limitCommand } from './sandbox.ts';

test('without limits the command stays as it is', () => {
  expect(limitCommand(['ls', '-l'], {})).toEqual(['ls', '-l']);
});

test('words of the command are no words of the shell', () => {
  const [program = '', ...words] = limitCommand(['printf', '%s|', 'a b', '$HOME', "'"], { maxMemoryMb: 512 });
  expect(spawnSync(program, words, { encoding: 'utf8' })).toMatchObject({ status: 0, stdout: "a b|$HOME|'|" });
});

const hasLimits = process.platform === 'linux';
test.runIf(hasLimits)('the limits hold for the command and what it starts', () => {
  const [program = '', ...words] = limitCommand(['sh', '-c', 'grep -E "^Max (data|processes)" /proc/self/limits'], {
    maxMemoryMb: 512,
    maxProcesses: 1000,
  });
  const { stdout } = spawnSync(program, words, { encoding: 'utf8' });
  expect(stdout.replaceAll(/ +/g, ' ').trim().split('\n')).toEqual([
    'Max data size 536870912 536870912 bytes ',
    'Max processes 1000 1000 processes',
  ]);
});

test.runIf(hasLimits)('a limit that cannot be set keeps the command from running', () => {
  const [program = '', ...words] = limitCommand(['echo', 'ran'], { maxMemoryMb: -1 });
  expect(spawnSync(program, words, { encoding: 'utf8' })).toMatchObject({ status: 126, stdout: '' });
});
