import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileSystemEntry, PermissionProfile, SandboxPolicy } from '../../../protocol/permissions.ts';
import { profileFromPolicy, sandboxModeOf, sandboxPolicyOf } from './read-profile.ts';
import { builtInProfile } from './profiles.ts';
import { resolvePolicy } from './resolve-policy.ts';
import { noOwnPlaces, type PermissionPlaces } from '../paths/special-places.ts';

const places: PermissionPlaces = {
  cwd: '/repo',
  workspaceRoots: ['/repo'],
  temporaryDirectory: '/scratch',
  slashTmp: true,
  gitDirectories: [],
  own: noOwnPlaces,
};

function managed(
  entries: readonly FileSystemEntry[],
  network: 'restricted' | 'enabled' = 'restricted',
): PermissionProfile {
  return { type: 'managed', file_system: { type: 'restricted', entries }, network };
}

const root = { type: 'special', value: { kind: 'root' } } as const;

test('what the coarser form can say survives the way there and back', () => {
  const legacy = fc.oneof(
    fc.record({
      type: fc.constant('workspace-write' as const),
      writable_roots: fc
        .uniqueArray(fc.constantFrom('/a', '/b', '/c/d'), { minLength: 1 })
        .map((roots) => roots.toSorted()),
      network_access: fc.boolean(),
      exclude_tmpdir_env_var: fc.boolean(),
      exclude_slash_tmp: fc.boolean(),
    }),
    fc.constantFrom<SandboxPolicy>(
      { type: 'read-only' },
      { type: 'read-only', network_access: true },
      { type: 'danger-full-access' },
      { type: 'external-sandbox', network_access: 'restricted' },
      { type: 'external-sandbox', network_access: 'enabled' },
    ),
  );
  fc.assert(
    fc.property(legacy, (policy) => {
      expect(sandboxPolicyOf(profileFromPolicy(policy), places)).toEqual(policy);
    }),
  );
});

test('without extra roots the list is left out', () => {
  const profile = builtInProfile('workspace-write', {
    network: true,
    writableRoots: [],
    excludeTmpdir: true,
    excludeSlashTmp: false,
  });
  expect(sandboxPolicyOf(profile, places)).toEqual({
    type: 'workspace-write',
    network_access: true,
    exclude_tmpdir_env_var: true,
    exclude_slash_tmp: false,
  });
});

describe('what it cannot say', () => {
  test('a disk without limits and a network with them: a sandbox around us must isolate', () => {
    const profile: PermissionProfile = {
      type: 'managed',
      file_system: { type: 'unrestricted' },
      network: 'restricted',
    };
    expect(sandboxPolicyOf(profile, places)).toEqual({ type: 'external-sandbox', network_access: 'restricted' });
    expect(sandboxPolicyOf(managed([{ path: root, access: 'write' }]), places).type).toBe('external-sandbox');
    expect(sandboxPolicyOf(managed([{ path: root, access: 'write' }], 'enabled'), places)).toEqual({
      type: 'danger-full-access',
    });
  });

  test('writing somewhere but not in the working folder names every root', () => {
    const profile = managed([
      { path: root, access: 'read' },
      { path: { type: 'path', path: '/data' }, access: 'write' },
      { path: { type: 'special', value: { kind: 'slash_tmp' } }, access: 'write' },
    ]);
    expect(sandboxPolicyOf(profile, places)).toEqual({
      type: 'workspace-write',
      writable_roots: ['/data', '/tmp'],
      network_access: false,
      exclude_tmpdir_env_var: true,
      exclude_slash_tmp: false,
    });
  });

  test('an unknown symbol with write is read-only', () => {
    const unknown = { type: 'special', value: { kind: 'unknown', path: ':future' } } as const;
    expect(
      sandboxPolicyOf(
        managed([
          { path: root, access: 'read' },
          { path: unknown, access: 'write' },
        ]),
        places,
      ),
    ).toEqual({
      type: 'read-only',
    });
  });

  test('a working folder that is also denied is not writable', () => {
    const path = { type: 'path', path: '/repo' } as const;
    expect(
      sandboxPolicyOf(
        managed([
          { path, access: 'write' },
          { path, access: 'deny' },
        ]),
        places,
      ),
    ).toEqual({ type: 'read-only' });
  });
});

test('an unknown form may only read', () => {
  expect(profileFromPolicy({ type: 'newer' } as unknown as SandboxPolicy)).toEqual(
    builtInProfile('read-only', { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false }),
  );
  const broken = { type: 'workspace-write', writable_roots: 'x', network_access: 'yes' } as unknown as SandboxPolicy;
  expect(profileFromPolicy(broken)).toMatchObject({ type: 'managed', network: 'restricted' });
});

test('the mode word follows what may be written', () => {
  const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
  const modes = (['read-only', 'workspace-write', 'danger-full-access'] as const).map((mode) =>
    sandboxModeOf(resolvePolicy(builtInProfile(mode, options), places)),
  );
  expect(modes).toEqual(['read-only', 'workspace-write', 'danger-full-access']);
});
