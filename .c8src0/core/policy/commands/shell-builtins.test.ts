import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { builtinEffect, isCoverableByRule } from './shell-builtins.ts';
import { isReadOnlyCommand } from './read-only-commands.ts';

test('every builtin of the bash of this machine is judged', () => {
  const { stdout = '' } = spawnSync('bash', ['--norc', '-c', 'compgen -b'], { encoding: 'utf8' });
  expect((stdout ?? '').split('\n').filter((name) => name !== '' && builtinEffect([name]) === undefined)).toEqual([]);
});

test.each([
  ['echo a[$(x)]', 'plain'],
  ['cd a[$(x)]', 'plain'],
  ['printf', 'plain'],
  ['printf %s\\n a[$(x)]', 'plain'],
  ['printf %5.2f%% 1.5', 'plain'],
  ['printf %-10s|%b a b', 'plain'],
  ['printf -- -v', 'plain'],
  ['printf -v x 1', 'evaluates'],
  ['printf -vx 1', 'evaluates'],
  ['printf %d a[$(x)]', 'evaluates'],
  ['printf %n x', 'evaluates'],
  ['printf %*d 1 2', 'evaluates'],
  ['printf %(%F)T x', 'evaluates'],
  ['test -f a', 'plain'],
  ['[ 1 -eq 2 ]', 'plain'],
  ['[ a = b ]', 'plain'],
  ['[ -t 0 ]', 'plain'],
  ['[ -v a ]', 'evaluates'],
  ['test x -eq 1', 'evaluates'],
  ['test -R x', 'evaluates'],
  ['exit 1', 'plain'],
  ['exit a[$(x)]', 'evaluates'],
  ['command -v git', 'plain'],
  ['command -pv git', 'plain'],
  ['command -p', 'evaluates'],
  ['jobs -l', 'plain'],
  ['jobs -x y', 'evaluates'],
  ['wait -n', 'plain'],
  ['wait -p x', 'evaluates'],
  ['export A=b C', 'changes'],
  ['export a[$(x)]=1', 'evaluates'],
  ['declare -A m', 'changes'],
  ['declare -i x=y', 'evaluates'],
  ['declare -n x=y', 'evaluates'],
  ['declare -a x=($(y))', 'evaluates'],
  ['readonly -a x+=($(y))', 'evaluates'],
  ['export x=($(y))', 'evaluates'],
  ['typeset -F x=y', 'evaluates'],
  ['unset -f x', 'changes'],
  ['unset a[$(x)]', 'evaluates'],
  ['read -r line', 'changes'],
  ['read -r a[$(x)]', 'evaluates'],
  ['mapfile -t lines', 'changes'],
  ['mapfile -C x lines', 'evaluates'],
  ['getopts ab: x', 'changes'],
  ['getopts ab: a[$(x)]', 'evaluates'],
  ['set -e', 'changes'],
  ['hash -p x y', 'changes'],
  ['trap - INT', 'changes'],
  ['trap x INT', 'evaluates'],
  ['enable -f x y', 'evaluates'],
  ['let x', 'evaluates'],
  ['source x', 'evaluates'],
  ['. x', 'evaluates'],
  ['zmodload x', 'evaluates'],
  ['/usr/bin/printf -v x', undefined],
  ['git status', undefined],
] as const)('%s: %s', (command, effect) => {
  expect(builtinEffect(command.split(' '))).toBe(effect);
  expect(isCoverableByRule(command.split(' '))).toBe((effect ?? 'plain') === 'plain');
});

test('builtins that run unasked because they only read take every word as text', () => {
  const { stdout = '' } = spawnSync('bash', ['--norc', '-c', 'compgen -b'], { encoding: 'utf8' });
  const names = (stdout ?? '').split('\n').filter((name) => isReadOnlyCommand([name], { isOpen: true }));
  expect(names.filter((name) => builtinEffect([name, '-v', 'a[$(x)]']) !== 'plain')).toEqual([]);
});
