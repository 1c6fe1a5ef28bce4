import { expect, test } from 'vitest';
import { type ProbeFinding, judgeProbe, type ProbeName, probes } from './probes.ts';

const names = Object.keys(probes) as readonly ProbeName[];
const closed = { kind: 'bubblewrap', closesUserNamespaces: true } as const;
const stateOf = (findings: readonly ProbeFinding[], name: ProbeName) => findings.find((each) => each.name === name);

test('an attempt that does not come out as promised breaks the promise', () => {
  for (const name of names) {
    const { promise } = probes[name];
    const kept = judgeProbe(closed, [{ name, end: promise === 'works' ? 'succeeded' : 'failed', detail: '' }]);
    const broken = judgeProbe(closed, [{ name, end: promise === 'works' ? 'failed' : 'succeeded', detail: 'why' }]);
    expect([name, stateOf(kept, name)?.state, stateOf(broken, name)?.state]).toEqual([name, 'holds', 'broken']);
    expect(stateOf(broken, name)?.detail).toContain('why');
  }
});

test('an attempt that was not made proves nothing', () => {
  const findings = judgeProbe(closed, [{ name: 'ptrace', end: 'skipped', detail: 'perl is not installed' }]);
  expect(findings).toHaveLength(names.length);
  expect(new Set(findings.map(({ state }) => state))).toEqual(new Set(['unknown']));
  expect(stateOf(findings, 'ptrace')?.detail).toBe('not checked: perl is not installed');
  expect(stateOf(findings, 'tcp')?.detail).toBe('not checked: not tried');
});

test('an old bubblewrap does not promise to forbid user namespaces', () => {
  const attempts = [{ name: 'user-namespace', end: 'succeeded', detail: '' }] as const;
  expect(stateOf(judgeProbe({ ...closed, closesUserNamespaces: false }, attempts), 'user-namespace')?.state).toBe(
    'unknown',
  );
  expect(stateOf(judgeProbe(closed, attempts), 'user-namespace')?.state).toBe('broken');
});

test('what Landlock cannot keep is lost, and nothing else is', () => {
  const attempts = names.map((name) => ({ name, end: 'succeeded', detail: '' }) as const);
  const findings = judgeProbe({ ...closed, kind: 'landlock' }, attempts);
  const lost = ['make-protected', 'change-protected', 'move-protected', 'parent-descriptors'];
  expect(findings.filter(({ state }) => state === 'lost').map(({ name }) => name)).toEqual(lost);
  expect(findings.filter(({ state }) => state === 'holds').map(({ name }) => name)).toEqual(['write-inside']);
});
