import { expect, test } from 'vitest';
import type { PermissionProfile } from '../../../protocol/permissions.ts';
import { describePolicy } from './describe-policy.ts';
import { builtInProfile } from './profiles.ts';
import { resolvePolicy } from './resolve-policy.ts';
import { noOwnPlaces, type PermissionPlaces } from '../paths/special-places.ts';

const places: PermissionPlaces = {
  cwd: '/srv/repo',
  workspaceRoots: ['/srv/repo'],
  slashTmp: true,
  gitDirectories: [],
  own: noOwnPlaces,
};
const names = ['.agents', '.aws', '.capstan', '.codex', '.git'];

test('the root that holds the working folder comes first', () => {
  const options = { network: true, writableRoots: ['/a'], excludeTmpdir: false, excludeSlashTmp: true };
  expect(describePolicy(resolvePolicy(builtInProfile('workspace-write', options), places), '/srv/repo/sub')).toEqual({
    mode: 'workspace-write',
    network: 'enabled',
    writableRoots: ['/srv/repo', '/a'],
    readOnlyPaths: [...names.map((name) => `/a/${name}`), ...names.map((name) => `/srv/repo/${name}`)],
    keptGlobs: ['/a/**/.git', '/srv/repo/**/.git'],
    sockets: [],
    readablePaths: [],
    deniedPaths: [],
    deniedGlobs: [],
    ownPaths: [],
    readsEverything: true,
    missingRoots: [],
  });
});

test('denied paths, globs and limits on reading are described', () => {
  const profile: PermissionProfile = {
    type: 'managed',
    network: 'restricted',
    file_system: {
      type: 'restricted',
      entries: [
        { path: { type: 'special', value: { kind: 'root' } }, access: 'deny' },
        { path: { type: 'path', path: '/srv' }, access: 'read' },
        { path: { type: 'path', path: '/srv/private' }, access: 'deny' },
        { path: { type: 'glob_pattern', pattern: '/srv/**/*.env' }, access: 'deny' },
      ],
    },
  };
  expect(describePolicy(resolvePolicy(profile, places), '/srv/repo')).toEqual({
    mode: 'read-only',
    network: 'restricted',
    writableRoots: [],
    readOnlyPaths: [],
    keptGlobs: [],
    sockets: [],
    readablePaths: ['/srv'],
    deniedPaths: ['/srv/private'],
    deniedGlobs: ['/srv/**/*.env'],
    ownPaths: [],
    readsEverything: false,
    missingRoots: [],
  });
});

test('an outer sandbox is named as such', () => {
  const policy = resolvePolicy({ type: 'external', network: 'restricted' }, places);
  expect(describePolicy(policy, '/srv/repo')).toMatchObject({ mode: 'external-sandbox', network: 'restricted' });
});

test('writable roots keep nested carve-outs and list a reopened folder on its own', () => {
  const path = (text: string) => ({ type: 'path', path: text }) as const;
  const profile: PermissionProfile = {
    type: 'managed',
    network: 'restricted',
    file_system: {
      type: 'restricted',
      entries: [
        { path: path('/r'), access: 'write' },
        { path: path('/r/a'), access: 'deny' },
        { path: path('/r/a/b'), access: 'write' },
      ],
    },
  };
  expect(describePolicy(resolvePolicy(profile, places), '/srv/repo')).toMatchObject({
    writableRoots: ['/r', '/r/a/b'],
    readOnlyPaths: [...names.map((name) => `/r/${name}`), ...names.map((name) => `/r/a/b/${name}`)],
    deniedPaths: ['/r/a'],
  });
});

test('what is open in what is closed, system folders, hosts and sockets are described', () => {
  const path = (text: string) => ({ type: 'path', path: text }) as const;
  const profile: PermissionProfile = {
    type: 'managed',
    network: 'enabled',
    capstan_network: {
      lists: { allow: ['a.org'], deny: ['b.org'], local: false, methods: 'reading' },
      sockets: ['/run/x.sock'],
    },
    file_system: {
      type: 'restricted',
      glob_scan_max_depth: 3,
      entries: [
        { path: { type: 'special', value: { kind: 'minimal' } }, access: 'read' },
        { path: path('/r'), access: 'write' },
        { path: path('/r/a'), access: 'deny' },
        { path: path('/r/a/b'), access: 'read' },
        { path: { type: 'glob_pattern', pattern: '/r/*.key' }, access: 'deny' },
      ],
    },
  };
  const own = { ...noOwnPlaces, secrets: ['/r/auth.json'], stores: ['/r/sessions'] };
  const described = describePolicy(resolvePolicy(profile, { ...places, own }), '/r');
  expect(described).toMatchObject({
    lists: { allow: ['a.org'] },
    sockets: ['/run/x.sock'],
    writableRoots: ['/r'],
    deniedPaths: ['/r/a'],
    deniedGlobs: ['/r/*.key'],
    globDepth: 3,
    ownPaths: ['/r/auth.json', '/r/sessions'],
    readsEverything: false,
  });
  expect(described.readablePaths).toEqual(expect.arrayContaining(['/usr', '/etc', '/r/a/b']));
});

test('stores of the engine are named only where something is kept from commands', () => {
  const own = { ...noOwnPlaces, secrets: ['/h/auth.json'], stores: ['/h/sessions'] };
  const none = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
  const policy = resolvePolicy(builtInProfile('read-only', none), { ...places, own });
  expect(describePolicy(policy, '/r').ownPaths).toEqual(['/h/auth.json']);
});
