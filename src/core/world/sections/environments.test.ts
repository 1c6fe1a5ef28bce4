import { expect, it } from 'vitest';
import type { TurnEnvironment } from '../../envelope/environment.ts';
import { environmentsSection } from './environments.ts';

const now: TurnEnvironment = {
  cwd: '/repo',
  shell: 'bash',
  date: '2026-11-16',
  timezone: 'Etc/UTC',
  approvalPolicy: 'never',
  sandboxMode: 'workspace-write',
  networkAccess: 'restricted',
  writableRoots: ['/repo'],
  workspaceRoots: [],
  deniedPaths: ['/repo/a'],
  reopenedPaths: [],
  allowedDomains: [],
  deniedDomains: [],
};

it('a file of an earlier version told of no path that is open again', () => {
  const stored = environmentsSection.stored(now);
  expect(stored.capstan).not.toHaveProperty('reopenedPaths');
  const before = environmentsSection.read(stored, undefined)!;
  expect(environmentsSection.change(before, now)).toEqual([]);
  const [told, ...rest] = environmentsSection.change(before, { ...now, reopenedPaths: ['/repo/a/b'] });
  expect(rest).toEqual([]);
  expect(told?.text).toBe(
    '<environment_context>\n  <reopened_paths><path>/repo/a/b</path></reopened_paths>\n</environment_context>',
  );
});
