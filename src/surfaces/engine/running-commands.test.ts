import { expect, test } from 'vitest';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { RunningCommands } from './running-commands.ts';

function writing(path: string): ResolvedPolicy {
  const rules = [
    { path: '/', access: 'read', ifMissing: 'skip' },
    { path, access: 'write', ifMissing: 'skip' },
  ] as const;
  const files = { kind: 'restricted', rules, denyGlobs: [], platformDefaults: false } as const;
  return { enforcement: 'managed', files, network: 'restricted' };
}

const outside: ResolvedPolicy = { enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' };
const everywhere: ResolvedPolicy = { enforcement: 'managed', files: { kind: 'unrestricted' }, network: 'restricted' };
const [own, other] = [{}, {}];

test('a command of the thread counts from when it outlives its call to its end', () => {
  const running = new RunningCommands();
  const command = running.begin(own, writing('/ws'));
  expect(running.beside(own, '/ws')).toBeUndefined();
  command.runsOn(7);
  expect(running.beside(own, '/ws')).toBe('session 7');
  command.ended();
  expect(running.beside(own, '/ws')).toBeUndefined();
});

test.each([
  ['below the folder', writing('/ws/src'), 'one of another thread'],
  ['above the folder', writing('/'), 'one of another thread'],
  ['everywhere', everywhere, 'one of another thread'],
  ['elsewhere', writing('/tmp'), undefined],
  ['everywhere, without a sandbox', outside, undefined],
])('a command of another thread counts by what it may write: %s', (_name, policy, expected) => {
  const running = new RunningCommands();
  running.begin(other, policy);
  expect(running.beside(own, '/ws')).toBe(expected);
});
