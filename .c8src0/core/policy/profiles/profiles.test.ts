import { expect, test } from 'vitest';
import type { PermissionProfile } from '../../../protocol/permissions.ts';
import { expandWorkspaceSymbols, builtInProfile, profileForOtherPrograms } from './profiles.ts';

const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };

test('workspace-write has the entries of shared rollouts, in their order', () => {
  const profile = builtInProfile('workspace-write', { ...options, writableRoots: ['/more'] });
  const guards = ['.git', '.agents', '.codex', '.aws'];
  expect(expandWorkspaceSymbols(profile, ['/repo'])).toEqual({
    type: 'managed',
    file_system: {
      type: 'restricted',
      entries: [
        { path: { type: 'special', value: { kind: 'root' } }, access: 'read' },
        { path: { type: 'path', path: '/repo' }, access: 'write' },
        { path: { type: 'special', value: { kind: 'slash_tmp' } }, access: 'write' },
        { path: { type: 'special', value: { kind: 'tmpdir' } }, access: 'write' },
        { path: { type: 'path', path: '/more' }, access: 'write' },
        ...['/repo', '/more'].flatMap((folder) =>
          guards.map((name) => ({
            path: { type: 'path', path: `${folder}/${name}` },
            access: 'read',
            missing_path_behavior: 'skip',
          })),
        ),
      ],
    },
    network: 'restricted',
  });
});

test('read-only reads everything, full access has no sandbox', () => {
  expect(builtInProfile('read-only', { ...options, network: true })).toEqual({
    type: 'managed',
    file_system: {
      type: 'restricted',
      entries: [{ path: { type: 'special', value: { kind: 'root' } }, access: 'read' }],
    },
    network: 'enabled',
  });
  expect(builtInProfile('danger-full-access', options)).toEqual({ type: 'disabled' });
});

test('materialising gives one entry per root and drops the entry without roots', () => {
  const profile: PermissionProfile = {
    type: 'managed',
    file_system: {
      type: 'restricted',
      glob_scan_max_depth: 3,
      entries: [
        { path: { type: 'special', value: { kind: 'project_roots', subpath: 'docs' } }, access: 'read' },
        { path: { type: 'glob_pattern', pattern: 'codex-project-roots://**/*.env' }, access: 'deny' },
      ],
    },
    network: 'enabled',
  };
  expect(expandWorkspaceSymbols(profile, ['/a', '/b'])).toEqual({
    ...profile,
    file_system: {
      type: 'restricted',
      glob_scan_max_depth: 3,
      entries: [
        { path: { type: 'path', path: '/a/docs' }, access: 'read' },
        { path: { type: 'path', path: '/b/docs' }, access: 'read' },
        { path: { type: 'glob_pattern', pattern: '/a/**/*.env' }, access: 'deny' },
        { path: { type: 'glob_pattern', pattern: '/b/**/*.env' }, access: 'deny' },
      ],
    },
  });
  expect(expandWorkspaceSymbols(profile, [])).toMatchObject({ file_system: { entries: [] } });
});

test('materialising keeps what it cannot read, so that resolving can fail closed on it', () => {
  const entries = [
    { path: { type: 'special', value: { kind: 'project_roots', subpath: '../x' } }, access: 'deny' },
    { odd: 1 },
  ];
  const profile = { type: 'managed', file_system: { type: 'restricted', entries }, network: 'restricted' };
  expect(expandWorkspaceSymbols(profile as unknown as PermissionProfile, ['/a'])).toEqual(profile);
});

test('programs that know no lists of hosts read of no network', () => {
  const open = { ...builtInProfile('read-only', { ...options, network: true }), network: 'enabled' } as const;
  const lists = { allow: ['a.org'], deny: [], local: false, methods: 'any' } as const;
  const listed = { ...open, capstan_network: { lists, sockets: ['/run/x'] } } as PermissionProfile;
  expect(profileForOtherPrograms(listed, ['/repo'])).toEqual({ ...open, network: 'restricted' });
  expect(
    profileForOtherPrograms({ ...open, capstan_network: { sockets: ['/run/x'] } } as PermissionProfile, ['/repo']),
  ).toEqual(open);
});
