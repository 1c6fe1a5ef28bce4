import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileAccess, FileSystemEntry, PermissionProfile } from '../../../protocol/permissions.ts';
import { accessAt } from '../paths/access.ts';
import { narrowerApproval, narrowerProfile } from './narrower-profile.ts';
import { noOwnPlaces, type PermissionPlaces } from '../paths/special-places.ts';
import { type ProfileOptions, builtInProfile } from './profiles.ts';
import { resolvePolicy } from './resolve-policy.ts';

const places: PermissionPlaces = {
  cwd: '/repo',
  workspaceRoots: ['/repo'],
  slashTmp: true,
  gitDirectories: [],
  own: noOwnPlaces,
};
const none: ProfileOptions = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
const readOnly = builtInProfile('read-only', none);
const workspace = builtInProfile('workspace-write', none);
const full = builtInProfile('danger-full-access', none);
const external: PermissionProfile = { type: 'external', network: 'restricted' };

function restricted(...entries: readonly FileSystemEntry[]): PermissionProfile {
  return { type: 'managed', file_system: { type: 'restricted', entries }, network: 'restricted' };
}

function at(path: string, granted: FileAccess): FileSystemEntry {
  return { path: { type: 'path', path }, access: granted };
}

describe('of two profiles', () => {
  const rows: readonly (readonly [string, PermissionProfile, PermissionProfile, 'claimed' | 'configured'])[] = [
    ['a claim to everything', readOnly, full, 'configured'],
    ['a claim to the workspace', readOnly, workspace, 'configured'],
    ['a claim to less', workspace, readOnly, 'claimed'],
    ['a claim to the same', workspace, workspace, 'claimed'],
    ['a claim to less than everything', full, workspace, 'claimed'],
    ['a root more', workspace, builtInProfile('workspace-write', { ...none, writableRoots: ['/srv'] }), 'configured'],
    ['a root less', builtInProfile('workspace-write', { ...none, writableRoots: ['/srv'] }), workspace, 'claimed'],
    [
      'a root inside of one',
      builtInProfile('workspace-write', { ...none, writableRoots: ['/srv'] }),
      builtInProfile('workspace-write', { ...none, writableRoots: ['/srv/a'] }),
      'claimed',
    ],
    ['the network', workspace, builtInProfile('workspace-write', { ...none, network: true }), 'configured'],
    [
      'a temporary folder that is excluded',
      builtInProfile('workspace-write', { ...none, excludeSlashTmp: true }),
      workspace,
      'configured',
    ],
    [
      'TMPDIR, also while none is set',
      builtInProfile('workspace-write', { ...none, excludeTmpdir: true }),
      workspace,
      'configured',
    ],
    ['a sandbox around us that is not configured', workspace, external, 'configured'],
    ['a sandbox of ours where one around us is configured', external, workspace, 'claimed'],
    ['the network of a sandbox around us', external, { type: 'external', network: 'enabled' }, 'configured'],
    [
      'the workspace by its path, where it is configured by name',
      workspace,
      restricted(at('/', 'read'), at('/repo', 'write')),
      'configured',
    ],
    ['a deny left out', restricted(at('/', 'read'), at('/secret', 'deny')), restricted(at('/', 'read')), 'configured'],
    [
      'a deny by a glob left out',
      restricted(at('/', 'read'), { path: { type: 'glob_pattern', pattern: '/**/*.pem' }, access: 'deny' }),
      restricted(at('/', 'read')),
      'configured',
    ],
    [
      'a path that may be made where it was kept from being',
      restricted(at('/', 'read'), at('/srv', 'write'), at('/srv/a', 'read')),
      restricted(at('/', 'read'), at('/srv', 'write'), { ...at('/srv/a', 'read'), missing_path_behavior: 'skip' }),
      'configured',
    ],
    [
      'an entry of a foreign shape, which denies everything',
      workspace,
      restricted({ path: { type: 'odd' } } as unknown as FileSystemEntry),
      'claimed',
    ],
  ];
  test.each(rows)('%s', (_, configured, claimed, expected) => {
    expect(narrowerProfile(configured, claimed, places)).toBe(expected === 'claimed' ? claimed : configured);
  });

  test('the result opens no path that the configured one does not', () => {
    const paths = ['/', '/repo', '/repo/a', '/repo/a/b', '/repo/.git', '/srv', '/srv/a', '/tmp', '/home', '/usr'];
    const entry = fc.record({
      path: fc.oneof(
        fc.constantFrom(...paths).map((path) => ({ type: 'path' as const, path })),
        fc
          .constantFrom('root', 'project_roots', 'slash_tmp', 'minimal')
          .map((kind) => ({ type: 'special' as const, value: { kind } as never })),
      ),
      access: fc.constantFrom<FileAccess>('read', 'write', 'deny'),
    });
    const profile = fc.array(entry, { maxLength: 5 }).map((entries) => restricted(...entries));
    const rank = { deny: 0, read: 1, write: 2 };
    fc.assert(
      fc.property(profile, profile, (configured, claimed) => {
        const taken = resolvePolicy(narrowerProfile(configured, claimed, places), places);
        const granted = resolvePolicy(configured, places);
        for (const path of paths.flatMap((one) => [one, `${one}/x`.replace('//', '/')]))
          expect(rank[accessAt(taken, path)]).toBeLessThanOrEqual(rank[accessAt(granted, path)]);
      }),
    );
  });
});

test.each([
  ['on-request', 'never', 'never'],
  ['on-request', 'untrusted', 'untrusted'],
  ['never', 'on-request', 'never'],
  ['never', 'untrusted', 'never'],
  ['untrusted', 'never', 'untrusted'],
  ['untrusted', 'on-request', 'untrusted'],
] as const)('%s is configured and %s claimed: %s holds', (configured, claimed, expected) => {
  expect(narrowerApproval(configured, claimed)).toBe(expected);
});

test('where Landlock holds policies, a claim is compared as the usual sandbox would hold it', () => {
  const own = { ...places.own, state: ['/tmp/home'], secrets: [] };
  const options = { network: false, writableRoots: [], excludeTmpdir: true };
  const configured = builtInProfile('workspace-write', { ...options, excludeSlashTmp: true });
  const claimed = builtInProfile('workspace-write', { ...options, excludeSlashTmp: false });
  // Landlock closes a temporary folder that holds the home.
  expect(narrowerProfile(configured, claimed, { ...places, own, landlock: true })).toBe(configured);
});
