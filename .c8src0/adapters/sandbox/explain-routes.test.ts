import { describe, expect, test } from 'vitest';
import { noOwnPlaces } from '../../core/policy/paths/special-places.ts';
import { builtInProfile } from '../../core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../core/policy/profiles/resolve-policy.ts';
import type { FileSystemEntry, PermissionProfile } from '../../protocol/permissions.ts';
import { explainSandboxRoutes } from './explain-routes.ts';

const options = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: false };
const places = { cwd: '/ws', workspaceRoots: ['/ws'], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
const entry = (path: string, access: FileSystemEntry['access']): FileSystemEntry => ({
  path: { type: 'path', path },
  access,
});
const managed = (...entries: readonly FileSystemEntry[]): PermissionProfile => ({
  type: 'managed',
  file_system: { type: 'restricted', entries },
  network: 'restricted',
});
const readAll = entry('/', 'read');

/** The verdicts of bubblewrap, Landlock, Seatbelt, and Windows elevated and unelevated. */
const rows: readonly (readonly [what: string, profile: PermissionProfile, verdicts: string])[] = [
  ['full access', { type: 'disabled' }, 'unneeded unneeded unneeded unneeded unneeded'],
  ['a sandbox around us', { type: 'external', network: 'restricted' }, 'unneeded unneeded unneeded unneeded unneeded'],
  ['read-only', builtInProfile('read-only', options), 'enforced limited enforced planned planned'],
  ['workspace-write', builtInProfile('workspace-write', options), 'enforced limited enforced planned planned'],
  [
    'no network',
    { type: 'managed', file_system: { type: 'unrestricted' }, network: 'restricted' },
    'enforced limited enforced refused refused',
  ],
  [
    'a denied path',
    managed(readAll, entry('/ws', 'write'), entry('/ws/a', 'deny')),
    'enforced refused enforced refused refused',
  ],
  [
    'a denied path opened again',
    managed(readAll, entry('/ws', 'write'), entry('/ws/a', 'deny'), entry('/ws/a/b', 'write')),
    'enforced refused enforced refused refused',
  ],
  [
    'a read-only path opened again',
    managed(readAll, entry('/ws', 'write'), entry('/ws/a', 'read'), entry('/ws/a/b', 'write')),
    'enforced refused enforced refused refused',
  ],
  ['limited reads', managed(entry('/ws', 'read')), 'enforced limited enforced planned refused'],
  ['another root', managed(readAll, entry('/srv', 'write')), 'enforced limited enforced planned refused'],
  [
    'a pattern',
    managed(readAll, { path: { type: 'glob_pattern', pattern: '/ws/**/*.env' }, access: 'deny' }),
    'enforced limited enforced refused refused',
  ],
  [
    'a pattern on the whole disk',
    managed(readAll, { path: { type: 'glob_pattern', pattern: '/**/*.env' }, access: 'deny' }),
    'refused refused enforced refused refused',
  ],
];

describe('how each system enforces', () => {
  const missing = { kind: 'refused', code: 'sandbox-missing', message: 'There is none.', next: '' } as const;
  const explained = (
    profile: PermissionProfile,
    problems: Parameters<typeof explainSandboxRoutes>[1]['problems'] = {},
  ) =>
    explainSandboxRoutes(
      { whole: resolvePolicy(profile, places), fitted: resolvePolicy(profile, { ...places, landlock: true }) },
      { cwd: '/ws', temporary: undefined, problems },
    );

  test.each(rows)('%s', (_what, profile, verdicts) => {
    const routes = explained(profile);
    expect(routes.map(({ verdict }) => verdict).join(' ')).toBe(verdicts);
    expect(routes.map(({ system }) => system)).toEqual([
      'bubblewrap',
      'landlock',
      'seatbelt',
      'windows-elevated',
      'windows-unelevated',
    ]);
    for (const { why } of routes) expect(why).toMatch(/^[A-Z"/].*\.$/);
  });

  test('where neither way of Linux works, both say so, and the other systems are as they are', () => {
    const problems = { bubblewrap: missing, landlock: missing };
    for (const [what, profile] of rows) {
      const [here, elsewhere] = [explained(profile, problems), explained(profile)];
      expect(here.slice(2), what).toEqual(elsewhere.slice(2));
      const verdict = elsewhere[0]!.verdict === 'unneeded' ? 'unneeded' : 'refused';
      expect([here[0]!.verdict, here[1]!.verdict], what).toEqual([verdict, verdict]);
    }
    const why = 'Not on this machine: There is none.';
    expect(explained(builtInProfile('read-only', options), problems).slice(0, 2)).toEqual([
      { system: 'bubblewrap', verdict: 'refused', why },
      { system: 'landlock', verdict: 'refused', why },
    ]);
    const [bubblewrap, landlock] = explained(builtInProfile('read-only', options), { bubblewrap: missing });
    expect([bubblewrap!.verdict, landlock!.verdict]).toEqual(['refused', 'limited']);
  });

  test('what Landlock loses is named', () => {
    const [, landlock] = explained(rows[3]![1]);
    expect(landlock!.losses!.join(' ')).toContain(
      'can change what is otherwise read-only inside writable folders: "/tmp/.agents", ',
    );
    expect(landlock!.losses!.join(' ')).toContain(
      'Commands can change modes and times of your files outside the writable folders.',
    );
    const [, readOnly] = explained(rows[2]![1]);
    expect(readOnly!.losses!.join(' ')).not.toContain('Commands can change');
  });

  test('the reason of a refusal names the place', () => {
    const [, landlock, , elevated] = explained(rows[5]![1]);
    expect(landlock!.why).toBe(
      'Landlock cannot enforce this policy: it cannot hide "/ws/a" inside the writable folder "/ws".',
    );
    expect(elevated!.why).toBe('"/ws/a" is denied, and access lists cannot hide a path exactly.');
  });
});
